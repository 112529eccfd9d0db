import { expect, test } from 'bun:test';
import type { Experiment } from '../rules/experiment.ts';
import type { RuleInput } from '../rules/rule.ts';
import { checkExperiment, experimentChange } from './experiment-check.ts';

const popup = (actionId: string, over: object = {}) =>
  ({ actionId, type: 'POPUP', template: { t: actionId }, ...over }) as const;

const rule: RuleInput = {
  stateToAction: { '1': 'offer' },
  stateTransition: { open: { '0': [{ transitionTo: '1' }] } },
  actions: [popup('offer')],
};

const experiment = (over: Partial<Experiment> = {}): Experiment => ({
  key: 'spring',
  seed: 'spring',
  coverage: 1,
  variants: [
    { key: 'a', weight: 0.5 },
    { key: 'b', weight: 0.5, actions: [popup('offer', { template: { t: 'other' } })] },
  ],
  ...over,
});
const withVariants = (...variants: Experiment['variants']) => experiment({ variants });
const half = { key: 'a', weight: 0.5 };
const control = { key: 'none', weight: 0.5, control: true };

test.each<[string, Experiment, Partial<RuleInput>, ReadonlyArray<readonly [path: string, words: RegExp]>]>([
  ['two arms', experiment(), {}, []],
  ['a control', withVariants(half, control), {}, []],
  [
    'tenths',
    withVariants({ key: 'a', weight: 0.1 }, { key: 'b', weight: 0.2 }, { key: 'c', weight: 0.7 }),
    {},
    [],
  ],
  ['weights below 1', withVariants(half, { key: 'b', weight: 0.4 }), {}, [['variants', /add up to 0\.9/]]],
  ['weights 1e-8 off', withVariants(half, { key: 'b', weight: 0.50000001 }), {}, [['variants', /add up/]]],
  ['equal keys', withVariants(half, half), {}, [['variants[1].key', /same as/]]],
  [
    'two controls',
    withVariants(control, { ...control, key: 'x' }),
    {},
    [['variants[1].control', /one control at most/]],
  ],
  [
    'a control with actions',
    withVariants(half, { ...control, actions: [popup('offer')] }),
    {},
    [['variants[1].actions', /must be absent/]],
  ],
  [
    'actions that lack one of stateToAction',
    withVariants(half, { key: 'b', weight: 0.5, actions: [popup('another')] }),
    {},
    [['variants[1].actions', /"offer", which stateToAction\.1 names/]],
  ],
  [
    'an action without template',
    withVariants(half, { key: 'b', weight: 0.5, actions: [popup('offer', { template: null })] }),
    {},
    [['variants[1].actions[0].template', /missing/]],
  ],
  [
    'contextParams beside a control',
    withVariants(half, control),
    { contextParams: ['price'] },
    [['variants[1].control', /contextParams/]],
  ],
  ['contextParams without a control', experiment(), { contextParams: ['price'] }, []],
  [
    'a TOOLTIP beside a control',
    withVariants(
      { key: 'a', weight: 0.5, actions: [{ actionId: 'offer', type: 'TOOLTIP', template: {} }] },
      control,
    ),
    {},
    [['variants[1].control', /TOOLTIP "offer" of variant "a"/]],
  ],
  [
    'a TOOLTIP of the rule that no arm runs',
    withVariants({ ...half, actions: [popup('offer')] }, control),
    { actions: [{ actionId: 'offer', type: 'TOOLTIP', template: {} }] },
    [],
  ],
])('%s', (_, given, over, expected) => {
  const problems = checkExperiment(given, { ...rule, ...over });
  expect(problems.map(({ path }) => path)).toEqual(expected.map(([path]) => path));
  for (const [index, [, words]] of expected.entries()) expect(problems[index]?.message).toMatch(words);
});

test.each<[string, Experiment | null, Experiment | null, ReturnType<typeof experimentChange>]>([
  ['none', null, null, 'nothing'],
  ['the same', experiment(), experiment(), 'nothing'],
  [
    'the same, in another order',
    experiment(),
    Object.fromEntries(Object.entries(experiment()).reverse()) as never,
    'nothing',
  ],
  ['more coverage', experiment({ coverage: 0.1 }), experiment({ coverage: 0.2 }), 'coverage grows'],
  ['less coverage', experiment({ coverage: 0.2 }), experiment({ coverage: 0.1 }), 'coverage shrinks'],
  ['another seed', experiment(), experiment({ seed: 'x' }), 'other'],
  ['more coverage and another key', experiment({ coverage: 0.1 }), experiment({ key: 'x' }), 'other'],
  ['removed', experiment(), null, 'other'],
])('change: %s', (_, before, after, expected) => {
  expect(experimentChange(before, after)).toBe(expected);
});
