import type { Rights } from '../actor.ts';
import { index, int, json, primaryKey, table, text, time } from '../db/columns.ts';

/** What a keyed call answered, and what its caller was allowed then; calls of 0.1.0 did not say the latter. */
export interface KeyedAnswer {
  readonly value: unknown;
  readonly rights?: Rights;
}

/** Writes that were done under a key of their caller, for as long as the caller may ask again. */
export const keyedCalls = table(
  'core_keyed_calls',
  {
    userId: int('user_id').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of tool and arguments: a key stands for one call. */
    fingerprint: text('fingerprint').notNull(),
    answer: json<KeyedAnswer>('answer').notNull(),
    at: time('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.key] }), index('core_keyed_calls_at').on(t.at)],
);
