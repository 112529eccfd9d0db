import { expect, test } from 'bun:test';
import { checkExperiment } from '../../../../cta/experiments/experiment-check.ts';
import type { Experiment } from '../../../../cta/rules/experiment.ts';
import type { RuleInput } from '../../../../cta/rules/rule.ts';
import {
  equalVariants,
  evenly,
  nextKey,
  noControlBecause,
  plannedExperiment,
  wrongSum,
} from './experiment-plan.ts';

const popup = { actionId: 'a', type: 'POPUP', template: { title: 'Hi' } };
const tooltip = { actionId: 'a', type: 'TOOLTIP', template: { text: 'Hi' } };
const ruleOf = (action: object, more: object = {}) => ({
  stateTransition: { home: { '0': [{ transitionTo: '1' }] } },
  stateToAction: { '1': 'a' },
  actions: [action],
  ...more,
});

test('the first plan is one that the server takes', () => {
  const rule = ruleOf(popup);
  const plan = plannedExperiment(rule, 'f00');
  expect(plan).toMatchObject({ key: 'experiment-1', seed: 'experiment-1-f00', coverage: 1 });
  expect(checkExperiment(plan as unknown as Experiment, rule as unknown as RuleInput)).toEqual([]);
});

test.each([
  [null, 'experiment-1'],
  ['experiment-1', 'experiment-2'],
  ['spring', 'experiment-1'],
])('after %p comes %p', (earlier, key) => expect(plannedExperiment({}, 'x', earlier)['key']).toBe(key));

test.each([2, 3, 4, 5])('equal shares of %d add up', (count) =>
  expect(wrongSum(evenly(Array.from({ length: count }, () => ({}))))).toBeNull(),
);

test.each([
  [[{ weight: 0.5 }, { weight: 0.4 }], 90],
  [[{ weight: 0.7 }, { weight: 0.2 }, { weight: 0.1 }], null],
  [[{ weight: 0.5 }, {}], 50],
])('%p', (variants, sum) => expect(wrongSum(variants)).toBe(sum));

test.each([
  [[{ key: 'a' }], 'new-2'],
  [[{ key: 'new-2' }], 'new-3'],
])('the variant after %p', (variants, key) => expect(nextKey(variants)).toBe(key));

test.each<[string, object, readonly object[], boolean]>([
  ['popups', ruleOf(popup), [{ key: 'a' }, { key: 'b' }], false],
  ['a context', ruleOf(popup, { contextParams: ['amount'] }), [{ key: 'a' }, { key: 'b' }], true],
  ['a tooltip of the rule', ruleOf(tooltip), [{ key: 'a' }, { key: 'b' }], true],
  ['a tooltip of a variant', ruleOf(popup), [{ key: 'a', actions: [tooltip] }, { key: 'b' }], true],
  ['a tooltip that no variant shows', ruleOf(tooltip), [{ key: 'a', actions: [popup] }, { key: 'b' }], false],
])('a control beside %s: as the server says', (_, rule, variants, isRefused) => {
  const withControl = evenly(variants).map((one, index) => ({
    ...one,
    ...(index === 1 && { control: true }),
  }));
  expect(noControlBecause({ ...rule }, withControl) !== null).toBe(isRefused);
  const experiment = { key: 'k', seed: 's', coverage: 1, variants: withControl } as unknown as Experiment;
  expect(checkExperiment(experiment, rule as unknown as RuleInput).length > 0).toBe(isRefused);
});

test.each<[name: string, variants: Parameters<typeof equalVariants>[0], equal: readonly string[]]>([
  [
    'a copy that nobody changed',
    [{ key: 'as-it-is' }, { key: 'new', actions: [tooltip] }],
    ['as-it-is', 'new'],
  ],
  ['another action', [{ key: 'as-it-is' }, { key: 'new', actions: [popup] }], []],
  ['a control, which shows nothing', [{ key: 'none', control: true }, { key: 'as-it-is' }], []],
  [
    'two of three',
    [{ key: 'a', actions: [popup] }, { key: 'b' }, { key: 'c', actions: [popup] }],
    ['a', 'c'],
  ],
])('variants that show the same: %s', (_name, variants, equal) =>
  expect(equalVariants(variants, [tooltip])).toEqual([...equal]),
);
