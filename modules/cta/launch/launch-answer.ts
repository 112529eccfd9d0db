import type { SerialisedCta } from '../catalogue/serialised-cta.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import type { WireRule } from '../rules/rule-parts.ts';
import type { StateMachine } from '../state/snapshot.ts';
import { compareIds, stringMap, entryAt } from '../state/string-map.ts';
import {
  activeCtaIds,
  emptyTagState,
  isTombstone,
  type CtaState,
  type UserState,
} from '../state/user-state.ts';

/**
 * The body of an app-launch response (docs/contract.md, App launch): `{"data":{"ctas":[…],"behaviourTags":[…]}}`. Each CTA includes the
 * state of the user, and each behaviour tag the user's history in it. Tombstones are never sent.
 * @param ctas the eligible CTAs, already ordered by {@link byPriority}.
 * @returns JSON text, assembled from the parts that the catalogue serialised once.
 */
export function launchAnswerJson(
  ctas: readonly SerialisedCta[],
  tags: readonly TagDefinition[],
  state: UserState,
): string {
  let entries = '';
  for (const cta of ctas) {
    const stored = entryAt(state.ctas, cta.ctaId);
    const entry =
      stored === undefined
        ? cta.untouched
        : `${cta.head}${JSON.stringify(userPart(stored, cta.rule)).slice(1, -1)}${cta.tail}`;
    entries += entries === '' ? entry : `,${entry}`;
  }
  const tagsJson = JSON.stringify(tags.map((tag) => tagEntry(tag, state)));
  return `{"data":{"ctas":[${entries}],"behaviourTags":${tagsJson}}}`;
}

const userPart = (cta: CtaState, rule: WireRule) => ({
  activeStateMachines: activeStateMachines(cta, rule.groupByConfig.maxActiveStateMachineCount),
  resetAt: cta.resetAt.marks,
  actionDoneAt: cta.actionDoneAt.marks,
});

/**
 * Two devices may each have started as many machines as a user may have, so only the most recently changed ones are sent. All are stored,
 * because which ones exceed the maximum depends on what arrives next.
 */
function activeStateMachines(cta: CtaState, max = Infinity): Record<string, StateMachine> {
  const active = Object.entries(cta.machines).filter(
    (entry): entry is [string, StateMachine] => !isTombstone(entry[1]),
  );
  const sent =
    active.length <= max
      ? active
      : active
          .sort(
            ([leftKey, left], [rightKey, right]) =>
              right.lastTransitionAt - left.lastTransitionAt || compareIds(leftKey, rightKey),
          )
          .slice(0, max);
  const machines = stringMap<StateMachine>();
  for (const [groupKey, machine] of sent) machines[groupKey] = machine;
  return machines;
}

/** A definition without relations is sent without them: clients read a relation without rules as one that forbids every CTA. */
function tagEntry({ behaviourTagName, exposureRule, ctaRelation }: TagDefinition, state: UserState) {
  const tag = entryAt(state.tags, behaviourTagName) ?? emptyTagState;
  const ctasResetAt = tag.ctasResetAt.marks;
  return {
    behaviourTagName,
    ...((exposureRule !== undefined || ctasResetAt.length > 0) && {
      exposureRule: { ...exposureRule, ctasResetAt },
    }),
    ...(ctaRelation !== undefined && { ctaRelation: { ...ctaRelation, activeCtas: activeCtaIds(tag) } }),
  };
}
