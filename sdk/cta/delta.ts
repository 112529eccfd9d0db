import type { Offer } from '../../modules/cta/device/device.ts';
import type { StateMachine } from '../../modules/cta/state/snapshot.ts';
import { stringMap } from '../../modules/cta/state/string-map.ts';
import { activeCtaIds, isTombstone, type UserState } from '../../modules/cta/state/user-state.ts';
import { ctaIn, tagIn, type Ended } from './change.ts';

/**
 * The CTAs with unsent changes as bodies of deltas, in the order in which they must be sent. Each CTA is sent whole: what the server has
 * already changes nothing there.
 *
 * An empty list together with a reset makes a history start over, so other empty lists are left out. A history that starts over and has new
 * marks needs two bodies: one that ends everything, and the usual one.
 */
export function deltasOf(
  state: UserState,
  offer: Offer | null,
  ctaIds: readonly string[],
): readonly string[] {
  const bodies: string[] = [];
  const over = ctaIds.filter((ctaId) => ctaIn(state, ctaId).resetAt.clearedAt !== undefined);
  if (over.length > 0) bodies.push(bodyOf(state, offer, over, true));
  if (ctaIds.length > 0) bodies.push(bodyOf(state, offer, ctaIds, false));
  return bodies;
}

interface Tag {
  readonly behaviourTagName: string;
  exposureRule?: object;
  ctaRelation?: object;
}

function bodyOf(state: UserState, offer: Offer | null, ctaIds: readonly string[], isOver: boolean): string {
  const tags = stringMap<Tag>();
  const ctas = ctaIds.map((ctaId) => {
    const { machines, resetAt, actionDoneAt } = ctaIn(state, ctaId);
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
