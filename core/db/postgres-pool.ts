import { SQL, type ReservedSQL } from 'bun';
import { fail } from '../errors.ts';
import { isConnectionLost, isReadOnlyServer, storageFault } from '../foreign-errors.ts';
import type { PostgresLocation } from './db.ts';
import { addressOf } from './postgres-connection.ts';
import { connectionOptions, usualLimits, type PostgresLimits } from './postgres-options.ts';
import type { PostgresAnswer, PostgresConnection } from './postgres-session.ts';
import { parsePostgresUrl, type PostgresHost } from './postgres-url.ts';
import { answerWatch } from './postgres-watch.ts';
import type { StorageHealth } from './storage-health.ts';

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
 * A pool of connections to the server of a URL that takes writes. When that server goes away or becomes a standby, the next request
 * looks for it among the hosts of the URL again. What a request waits for is bounded by the limits, so that a server that is
 * silent, locked or full of connections gives 503 and not a request that hangs.
 */
export function openPool(location: PostgresLocation, health: StorageHealth): PostgresPool {
  const { limits = usualLimits } = location;
  const place = parsePostgresUrl(location.url);
  const options = connectionOptions(location, place, { bounded: true });
  const watch = answerWatch(limits, () => leave('silent'));
  const writers = turnstile(limits);
  const fixed = place.hosts.length === 1 && place.target === 'any' ? place.hosts[0] : undefined;

  let client: SQL | undefined;
  let looking: Promise<SQL> | undefined;
  let closed = false;

  const open = (host: PostgresHost) => new SQL({ ...options, ...addressOf(host), max: limits.connections });

  /** Drops all connections. Requests that wait for an answer fail; the next one connects anew. */
  const leave = (why: string) => {
    const left = client;
    if (!left) return;
    client = undefined;
    health.left(why);
    void left.close({ timeout: 0 }).catch(() => {});
  };

  const current = (): SQL | Promise<SQL> => {
    if (closed) throw fail.SHUTTING_DOWN('The database is closed.');
    if (client) return client;
    if (fixed) return (client = open(fixed));
    looking ??= find().finally(() => (looking = undefined));
    return looking;
  };

  const find = async (): Promise<SQL> => {
    let last: unknown;
    for (const host of place.hosts) {
      const probe = new SQL({ ...options, ...addressOf(host), max: 1 });
      try {
        const [row] = await watch.answer(
          probe.unsafe('SELECT pg_is_in_recovery(), current_setting($1)', ['transaction_read_only']).values(),
        );
        const [standby, readOnly] = (row ?? []) as readonly unknown[];
        if (place.target === 'any' || (standby !== true && readOnly !== 'on')) {
          client = open(host);
          return client;
        }
        last = fail.STORAGE_FAILED('No host of --database takes writes.', {
          cause: 'read_only',
          retryAfter: 1,
        });
      } catch (error) {
        last = error;
      } finally {
        void probe.close({ timeout: 0 }).catch(() => {});
      }
    }
    // Requests that arrive now share this result instead of asking all hosts again.
    await Bun.sleep(lookAgainMs);
    throw last;
  };

  /** Notes a failed statement, and leaves a server that is gone or takes no writes. */
  const failed = (error: unknown): unknown => {
    if (isReadOnlyServer(error)) leave('read_only');
    else if (!fixed && isConnectionLost(error)) leave('connection_lost');
    return health.failed(storageFault(error));
  };

  const guarded = async (answer: Promise<unknown>): Promise<PostgresAnswer> => {
    try {
      return (await watch.answer(answer)) as PostgresAnswer;
    } catch (error) {
      throw failed(error);
    }
  };

  return {
    send: async (text, values) => {
      const sql = client ?? (await located(current, failed));
      return guarded(sql.unsafe(text, values as string[]).values());
    },
    reserve: async (purpose) => {
      const leaveTurnstile = purpose === 'reads' ? () => {} : await writers.enter();
      try {
        const sql = client ?? (await located(current, failed));
        const connection = (await watch.answer(sql.reserve()).catch((error: unknown) => {
          throw failed(error);
        })) as ReservedSQL;
        return reserved(connection, limits, guarded, leaveTurnstile);
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

async function located(current: () => SQL | Promise<SQL>, failed: (error: unknown) => unknown): Promise<SQL> {
  try {
    return await current();
  } catch (error) {
    throw failed(error);
  }
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

/**
 * Lets as many transactions in as there are connections for them, first in, first out. Some connections are left for reads: writers
 * that wait for a lock must not stop those who only read.
 */
function turnstile({ connections, poolMs }: PostgresLimits) {
  const keptForReads = connections >= 4 ? 2 : connections > 1 ? 1 : 0;
  let free = connections - keptForReads;
  const waiting = new Set<() => void>();

  const leaveOnce = () => {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next();
      } else free++;
    };
  };
  return {
    enter: (): Promise<() => void> => {
      if (free > 0) {
        free--;
        return Promise.resolve(leaveOnce());
      }
      return new Promise((resolve, reject) => {
        const admit = () => {
          clearTimeout(timer);
          resolve(leaveOnce());
        };
        const timer = setTimeout(() => {
          waiting.delete(admit);
          reject(
            fail.DATABASE_BUSY('All connections to the database are in use; nothing was written.', {
              cause: 'pool_timeout',
              retryAfter: 1,
            }),
          );
        }, poolMs);
        waiting.add(admit);
      });
    },
  };
}
