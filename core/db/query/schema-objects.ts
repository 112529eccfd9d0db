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

/** What the user of a database may not do with a table, or with the sequence that numbers its rows. */
interface MissingRights {
  readonly kind: 'table' | 'sequence';
  readonly name: string;
  /** e.g. `INSERT, DELETE`. */
  readonly rights: string;
  /** As statements name them. */
  readonly user: string;
  readonly schema: string;
}

/**
 * The rights that the user of PostgreSQL lacks on the tables of these modules and on their sequences, e.g. because somebody has revoked one.
 * An INSERT needs no right on a sequence, but reading the number that it gave and reserving numbers do. On SQLite there are none.
 * @param tables drizzle tables by any name; other values are ignored.
 */
export async function missingRights(
  { q, engine }: Pick<Db, 'q' | 'engine'>,
  tables: Iterable<object>,
): Promise<readonly MissingRights[]> {
  if (engine === 'sqlite') return [];
  const found = await q
    .select({
      kind: sql<MissingRights['kind']>`kind`,
      name: sql<string>`one.relname`,
      table: sql<string>`coalesce(owner.relname, one.relname)`,
      rights: sql<string>`string_agg(needed, ', ' ORDER BY place)`,
      user: sql<string>`quote_ident(current_user)`,
      schema: sql<string>`quote_ident(current_schema())`,
    })
    .from(
      sql`pg_class AS one
        JOIN (VALUES ('table', 'SELECT', 1), ('table', 'INSERT', 2), ('table', 'UPDATE', 3), ('table', 'DELETE', 4),
          ('sequence', 'USAGE', 1), ('sequence', 'UPDATE', 2)) AS rights (kind, needed, place)
          ON kind = CASE one.relkind WHEN 'S' THEN 'sequence' ELSE 'table' END
        LEFT JOIN pg_depend ON one.relkind = 'S' AND classid = 'pg_class'::regclass AND objid = one.oid
          AND refclassid = 'pg_class'::regclass AND deptype IN ('a', 'i')
        LEFT JOIN pg_class AS owner ON owner.oid = refobjid`,
    )
    .where(
      sql`one.relnamespace = current_schema()::regnamespace AND one.relkind IN ('r', 'p', 'S') AND NOT
        CASE kind WHEN 'sequence' THEN has_sequence_privilege(one.oid, needed) ELSE has_table_privilege(one.oid, needed) END`,
    )
    .groupBy(sql`kind, one.relname, owner.relname`)
    .orderBy(sql`kind DESC, one.relname`);
  const names = new Set([...tables].flatMap((one) => (is(one, Table) ? getTableName(one) : [])));
  return found.filter(({ table }) => names.has(table));
}

async function indexNames(one: Table, engine: Db['engine']): Promise<ReadonlyArray<string | undefined>> {
  if (engine === 'sqlite') return getTableConfig(one as SQLiteTable).indexes.map(({ config }) => config.name);
  const { postgresColumns } = (await import('./postgres-columns.ts')) as typeof PostgresColumns;
  return postgresColumns.indexNames(one);
}
