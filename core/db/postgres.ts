import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { fail, Fault } from '../errors.ts';
import { isRetryable, storageFault } from '../foreign-errors.ts';
import type { Log } from '../log.ts';
import { markTx, refuseInsideTx, type Db, type Query } from './db.ts';
import type { Ledger } from './ledger.ts';
import { storageHealth } from './storage-health.ts';

/** How long a transaction is retried after serialization failures before it fails with DATABASE_BUSY. */
const retryLimitMs = 10_000;

/** How long a schema change by a newer executable may go unnoticed: asking in each transaction would cost a round trip. */
const ledgerEveryMs = 1_000;

/** Reads the applied migrations beside the writes. Refuses writes once there is one that this executable does not know. */
function schemaWatch(client: postgres.Sql, ledger: Ledger): () => void {
  let newer: unknown;
  let askedAt = -Infinity;
  const ask = async () => {
    try {
      const rows = await client<Array<{ tag: string }>>`SELECT tag FROM trivet_migrations`;
      ledger.check(rows.map(({ tag }) => tag));
    } catch (error) {
      // When the database cannot be reached, the write itself fails.
      if (error instanceof Fault) newer = error;
    }
  };
  return () => {
    if (newer !== undefined) throw newer;
    if (performance.now() - askedAt < ledgerEveryMs) return;
    askedAt = performance.now();
    void ask();
  };
}

/** Opens a pool of connections. Any number of processes may share the database; every write is SERIALIZABLE. */
export function openPostgres(url: string, log: Log, ledger?: Ledger): Db {
  const client = postgres(url, {
    max: 10,
    connect_timeout: 10,
    onnotice: () => {},
    connection: { application_name: 'trivet' },
  });
  const orm = drizzle({ client });
  const reading = orm as unknown as Query;

  const health = storageHealth(log);
  const refuseNewerSchema = ledger ? schemaWatch(client, ledger) : () => {};

  const tx = async <T>(work: (q: Query) => Promise<T>): Promise<T> => {
    refuseInsideTx('tx');
    refuseNewerSchema();
    const giveUpAt = performance.now() + retryLimitMs;
    for (let attempt = 1; ; attempt++) {
      try {
        const value = await orm.transaction((inner) => markTx(() => work(inner as unknown as Query)), {
          isolationLevel: 'serializable',
        });
        health.worked();
        return value;
      } catch (error) {
        if (!isRetryable(error)) throw health.failed(storageFault(error));
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
    q: reading,
    tx,
    failing: health.failing,
    close: () => client.end({ timeout: 5 }),
  };
}
