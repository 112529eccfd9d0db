import { inArray, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Query } from './db.ts';

/**
 * Deletes some of the rows that fit: what waits for the writer waits for one statement of them.
 * @param key by which the rows are deleted.
 * @returns how many; fewer than `most`: there are no more.
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
