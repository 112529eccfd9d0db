import { isStorable } from '../../../core/base/schema.ts';
import type { FactsById } from '../state/cta-facts.ts';
import { snapshotLimits } from '../state/snapshot-body.ts';
import { entryAt, type StringMap } from '../state/string-map.ts';
import type { StateMachine } from '../state/snapshot.ts';
import {
  emptyCtaState,
  isTombstone,
  type CtaState,
  type Tombstone,
  type UserState,
} from '../state/user-state.ts';

/** What a merge shows of a user and a CTA. */
interface DerivedEvent {
  readonly ctaId: string;
  readonly version: number;
  /** The arm of the user in the running experiment; null: none. */
  readonly variant: string | null;
  /** `action` and `completion` are stamps; `reached` is the arrival of a machine in `state`. */
  readonly type: 'action' | 'completion' | 'reached';
  readonly state: string | null;
  /** Epoch milliseconds, of the device. */
  readonly at: number;
}

/** A state of a CTA that the user has come into, or left. */
export interface Move {
  readonly ctaId: string;
  readonly state: string;
  readonly at: number;
  readonly isThere: boolean;
}

export interface Derived {
  readonly events: readonly DerivedEvent[];
  readonly moves: readonly Move[];
}

/** Whose state it is, which may be another user than the one that the request names, and what is stored now. */
interface ShownUser {
  readonly userId: string;
  readonly state: UserState;
}

/** What the catalogue and the merged snapshot say. */
export interface DerivedFacts {
  /** By ctaId: the CTAs that are counted, with their version that is live now. */
  readonly ctas: FactsById<{ readonly edit: number }>;
  /** The arm of the user in the running experiment of a CTA: installed apps do not report it. Absent: no experiment runs. */
  readonly variantOf?: (ctaId: string, user: ShownUser, at: number) => string | null;
  /** The state in which the snapshot says that a machine was reset: the merge keeps only the time of it. */
  readonly resetIn: (ctaId: string, groupKey: string) => string | undefined;
}

export const nothingDerived: Derived = { events: [], moves: [] };

/**
 * Whether a state can be one of a rule. Deployed apps send any text, which the JSON of a state can hold, but no column: the delta counts
 * without it. Earlier versions stored states that are too long for an index.
 */
const isCountable = (state: string): boolean =>
  state.length <= snapshotLimits.nameLength && isStorable(state);

/**
 * The events between two states of a user: `before` is what was stored, `user.state` what is stored now.
 *
 * | before          | now             | events                                        |
 * |-----------------|-----------------|-----------------------------------------------|
 * | actions 5       | actions 5, 8    | action at 8                                   |
 * | resets 5        | resets 5        | none                                          |
 * | resets 5        | cleared at 9    | none                                          |
 * | no machine      | in state 1      | reached 1                                     |
 * | in state 1      | in state 2      | reached 2; 1 is left                          |
 * | in state 1      | reset in 2      | reached 2; 1 is left                          |
 * | in state 1      | reset in 1      | 1 is left                                     |
 * | in state 1      | no state        | 1 is left                                     |
 *
 * A CTA that was paused and waits for another start has no state. One that has ended is not counted: there all stays as it was.
 *
 * An arrival has the time of the machine, but is never earlier than the first action of the CTA: deployed SDKs never advance
 * `lastTransitionAt`, so it would be before the action that led there.
 */
export function derivedEvents(before: UserState, user: ShownUser, facts: DerivedFacts): Derived {
  const after = user.state;
  const events: DerivedEvent[] = [];
  const moves: Move[] = [];
  for (const ctaId of Object.keys(after.ctas)) {
    const next = entryAt(after.ctas, ctaId);
    const previous = entryAt(before.ctas, ctaId) ?? emptyCtaState;
    // The merge returns what it does not change as it is.
    if (next === undefined || next === previous) continue;
    const version = facts.ctas.get(ctaId)?.edit;
    if (version === undefined) continue;
    const found: Found[] = [
      ...stamped('action', previous.actionDoneAt.marks, next.actionDoneAt.marks),
      ...stamped('completion', previous.resetAt.marks, next.resetAt.marks),
    ];
    if (next.machines !== previous.machines)
      for (const { move, isArrival } of movesOf(ctaId, previous, next, facts.resetIn)) {
        moves.push(move);
        if (isArrival) found.push({ type: 'reached', state: move.state, at: move.at });
      }
    for (const event of found) {
      const variant = facts.variantOf?.(ctaId, user, event.at) ?? null;
      events.push({ ctaId, version, variant, ...event });
    }
  }
  for (const [ctaId, dropped] of Object.entries(before.ctas))
    if (!Object.hasOwn(after.ctas, ctaId) && facts.ctas.get(ctaId) !== undefined)
      moves.push(...leavesOf(ctaId, dropped, nowhere));
  return events.length === 0 && moves.length === 0 ? nothingDerived : { events, moves };
}

type Found = Pick<DerivedEvent, 'type' | 'state' | 'at'>;

const stamped = (
  type: 'action' | 'completion',
  before: readonly number[],
  after: readonly number[],
): readonly Found[] => added(before, after).map((at) => ({ type, state: null, at }));

function added(before: readonly number[], after: readonly number[]): readonly number[] {
  if (before === after || after.length === 0) return [];
  const known = new Set(before);
  return after.filter((mark) => !known.has(mark));
}

interface SeenMove {
  readonly move: Move;
  readonly isArrival: boolean;
}

function movesOf(
  ctaId: string,
  before: CtaState,
  after: CtaState,
  resetIn: DerivedFacts['resetIn'],
): readonly SeenMove[] {
  if (isInSameStates(before.machines, after.machines)) return [];
  const firstAction = after.actionDoneAt.marks[0] ?? -Infinity;
  const there = statesOf(after.machines);
  const arrivals = new Map<string, number>();
  for (const [groupKey, machine] of Object.entries(after.machines)) {
    const known = entryAt(before.machines, groupKey);
    if (known === machine) continue;
    const state = isTombstone(machine) ? resetIn(ctaId, groupKey) : machine.currentState;
    const wasIn = known === undefined || isTombstone(known) ? undefined : known.currentState;
    const isRepeated = isTombstone(machine) && known !== undefined && isTombstone(known);
    if (state === undefined || state === wasIn || isRepeated || !isCountable(state)) continue;
    const at = Math.max(machine.lastTransitionAt, firstAction);
    arrivals.set(state, Math.min(at, arrivals.get(state) ?? Infinity));
  }
  const left = leavesOf(ctaId, before, there).filter(({ state }) => !arrivals.has(state));
  return [
    ...[...arrivals].map(([state, at]) => ({
      move: { ctaId, state, at, isThere: there.has(state) },
      isArrival: true,
    })),
    ...left.map((move) => ({ move, isArrival: false })),
  ];
}

const nowhere: ReadonlySet<string> = new Set();

const leavesOf = (ctaId: string, before: CtaState, there: ReadonlySet<string>): readonly Move[] =>
  [...statesOf(before.machines)]
    .filter((state) => !there.has(state) && isCountable(state))
    .map((state) => ({ ctaId, state, at: lastTime(before), isThere: false }));

/** What two users leave who become one, each state once: of a machine that both had, one copy is kept. @param joined the state of both. */
export function leftByJoining(both: readonly UserState[], joined: UserState): readonly Move[] {
  const left = new Map<string, Move>();
  for (const { ctas } of both)
    for (const [ctaId, before] of Object.entries(ctas)) {
      const there = statesOf((entryAt(joined.ctas, ctaId) ?? emptyCtaState).machines);
      for (const move of leavesOf(ctaId, before, there)) left.set(`${ctaId} ${move.state}`, move);
    }
  return [...left.values()];
}

/** Whether the same machines are alive in the same states: most deltas only change their times or contexts, and cost no more than this. */
function isInSameStates(
  before: StringMap<StateMachine | Tombstone>,
  after: StringMap<StateMachine | Tombstone>,
): boolean {
  for (const groupKey in after) {
    const [machine, known] = [after[groupKey], entryAt(before, groupKey)];
    if (machine === known) continue;
    if (machine === undefined || known === undefined || isTombstone(machine) || isTombstone(known))
      return false;
    if (machine.currentState !== known.currentState) return false;
  }
  for (const groupKey in before) if (!Object.hasOwn(after, groupKey)) return false;
  return true;
}

function statesOf(machines: StringMap<StateMachine | Tombstone>): ReadonlySet<string> {
  const states = new Set<string>();
  for (const machine of Object.values(machines)) if (!isTombstone(machine)) states.add(machine.currentState);
  return states;
}

const lastTime = ({ machines }: CtaState): number =>
  Math.max(...Object.values(machines).map(({ lastTransitionAt }) => lastTransitionAt));
