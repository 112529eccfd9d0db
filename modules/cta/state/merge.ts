import type { CtaFacts, FactsById } from './cta-facts.ts';
import { joinHistories, maxHistory } from './history.ts';
import type { BehaviourTagSnapshot, SnapshotBody, StateMachine, StateMachineSnapshot } from './snapshot.ts';
import { compareIds, previousIfSame, stringMap, entryAt, type StringMap } from './string-map.ts';
import { isAlive } from './time-to-live.ts';
import {
  emptyCtaState,
  emptyState,
  emptyTagState,
  hasLeftTag,
  isTombstone,
  unknownTime,
  type Activity,
  type CtaState,
  type History,
  type TagState,
  type Tombstone,
  type UserState,
} from './user-state.ts';

/**
 * How an incoming snapshot is merged into the stored state, and which of two state machines wins when their times tie
 * (docs/contract.md, Merge). The snapshot is first converted to a state, then both are joined. The join is commutative,
 * associative and idempotent for distinct timestamps, so retries, reordering and two devices lose nothing.
 *
 * Machine, by ctaId and group key: the greater `lastTransitionAt` wins whole. `reset: true` turns the incoming copy
 * into a tombstone of that time. Anything that a snapshot does not mention stays.
 *
 * | stored        | incoming          | kept                                             |
 * |---------------|-------------------|--------------------------------------------------|
 * | state 1 at 10 | state 2 at 20     | state 2 at 20                                    |
 * | state 2 at 20 | state 1 at 10     | state 2 at 20, unchanged                         |
 * | state 1 at 10 | state 2 at 10     | state 2 at 10: the tie rule                      |
 * | state 1 at 10 | reset at 10 or 20 | tombstone at that time, not sent                 |
 * | state 1 at 20 | reset at 10       | state 1 at 20, unchanged                         |
 * | nothing       | reset at 10       | tombstone at 10                                  |
 * | tombstone 10  | state 1 at 10     | tombstone 10: a copy as old as the reset is late |
 * | tombstone 10  | state 1 at 11     | state 1 at 11: a new machine                     |
 *
 * Histories (`resetAt`, `actionDoneAt`, `ctasResetAt`): union, ascending, without duplicates, the 1,000 newest, or as
 * many as the lifespan limit counts if that is more. An omitted list changes nothing. An explicit `[]` together with
 * a machine `reset: true` clears: the history stores the time of the reset as `clearedAt`, and accepts no timestamp
 * up to it, now or later. A timestamp after `clearedAt` stays, whichever comes first. That makes a clear part of the join.
 *
 * | stored timestamps  | incoming                   | kept                                            |
 * |--------------------|----------------------------|-------------------------------------------------|
 * | 5, 8               | 8, 12                      | 5, 8, 12                                        |
 * | 5, 8               | `[]`, reset at 10          | none, cleared at 10                             |
 * | none, cleared 10   | 5, 8, 12                   | 12                                              |
 * | 12                 | `[]`, reset at 10          | 12, cleared at 10                               |
 * | 5, 30, machine 10  | `[]`, reset of it at 10    | none, cleared at 30: the tie rule               |
 *
 * Tie rule: existing clients set `lastTransitionAt` when a machine is created and never advance it, so a copy with the
 * stored time is normal for them, and its time says nothing. There, and only there, the order of arrival decides:
 * the later copy replaces, and a clear that comes with a tying reset removes every timestamp stored by then. A retry of that
 * reset meets the tombstone and not a machine, so it clears nothing that came after.
 *
 * `activeCtas`: a CTA that a snapshot lists is active, and stays so when another snapshot does not list it (union). A
 * snapshot that resets a machine of a CTA and leaves that CTA out of an explicit list makes it inactive; CTAs which it does
 * not reset stay, as another device may have made them active. The later one wins: a listed CTA has the time of the
 * newest machine of that CTA in the same snapshot (older than any if there is none), an inactive one has the time of the
 * reset and wins a tie. A CTA that has ended, or is under another tag, is not taken.
 *
 * The administrator defines the limits and relations of a tag; values that clients send for them are not stored.
 */
export interface MergeOptions {
  /** The server's time, epoch milliseconds: it stamps new tombstones and decides nothing between copies. */
  readonly now: number;
  /**
   * By ctaId: the CTAs whose state is kept. Others are ignored, not stored. An incoming machine older than its time to live is ignored, too:
   * archiving would drop it at the next launch, and a client that keeps it would cause a write each time.
   */
  readonly ctas: FactsById<Pick<CtaFacts, 'ttl' | 'lifespanLimit' | 'tag'>>;
  /** The ids of CTAs that have ended: a device that did not hear of it lists them in a tag. */
  readonly others?: Pick<ReadonlySet<string>, 'has'> | undefined;
  /** By behaviourTagName: the tags that exist. A lifespan limit of 0 means no limit. */
  readonly tags: FactsById<{
    readonly exposureRule?: { readonly lifespan?: { readonly limit?: number } | undefined } | undefined;
  }>;
  /** Receives the number of machines that a CTA had beyond the maximum. */
  readonly onDrop?: (machines: number) => void;
}

/** Entries kept per map and user: machines and tombstones of a CTA, CTAs in a tag's `activeCtas`. The newest are kept. */
const maxEntries = 1000;

/**
 * Merges an incoming snapshot into the stored state. Changes neither argument.
 * @returns `stored` itself, and `changed: false`, when the snapshot adds nothing.
 */
export function merge(
  stored: UserState,
  incoming: SnapshotBody,
  options: MergeOptions,
): { readonly state: UserState; readonly changed: boolean } {
  // Most launches send nothing new.
  if (incoming.ctas.length === 0 && incoming.behaviourTags.length === 0)
    return { state: stored, changed: false };
  const state = joinStates(stored, incomingState(incoming, options), options);
  return { state, changed: state !== stored };
}

type Limits = Pick<MergeOptions, 'ctas' | 'tags' | 'onDrop'>;

/** The join itself; `right` arrived later, which matters only for ties. @returns `left` itself if it contains all of `right`. */
export function joinStates(left: UserState, right: UserState, limits: Limits): UserState {
  const ctas = stringMap(left.ctas);
  let anyTie = false;
  for (const [ctaId, incoming] of Object.entries(right.ctas)) {
    const stored = entryAt(left.ctas, ctaId) ?? emptyCtaState;
    const keep = Math.max(maxHistory, limits.ctas.get(ctaId)?.lifespanLimit ?? 0);
    const { cta, resetTie } = joinCtas(stored, incoming, keep, limits.onDrop);
    anyTie ||= resetTie;
    if (cta !== emptyCtaState) ctas[ctaId] = cta;
  }
  const tags = stringMap(left.tags);
  for (const [tagName, incoming] of Object.entries(right.tags)) {
    const keep = Math.max(maxHistory, limits.tags.get(tagName)?.exposureRule?.lifespan?.limit ?? 0);
    const tag = joinTags(entryAt(left.tags, tagName) ?? emptyTagState, incoming, keep, anyTie);
    if (tag !== emptyTagState) tags[tagName] = tag;
  }
  const joined: UserState = Object.assign({}, left, {
    ctas: previousIfSame(left.ctas, ctas),
    tags: previousIfSame(left.tags, tags),
  });
  return joined.ctas === left.ctas && joined.tags === left.tags ? left : joined;
}

function joinCtas(left: CtaState, right: CtaState, keep: number, onDrop: Limits['onDrop']) {
  const { machines, resetTie } = joinMachines(left.machines, right.machines, onDrop);
  const resetAt = joinHistories(left.resetAt, right.resetAt, { keep, resetTie });
  const actionDoneAt = joinHistories(left.actionDoneAt, right.actionDoneAt, { keep, resetTie });
  const same = machines === left.machines && resetAt === left.resetAt && actionDoneAt === left.actionDoneAt;
  return { cta: same ? left : { machines, resetAt, actionDoneAt }, resetTie };
}

function joinTags(left: TagState, right: TagState, keep: number, resetTie: boolean): TagState {
  const ctasResetAt = joinHistories(left.ctasResetAt, right.ctasResetAt, { keep, resetTie });
  const next = stringMap(left.activeCtas);
  for (const [ctaId, incoming] of Object.entries(right.activeCtas)) {
    const stored = entryAt(left.activeCtas, ctaId);
    if (stored === undefined || isLaterActivity(incoming, stored)) next[ctaId] = incoming;
  }
  const isOver = Object.keys(next).length > maxEntries;
  const activeCtas = previousIfSame(left.activeCtas, isOver ? newest(next, activityOrder) : next);
  const same = ctasResetAt === left.ctasResetAt && activeCtas === left.activeCtas;
  return same ? left : { ctasResetAt, activeCtas };
}

const activityOrder = (left: Activity, right: Activity): number => right.at - left.at;

const isLaterActivity = (incoming: Activity, stored: Activity): boolean =>
  incoming.at > stored.at || (incoming.at === stored.at && stored.active && !incoming.active);

type StoredMachine = StateMachine | Tombstone;

function joinMachines(
  left: StringMap<StoredMachine>,
  right: StringMap<StoredMachine>,
  onDrop: Limits['onDrop'],
): { readonly machines: StringMap<StoredMachine>; readonly resetTie: boolean } {
  const next = stringMap(left);
  let resetTie = false;
  for (const [groupKey, incoming] of Object.entries(right)) {
    const stored = entryAt(left, groupKey);
    if (stored === undefined) {
      next[groupKey] = incoming;
      continue;
    }
    const tie = incoming.lastTransitionAt === stored.lastTransitionAt;
    if (tie && isTombstone(incoming) && !isTombstone(stored)) resetTie = true;
    if (incoming.lastTransitionAt > stored.lastTransitionAt || (tie && replacesAtTie(stored, incoming))) {
      next[groupKey] = incoming;
    }
  }
  const excess = Object.keys(next).length - maxEntries;
  if (excess > 0) onDrop?.(excess);
  return { machines: previousIfSame(left, excess > 0 ? newest(next, machineOrder) : next), resetTie };
}

function replacesAtTie(stored: StoredMachine, incoming: StoredMachine): boolean {
  if (isTombstone(stored)) return false;
  return isTombstone(incoming) || JSON.stringify(stored) !== JSON.stringify(incoming);
}

/** Machines before tombstones, newest first, so that ended machines are dropped first. */
const machineOrder = (left: StoredMachine, right: StoredMachine): number =>
  Number(isTombstone(left)) - Number(isTombstone(right)) || right.lastTransitionAt - left.lastTransitionAt;

/** The newest {@link maxEntries}. A total order decides what is dropped, so that it does not depend on the order of arrival. */
function newest<T>(entries: StringMap<T>, order: (left: T, right: T) => number): StringMap<T> {
  const kept = stringMap<T>();
  for (const [key, entry] of Object.entries(entries)
    .sort(([leftKey, left], [rightKey, right]) => order(left, right) || compareIds(leftKey, rightKey))
    .slice(0, maxEntries)) {
    kept[key] = entry;
  }
  return kept;
}

/** A snapshot in the form of a state. */
function incomingState(incoming: SnapshotBody, options: MergeOptions): UserState {
  const ctas = stringMap<CtaState>();
  const tags = stringMap<TagState>();
  const times = new Map<string, number>();
  const resets = new Map<string, number>();
  for (const snapshot of incoming.ctas) {
    const facts = options.ctas.get(snapshot.ctaId);
    if (!facts) continue;
    const machines = Object.values(snapshot.activeStateMachines);
    const time = latest(machines);
    const reset = latest(machines.filter((machine) => machine.reset === true));
    if (time !== undefined) times.set(snapshot.ctaId, time);
    if (reset !== undefined) resets.set(snapshot.ctaId, reset);
    ctas[snapshot.ctaId] = incomingCta(snapshot, reset, facts.ttl, options.now);
  }
  for (const tag of incoming.behaviourTags) {
    if (options.tags.get(tag.behaviourTagName))
      tags[tag.behaviourTagName] = incomingTag(tag, times, resets, options);
  }
  return { ...emptyState, ctas, tags };
}

function incomingCta(
  snapshot: StateMachineSnapshot,
  resetTime: number | undefined,
  ttl: number | undefined,
  now: number,
): CtaState {
  const machines = stringMap<StoredMachine>();
  for (const [groupKey, machine] of Object.entries(snapshot.activeStateMachines)) {
    if (machine.reset === true) {
      const { lastTransitionAt } = machine;
      machines[groupKey] = { removed: true, lastTransitionAt, receivedAt: now };
    } else if (isAlive(machine, ttl, now)) {
      machines[groupKey] = machine;
    }
  }
  return {
    machines,
    resetAt: incomingHistory(snapshot.resetAt, resetTime),
    actionDoneAt: incomingHistory(snapshot.actionDoneAt, resetTime),
  };
}

function incomingHistory<Mark>(
  list: readonly Mark[] | undefined,
  resetTime: number | undefined,
): History<Mark> {
  const clears = list?.length === 0 && resetTime !== undefined;
  return { marks: list ?? [], ...(clears && { clearedAt: resetTime }) };
}

/** `times` and `resets`: by ctaId, the times of the newest machine and the newest reset machine of the same snapshot. */
function incomingTag(
  tag: BehaviourTagSnapshot,
  times: ReadonlyMap<string, number>,
  resets: ReadonlyMap<string, number>,
  options: MergeOptions,
): TagState {
  const anyReset = resets.size === 0 ? undefined : Math.max(...resets.values());
  const activeCtas = stringMap<Activity>();
  const listed = tag.ctaRelation?.activeCtas;
  if (listed) {
    for (const [ctaId, at] of resets) activeCtas[ctaId] = { active: false, at };
    for (const ctaId of listed) {
      if (hasLeftTag(options, ctaId, tag.behaviourTagName)) continue;
      activeCtas[ctaId] = { active: true, at: times.get(ctaId) ?? unknownTime };
    }
  }
  return { ctasResetAt: incomingHistory(tag.exposureRule?.ctasResetAt, anyReset), activeCtas };
}

const latest = (machines: readonly StateMachine[]): number | undefined =>
  machines.length === 0 ? undefined : Math.max(...machines.map(({ lastTransitionAt }) => lastTransitionAt));
