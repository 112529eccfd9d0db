import { fail, Fault } from '../../base/errors.ts';
import { isDivisionByZero, isRetryable } from '../../base/foreign-errors.ts';
import type { Log } from '../../base/log.ts';
import type { Recorder } from '../../metrics/recorder.ts';
import {
  bindStatements,
  insideTx,
  refused,
  refuseInsideTx,
  type Db,
  type PostgresLocation,
  type Query,
} from '../query/db.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openPool, type Isolation, type PostgresPool, type TxConnection } from './postgres-pool.ts';
import { detachedQuery, queryOn, Statement, type PostgresConnection } from './postgres-session.ts';
import type { StorageHealth } from '../query/storage-health.ts';

/** How long a transaction is retried after serialization failures before it fails with DATABASE_BUSY. */
const retryLimitMs = 10_000;

/** How long a schema change by a newer executable may go unnoticed: a check in each transaction would cost a round trip. */
const ledgerEveryMs = 1_000;

/** Reads the applied migrations in the background. Refuses writes once there is one that forbids this executable to write. */
function schemaWatch(pool: PostgresPool, ledger: Ledger): () => void {
  let newer: unknown;
  let askedAt = -Infinity;
  const ask = async () => {
    try {
      const rows = await pool.send('SELECT tag FROM trivet_migrations', []);
      ledger.check(rows.map(([tag]) => String(tag)));
    } catch (error) {
      // If the database cannot be reached, the write itself fails.
      if (error instanceof Fault && error.code === 'SCHEMA_IS_NEWER') newer = error;
    }
  };
  return () => {
    if (newer !== undefined) throw newer;
    if (performance.now() - askedAt < ledgerEveryMs) return;
    askedAt = performance.now();
    void ask();
  };
}

/** The query builder on a connection, known to `prepared` and `later`. */
function boundQuery(connection: PostgresConnection, later?: (statement: Promise<unknown>) => void): Query {
  const q = queryOn(connection);
  bindStatements(q, {
    builder: detachedQuery,
    run: (statement, values) =>
      statement instanceof Statement ? statement.executeOn(connection, values) : statement.execute(values),
    ...(later ? { later } : {}),
  });
  return q;
}

/** The resources of an opened database. */
interface PostgresParts {
  readonly health: StorageHealth;
  readonly ledger: Ledger | undefined;
  readonly recorder: Recorder;
}

/** Opens a pool of connections. Any number of processes may share the database. */
export function openPostgres(
  location: PostgresLocation,
  log: Log,
  { health, ledger, recorder }: PostgresParts,
): Db {
  const pool = openPool(location, health, recorder);
  const refuseNewerSchema = ledger ? schemaWatch(pool, ledger) : () => {};
  const q = boundQuery(pool);

  /** Runs `attempt`, and again after a serialization failure or a deadlock. */
  const retried = async <T>(attempt: () => Promise<T>): Promise<T> => {
    refuseNewerSchema();
    const giveUpAt = performance.now() + retryLimitMs;
    for (let attempts = 1; ; attempts++) {
      try {
        const value = await attempt();
        health.worked();
        return value;
      } catch (error) {
        if (!isRetryable(error)) throw error;
        if (performance.now() > giveUpAt) {
          log.warn('transaction_gave_up', { attempts });
          throw fail.DATABASE_BUSY('The database is busy; nothing was written.', { retryAfter: 1 });
        }
        // Full jitter: writers that collided must not retry in step.
        await Bun.sleep(Math.random() * Math.min(200, 2 ** attempts));
      }
    }
  };
  const retryTx = <T>(attempt: (connection: TxConnection) => Promise<T>): Promise<T> =>
    retried(async () => attempt(await pool.reserve()));

  return {
    engine: 'postgres',
    q,
    tx: (work, { serializable } = {}) => {
      refuseInsideTx('tx');
      return retryTx((connection) =>
        runTx(connection, serializable === undefined ? 'read committed' : 'serializable', work),
      );
    },
    write: async (statement) => {
      refuseInsideTx('write');
      return retried(() => confirm(insideTx(statement, q)));
    },
    pipeline: (send) => {
      refuseInsideTx('pipeline');
      return retryTx((connection) => runPipeline(connection, send));
    },
    reads: async (work) => {
      const connection = await pool.reserve('reads');
      try {
        return await work(boundQuery(connection));
      } finally {
        await connection.release('ended');
      }
    },
    refusal: () => undefined,
    failing: health.failing,
    forgetDeleted: async () => true,
    refreshStatistics: async () => {},
    close: () => pool.close(),
  };
}

/** Starts a statement that nobody awaits now. A failure must not count as unhandled before it is checked. */
function started<T>(statement: PromiseLike<T>): Promise<T> {
  // `then` sends it at once, before the next statement.
  const answer = new Promise<T>((resolve, reject) => void statement.then(resolve, reject));
  answer.catch(() => {});
  return answer;
}

/** The first failure among settled statements: PostgreSQL refuses all later ones of a transaction. */
async function firstFailure(
  statements: readonly Promise<unknown>[],
): Promise<{ readonly reason: unknown } | undefined> {
  const settled = await Promise.allSettled(statements);
  return settled.find((result) => result.status === 'rejected');
}

/**
 * Runs `work` in one transaction. BEGIN, the statements that nobody awaits, and COMMIT are pipelined: a transaction waits only for the
 * results that `work` reads, and for that of COMMIT.
 */
async function runTx<T>(
  connection: TxConnection,
  isolation: Isolation,
  work: (q: Query) => Promise<T>,
): Promise<T> {
  const sent: Array<Promise<unknown>> = [started(connection.begin(isolation))];
  const later = (statement: Promise<unknown>) => void sent.push(started(statement));
  let open = true;
  try {
    const value = await insideTx(work, boundQuery(connection, later));
    open = false;
    await commitTx(connection, sent);
    return value;
  } catch (error) {
    throw open ? ((await firstFailure(sent))?.reason ?? error) : error;
  } finally {
    await connection.release(open ? 'open' : 'ended');
  }
}

/** Like {@link runTx}, but COMMIT is sent before the first result is read. */
async function runPipeline<T extends readonly PromiseLike<readonly unknown[]>[]>(
  connection: TxConnection,
  send: (q: Query) => readonly [...T],
) {
  try {
    const begun = started(connection.begin('read committed'));
    const statements = insideTx((q) => send(q).map(started), boundQuery(connection));
    await commitTx(connection, [begun, ...statements]);
    return (await Promise.all(statements)) as { -readonly [K in keyof T]: Awaited<T[K]> };
  } catch (error) {
    if (isDivisionByZero(error)) return refused;
    throw error;
  } finally {
    await connection.release('ended');
  }
}

/**
 * Sends COMMIT and waits for everything that was sent. @throws the first failure: then nothing was written. A lost connection is different:
 * PostgreSQL may have received the COMMIT.
 */
async function commitTx(connection: TxConnection, sent: readonly Promise<unknown>[]): Promise<void> {
  const commit = started(connection.commit());
  const failure = await firstFailure(sent);
  if (failure) throw unconfirmed(failure.reason);
  // PostgreSQL replies to the COMMIT of a failed transaction with ROLLBACK, which is not an error.
  if ((await confirm(commit)).command !== 'COMMIT') throw new Error('the transaction was rolled back');
}

/** The result of COMMIT. @throws Fault STORAGE_FAILED that says so when it is unknown whether the write was stored. */
async function confirm<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw unconfirmed(error);
  }
}

function unconfirmed(error: unknown): unknown {
  if (!(error instanceof Fault) || !['connection_lost', 'no_answer'].includes(error.causeWord ?? ''))
    return error;
  return fail.STORAGE_FAILED('The database did not confirm the write: it may be stored or not.', {
    cause: error.causeWord ?? 'unknown',
    retryAfter: 1,
    tip: 'Read the record before you repeat the call. A call with an idempotency key can be repeated safely.',
  });
}
