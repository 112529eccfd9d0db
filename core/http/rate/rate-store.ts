import { lt, sql } from 'drizzle-orm';
import type { Db } from '../../db/query/db.ts';
import { rateCounts } from './rate-schema.ts';

/** Requests that one process has counted, and the resulting count of all processes. */
interface CountedKey {
  readonly key: string;
  readonly since: number;
  readonly used: number;
}

/**
 * Adds the counts of this process to the sums of all, in one statement, and returns the sums. An expired window starts again. The rows are
 * locked in the order of their keys, so that two processes with the same keys do not deadlock.
 * @param windowMs the length of a window.
 */
export function addCounts(db: Db, counts: readonly CountedKey[], windowMs: number): Promise<CountedKey[]> {
  // One text parameter: otherwise each number of rows would need its own prepared statement, and the driver would encode JSON twice.
  const given = JSON.stringify(counts);
  const over = sql`abs(excluded.since - ${rateCounts.since}) >= ${sql.raw(String(windowMs))}`;
  return db.write((q) =>
    q
      .insert(rateCounts)
      .select(
        sql`SELECT c.key, c.since, c.used FROM json_to_recordset(${given}::text::json) AS c(key text, since bigint, used bigint) ORDER BY c.key`,
      )
      .onConflictDoUpdate({
        target: rateCounts.key,
        set: {
          since: sql`CASE WHEN ${over} THEN excluded.since ELSE ${rateCounts.since} END`,
          used: sql`CASE WHEN ${over} THEN excluded.used ELSE ${rateCounts.used} + excluded.used END`,
        },
      })
      .returning(),
  );
}

/** Deletes the counts of windows that began before a time. */
export async function forgetCounts(db: Db, before: number): Promise<void> {
  await db.write((q) =>
    q.delete(rateCounts).where(lt(rateCounts.since, before)).returning({ key: rateCounts.key }),
  );
}
