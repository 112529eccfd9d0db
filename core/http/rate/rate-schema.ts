import { int, table, text, time } from '../../db/query/columns.ts';

/** The uses that all processes over one PostgreSQL have counted in the current window of a key. Not used on SQLite. */
export const rateCounts = table('core_rate_counts', {
  /** A hash of limit and key, so that no client address is stored. */
  key: text('key').primaryKey(),
  /** The first use of the key in its window. */
  since: time('since').notNull(),
  used: int('used').notNull(),
});
