import { eq, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { perHost, type Host } from '../../../core/host/host.ts';
import { inTurns, nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { userAliases, userStates } from '../base/schema.ts';
import { ctaSettingsOf } from '../base/settings.ts';
import { derivedEvents, nothingDerived, type DerivedFacts } from '../counts/derived-events.ts';
import { eventUsage } from '../counts/event-usage.ts';
import { lastDropOf, noDrops, sumOfDrops, type Drops } from '../state/drop.ts';
import { stateBudget, trimToBudget } from '../state/state-budget.ts';
import { maxParsedAtOnce, readStoredState } from '../state/stored-text.ts';
import { emptyState, type StateKey, type UserState } from '../state/user-state.ts';
import { dropCounter } from './drop-counter.ts';
import { addedBy, stateUsage } from './state-usage.ts';
import { isOfKey, writeState, writeStateInTx, type StateWrite, type StoredRow } from './state-write-store.ts';
import { UserQueue } from './user-queue.ts';

interface FoundRow extends StoredRow {
  /** The user into whom this one was merged: their state counts. */
  readonly intoUserId: string | null;
}

const rowsOf = prepared<StateKey, FoundRow>((q) => {
  const stored = q
    .select({
      state: userStates.state,
      updatedAt: userStates.updatedAt,
      intoUserId: sql<string | null>`null`.as('into_user_id'),
    })
    .from(userStates)
    .where(isOfKey);
  const alias = q
    .select({
      state: sql<string>`''`.as('state'),
      updatedAt: sql<number>`0`.as('updated_at'),
      intoUserId: userAliases.intoUserId,
    })
    .from(userAliases)
    .where(eq(userAliases.userId, sql.placeholder('userId')));
  return stored.unionAll(alias as never);
}, 'cta_user_state');

/** The row of a user, or who the user is now. One statement, because every launch sends it. */
async function rowOf(
  q: Query,
  { tenantId, userId }: StateKey,
): Promise<{ readonly row: StoredRow | undefined; readonly intoUserId: string | undefined }> {
  const rows = await rowsOf(q, { tenantId, userId });
  const alias = rows.find(({ intoUserId }) => intoUserId !== null);
  const [row] = rows;
  return { row: alias ? undefined : row, intoUserId: alias?.intoUserId ?? undefined };
}

/** The stored state of a user, or the empty state. A state of an earlier version may be over the budget, and is trimmed on reading. */
export async function stateOfUser(q: Query, key: StateKey): Promise<UserState> {
  const { row, intoUserId } = await rowOf(q, key);
  if (intoUserId !== undefined) return stateOfUser(q, { ...key, userId: intoUserId });
  return row ? (await readRow(row)).state : emptyState;
}

export async function readRow({
  state,
}: Pick<StoredRow, 'state'>): Promise<{ readonly state: UserState; readonly dropped: number }> {
  if (state.length > maxParsedAtOnce) return inTurns(readStoredState(state, stateBudget));
  return { state: JSON.parse(state) as UserState, dropped: 0 };
}

/** The changed state, and what was dropped from the client's snapshot. */
interface Advance {
  readonly state: UserState;
  readonly drops: Drops;
  /** From which the events are derived once it is known what is stored in the end. */
  readonly shows: { readonly before: UserState; readonly facts: DerivedFacts };
}

const queues = perHost(() => new UserQueue());
/** Other processes may change the row between reading and writing. After 5 attempts one transaction reads and writes it. */
const maxFreeAttempts = 5;

/**
 * Changes a user's state by `advance`, which returns its argument when there is nothing to change: then nothing is written, and no
 * transaction begins. Requests of a user run one after the other. The state is read once, and written only if the row is unchanged since,
 * so that no concurrent change of another process is lost. State beyond the budget of one user is dropped and counted. A user who was
 * merged into another is the other one.
 * @returns the state, and whose it is.
 * @throws Fault RATE_LIMITED when too many requests of the user wait; DATABASE_BUSY.
 */
export async function advanceState(
  host: Host,
  key: StateKey,
  advance: (state: UserState) => Advance,
): Promise<{ readonly state: UserState; readonly userId: string }> {
  const { db } = host;
  return queues(host).run(`${key.tenantId} ${key.userId}`, async () => {
    let advanced: AdvancedState | Merged | null = null;
    for (let attempt = 1; attempt <= maxFreeAttempts && !advanced; attempt++) {
      if (turnIsOver()) await nextTurn();
      advanced = await tryAdvance(host, key, advance, { q: db.q, write: (change) => writeState(db, change) });
    }
    // A rejected delta ends the sync of its device: a request that lost every race is repeated in a transaction.
    advanced ??= await db.tx(
      (q) => tryAdvance(host, key, advance, { q, write: (change) => writeStateInTx(q, change) }),
      {
        serializable: 'a state that was read is not written by another, also one that was not stored yet',
      },
    );
    if (!advanced)
      throw fail.DATABASE_BUSY('The state of this user is busy; nothing was written.', { retryAfter: 1 });
    if ('intoUserId' in advanced) return advanceState(host, { ...key, userId: advanced.intoUserId }, advance);
    advanced.count();
    return { state: advanced.state, userId: key.userId };
  });
}

interface AdvancedState {
  readonly state: UserState;
  /** Counts what was stored and dropped; called once, after the write. */
  readonly count: () => void;
}

interface Merged {
  readonly intoUserId: string;
}

/** @returns null when the row was changed since it was read. */
async function tryAdvance(
  host: Host,
  key: StateKey,
  advance: (state: UserState) => Advance,
  { q, write }: { readonly q: Query; readonly write: (change: StateWrite) => Promise<boolean> },
): Promise<AdvancedState | Merged | null> {
  const { row, intoUserId } = await rowOf(q, key);
  if (intoUserId !== undefined) return { intoUserId };
  const read = row ? await readRow(row) : { state: emptyState, dropped: 0 };
  const changed = advance(read.state);
  const drops = read.dropped > 0 ? sumOfDrops(changed.drops, { state: read.dropped }) : changed.drops;
  if (changed.state === read.state && drops === noDrops) {
    if (row && isLongUnwritten(host, row))
      await write({ key, seen: row, state: row.state, now: host.clock.now(), derived: nothingDerived });
    return { state: read.state, count: () => {} };
  }
  // `advance` has checked all times of the state (withoutFuture), so that need not be done again.
  const current: UserState = changed.state.version === 2 ? changed.state : { ...changed.state, version: 2 };
  const { next, text, all } = await withinBudget(current, drops, host.clock.now());
  const change = { before: row?.state ?? null, after: text };
  const usage = stateUsage(host);
  if (!(await usage.admits(key.tenantId, change)))
    return { state: next, count: () => dropCounter(host).count(key, sumOfDrops(all, { quota: 1 })) };
  // Drops are recorded in the state, so an unchanged text needs no write.
  const same = text === row?.state && !isLongUnwritten(host, row);
  const shown = same
    ? nothingDerived
    : derivedEvents(changed.shows.before, { userId: key.userId, state: next }, changed.shows.facts);
  const derived = shown === nothingDerived ? shown : await eventUsage(host).admitted(key.tenantId, shown);
  if (!same && !(await write({ key, seen: row, state: text, now: host.clock.now(), derived }))) return null;
  return {
    state: next,
    count: () => {
      usage.count(key.tenantId, addedBy(change));
      if (shown.events.length > 0) eventUsage(host).countDerived(key.tenantId, shown, derived);
      if (all !== noDrops) dropCounter(host).count(key, all);
    },
  };
}

/** A text this short is within the budget: each value takes at least two characters, and each character at most three bytes. */
const maxSurelyWithin = Math.min(2 * stateBudget.values, stateBudget.bytes / 3);

/** The state to store: within the budget, and with the record of the last drop. */
export async function withinBudget(state: UserState, drops: Drops, now: number) {
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
function isLongUnwritten(host: Host, { updatedAt }: StoredRow): boolean {
  const keep = ctaSettingsOf(host)['cta-state-keep'];
  return keep > 0 && host.clock.now() - updatedAt > keep * 250;
}
