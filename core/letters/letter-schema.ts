import { sql } from 'drizzle-orm';
import { id, index, int, json, primaryKey, table, text, time, uniqueIndex } from '../db/query/columns.ts';
import type { LetterFacts } from '../host/host.ts';

/** The outbox of letters by e-mail. A letter is written when it is sent, from the facts. */
export const outbox = table(
  'core_letters',
  {
    id: id('id'),
    kind: text('kind').notNull(),
    /** Letters with the same key are one letter, e.g. `milestone-due:7:2026-11-30:user:3`. */
    key: text('key').notNull(),
    /** letter-address.ts. */
    recipient: text('recipient').notNull(),
    userId: int('user_id'),
    /** The address of somebody without an account; null once the letter has ended. */
    address: text('address'),
    facts: json<LetterFacts>('facts').notNull(),
    status: text('status').$type<LetterStatus>().notNull(),
    attempts: int('attempts').notNull(),
    createdAt: time('created_at').notNull(),
    /** When it is sent next. While it is being sent: when another process may take it. */
    dueAt: time('due_at').notNull(),
    endedAt: time('ended_at'),
    /** A stable word for what the last attempt failed with; null: nothing. */
    failure: text('failure'),
  },
  (t) => [
    uniqueIndex('core_letters_key').on(t.key),
    index('core_letters_due')
      .on(t.dueAt)
      .where(sql`status = 'waiting'`),
    index('core_letters_ended').on(t.status, t.endedAt),
    index('core_letters_recipient').on(t.recipient, t.endedAt),
  ],
);

/** `unwanted`: the recipient has switched it off, or what it is about is gone. */
type LetterStatus = 'waiting' | 'sent' | 'failed' | 'unwanted';

/** The kinds of letters that somebody has switched off. */
export const refusedLetters = table(
  'core_refused_letters',
  { recipient: text('recipient').notNull(), kind: text('kind').notNull(), at: time('at').notNull() },
  (t) => [primaryKey({ columns: [t.recipient, t.kind] })],
);
