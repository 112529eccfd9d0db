import { sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';

/**
 * The stored time of a change: always later than the previous time of the record. Otherwise two changes within one millisecond, or by two
 * servers whose clocks differ, would leave the same time, and `seenAt` would take the second for the first.
 * @param column `updatedAt` of the record. Null is before every time.
 */
export const changeTime = (column: AnySQLiteColumn, now: SQL | number): SQL =>
  sql`case when ${column} >= ${now} then ${column} + 1 else ${now} end`;
