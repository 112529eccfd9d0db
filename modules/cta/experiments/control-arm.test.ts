import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import recorded from '../device/app-sdk-cases.json';
import derived from '../device/app-sdk-derived.json';
import { deviceOf, type Device } from '../device/device.ts';
import { byPriority, type AppCta } from '../rules/app-cta.ts';
import type { CtaOutcome } from '../rules/outcome.ts';
import type { RuleInput } from '../rules/rule.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import { wireRule } from '../rules/wire-rule.ts';
import { emptyState } from '../state/user-state.ts';
import { outcomesOf } from '../testing/played-rules.ts';
import { controlAction } from './assignment.ts';
import { checkExperiment } from './experiment-check.ts';

/*
 * A control arm must stamp, move and block exactly as the arm that shows, otherwise the arms cannot be compared. app-engine.ts is held to
 * recordings of the deployed SDK (device/app-sdk.test.ts); here it plays both arms on the recorded cases and on random ones.
 */
interface Step {
  readonly event?: string;
  readonly properties?: object;
  readonly afterMs: number;
}
interface Played {
  readonly rules: readonly RuleInput[];
  readonly tags: ReadonlyMap<string, TagDefinition>;
  readonly tagOf: (index: number) => string | null;
  readonly steps: readonly Step[];
}

const inControl = (rule: RuleInput): RuleInput => ({
  ...rule,
  actions: rule.actions.map(({ actionId }) => controlAction(actionId)),
});

const offered = ({ rules, tagOf, tags }: Played) => ({
  ctas: rules
    .map((rule, index): AppCta => ({
      ctaId: String(index),
      rule: wireRule(rule, null),
      behaviourTagName: tagOf(index),
    }))
    .sort(byPriority),
  tags,
});

/** What the app stores and what keeps it back, without what it draws. */
function stampsOf(played: Played): {
  readonly outcomes: unknown[];
  readonly device: Device;
  readonly shown: number;
} {
  const device = deviceOf(emptyState);
  const offer = offered(played);
  let at = 1_000_000;
  let shown = 0;
  const outcomes: unknown[] = [];
  for (const { event, properties = {}, afterMs } of played.steps) {
    at += afterMs;
    if (event === undefined) continue;
    const happened = outcomesOf(device, offer, { name: event, at, properties: { ...properties } });
    shown += happened.filter(isShown).length;
    outcomes.push(happened.map(withoutDrawing));
  }
  return { outcomes, device, shown };
}

const isShown = (outcome: CtaOutcome) =>
  outcome.kind === 'action' && JSON.stringify(outcome.action.template) !== controlTemplate;
const controlTemplate = JSON.stringify(controlAction('x').template);

/** An app that shows nothing for want of a template stamps and blocks nevertheless. */
const withoutDrawing = (outcome: CtaOutcome): unknown => {
  if (outcome.kind === 'action') return { ...outcome, action: outcome.action.actionId };
  if (outcome.kind !== 'held' || outcome.hold !== 'template') return outcome;
  return { kind: 'action', ctaId: outcome.ctaId, groupKey: outcome.groupKey };
};

/** Each CTA in its control arm alone, and all of them. */
function compareArms(played: Played): void {
  const treatment = stampsOf(played);
  const all = played.rules.map((_, index) => index);
  for (const chosen of [...all.map((one) => [one]), all]) {
    const rules = played.rules.map((rule, index) => (chosen.includes(index) ? inControl(rule) : rule));
    const control = stampsOf({ ...played, rules });
    expect(control.outcomes).toEqual(treatment.outcomes);
    expect(control.device).toEqual(treatment.device);
    if (chosen.length === all.length) expect(control.shown).toBe(0);
  }
}

/** What `create-cta` would say of a control arm of this rule. */
const refusalsOf = (rule: RuleInput) =>
  checkExperiment(
    {
      key: 'k',
      seed: 's',
      coverage: 1,
      variants: [
        { key: 'show', weight: 0.5 },
        { key: 'none', weight: 0.5, control: true },
      ],
    },
    rule,
  );
const mayHaveControl = (rule: RuleInput) => refusalsOf(rule).length === 0;

interface RecordedCase {
  readonly name: string;
  readonly rules: readonly RuleInput[];
  readonly tags?: ReadonlyArray<TagDefinition & { readonly ctas: readonly number[] }>;
  readonly steps: readonly Step[];
}

const cases = ([...recorded, ...derived] as unknown as readonly RecordedCase[]).map(
  (known): RecordedCase =>
    JSON.parse(
      JSON.stringify(known, (_, inner: unknown) => {
        if (typeof inner === 'object' && inner !== null && '$now' in inner)
          return 1_000_000 + Number(inner.$now);
        const named = typeof inner === 'string' ? /^<cta:(\d+)>$/.exec(inner) : null;
        return named ? named[1] : inner;
      }),
    ) as RecordedCase,
);

const playedOf = ({ rules, tags = [], steps }: RecordedCase): Played => ({
  rules,
  tags: new Map(tags.map(({ ctas: _ctas, ...tag }) => [tag.behaviourTagName, tag])),
  tagOf: (index) => tags.find(({ ctas }) => ctas.includes(index))?.behaviourTagName ?? null,
  steps,
});

test('on the recorded cases a control stamps, moves and blocks as the arm that shows', () => {
  const comparable = cases.filter(({ rules }) => rules.every(mayHaveControl));
  for (const known of comparable) compareArms(playedOf(known));
  expect(comparable.length).toBeGreaterThan(50);
  expect(comparable.reduce((sum, known) => sum + stampsOf(playedOf(known)).shown, 0)).toBeGreaterThan(40);
});

const state = fc.constantFrom('0', '1', '2', '3');
const event = fc.constantFrom('open', 'next', 'close');
const drawnRule = fc
  .record({
    transitions: fc.array(fc.record({ event, from: state, to: state }), { minLength: 1, maxLength: 8 }),
    types: fc.array(fc.constantFrom('POPUP' as const, 'NUDGE_UI' as const, 'NUDGE_ACTION' as const), {
      minLength: 3,
      maxLength: 3,
    }),
    delay: fc.constantFrom(undefined, 500),
    resets: fc.uniqueArray(state, { maxLength: 2 }),
    limit: fc.constantFrom(0, 1, 2),
    priority: fc.nat(2),
    groups: fc.boolean(),
    most: fc.constantFrom(undefined, 1),
  })
  .map(({ transitions, types, delay, resets, limit, priority, groups, most }): RuleInput => {
    const stateTransition: Record<string, Record<string, { transitionTo: string }[]>> = {};
    for (const { event: name, from, to } of transitions)
      ((stateTransition[name] ??= {})[from] ??= []).push({ transitionTo: to });
    return {
      stateTransition,
      stateToAction: { '1': 'a', '2': 'b', '3': 'c' },
      resetStates: resets,
      priority,
      frequency: { lifespan: { limit } },
      groupByConfig: {
        groupByKeys: groups ? ['group'] : [],
        ...(most !== undefined && { maxActiveStateMachineCount: most }),
      },
      actions: ['a', 'b', 'c'].map((actionId, index) => ({
        actionId,
        type: types[index] ?? 'POPUP',
        template: { eventName: 'shown', eventParams: [] },
        ...(delay !== undefined && { config: { triggerDelay: delay } }),
      })),
    };
  });
const drawnPlay = fc
  .record({
    rules: fc.array(drawnRule, { minLength: 1, maxLength: 4 }),
    relation: fc.constantFrom(undefined, {
      shownCta: { rule: 'ANY' as const },
      hideCta: { rule: 'REST' as const },
    }),
    limit: fc.constantFrom(0, 2),
    steps: fc.array(
      fc.record({
        event,
        properties: fc.record({ group: fc.constantFrom('x', 'y') }),
        afterMs: fc.constantFrom(1, 1_000, 86_400_000),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  })
  .map(({ rules, relation, limit, steps }): Played => {
    const tag: TagDefinition = {
      behaviourTagName: 't',
      exposureRule: { lifespan: { limit } },
      ...(relation && { ctaRelation: relation }),
    };
    return { rules, tags: new Map([['t', tag]]), tagOf: (index) => (index < 2 ? 't' : null), steps };
  });

test('on random rules and events, too', () => {
  fc.assert(fc.property(drawnPlay, compareArms), { numRuns: 2_000 });
});

const popup = { actionId: 'a', type: 'POPUP', template: {} } as const;
const base: RuleInput = {
  stateToAction: { '1': 'a' },
  stateTransition: { open: { '0': [{ transitionTo: '1' }] } },
  actions: [popup],
};
const differing: ReadonlyArray<readonly [string, RuleInput]> = [
  ['contextParams that the event lacks', { ...base, contextParams: ['price'] }],
  ['a TOOLTIP', { ...base, actions: [{ ...popup, type: 'TOOLTIP' }] }],
];

test.each(differing)('%s: the arms differ, so a control is refused', (_, rule) => {
  const played: Played = {
    rules: [rule, base],
    tags: new Map(),
    tagOf: () => null,
    steps: [{ event: 'open', afterMs: 1 }],
  };
  expect(() => compareArms(played)).toThrow();
  expect(refusalsOf(rule)[0]?.path).toBe('variants[1].control');
});
