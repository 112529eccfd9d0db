import { and, eq, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { perHost, type Host } from '../../../core/host/host.ts';
import { inTurns, nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { userStates } from '../base/schema.ts';
import { ctaSettingsOf } from '../base/settings.ts';
import { lastDropOf, noDrops, sumOfDrops, type Drops } from '../state/drop.ts';
import { stateBudget, trimToBudget } from '../state/state-budget.ts';
import { maxParsedAtOnce, readStoredState } from '../state/stored-text.ts';
import { emptyState, type StateKey, type UserState } from '../state/user-state.ts';
import { dropCounter } from './drop-counter.ts';
import { addedBy, stateUsage } from './state-usage.ts';
import { UserQueue } from './user-queue.ts';

type Row = { readonly state: string; readonly updatedAt: number };

const isOfKey = and(
  eq(userStates.tenantId, sql.placeholder('tenantId')),
  eq(userStates.userId, sql.placeholder('userId')),
);

const rowOf = prepared<StateKey, Row>(
  (q) =>
    q.select({ state: userStates.state, updatedAt: userStates.updatedAt }).from(userStates).where(isOfKey),
  'cta_user_state',
);

const insertRow = prepared<StateKey & Row, { tenantId: string }>(
  (q) =>
    q
      .insert(userStates)
      .values({
        tenantId: sql.placeholder('tenantId'),
        userId: sql.placeholder('userId'),
        state: sql.placeholder('state'),
        updatedAt: sql.placeholder('updatedAt'),
      })
      .onConflictDoNothing()
      .returning({ tenantId: userStates.tenantId }),
  'cta_insert_user_state',
);

const replaceRow = prepared<StateKey & Row & { seenAt: number }, { tenantId: string }>(
  (q) =>
    q
      .update(userStates)
      .set({ state: sql`${sql.placeholder('state')}`, updatedAt: sql`${sql.placeholder('updatedAt')}` })
      .where(and(isOfKey, eq(userStates.updatedAt, sql.placeholder('seenAt'))))
      .returning({ tenantId: userStates.tenantId }),
  'cta_replace_user_state',
);

/** The stored state of a user, or the empty state. A state of an earlier version may be over the budget, and is trimmed on reading. */
export async function stateOfUser(q: Query, { tenantId, userId }: StateKey): Promise<UserState> {
  const [row] = await rowOf(q, { tenantId, userId });
  return row ? (await readRow(row)).state : emptyState;
}

async function readRow({ state }: Row): Promise<{ readonly state: UserState; readonly dropped: number }> {
  if (state.length > maxParsedAtOnce) return inTurns(readStoredState(state, stateBudget));
  return { state: JSON.parse(state) as UserState, dropped: 0 };
}

/** The changed state, and what was dropped from the client's snapshot. */
interface Advance {
  readonly state: UserState;
  readonly drops: Drops;
}

const queues = perHost(() => new UserQueue());
/** Other processes may change the row between reading and writing. After 5 attempts one transaction reads and writes it. */
const maxFreeAttempts = 5;

/**
 * Changes a user's state by `advance`, which returns its argument when there is nothing to change: then nothing is written, and no
 * transaction begins. Requests of a user run one after the other. The state is read once, and written only if the row is unchanged since,
 * so that no concurrent change of another process is lost. State beyond the budget of one user is dropped and counted.
 * @throws Fault RATE_LIMITED when too many requests of the user wait; DATABASE_BUSY.
 */
export async function advanceState(
  host: Host,
  key: StateKey,
  advance: (state: UserState) => Advance,
): Promise<UserState> {
  const { db } = host;
  return queues(host).run(`${key.tenantId} ${key.userId}`, async () => {
    let advanced: AdvancedState | null = null;
    for (let attempt = 1; attempt <= maxFreeAttempts && !advanced; attempt++) {
      if (turnIsOver()) await nextTurn();
      advanced = await tryAdvance(host, key, advance, { q: db.q, write: db.write });
    }
    // A rejected delta ends the sync of its device: a request that lost every race is repeated in a transaction.
    advanced ??= await db.tx((q) => tryAdvance(host, key, advance, { q, write: (work) => work(q) }), {
      serializable: 'a state that was read is not written by another, also one that was not stored yet',
    });
    if (!advanced)
      throw fail.DATABASE_BUSY('The state of this user is busy; nothing was written.', { retryAfter: 1 });
    advanced.count();
    return advanced.state;
  });
}

interface AdvancedState {
  readonly state: UserState;
  /** Counts what was stored and dropped; called once, after the write. */
  readonly count: () => void;
}

/** @returns null when the row was changed since it was read. */
async function tryAdvance(
  host: Host,
  key: StateKey,
  advance: (state: UserState) => Advance,
  {
    q,
    write,
  }: { readonly q: Query; readonly write: (work: (q: Query) => Promise<boolean>) => Promise<boolean> },
): Promise<AdvancedState | null> {
  const [row] = await rowOf(q, { tenantId: key.tenantId, userId: key.userId });
  const read = row ? await readRow(row) : { state: emptyState, dropped: 0 };
  const changed = advance(read.state);
  const drops = read.dropped > 0 ? sumOfDrops(changed.drops, { state: read.dropped }) : changed.drops;
  if (changed.state === read.state && drops === noDrops) {
    if (row && isLongUnwritten(host, row)) await write((tx) => writeRow(host, tx, key, row, row.state));
    return { state: read.state, count: () => {} };
  }
  // `advance` has checked all times of the state (withoutFuture), so that need not be done again.
  const current: UserState = changed.state.version === 2 ? changed.state : { ...changed.state, version: 2 };
  const { next, text, all } = await withinBudget(current, drops, host.clock.now());
  const change = { before: row?.state ?? null, after: text };
  if (!(await stateUsage(host).admits(key.tenantId, change)))
    return { state: next, count: () => dropCounter(host).count(key, sumOfDrops(all, { quota: 1 })) };
  // Drops are recorded in the state, so an unchanged text needs no write.
  const same = text === row?.state && !isLongUnwritten(host, row);
  if (!same && !(await write((tx) => writeRow(host, tx, key, row, text)))) return null;
  return {
    state: next,
    count: () => {
      stateUsage(host).count(key.tenantId, addedBy(change));
      if (all !== noDrops) dropCounter(host).count(key, all);
    },
  };
}

/** A text this short is within the budget: each value takes at least two characters, and each character at most three bytes. */
const maxSurelyWithin = Math.min(2 * stateBudget.values, stateBudget.bytes / 3);

/** The state to store: within the budget, and with the record of the last drop. */
async function withinBudget(state: UserState, drops: Drops, now: number) {
  if (drops === noDrops) {
    const text = JSON.stringify(state);
    if (text.length <= maxSurelyWithin) return { next: state, text, all: noDrops };
  }
  // Only a large body reaches this line, and its merge has already used up the turn.
  if (turnIsOver()) await nextTurn();
  const { state: trimmed, dropped } = trimToBudget(state);
  const all = dropped > 0 ? sumOfDrops(drops, { state: dropped }) : drops;
  const next = all === noDrops ? trimmed : { ...trimmed, lastDrop: lastDropOf(all, now) };
  return { next, text: JSON.stringify(next), all };
}

/**
 * Whether a state in use must be written although it is unchanged: its age is counted from its last write, and a state in use must not
 * expire. A quarter of the retention time, so that this costs a user one write in 100 days.
 */
function isLongUnwritten(host: Host, { updatedAt }: Row): boolean {
  const keep = ctaSettingsOf(host)['cta-state-keep'];
  return keep > 0 && host.clock.now() - updatedAt > keep * 250;
}

/**
 * @returns whether the row was written. `updatedAt` grows with each write, even within a millisecond, so it identifies one state of the
 * row.
 */
async function writeRow(
  { clock }: Host,
  q: Query,
  { tenantId, userId }: StateKey,
  seen: Row | undefined,
  state: string,
): Promise<boolean> {
  const updatedAt = seen ? Math.max(clock.now(), seen.updatedAt + 1) : clock.now();
  const row = { tenantId, userId, state, updatedAt };
  const rows = seen ? await replaceRow(q, { ...row, seenAt: seen.updatedAt }) : await insertRow(q, row);
  return rows.length > 0;
}
