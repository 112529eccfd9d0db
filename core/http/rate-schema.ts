import { int, table, text, time } from '../db/columns.ts';

/**
 * What all processes over one PostgreSQL have counted against a rate limit in the present window of a key. Not used on SQLite. The
 * migration makes it UNLOGGED: counts of a minute need not survive a crash, and their writes need not wait for a disk.
 */
export const rateCounts = table('core_rate_counts', {
  /** A hash of limit and key: an address does not stay in the database. */
  key: text('key').primaryKey(),
  /** The first use of the key in its window. */
  since: time('since').notNull(),
  used: int('used').notNull(),
});
