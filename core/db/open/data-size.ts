import { sql } from 'drizzle-orm';
import { nextTurn, turnIsOver } from '../../base/turns.ts';
import { databaseBytes } from '../sqlite/database-place.ts';
import type { Db, Query } from '../query/db.ts';

/** A table and how large it is. */
interface TableSize {
  readonly table: string;
  /** At most {@link countedRows}. */
  readonly rows: number;
  /** Whether there may be more rows. */
  readonly atLeast: boolean;
}

interface DataSize {
  /** Bytes of the database, including its log on SQLite. */
  readonly bytes: number;
  /** The largest tables, those with the most rows first. */
  readonly tables: readonly TableSize[];
}

/**
 * The maximum number of rows to count in a table. SQLite counts in this process: 0.5 ms with an index, 4 ms by reading 8 MB of rows
 * (measured).
 */
const countedRows = 20_000;

/** How large the data is. @param directory the data directory. */
export async function dataSize({ q, engine }: Db, directory: string, most: number): Promise<DataSize> {
  const sizes: TableSize[] = [];
  for (const table of await tablesOf(q, engine)) {
    const some = sql`(select 1 from ${sql.identifier(table)} limit ${countedRows}) as counted`;
    const [counted] = await q.select({ rows: sql<number>`count(*)`.mapWith(Number) }).from(some);
    const rows = counted?.rows ?? 0;
    sizes.push({ table, rows, atLeast: rows === countedRows });
    if (turnIsOver()) await nextTurn();
  }
  const tables = sizes.toSorted((a, b) => b.rows - a.rows || (a.table < b.table ? -1 : 1)).slice(0, most);
  return { bytes: await bytesOf(q, engine, directory), tables };
}

async function tablesOf(q: Query, engine: Db['engine']): Promise<readonly string[]> {
  const found =
    engine === 'sqlite'
      ? await q
          .select({ name: sql<string>`name` })
          .from(sql`sqlite_master`)
          .where(sql`type = 'table' and name not like 'sqlite_%'`)
      : await q
          .select({ name: sql<string>`tablename` })
          .from(sql`pg_tables`)
          .where(sql`schemaname = current_schema()`);
  return found.map(({ name }) => name);
}

async function bytesOf(q: Query, engine: Db['engine'], directory: string): Promise<number> {
  if (engine === 'sqlite') return databaseBytes(directory, '') + databaseBytes(directory, '-wal');
  const size = sql<number>`pg_database_size(current_database())`.mapWith(Number);
  const [found] = await q.select({ size }).from(sql`(select 1) as one`);
  return found?.size ?? 0;
}
