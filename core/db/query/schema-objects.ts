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

/** What the user of a database may not do with a table. */
interface MissingRights {
  readonly table: string;
  /** e.g. `INSERT, DELETE`. */
  readonly rights: string;
  /** As statements name them. */
  readonly user: string;
  readonly schema: string;
}

/**
 * The rights that the user of PostgreSQL lacks on the tables of these modules, e.g. because somebody has revoked one. On SQLite there are none.
 * @param tables drizzle tables by any name; other values are ignored.
 */
export async function missingRights(
  { q, engine }: Pick<Db, 'q' | 'engine'>,
  tables: Iterable<object>,
): Promise<readonly MissingRights[]> {
  if (engine === 'sqlite') return [];
  const found = await q
    .select({
      table: sql<string>`relname`,
      rights: sql<string>`string_agg(needed, ', ' ORDER BY place)`,
      user: sql<string>`quote_ident(current_user)`,
      schema: sql<string>`quote_ident(current_schema())`,
    })
    .from(
      sql`pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) WITH ORDINALITY AS rights (needed, place)`,
    )
    .where(
      sql`relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT has_table_privilege(pg_class.oid, needed)`,
    )
    .groupBy(sql`relname`)
    .orderBy(sql`relname`);
  const names = new Set([...tables].flatMap((one) => (is(one, Table) ? getTableName(one) : [])));
  return found.filter(({ table }) => names.has(table));
}

async function indexNames(one: Table, engine: Db['engine']): Promise<ReadonlyArray<string | undefined>> {
  if (engine === 'sqlite') return getTableConfig(one as SQLiteTable).indexes.map(({ config }) => config.name);
  const { postgresColumns } = (await import('./postgres-columns.ts')) as typeof PostgresColumns;
  return postgresColumns.indexNames(one);
}
