import type { Rights } from '../base/actor.ts';
import { index, int, json, primaryKey, table, text, time } from '../db/query/columns.ts';

/** The result of a keyed call, and the rights of its caller then; calls of 0.1.0 have no rights. */
export interface KeyedAnswer {
  readonly value: unknown;
  readonly rights?: Rights;
  /** The fingerprint of the arguments as they were given, if they named records: the name may be gone when the call is repeated. */
  readonly named?: string;
  /** The result was removed, because a person whom it may tell about was erased. */
  readonly erased?: true;
}

/** Writes that were done under an idempotency key, as long as the caller may repeat them. */
export const keyedCalls = table(
  'core_keyed_calls',
  {
    userId: int('user_id').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of tool and arguments: a key belongs to one call. */
    fingerprint: text('fingerprint').notNull(),
    answer: json<KeyedAnswer>('answer').notNull(),
    at: time('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.key] }), index('core_keyed_calls_at').on(t.at)],
);
