import { int, table, text, time } from '../../db/query/columns.ts';

/**
 * What all processes over one PostgreSQL have counted against a rate limit in the present window of a key. Not used on SQLite.
 */
export const rateCounts = table('core_rate_counts', {
  /** A hash of limit and key: an address does not stay in the database. */
  key: text('key').primaryKey(),
  /** The first use of the key in its window. */
  since: time('since').notNull(),
  used: int('used').notNull(),
});
