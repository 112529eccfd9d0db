import type { SQL } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { countRows } from './columns.ts';
import type { Query } from './db.ts';

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The rows of one page, and the number of rows on all pages. */
export interface CountedPage<R> {
  readonly total: number;
  readonly rows: readonly R[];
}

/** Rows that were read by their ids, in the order of the ids. Missing rows are left out. @param key the column with the id. */
export function rowsInOrder<K extends string, R extends Readonly<Record<K, number>>>(
  ids: readonly number[],
  rows: readonly R[],
  key: K,
): readonly R[] {
  const byId = new Map<number, R>(rows.map((row) => [row[key], row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

export async function countOf(q: Query, table: SQLiteTable, where: SQL | undefined): Promise<number> {
  const [counted] = await q.select({ total: countRows() }).from(table).where(where);
  return counted?.total ?? 0;
}

/** One page of the matching rows in the given order, and how many match. Two statements. */
export async function countedPage<T extends SQLiteTable>(
  q: Query,
  table: T,
  { where, orderBy }: { readonly where: SQL | undefined; readonly orderBy: readonly SQL[] },
  { limit, offset }: Page,
): Promise<CountedPage<T['$inferSelect']>> {
  const total = await countOf(q, table, where);
  const rows = await q
    .select()
    .from(table as SQLiteTable)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { total, rows: rows as T['$inferSelect'][] };
}
