import { getTableName, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as sqlite from 'drizzle-orm/sqlite-core';
import { engine } from './engine.ts';
import type { Query } from './db.ts';

/** SQLite's own table of the last id of each table (sqlite.org/autoinc.html), an ordinary one for UPDATE and INSERT. */
const sequences = sqlite.sqliteTable('sqlite_sequence', {
  name: sqlite.text('name').notNull(),
  seq: sqlite.integer('seq').notNull(),
});

/**
 * How many ids are left out after a database went back in time, for those that it gave away and does not know any more. More than an
 * installation gives away between two backups, and little enough of 2^53 for a restore every day.
 */
export const idGap = 1_000_000;

/**
 * Leaves ids out in a database that went back in time, so that nobody gets the id of somebody else.
 * @param before the data that it replaces, if that can be read.
 */
export async function leaveIdGap(
  q: Query,
  tables: readonly string[],
  before: Query | undefined,
): Promise<void> {
  for (const name of tables) {
    const highest = await highestId(q, name);
    const highestBefore = before ? await highestId(before, name) : 0;
    await reserveIn(q, name, Math.max(highest, highestBefore) + idGap);
  }
}

/** The highest id that a table gave away, also if its row is gone. */
async function highestId(q: Query, name: string): Promise<number> {
  const given =
    engine() === 'postgres'
      ? sql`pg_sequence_last_value(pg_get_serial_sequence(${name}, 'id')::regclass)`
      : sql`(select seq from sqlite_sequence where name = ${name})`;
  const [found] = await q
    .select({ highest: sql<number | string | null>`max(id)`, given: sql<number | string | null>`${given}` })
    .from(sql`${sql.identifier(name)}` as unknown as SQLiteTable);
  return Math.max(Number(found?.highest ?? 0), Number(found?.given ?? 0));
}

/**
 * Ids that the database assigns from now on are greater than `upTo`, so that an import may store records with the ids that they had
 * elsewhere. PostgreSQL keeps this also if the transaction fails: its ids then have a gap.
 * @param records a table whose primary key is `id`.
 */
export const reserveIds = (q: Query, records: SQLiteTable, upTo: number): Promise<void> =>
  reserveIn(q, getTableName(records), upTo);

async function reserveIn(q: Query, name: string, upTo: number): Promise<void> {
  if (engine() === 'postgres') {
    const sequence = sql`pg_get_serial_sequence(${name}, 'id')`;
    await q
      .select({ last: sql`setval(${sequence}, cast(${upTo} as bigint))` })
      .from(sql`(select 1) as once` as unknown as SQLiteTable)
      .where(sql`${upTo} > coalesce(pg_sequence_last_value(${sequence}::regclass), 0)`);
    return;
  }
  const raised = await q
    .update(sequences)
    .set({ seq: sql`max(${sequences.seq}, ${upTo})` })
    .where(sql`${sequences.name} = ${name}`)
    .returning({ seq: sequences.seq });
  if (raised.length === 0) await q.insert(sequences).values({ name, seq: upTo });
}
