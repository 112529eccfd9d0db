import { expect, test } from 'bun:test';
import { action, at, filtered, leaf, sound } from '../testing/sound-rule.ts';
import { checkRule } from './rule-check.ts';
import { ruleWarnings } from './rule-warnings.ts';
import type { RuleInput } from './rule.ts';

const odd = (over: object) => filtered({ operator: 'AND', filter: [{ ...leaf, ...over }] });
const plus = { operator: '+', operand1: 1, operand2: 2 };
const delayed = (actionId: string, triggerDelay = 5) => ({ ...action(actionId), config: { triggerDelay } });

test.each<[string, RuleInput, string[]]>([
  ['a sound rule', sound, []],
  ['a number !=', odd({ comparisonType: '!=' }), [`${at}.filter[0].comparisonType`]],
  ['a number that is text of a number', odd({ comparisonValue: ' 5.5 ' }), []],
  ['a number that is other text', odd({ comparisonValue: '0x10' }), [`${at}.filter[0].comparisonValue`]],
  ['a number that is a boolean', odd({ comparisonValue: true }), [`${at}.filter[0].comparisonValue`]],
  ['the order of text', odd({ propertyType: 'string' }), [`${at}.filter[0].comparisonType`]],
  ['text that differs', odd({ propertyType: 'string', comparisonType: '!=' }), []],
  ['a boolean by =', odd({ propertyType: 'boolean', comparisonType: '=', comparisonValue: false }), []],
  [
    'a boolean by != with text',
    odd({ propertyType: 'boolean', comparisonType: '!=', comparisonValue: 'false' }),
    [`${at}.filter[0].comparisonType`, `${at}.filter[0].comparisonValue`],
  ],
  [
    'functions without comparisonValue',
    odd({ functions: plus, comparisonValue: undefined }),
    [`${at}.filter[0].comparisonValue`],
  ],
  ['functions with comparisonValue', odd({ functions: plus }), []],
  ['a property that every object has', odd({ propertyName: 'valueOf' }), [`${at}.filter[0].propertyName`]],
  [
    'a leaf deep inside',
    filtered({
      operator: 'AND',
      filter: [leaf, { operator: 'OR', filter: [{ ...leaf, comparisonType: '!=' }] }],
    }),
    [`${at}.filter[1].filter[0].comparisonType`],
  ],
  ['a time to live', { ...sound, stateMachineTTL: 60_000 }, ['stateMachineTTL']],
  ['no time to live', { ...sound, stateMachineTTL: 0 }, []],
  [
    'limits that nothing counts for',
    { ...sound, resetStates: [], frequency: { session: { limit: 1 }, lifespan: { limit: 0 } } },
    ['frequency.session.limit'],
  ],
  [
    'a window of no length',
    { ...sound, frequency: { window: { limit: 1, unit: 'days', value: 0 } } },
    ['frequency.window.value'],
  ],
  ['no window at all', { ...sound, frequency: { window: { limit: 0, unit: 'days', value: 0 } } }, []],
  ['one delayed action', { ...sound, actions: [delayed('a')] }, []],
  ['the longest delay', { ...sound, actions: [delayed('a', 2 ** 31 - 1)] }, []],
  [
    'a delay that no app can wait for',
    { ...sound, actions: [delayed('a', 2 ** 31)] },
    ['actions[0].config.triggerDelay'],
  ],
  [
    'delayed actions that may overtake each other',
    { ...sound, actions: [delayed('a'), delayed('b')] },
    ['actions[0].config.triggerDelay', 'actions[1].config.triggerDelay'],
  ],
  [
    'a delayed action of several groups, by names that every object has',
    {
      ...sound,
      actions: [delayed('a')],
      groupByConfig: { groupByKeys: ['toString'] },
      contextParams: ['valueOf'],
    },
    ['actions[0].config.triggerDelay', 'groupByConfig.groupByKeys[0]', 'contextParams[0]'],
  ],
  [
    'a nudge without template',
    { ...sound, actions: [{ actionId: 'a', type: 'NUDGE_UI' }] },
    ['actions[0].template'],
  ],
])('warnings of %s', (_, rule, paths) => {
  const warnings = ruleWarnings(rule);
  expect(warnings.map(({ path }) => path)).toEqual(paths);
  for (const { message } of warnings) expect(message).toMatch(/^[A-Z].*\.$/);
});

test('state names that clients cannot read are warned of, once each place', () => {
  const rule: RuleInput = {
    stateToAction: { shown: 'a' },
    resetStates: ['01'],
    stateTransition: {
      opened: { '0': [{ transitionTo: 'shown' }], shown: [{ transitionTo: '01' }, { transitionTo: '2' }] },
    },
    groupByConfig: { maxActiveStateMachineCount: 0 },
    actions: [action('a')],
  };
  expect(checkRule(rule)).toEqual([]);
  expect(ruleWarnings(rule).map(({ path }) => path)).toEqual([
    'stateToAction.shown',
    'resetStates[0]',
    'stateTransition.opened.0[0].transitionTo',
    'stateTransition.opened.shown',
    'stateTransition.opened.shown[0].transitionTo',
    'groupByConfig.maxActiveStateMachineCount',
  ]);
  expect(ruleWarnings(sound)).toEqual([]);
});
