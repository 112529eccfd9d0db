import { sql } from 'drizzle-orm';
import type { Db } from './db.ts';

/*
 * Who reads new rows by ascending id must not pass an id whose transaction has not committed: on PostgreSQL rows become visible in another
 * order than that of their ids.
 */

const one = sql`(select 1) as one`;

/**
 * Marks this moment. Every id that exists now belongs to a transaction that had begun before.
 * @returns null on SQLite, where one transaction writes at a time.
 */
export async function writeMark(db: Pick<Db, 'q' | 'engine'>): Promise<string | null> {
  if (db.engine === 'sqlite') return null;
  const [row] = await db.q
    .select({ mark: sql<string>`cast(pg_snapshot_xmax(pg_current_snapshot()) as text)` })
    .from(one);
  return row?.mark ?? null;
}

/** Whether every transaction that had begun before a mark has ended: whatever it wrote is visible now. */
export async function isSettled(db: Pick<Db, 'q' | 'engine'>, mark: string | null): Promise<boolean> {
  if (mark === null) return true;
  const [row] = await db.q
    .select({
      over: sql<number>`case when pg_snapshot_xmin(pg_current_snapshot()) >= cast(${mark} as xid8) then 1 else 0 end`,
    })
    .from(one);
  return Number(row?.over) === 1;
}
