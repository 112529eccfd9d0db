import type { Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import type { MergedUsers } from '../../../core/base/write-entry.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { leftByJoining, type Move } from '../counts/derived-events.ts';
import { storeDerived } from '../counts/derived-store.ts';
import { exposuresOfBoth, moveCountsOfUser, type JoinedExposure } from '../counts/user-count-store.ts';
import { noDrops } from '../state/drop.ts';
import { mostEnded } from '../rules/delivery.ts';
import { withoutFuture } from '../state/future-times.ts';
import { joinStates } from '../state/merge.ts';
import { previousIfSame, stringMap } from '../state/string-map.ts';
import { emptyState, type UserState } from '../state/user-state.ts';
import { deleteOldAliases, insertAlias, openAliases, settleAlias } from './user-alias-store.ts';
import { deleteStates, insertState, replaceState, stateToMerge, statesToMerge } from './user-merge-store.ts';
import { readRow, withinBudget } from './user-state-store.ts';

/*
 * What this module does when one user becomes part of another, e.g. a guest who signed in: the states are joined, and for 30 days launches
 * and deltas under the former id reach the user. The join is that of two devices (state/merge.ts), so it does not matter whether a late
 * delta comes before or after it.
 */

/** How long an app may go on under the former id. */
const aliasMs = 30 * 24 * 60 * 60_000;

/**
 * A request that began before the alias was stored may have inserted a state under the former id since. No request takes that long, so a
 * job joins it then.
 */
const settleAfterMs = 60_000;

/** How often {@link keepAliases} runs. */
export const aliasEveryMs = 60_000;

/** Histories are not shortened here: the limit that decides how much of them counts is applied at the next launch. */
const everything = {
  ctas: { get: () => ({ lifespanLimit: Number.MAX_SAFE_INTEGER }) },
  tags: { get: () => ({ exposureRule: { lifespan: { limit: Number.MAX_SAFE_INTEGER } } }) },
};

/** Joins the states of two users in every tenant, in the transaction that merges them. */
export async function joinMergedUsers(q: Query, { fromUserId, intoUserId, at }: MergedUsers): Promise<void> {
  const alias = { userId: String(fromUserId), intoUserId: String(intoUserId) };
  await insertAlias(q, { ...alias, mergedAt: at });
  await moveStates(q, alias, at);
}

async function moveStates(
  q: Query,
  { userId, intoUserId }: { readonly userId: string; readonly intoUserId: string },
  now: number,
): Promise<void> {
  const rows = await statesToMerge(q, userId);
  const exposures = await exposuresOfBoth(q, userId, intoUserId);
  const states = new Map(rows.map(({ tenantId, state }) => [tenantId, state]));
  const asOther = exposures.filter(({ ids }) => ids[0] !== intoUserId);
  const left = new Map<string, readonly Move[]>();
  for (const tenantId of new Set([...states.keys(), ...asOther.map((one) => one.tenantId)])) {
    const state = states.get(tenantId);
    const late = state === undefined ? emptyState : withoutFuture((await readRow({ state })).state, now);
    const shown = asOther.filter((one) => one.tenantId === tenantId);
    left.set(tenantId, await joinInto(q, { tenantId, userId: intoUserId }, withShown(late, shown), now));
    if (turnIsOver()) await nextTurn();
  }
  // After the states, as a delta does: in the other order both would wait for each other.
  await moveCountsOfUser(q, { from: userId, into: intoUserId, exposures });
  for (const [tenantId, moves] of left)
    await storeDerived(q, { tenantId, userId: intoUserId }, now, { events: [], moves });
  // The sizes of the tenant are off by this until its next full count (state-upkeep.ts).
  if (rows.length > 0)
    await deleteStates(
      q,
      rows.map(({ tenantId }) => tenantId),
      userId,
    );
}

const withShown = (state: UserState, exposures: readonly JoinedExposure[]): UserState => {
  const shown = exposures.map(({ ctaId, ids: [first = ''] }) => [String(ctaId), first] as const);
  if (shown.length === 0) return state;
  return { ...state, shownAs: stringMap({ ...state.shownAs, ...Object.fromEntries(shown) }) };
};

/** @returns the states that neither of both is in any more. */
async function joinInto(
  q: Query,
  key: { readonly tenantId: string; readonly userId: string },
  late: UserState,
  now: number,
): Promise<readonly Move[]> {
  const text = (state: UserState) => withinBudget({ ...state, version: 2 }, noDrops, now);
  const row = await stateToMerge(q, key.tenantId, key.userId);
  if (!row) {
    if (await insertState(q, { ...key, state: (await text(late)).text, updatedAt: now })) return [];
    // A launch of the user has stored one meanwhile.
    return joinInto(q, key, late, now);
  }
  const stored = withoutFuture((await readRow(row)).state, now);
  const joined = withEndedOf(withShownOf(joinStates(stored, late, everything), late), late);
  const left = leftByJoining([stored, late], joined);
  if (joined === stored) return left;
  // It grows with each write and identifies the state: a concurrent launch has to read it again.
  const updatedAt = Math.max(now, row.updatedAt + 1);
  await replaceState(q, { ...key, state: (await text(joined)).text, updatedAt });
  return left;
}

function withShownOf(state: UserState, { shownAs }: UserState): UserState {
  if (!shownAs) return state;
  const joined = previousIfSame(state.shownAs ?? {}, stringMap({ ...state.shownAs, ...shownAs }));
  return joined === state.shownAs ? state : { ...state, shownAs: joined };
}

function withEndedOf(state: UserState, { endedActions }: UserState): UserState {
  if (!endedActions) return state;
  const both = new Set([...(state.endedActions ?? []), ...endedActions]);
  if (both.size === state.endedActions?.length) return state;
  return { ...state, endedActions: [...both].sort((left, right) => left - right).slice(-mostEnded) };
}

/** Joins states that came under a former id while it was merged, and forgets ids that were merged 30 days ago. */
export async function keepAliases(host: Host): Promise<void> {
  const { db, clock } = host;
  for (;;) {
    const open = await openAliases(db.q, clock.now() - settleAfterMs);
    for (const alias of open)
      await db.tx(async (q) => {
        await moveStates(q, alias, clock.now());
        await settleAlias(q, alias);
      });
    if (open.length === 0) break;
    await nextTurn();
  }
  while (await db.tx((q) => deleteOldAliases(q, clock.now() - aliasMs))) await nextTurn();
}
