import { SQL, type ReservedSQL } from 'bun';
import { fail } from '../../base/errors.ts';
import { isConnectionLost, isReadOnlyServer, storageFault } from '../../base/foreign-errors.ts';
import { coreMetrics } from '../../metrics/core-metrics.ts';
import type { Recorder } from '../../metrics/recorder.ts';
import type { PostgresLimits, PostgresLocation } from '../query/db.ts';
import { addressOf } from './postgres-connection.ts';
import { findWriter } from './postgres-hosts.ts';
import { connectionOptions, usualLimits } from './postgres-options.ts';
import type { PostgresAnswer, PostgresConnection } from './postgres-session.ts';
import { parsePostgresUrl, type PostgresHost } from './postgres-url.ts';
import { turnstile } from './postgres-turnstile.ts';
import { answerWatch } from './postgres-watch.ts';
import type { StorageHealth } from '../query/storage-health.ts';

export type Isolation = 'read committed' | 'serializable';

/** One connection for one transaction. */
export interface TransactionConnection extends PostgresConnection {
  /** Sends BEGIN. What is sent after it need not wait for its answer. */
  begin(isolation: Isolation): Promise<PostgresAnswer>;
  commit(): Promise<PostgresAnswer>;
  /** Undoes the transaction if it is still open, and gives the connection back. */
  release(outcome: 'ended' | 'open'): Promise<void>;
}

export interface PostgresPool extends PostgresConnection {
  /** Waits for a connection that nobody else has. @throws Fault DATABASE_BUSY after the limit of the pool. */
  reserve(purpose?: 'reads'): Promise<TransactionConnection>;
  close(): Promise<void>;
}

/** How long a lost connection's server may be looked for again: requests of this time share one look. */
const lookAgainMs = 200;

/**
 * A pool of connections to the server of a URL that takes writes. When that server goes away, the next request looks for it among the
 * hosts of the URL again; while it takes no writes, it is looked for beside the requests, so that what only reads goes on. What a
 * request waits for is bounded by the limits, so that a server that is silent, locked or full of connections gives 503 and not a
 * request that hangs.
 */
export function openPool(
  location: PostgresLocation,
  health: StorageHealth,
  recorder: Recorder,
): PostgresPool {
  const { limits = usualLimits } = location;
  const place = parsePostgresUrl(location.url);
  const options = connectionOptions(location, place, { bounded: true });
  const watch = answerWatch(limits, () => leave('silent', 0));
  const writers = turnstile(limits);
  const fixed = place.hosts.length === 1 && place.target === 'any' ? place.hosts[0] : undefined;

  let client: SQL | undefined;
  let looking: Promise<SQL> | undefined;
  let closed = false;
  let used = 0;
  recorder.read(coreMetrics.connections, () => [[[], used]]);
  recorder.read(coreMetrics.connectionsLimit, () => [[[], limits.connections]]);
  recorder.read(coreMetrics.connectionWaits, () => [[[], writers.waiting()]]);

  const open = (host: PostgresHost) => new SQL({ ...options, ...addressOf(host), max: limits.connections });

  /** Requests from now on connect anew. Those that wait for an answer get it within `drainMs`, or fail. */
  const leave = (why: string, drainMs: number) => {
    const left = client;
    if (!left) return;
    client = undefined;
    health.left(why);
    const drop = () => void left.close({ timeout: 0 }).catch(() => {});
    if (drainMs === 0) drop();
    else setTimeout(drop, drainMs).unref();
  };

  const current = (): SQL | Promise<SQL> => {
    if (closed) throw fail.SHUTTING_DOWN('The database is closed.');
    if (client) return client;
    if (fixed) return (client = open(fixed));
    return look(place.target === 'any');
  };

  const look = (any: boolean) => (looking ??= find(any).finally(() => (looking = undefined)));

  const find = async (any: boolean): Promise<SQL> => {
    try {
      const host = await findWriter(place, options, { any });
      if (closed) throw fail.SHUTTING_DOWN('The database is closed.');
      leave('read_only', limits.statementMs);
      return (client = open(host));
    } catch (error) {
      // Requests that arrive now share this result instead of asking all hosts again.
      await Bun.sleep(lookAgainMs);
      throw error;
    }
  };

  /** Looks for a server that takes writes while this one goes on to answer what only reads. */
  const lookBeside = () => {
    look(false).catch(() => {});
  };

  /** Notes a failed statement of a client, and leaves a server that is gone. */
  const failed = (error: unknown, from: SQL | undefined): unknown => {
    // What an earlier server still says is no news about this one.
    if (from !== undefined && from === client) {
      if (isReadOnlyServer(error)) lookBeside();
      else if (!fixed && isConnectionLost(error)) leave('connection_lost', limits.statementMs);
    }
    return health.failed(storageFault(error));
  };

  const guarded = async (answer: Promise<unknown>, from: SQL): Promise<PostgresAnswer> => {
    const began = performance.now();
    try {
      return (await watch.answer(answer)) as PostgresAnswer;
    } catch (error) {
      throw failed(error, from);
    } finally {
      recorder.observe(coreMetrics.statementSeconds, [], (performance.now() - began) / 1000);
    }
  };

  const located = async (): Promise<SQL> => {
    try {
      return await current();
    } catch (error) {
      throw failed(error, undefined);
    }
  };

  /** A connection that arrives after its request was given up goes back at once. */
  const reserveOf = async (sql: SQL): Promise<ReservedSQL> => {
    const reserving = sql.reserve();
    try {
      return await watch.answer(reserving);
    } catch (error) {
      void reserving.then((late) => late.release()).catch(() => {});
      throw failed(error, sql);
    }
  };

  return {
    send: async (text, values) => {
      const sql = client ?? (await located());
      return guarded(sql.unsafe(text, values as string[]).values(), sql);
    },
    reserve: async (purpose) => {
      const leaveTurnstile = purpose === 'reads' ? () => {} : await writers.enter();
      try {
        const sql = client ?? (await located());
        const connection = await reserveOf(sql);
        used++;
        return reserved(
          connection,
          limits,
          (answer) => guarded(answer, sql),
          () => {
            used--;
            leaveTurnstile();
          },
        );
      } catch (error) {
        leaveTurnstile();
        throw error;
      }
    },
    close: async () => {
      closed = true;
      await client?.close({ timeout: 5 });
    },
  };
}

function reserved(
  connection: ReservedSQL,
  { pooler, statementMs, lockMs }: PostgresLimits,
  guarded: (answer: Promise<unknown>) => Promise<PostgresAnswer>,
  leaveTurnstile: () => void,
): TransactionConnection {
  const begin = (isolation: Isolation) => {
    // A pooler refuses these settings when a connection starts, and another transaction may get the connection next.
    if (pooler)
      return connection.unsafe(
        `BEGIN ISOLATION LEVEL ${isolation}; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL lock_timeout = ${lockMs}`,
      );
    // Tagged: the driver pipelines these, which it does not do with a text.
    return isolation === 'serializable'
      ? connection`BEGIN ISOLATION LEVEL SERIALIZABLE`
      : connection`BEGIN ISOLATION LEVEL READ COMMITTED`;
  };
  let over = false;
  return {
    send: (text, values) =>
      over
        ? Promise.reject(new Error('a statement was started after its transaction'))
        : guarded(connection.unsafe(text, values as string[]).values()),
    begin: (isolation) => guarded(begin(isolation).execute()),
    commit: () => {
      // After COMMIT a statement would be a transaction of its own.
      over = true;
      return guarded(connection`COMMIT`.execute());
    },
    release: async (outcome) => {
      over = true;
      try {
        if (outcome === 'open') await guarded(connection`ROLLBACK`.execute());
        await connection.release();
      } catch {
        // The state of the connection is unknown: nobody may get it.
        void connection.close({ timeout: 0 }).catch(() => {});
      } finally {
        leaveTurnstile();
      }
    },
  };
}
