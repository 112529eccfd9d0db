import { asc, lte } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { results } from '../base/schema.ts';
import { rowsPerChange } from '../base/statement-sizes.ts';

/**
 * The ids of one chunk of the results before a time, oldest first. This needs no index by time: a result that is not old ends the chunk,
 * because ids grow with time.
 */
export async function oldestResults(q: Query, before: number): Promise<readonly number[]> {
  const oldest = await q
    .select({ id: results.id, at: results.at })
    .from(results)
    .orderBy(asc(results.id))
    .limit(rowsPerChange);
  const first = oldest.findIndex(({ at }) => at >= before);
  return (first === -1 ? oldest : oldest.slice(0, first)).map(({ id }) => id);
}

/** Deletes the results up to an id. @returns how many; another process may have deleted some. */
export async function deleteResultsUpTo(q: Query, id: number): Promise<number> {
  return (await q.delete(results).where(lte(results.id, id)).returning({ id: results.id })).length;
}
