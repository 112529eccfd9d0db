import type { Offer } from '../../modules/cta/device/device.ts';
import type { AppCta } from '../../modules/cta/rules/app-cta.ts';
import type { TagDefinition } from '../../modules/cta/rules/tag-definition.ts';
import type { WireRule } from '../../modules/cta/rules/rule-parts.ts';
import type { StateMachine } from '../../modules/cta/state/snapshot.ts';
import { stringMap, type StringMap } from '../../modules/cta/state/string-map.ts';
import {
  unknownTime,
  type Activity,
  type CtaState,
  type TagState,
  type UserState,
} from '../../modules/cta/state/user-state.ts';

/** The arm of the user while an experiment of the CTA runs. */
interface InArm {
  readonly variant?: string | undefined;
}

/** What is stored of the last launch, besides the state of the user. */
export interface Rules {
  readonly ctas: ReadonlyArray<AppCta & InArm>;
  readonly tags: readonly TagDefinition[];
}

/** An answer as JSON came: nothing in it is certain. What the engine cannot follow stops only its own CTA. */
interface Given {
  readonly [name: string]: Given & readonly Given[] & string;
}

/** A copy. `Object.assign` and not a spread, here and wherever the SDK can choose: in ES2017 it is a third of the size. */
const merged = <T>(...parts: readonly (object | undefined)[]): T => Object.assign({}, ...parts) as T;

/** The rule with everything in it that the engine reads: servers of other versions, and tests, may leave parts out. */
export function wholeRule(rule: object): WireRule {
  const { frequency, groupByConfig, priority } = rule as Given;
  return merged(
    { resetStates: [], contextParams: [], actions: [], stateToAction: {}, stateTransition: {} },
    rule,
    {
      priority: +(priority ?? 0),
      groupByConfig: merged({ groupByKeys: [] }, groupByConfig),
      frequency: merged({ lifeSpan: frequency?.['lifespan'] }, frequency),
    },
  );
}

/** The rules and the state in the answer to a launch; undefined if it holds none. */
export function rulesOf(data: unknown): (Rules & { readonly state: UserState }) | undefined {
  const { ctas, behaviourTags } = data as Given;
  if (!Array.isArray(ctas)) return undefined;
  const state = { version: 2 as const, ctas: stringMap<CtaState>(), tags: stringMap<TagState>() };
  const rules = (ctas as readonly Given[]).map((given): AppCta & InArm => {
    const ctaId = String(given['ctaId']);
    state.ctas[ctaId] = {
      machines: stringMap(given['activeStateMachines'] as unknown as StringMap<StateMachine>),
      resetAt: { marks: marksOf(given['resetAt']) },
      actionDoneAt: { marks: marksOf(given['actionDoneAt']) },
    };
    return {
      ctaId,
      rule: wholeRule(given['rule'] ?? {}),
      behaviourTagName: given['behaviourTagName'] ?? null,
      variant: given['variant'],
    };
  });
  const tags = ((behaviourTags ?? []) as readonly Given[]).map((given): TagDefinition => {
    const { behaviourTagName, exposureRule, ctaRelation } = given as unknown as TagDefinition;
    const activeCtas = stringMap<Activity>();
    for (const ctaId of marksOf<string>((ctaRelation as Given | undefined)?.['activeCtas'])) {
      activeCtas[ctaId] = { active: true, at: unknownTime };
    }
    const ctasResetAt = { marks: marksOf<number>((exposureRule as Given | undefined)?.['ctasResetAt']) };
    state.tags[behaviourTagName] = { ctasResetAt, activeCtas };
    // A relation without rules forbids every CTA, so what is absent stays absent.
    return merged(
      { behaviourTagName },
      exposureRule ? { exposureRule } : {},
      ctaRelation ? { ctaRelation } : {},
    );
  });
  return { ctas: rules.sort((left, right) => left.rule.priority - right.rule.priority), tags, state };
}

const marksOf = <T = number>(list: unknown): readonly T[] => (Array.isArray(list) ? (list as T[]) : []);

/** The arm whose actions the user has of a CTA. */
export const variantIn = (offer: Offer | null, ctaId: string | undefined): string | undefined =>
  (offer?.ctas.find((cta) => cta.ctaId === ctaId) as InArm | undefined)?.variant;

/** @throws for what is no list. */
export const offerOf = ({ ctas, tags }: Rules): Offer => ({
  ctas: ctas.slice(),
  tags: new Map(tags.map((tag): [string, TagDefinition] => [tag.behaviourTagName, tag])),
});
