import { inArray, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Query } from './db.ts';

/**
 * Deletes at most so many of the rows that fit, so that another write waits for a short statement only.
 * @param key by which the rows are deleted.
 * @returns the number of deleted rows; with fewer than `most`, none is left.
 */
export async function deleteChunk(
  q: Query,
  key: AnySQLiteColumn,
  where: SQL | undefined,
  most: number,
): Promise<number> {
  const some = q.select({ key }).from(key.table).where(where).limit(most);
  return (await q.delete(key.table).where(inArray(key, some)).returning({ key })).length;
}
