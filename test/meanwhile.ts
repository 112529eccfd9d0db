import type { Db, Query } from '../core/db/query/db.ts';

/**
 * Asks for something while a transaction that has made its change is about to commit, as another process may do: what was read before the
 * commit must not decide about what is written after it.
 */
export async function meanwhile<T>(
  db: Pick<Db, 'tx'>,
  change: (q: Query) => Promise<unknown>,
  ask: () => Promise<T>,
): Promise<T> {
  const changed = Promise.withResolvers<void>();
  const changing = db.tx(async (q) => {
    await change(q);
    changed.resolve();
    await Bun.sleep(200);
  });
  await Promise.race([changed.promise, changing]);
  const answer = ask();
  await changing;
  return answer;
}
