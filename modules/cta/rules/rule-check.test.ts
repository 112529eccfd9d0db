import { expect, test } from 'bun:test';
import { breakingRules, faultyRules, oddRules, soundRules } from '../testing/rule-cases.ts';
import { sound } from '../testing/sound-rule.ts';
import { checkRule } from './rule-check.ts';
import type { RuleInput } from './rule.ts';

test.each(soundRules)('%s has no fault', (_, rule) => {
  expect(checkRule(rule)).toEqual([]);
});

test.each(faultyRules)('%s is refused with its path', (_, rule, path, message) => {
  expect(checkRule(rule as RuleInput)).toEqual([{ path, message }]);
});

test('every fault is told, not the first alone', () => {
  const rule = { ...sound, stateToAction: { '1': 'b', '5': 'a' }, stateMachineTTL: -1 };
  expect(checkRule(rule).map(({ path }) => path)).toEqual([
    'stateToAction.1',
    'stateToAction.5',
    'stateMachineTTL',
  ]);
});

test.each(breakingRules)('what breaks the app: %s', (_, rule, path, message) => {
  expect(checkRule(rule as RuleInput)).toEqual([{ path, message }]);
});

test('every member of every object is refused as an event, as JSON brings it', () => {
  for (const event of Object.getOwnPropertyNames(Object.prototype)) {
    const stateTransition = JSON.parse(`{"${event}":{"0":[{"transitionTo":"1"}]}}`) as object;
    const rule = { ...sound, stateTransition: { ...sound.stateTransition, ...stateTransition } };
    expect(checkRule(rule as RuleInput).map(({ path }) => path)).toEqual([`stateTransition.${event}`]);
  }
});

test.each(oddRules)('%s may be saved', (_, rule) => expect(checkRule(rule)).toEqual([]));
