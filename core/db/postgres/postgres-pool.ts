import type { ReservedSQL, SQL } from 'bun';
import { coreMetrics } from '../../metrics/core-metrics.ts';
import type { Recorder } from '../../metrics/recorder.ts';
import type { PostgresLimits, PostgresLocation } from '../query/db.ts';
import { usualLimits } from './postgres-options.ts';
import type { PostgresAnswer, PostgresConnection } from './postgres-session.ts';
import { turnstile } from './postgres-turnstile.ts';
import { answerWatch } from './postgres-watch.ts';
import { writerClient } from './postgres-writer.ts';
import type { StorageHealth } from '../query/storage-health.ts';

export type Isolation = 'read committed' | 'serializable';

/** One connection for one transaction. */
export interface TxConnection extends PostgresConnection {
  /** Sends BEGIN. Statements sent after it need not wait for its result. */
  begin(isolation: Isolation): Promise<PostgresAnswer>;
  commit(): Promise<PostgresAnswer>;
  /** Rolls back the transaction if it is still open, and returns the connection to the pool. */
  release(outcome: 'ended' | 'open'): Promise<void>;
}

export interface PostgresPool extends PostgresConnection {
  /** Waits for a free connection. @throws Fault DATABASE_BUSY after the limit of the pool. */
  reserve(purpose?: 'reads'): Promise<TxConnection>;
  close(): Promise<void>;
}

/**
 * A pool of connections to the writable server of a URL. When that server goes away, the next request looks for it among the hosts of the
 * URL again. While the server is read-only, the search runs in the background, so that reads continue. All waits of a request are bounded,
 * so that a server that is silent, locked or full of connections causes a 503 and not a request that hangs.
 */
export function openPool(
  location: PostgresLocation,
  health: StorageHealth,
  recorder: Recorder,
): PostgresPool {
  const { limits = usualLimits } = location;
  const writer = writerClient(location, health);
  const watch = answerWatch(limits, writer.noteSilence);
  const txTurnstile = turnstile(limits);
  let used = 0;
  recorder.read(coreMetrics.connections, () => [[[], used]]);
  recorder.read(coreMetrics.connectionsLimit, () => [[[], limits.connections]]);
  recorder.read(coreMetrics.connectionWaits, () => [[[], txTurnstile.waiting()]]);

  const guarded = async (answer: Promise<unknown>, from: SQL): Promise<PostgresAnswer> => {
    const began = performance.now();
    try {
      return (await watch.answer(answer)) as PostgresAnswer;
    } catch (error) {
      throw writer.noteFailure(error, from);
    } finally {
      recorder.observe(coreMetrics.statementSeconds, [], (performance.now() - began) / 1000);
    }
  };

  /** A connection that arrives after its request has given up is returned at once. */
  const reserveOf = async (sql: SQL): Promise<ReservedSQL> => {
    const reserving = sql.reserve();
    try {
      return await watch.answer(reserving);
    } catch (error) {
      void reserving.then((late) => late.release()).catch(() => {});
      throw writer.noteFailure(error, sql);
    }
  };

  return {
    send: async (text, values) => {
      const sql = writer.known() ?? (await writer.find());
      return guarded(sql.unsafe(text, values as string[]).values(), sql);
    },
    reserve: async (purpose) => {
      const leaveTurnstile = purpose === 'reads' ? () => {} : await txTurnstile.enter();
      try {
        const sql = writer.known() ?? (await writer.find());
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
    close: writer.close,
  };
}

function reserved(
  connection: ReservedSQL,
  { pooler, statementMs, lockMs }: PostgresLimits,
  guarded: (answer: Promise<unknown>) => Promise<PostgresAnswer>,
  leaveTurnstile: () => void,
): TxConnection {
  const begin = (isolation: Isolation) => {
    // A pooler refuses these settings at the start of a connection, and another transaction may get the connection next.
    if (pooler)
      return connection.unsafe(
        `BEGIN ISOLATION LEVEL ${isolation}; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL lock_timeout = ${lockMs}`,
      );
    // Tagged templates: the driver pipelines them, but not plain texts.
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
