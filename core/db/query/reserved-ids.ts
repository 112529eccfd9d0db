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
 * Ids that the database assigns from now on are greater than `upTo`, so that an import may store records with the ids that they had
 * elsewhere. PostgreSQL keeps this also if the transaction fails: its ids then have a gap.
 * @param records a table whose primary key is `id`.
 */
export async function reserveIds(q: Query, records: SQLiteTable, upTo: number): Promise<void> {
  const name = getTableName(records);
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
