import {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  lt,
  lte,
  ne,
  or,
  sql,
  type SQL,
  type SQLWrapper,
} from 'drizzle-orm';
import type { MergedUsers } from '../base/write-entry.ts';
import { countRows, forUpdate } from '../db/query/columns.ts';
import { together, type Query } from '../db/query/db.ts';
import { deleteChunk } from '../db/query/row-deletion.ts';
import type { Addressee, Host, LetterFacts } from '../host/host.ts';
import { recipientOf } from './letter-address.ts';
import type { AfterAttempt } from './letter-outcome.ts';
import { outbox, refusedLetters } from './letter-schema.ts';
import { sendsLetters } from './smtp-settings.ts';

export type LetterRow = typeof outbox.$inferSelect;

/** A letter to be sent. */
interface NewLetter {
  readonly kind: string;
  readonly to: Addressee;
  /** What makes it the same letter as another one, besides kind and recipient. */
  readonly about: string;
  readonly facts: LetterFacts;
}

const hourMs = 3_600_000;

/** The maximum letters that wait; beyond it, new ones are left out. */
const mostWaiting = 10_000;

/** Rows of one INSERT: PostgreSQL takes 65,535 parameters. */
const insertedAtOnce = 500;

/**
 * Puts letters into the outbox, in the transaction of what they tell: they are sent if it commits, and only then. A letter that is in the
 * outbox already is not doubled. Without --smtp-url nothing is stored.
 * @returns how many were stored.
 */
export async function queueLetters(
  q: Query,
  { clock, config, log }: Pick<Host, 'clock' | 'config' | 'log'>,
  given: readonly NewLetter[],
): Promise<number> {
  if (given.length === 0 || !sendsLetters({ config })) return 0;
  const free = Math.max(0, mostWaiting - (await waitingLetters(q)));
  const now = clock.now();
  if (free < given.length)
    log.warn('letters_dropped', { dropped: given.length - free, waiting: mostWaiting });
  const rows = given.slice(0, free).map(({ kind, to, about, facts }) => {
    const recipient = recipientOf(to);
    return {
      kind,
      key: `${kind}:${about}:${recipient}`,
      recipient,
      userId: 'userId' in to ? to.userId : null,
      address: 'address' in to ? to.address : null,
      facts,
      status: 'waiting' as const,
      attempts: 0,
      createdAt: now,
      dueAt: now,
    };
  });
  let stored = 0;
  for (let at = 0; at < rows.length; at += insertedAtOnce) {
    const part = rows.slice(at, at + insertedAtOnce);
    const made = await q.insert(outbox).values(part).onConflictDoNothing().returning({ id: outbox.id });
    stored += made.length;
  }
  return stored;
}

/** How many letters wait, counted up to their maximum. */
export async function waitingLetters(q: Query): Promise<number> {
  const waiting = q
    .select({ id: outbox.id })
    .from(outbox)
    .where(eq(outbox.status, 'waiting'))
    .limit(mostWaiting)
    .as('waiting');
  const [found] = await q.select({ waiting: countRows() }).from(waiting);
  return found?.waiting ?? 0;
}

/** The facts of the letters of one kind that wait. */
export const waitingFacts = (q: Query, kind: string) =>
  q
    .select({ id: outbox.id, facts: outbox.facts })
    .from(outbox)
    .where(and(eq(outbox.status, 'waiting'), eq(outbox.kind, kind)));

/** The maximum letters of each status in {@link undeliveredLetters}. */
const mostUndelivered = 1_000;

/** The letters of one kind that have not arrived: those that were given up since a time, then those that wait, the last ones first. */
export async function undeliveredLetters(q: Query, kind: string, since: number) {
  const lettersOf = async <S extends LetterRow['status']>(status: S, more?: SQL) => {
    const rows = await q
      .select({ facts: outbox.facts })
      .from(outbox)
      .where(and(eq(outbox.status, status), eq(outbox.kind, kind), more))
      .orderBy(desc(outbox.id))
      .limit(mostUndelivered);
    return rows.map(({ facts }) => ({ facts, status }));
  };
  const both = await together([lettersOf('failed', gte(outbox.endedAt, since)), lettersOf('waiting')]);
  return both.flat();
}

/** Replaces the facts of a letter, unless it has ended. */
export async function writeFacts(q: Query, id: number, facts: LetterFacts): Promise<void> {
  await q
    .update(outbox)
    .set({ facts })
    .where(and(eq(outbox.id, id), eq(outbox.status, 'waiting')));
}

interface TakeOptions {
  readonly now: number;
  /** How long they belong to this process. */
  readonly leaseMs: number;
  readonly most: number;
  readonly perHour: number;
  readonly perPersonAndHour: number;
}

/** No letter is due later than this. One that is was stored by a clock that has been set back since. */
const latestDueMs = 2 * hourMs;

const isDue = (dueAt: SQLWrapper, now: number) => or(lte(dueAt, now), gt(dueAt, now + latestDueMs));

/** How many letters wait, and how many of them are due. Reading this is all that an idle server does. */
export async function outboxNow(q: Query, now: number): Promise<{ waiting: number; due: number }> {
  const waiting = q
    .select({ dueAt: outbox.dueAt })
    .from(outbox)
    .where(eq(outbox.status, 'waiting'))
    .orderBy(outbox.dueAt)
    .limit(mostWaiting)
    .as('waiting');
  const due = sql<number>`count(case when ${isDue(waiting.dueAt, now)} then 1 end)`.mapWith(Number);
  const [found] = await q.select({ waiting: countRows(), due }).from(waiting);
  return found ?? { waiting: 0, due: 0 };
}

/** A letter to somebody who has got many is looked at again so much later. */
const personPauseMs = hourMs / 12;

/**
 * Takes letters that are due, so that no other process sends them until the lease ends. Letters beyond the rates stay. Two processes that
 * take letters at the same moment count without the letters of the other one.
 */
export async function takeLetters(q: Query, options: TakeOptions): Promise<readonly LetterRow[]> {
  const { now, leaseMs, most, perHour, perPersonAndHour } = options;
  const recent = and(gt(outbox.endedAt, now - hourMs), lte(outbox.endedAt, now));
  const [sent] = await q
    .select({ sent: countRows() })
    .from(outbox)
    .where(and(eq(outbox.status, 'sent'), recent));
  const free = Math.min(most, perHour - (sent?.sent ?? 0));
  if (free <= 0) return [];
  const first = q
    .select()
    .from(outbox)
    .where(and(eq(outbox.status, 'waiting'), isDue(outbox.dueAt, now)))
    .orderBy(asc(outbox.dueAt), asc(outbox.id))
    .limit(free);
  const taken: number[] = [];
  const inBatch = new Map<string, number>();
  for (const { id, recipient } of await forUpdate(first)) {
    const [earlier] = await q
      .select({ sent: countRows() })
      .from(outbox)
      .where(and(eq(outbox.recipient, recipient), eq(outbox.status, 'sent'), recent));
    const here = inBatch.get(recipient) ?? 0;
    if ((earlier?.sent ?? 0) + here >= perPersonAndHour) {
      await q
        .update(outbox)
        .set({ dueAt: now + personPauseMs })
        .where(eq(outbox.id, id));
      continue;
    }
    inBatch.set(recipient, here + 1);
    taken.push(id);
  }
  if (taken.length === 0) return [];
  const rows = await q
    .update(outbox)
    .set({ dueAt: now + leaseMs, attempts: sql`${outbox.attempts} + 1` })
    .where(inArray(outbox.id, taken))
    .returning();
  return rows.toSorted((a, b) => a.id - b.id);
}

const taken = ({ id, attempts }: LetterRow) =>
  and(eq(outbox.id, id), eq(outbox.attempts, attempts), eq(outbox.status, 'waiting'));

/** Notes what became of a letter, unless its lease ended meanwhile and another process has taken it. */
export async function noteLetter(
  q: Query,
  letter: LetterRow,
  after: AfterAttempt | { readonly status: 'unwanted' },
  now: number,
): Promise<void> {
  const ended = after.status === 'waiting' ? {} : { endedAt: now, address: null };
  await q
    .update(outbox)
    .set({ failure: null, ...after, ...ended })
    .where(taken(letter));
}

/** Keeps letters that were taken from other processes until a later time. */
export async function renewLease(q: Query, letters: readonly LetterRow[], dueAt: number): Promise<void> {
  await q
    .update(outbox)
    .set({ dueAt })
    .where(or(...letters.map(taken)));
}

/** Gives a letter back that was taken and not tried. */
export async function returnLetter(q: Query, letter: LetterRow, dueAt: number): Promise<void> {
  await q
    .update(outbox)
    .set({ dueAt, attempts: letter.attempts - 1 })
    .where(taken(letter));
}

/** How long letters that ended are remembered: as long, the same letter is not sent again. */
const rememberedMs = 60 * 24 * hourMs;

/** Deletes some letters that ended long ago. @returns whether there may be more. */
export async function forgetLetters(q: Query, now: number): Promise<boolean> {
  const old = and(ne(outbox.status, 'waiting'), lt(outbox.endedAt, now - rememberedMs));
  return (await deleteChunk(q, outbox.id, old, insertedAtOnce)) === insertedAtOnce;
}

/** The kinds of letters that a recipient has switched off. */
export async function refusedKinds(q: Query, recipient: string): Promise<ReadonlySet<string>> {
  const rows = await q
    .select({ kind: refusedLetters.kind })
    .from(refusedLetters)
    .where(eq(refusedLetters.recipient, recipient));
  return new Set(rows.map(({ kind }) => kind));
}

/** Switches a kind of letters off for a recipient, or on again. */
export async function setLetterWanted(
  q: Query,
  {
    recipient,
    kind,
    isWanted,
  }: { readonly recipient: string; readonly kind: string; readonly isWanted: boolean },
  now: number,
): Promise<void> {
  if (isWanted)
    await q
      .delete(refusedLetters)
      .where(and(eq(refusedLetters.recipient, recipient), eq(refusedLetters.kind, kind)));
  else await q.insert(refusedLetters).values({ recipient, kind, at: now }).onConflictDoNothing();
}

/** What one account has switched off, the account that it became part of has switched off. */
export async function moveRefusedLetters(
  q: Query,
  { fromUserId, intoUserId, at }: MergedUsers,
): Promise<void> {
  const recipient = recipientOf({ userId: intoUserId });
  for (const kind of await refusedKinds(q, recipientOf({ userId: fromUserId })))
    await setLetterWanted(q, { recipient, kind, isWanted: false }, at);
}

/** Deletes the letters of users who are erased, and what they switched off. */
export async function forgetLettersOf(q: Query, userIds: readonly number[]): Promise<void> {
  const recipients = userIds.map((userId) => recipientOf({ userId }));
  await q.delete(outbox).where(inArray(outbox.recipient, recipients));
  await q.delete(refusedLetters).where(inArray(refusedLetters.recipient, recipients));
}

/** What became of the letters since a moment, and how long the oldest has waited: for `trivet doctor`. */
export async function letterState(q: Query, since: number) {
  const [failed] = await q
    .select({ failed: countRows() })
    .from(outbox)
    .where(and(eq(outbox.status, 'failed'), gt(outbox.endedAt, since)));
  const [oldest] = await q
    .select({ createdAt: outbox.createdAt, failure: outbox.failure })
    .from(outbox)
    .where(eq(outbox.status, 'waiting'))
    .orderBy(asc(outbox.dueAt))
    .limit(1);
  return { failed: failed?.failed ?? 0, oldest };
}
