import { eq } from 'drizzle-orm';
import type { Db } from '../../../core/db/query/db.ts';
import { providerKeys } from '../base/schema.ts';
import type { KeptKeys } from './jwks.ts';

/** The last good key set of an issuer, in the database. */
export function providerKeysOf(db: Db, issuer: string): KeptKeys {
  return {
    load: async () => {
      const [row] = await db.q.select().from(providerKeys).where(eq(providerKeys.issuer, issuer));
      return row && { keys: row.keys, at: row.fetchedAt };
    },
    save: ({ keys, at }) =>
      db.write(async (q) => {
        const kept = { keys, fetchedAt: at };
        await q
          .insert(providerKeys)
          .values({ issuer, ...kept })
          .onConflictDoUpdate({ target: providerKeys.issuer, set: kept });
      }),
  };
}
