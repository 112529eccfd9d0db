import { int, json, primaryKey, table, text, time } from './db/columns.ts';

/** Writes that were done under a key of their caller, for as long as the caller may ask again. */
export const keyedCalls = table(
  'core_keyed_calls',
  {
    userId: int('user_id').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of tool and arguments: a key stands for one call. */
    fingerprint: text('fingerprint').notNull(),
    answer: json<{ readonly value: unknown }>('answer').notNull(),
    at: time('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.key] })],
);
