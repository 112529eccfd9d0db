import { type AppCta, byPriority } from '../rules/app-cta.ts';
import type { SerialisedCta } from '../catalogue/serialised-cta.ts';
import type { WireRule } from '../rules/rule.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import type { CtaReset, StateMachine } from '../state/snapshot.ts';
import {
  type CtaState,
  emptyCtaState,
  emptyTagState,
  isTombstone,
  activeCtaIds,
  type UserState,
} from '../state/user-state.ts';
import { stringMap, compareIds, valueAt } from '../state/string-map.ts';

/** One CTA of the app-launch answer (specification, Area B, "CTA entry"), fields in that order. */
export interface CtaEntry {
  readonly ctaId: string;
  readonly rule: WireRule;
  readonly activeStateMachines: Readonly<Record<string, StateMachine>>;
  readonly resetAt: readonly number[];
  readonly actionDoneAt: readonly number[];
  readonly behaviourTagName: string | null;
}

export interface TagEntry {
  readonly behaviourTagName: string;
  readonly exposureRule?: TagDefinition['exposureRule'] & { readonly ctasResetAt: readonly CtaReset[] };
  readonly ctaRelation?: TagDefinition['ctaRelation'] & { readonly activeCtas: readonly string[] };
}

export interface LaunchAnswer {
  readonly ctas: readonly CtaEntry[];
  readonly behaviourTags: readonly TagEntry[];
}

/**
 * The app-launch answer: eligible CTAs by (priority, ctaId), lower priority number first, each with the user's state,
 * and the given behaviour tags with what the user did in them. Tombstones are never answered.
 */
export function launchAnswer(
  ctas: readonly AppCta[],
  tags: readonly TagDefinition[],
  state: UserState,
): LaunchAnswer {
  return {
    ctas: [...ctas].sort(byPriority).map((cta) => ctaEntry(cta, state)),
    behaviourTags: tags.map((tag) => tagEntry(tag, state)),
  };
}

/**
 * {@link launchAnswer} as the JSON text of the whole body, `{"data":{…}}`, put together from what was serialised before.
 * `ctas` are in their order already ({@link byPriority}).
 */
export function launchAnswerJson(
  ctas: readonly SerialisedCta[],
  tags: readonly TagDefinition[],
  state: UserState,
): string {
  let entries = '';
  for (const cta of ctas) {
    const stored = valueAt(state.ctas, cta.ctaId);
    const entry =
      stored === undefined
        ? cta.untouched
        : `${cta.head}${JSON.stringify(userPart(stored, cta.rule)).slice(1, -1)}${cta.tail}`;
    entries += entries === '' ? entry : `,${entry}`;
  }
  const tagsJson = JSON.stringify(tags.map((tag) => tagEntry(tag, state)));
  return `{"data":{"ctas":[${entries}],"behaviourTags":${tagsJson}}}`;
}

export function ctaEntry({ ctaId, rule, behaviourTagName }: AppCta, state: UserState): CtaEntry {
  return { ctaId, rule, ...userPart(valueAt(state.ctas, ctaId), rule), behaviourTagName };
}

export function userPart(
  cta: CtaState = emptyCtaState,
  rule: WireRule,
): Pick<CtaEntry, 'activeStateMachines' | 'resetAt' | 'actionDoneAt'> {
  return {
    activeStateMachines: activeStateMachines(cta, rule.groupByConfig.maxActiveStateMachineCount),
    resetAt: cta.resetAt.marks,
    actionDoneAt: cta.actionDoneAt.marks,
  };
}

/**
 * Two devices may each have started as many machines as a user may have: the most recently moved ones are answered.
 * All are kept, since which ones a cut would drop depends on what arrives next.
 */
export function activeStateMachines(cta: CtaState, most = Infinity): Record<string, StateMachine> {
  const active = Object.entries(cta.machines).filter(
    (entry): entry is [string, StateMachine] => !isTombstone(entry[1]),
  );
  const answered =
    active.length <= most
      ? active
      : active
          .sort(
            ([leftKey, left], [rightKey, right]) =>
              right.lastTransitionAt - left.lastTransitionAt || compareIds(leftKey, rightKey),
          )
          .slice(0, most);
  const machines = stringMap<StateMachine>();
  for (const [groupKey, machine] of answered) machines[groupKey] = machine;
  return machines;
}

/** A definition without relations gets none: clients read a relation without rules as one that forbids every CTA. */
export function tagEntry(
  { behaviourTagName, exposureRule, ctaRelation }: TagDefinition,
  state: UserState,
): TagEntry {
  const tag = valueAt(state.tags, behaviourTagName) ?? emptyTagState;
  const ctasResetAt = tag.ctasResetAt.marks;
  return {
    behaviourTagName,
    ...((exposureRule !== undefined || ctasResetAt.length > 0) && {
      exposureRule: { ...exposureRule, ctasResetAt },
    }),
    ...(ctaRelation !== undefined && { ctaRelation: { ...ctaRelation, activeCtas: activeCtaIds(tag) } }),
  };
}
