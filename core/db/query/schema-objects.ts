import { getTableName, is, sql, Table } from 'drizzle-orm';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Db } from './db.ts';
import type * as PostgresColumns from './postgres-columns.ts';

/** A table or index that a database lacks. */
interface MissingObject {
  readonly kind: 'table' | 'index';
  readonly name: string;
}

/**
 * The missing tables and indexes of these modules, e.g. because somebody dropped one by hand. Without an index queries become slow, and
 * without a unique index duplicates are possible.
 * @param tables drizzle tables by any name; other values are ignored.
 */
export async function missingObjects(
  { q, engine }: Pick<Db, 'q' | 'engine'>,
  tables: Iterable<object>,
): Promise<readonly MissingObject[]> {
  const found =
    engine === 'sqlite'
      ? await q.select({ name: sql<string>`name` }).from(sql`sqlite_master`)
      : await q
          .select({ name: sql<string>`relname` })
          .from(sql`pg_class`)
          .where(sql`relnamespace = current_schema()::regnamespace`);
  const names = new Set(found.map(({ name }) => name));
  const missing: MissingObject[] = [];
  for (const one of tables) {
    if (!is(one, Table)) continue;
    const table = getTableName(one);
    if (!names.has(table)) missing.push({ kind: 'table', name: table });
    for (const name of await indexNames(one, engine))
      if (name !== undefined && !names.has(name)) missing.push({ kind: 'index', name });
  }
  return missing;
}

async function indexNames(one: Table, engine: Db['engine']): Promise<ReadonlyArray<string | undefined>> {
  if (engine === 'sqlite') return getTableConfig(one as SQLiteTable).indexes.map(({ config }) => config.name);
  const { postgresColumns } = (await import('./postgres-columns.ts')) as typeof PostgresColumns;
  return postgresColumns.indexNames(one);
}
