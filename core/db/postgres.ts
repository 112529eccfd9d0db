import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { fail } from '../errors.ts';
import type { Log } from '../log.ts';
import { isRetryable, storageFault } from './dialect.ts';
import { markTx, refuseInsideTx, type Db, type Query } from './db.ts';

/** How long a transaction is tried again after serialization failures before it gives up with DATABASE_BUSY. */
const retryLimitMs = 10_000;

/** Opens a pool of connections. Any number of processes may share the database; every write is SERIALIZABLE. */
export function openPostgres(url: string, log: Log): Db {
  const client = postgres(url, {
    max: 10,
    connect_timeout: 10,
    onnotice: () => {},
    connection: { application_name: 'trivet' },
  });
  const orm = drizzle({ client });
  const reading = orm as unknown as Query;

  const tx = async <T>(work: (q: Query) => Promise<T>): Promise<T> => {
    refuseInsideTx('tx');
    const giveUpAt = performance.now() + retryLimitMs;
    for (let attempt = 1; ; attempt++) {
      try {
        return await orm.transaction((inner) => markTx(() => work(inner as unknown as Query)), {
          isolationLevel: 'serializable',
        });
      } catch (error) {
        if (!isRetryable(error)) throw storageFault(error);
        if (performance.now() > giveUpAt) {
          log.warn('transaction_gave_up', { attempts: attempt });
          throw fail.DATABASE_BUSY('The database is busy; nothing was written.', { retryAfter: 1 });
        }
        // Full jitter: writers that collided must not come back in step.
        await Bun.sleep(Math.random() * Math.min(200, 2 ** attempt));
      }
    }
  };

  return { engine: 'postgres', q: reading, tx, close: () => client.end({ timeout: 5 }) };
}
