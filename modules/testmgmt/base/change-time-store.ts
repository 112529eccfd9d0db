import { sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';

/**
 * The time of a change as a record keeps it: always later than the time it had. Two changes within one millisecond, or of two
 * servers whose clocks differ, would otherwise leave the same time, and `seenAt` would take the second for the first.
 * @param column `updatedAt` of the record. Null is before every time.
 */
export const changeTime = (column: AnySQLiteColumn, now: SQL | number): SQL =>
  sql`case when ${column} >= ${now} then ${column} + 1 else ${now} end`;
