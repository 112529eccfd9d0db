import type { Offer } from '../../modules/cta/device/device.ts';
import type { StateMachine } from '../../modules/cta/state/snapshot.ts';
import { stringMap } from '../../modules/cta/state/string-map.ts';
import {
  activeCtaIds,
  isTombstone,
  type CtaState,
  type Tombstone,
  type UserState,
} from '../../modules/cta/state/user-state.ts';
import { ctaIn, tagIn, type Ended } from './change.ts';

/**
 * The CTAs with unsent changes as bodies of deltas, in the order in which they must be sent. Each CTA is sent whole: what the server has
 * already changes nothing there.
 *
 * What is too large for one request is sent in parts, down to single state machines: the server joins them to the same state.
 *
 * An empty list together with a reset makes a history start over, so other empty lists are left out. A history that starts over and has new
 * marks needs two bodies: one that ends everything, and the usual one.
 */
export function deltasOf(
  state: UserState,
  offer: Offer | null,
  ctaIds: readonly string[],
): readonly string[] {
  const parts = ctaIds.map((ctaId): Part => [ctaId, ctaIn(state, ctaId)]);
  const over = parts.filter(([, { resetAt }]) => resetAt.clearedAt !== undefined);
  return fitting(state, offer, over, true).concat(fitting(state, offer, parts, false));
}

/** A CTA, or some of its machines. */
type Part = readonly [ctaId: string, state: CtaState];

/** The characters of a request: the server takes 1 MiB, and a character has at most three bytes. */
const mostText = 349_000;

function fitting(state: UserState, offer: Offer | null, parts: readonly Part[], isOver: boolean): string[] {
  if (parts.length === 0) return [];
  const body = bodyOf(state, offer, parts, isOver);
  const [left, right] = body.length > mostText ? halvesOf(parts) : [];
  if (!left || !right) return [body];
  return fitting(state, offer, left, isOver).concat(fitting(state, offer, right, isOver));
}

/** Nothing for a single machine. */
function halvesOf(parts: readonly Part[]): ReadonlyArray<readonly Part[]> {
  const [only] = parts;
  if (!only || parts.length > 1) return halves(parts);
  const [ctaId, cta] = only;
  return halves(Object.keys(cta.machines)).map((groupKeys): readonly Part[] => {
    const machines = stringMap<StateMachine | Tombstone>();
    for (const groupKey of groupKeys) machines[groupKey] = cta.machines[groupKey] as StateMachine;
    return [[ctaId, Object.assign({}, cta, { machines })]];
  });
}

const halves = <T>(list: readonly T[]): ReadonlyArray<readonly T[]> =>
  list.length > 1 ? [list.slice(0, list.length >> 1), list.slice(list.length >> 1)] : [];

interface Tag {
  readonly behaviourTagName: string;
  exposureRule?: object;
  ctaRelation?: object;
}

function bodyOf(state: UserState, offer: Offer | null, parts: readonly Part[], isOver: boolean): string {
  const tags = stringMap<Tag>();
  const ctas = parts.map(([ctaId, { machines, resetAt, actionDoneAt }]) => {
    const activeStateMachines = stringMap<StateMachine>();
    for (const groupKey of Object.keys(machines)) {
      const machine = machines[groupKey] as StateMachine;
      const isEnded = isTombstone(machine);
      if (!isEnded && !isOver) activeStateMachines[groupKey] = machine;
      else {
        const lastTransitionAt = isEnded ? machine.lastTransitionAt : (resetAt.clearedAt ?? 0);
        const createdAt = lastTransitionAt;
        // A version before this stored no state of the end.
        const currentState = (isEnded && (machine as Partial<Ended>).endedIn) || '0';
        activeStateMachines[groupKey] = { currentState, lastTransitionAt, createdAt, reset: true };
      }
    }
    const behaviourTagName = offer?.ctas.find((cta) => cta.ctaId === ctaId)?.behaviourTagName ?? null;
    if (behaviourTagName !== null) {
      const tag = tagIn(state, behaviourTagName);
      const known = (tags[behaviourTagName] ??= { behaviourTagName });
      if (!isOver) known.exposureRule = { ctasResetAt: listed(tag.ctasResetAt.marks) };
      // A list makes the CTAs inactive that a reset in the same body names and the list does not: only what this CTA changed is sent.
      if (tag.activeCtas[ctaId]) known.ctaRelation = { activeCtas: activeCtaIds(tag) };
    }
    return {
      ctaId,
      activeStateMachines,
      resetAt: isOver ? [] : listed(resetAt.marks),
      actionDoneAt: isOver ? [] : listed(actionDoneAt.marks),
    };
  });
  return JSON.stringify({ ctas, behaviourTags: Object.keys(tags).map((name) => tags[name]) });
}

/** JSON leaves out what is undefined. */
const listed = <T>(marks: readonly T[]): readonly T[] | undefined => (marks.length > 0 ? marks : undefined);
