import { fail, Fault } from '../errors.ts';
import { isRetryable } from '../foreign-errors.ts';
import type { Log } from '../log.ts';
import {
  bindStatements,
  markTx,
  refuseInsideTx,
  type Db,
  type PostgresLocation,
  type Query,
  type TxOptions,
} from './db.ts';
import type { Ledger } from './ledger.ts';
import { openPool, type PostgresPool, type TransactionConnection } from './postgres-pool.ts';
import { detachedQuery, queryOn, Statement, type PostgresConnection } from './postgres-session.ts';
import { storageHealth } from './storage-health.ts';

/** How long a transaction is retried after serialization failures before it fails with DATABASE_BUSY. */
const retryLimitMs = 10_000;

/** How long a schema change by a newer executable may go unnoticed: asking in each transaction would cost a round trip. */
const ledgerEveryMs = 1_000;

/** Reads the applied migrations beside the writes. Refuses writes once there is one that this executable does not know. */
function schemaWatch(pool: PostgresPool, ledger: Ledger): () => void {
  let newer: unknown;
  let askedAt = -Infinity;
  const ask = async () => {
    try {
      const rows = await pool.send('SELECT tag FROM trivet_migrations', []);
      ledger.check(rows.map(([tag]) => String(tag)));
    } catch (error) {
      // When the database cannot be reached, the write itself fails.
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

/** Opens a pool of connections. Any number of processes may share the database. */
export function openPostgres(location: PostgresLocation, log: Log, ledger?: Ledger): Db {
  const health = storageHealth(log);
  const pool = openPool(location, health);
  const refuseNewerSchema = ledger ? schemaWatch(pool, ledger) : () => {};
  const q = boundQuery(pool);

  const tx = async <T>(work: (q: Query) => Promise<T>, { serializable }: TxOptions = {}): Promise<T> => {
    refuseInsideTx('tx');
    refuseNewerSchema();
    const giveUpAt = performance.now() + retryLimitMs;
    for (let attempt = 1; ; attempt++) {
      try {
        const connection = await pool.reserve();
        void serializable;
        const value = await transaction(connection, 'serializable', work);
        health.worked();
        return value;
      } catch (error) {
        if (!isRetryable(error)) throw error;
        if (performance.now() > giveUpAt) {
          log.warn('transaction_gave_up', { attempts: attempt });
          throw fail.DATABASE_BUSY('The database is busy; nothing was written.', { retryAfter: 1 });
        }
        // Full jitter: writers that collided must not come back in step.
        await Bun.sleep(Math.random() * Math.min(200, 2 ** attempt));
      }
    }
  };

  return {
    engine: 'postgres',
    q,
    tx,
    write: async (statement) => {
      refuseInsideTx('write');
      refuseNewerSchema();
      const value = await markTx(() => statement(q));
      health.worked();
      return value;
    },
    failing: health.failing,
    close: () => pool.close(),
  };
}

/**
 * Runs `work` in one transaction. BEGIN, the statements that nobody waits for and COMMIT are pipelined: a transaction waits only for
 * the answers that `work` reads, and for that of COMMIT.
 */
async function transaction<T>(
  connection: TransactionConnection,
  isolation: 'read committed' | 'serializable',
  work: (q: Query) => Promise<T>,
): Promise<T> {
  const sent: Array<Promise<unknown>> = [];
  const later = (statement: Promise<unknown>) => {
    // Looked at below; until then a failure must not count as unhandled.
    statement.catch(() => {});
    sent.push(statement);
  };
  later(connection.begin(isolation));
  let open = true;
  try {
    const value = await markTx(() => work(boundQuery(connection, later)));
    open = false;
    const commit = connection.commit();
    for (const result of await Promise.allSettled([...sent, commit]))
      if (result.status === 'rejected') throw result.reason;
    // PostgreSQL answers a COMMIT of a failed transaction with ROLLBACK, which is no error.
    if ((await commit).command !== 'COMMIT') throw new Error('the transaction was rolled back');
    return value;
  } catch (error) {
    // A statement that nobody waited for may be what failed; PostgreSQL refuses all that follow it.
    const first = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected');
    throw first?.status === 'rejected' ? first.reason : error;
  } finally {
    await connection.release(open ? 'open' : 'ended');
  }
}
