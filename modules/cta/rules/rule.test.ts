import { expect, test } from 'bun:test';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { endlessTTL } from '../state/time-to-live.ts';
import { RuleInput } from './rule.ts';
import { lifespanLimit, wireRule } from './wire-rule.ts';

const minimal: RuleInput = { stateToAction: {}, stateTransition: {}, actions: [] };
const full: RuleInput = {
  frequency: { lifespan: { limit: 5 }, window: { value: 7, unit: 'days', limit: 3 }, session: { limit: 1 } },
  actions: [{ actionId: 'a', type: 'POPUP', config: { triggerDelay: 300 }, template: { title: 'Hi' } }],
  ctaValidTill: 1_900_000_000_000,
  stateMachineTTL: 60_000,
  priority: 2,
  groupByConfig: { groupByKeys: ['roundId'], maxActiveStateMachineCount: 3 },
  stateTransition: { opened: { '0': [{ transitionTo: '1' }] } },
  contextParams: ['screen'],
  resetCTAonFirstLaunch: true,
  resetStates: ['1'],
  stateToAction: { '1': 'a' },
  cohortEligibility: { includes: ['all'], excludes: [] },
  appVersions: { min: '1.0' },
  packageNames: ['com.shop'],
};

test('the wire rule has the fields of the contract, in its order, and not who gets it', () => {
  expect(JSON.stringify(wireRule(full, null))).toBe(
    JSON.stringify({
      stateToAction: { '1': 'a' },
      resetStates: ['1'],
      resetCTAonFirstLaunch: true,
      contextParams: ['screen'],
      stateTransition: { opened: { '0': [{ transitionTo: '1' }] } },
      groupByConfig: { maxActiveStateMachineCount: 3, groupByKeys: ['roundId'] },
      priority: 2,
      stateMachineTTL: 60_000,
      ctaValidTill: 1_900_000_000_000,
      actions: [{ actionId: 'a', type: 'POPUP', config: { triggerDelay: 300 }, template: { title: 'Hi' } }],
      frequency: {
        session: { limit: 1 },
        window: { limit: 3, unit: 'days', value: 7 },
        lifeSpan: { limit: 5 },
        lifespan: { limit: 5 },
      },
    }),
  );
});

test('what was not given has its default, a count never null', () => {
  expect(wireRule(minimal, null)).toStrictEqual({
    stateToAction: {},
    resetStates: [],
    resetCTAonFirstLaunch: false,
    contextParams: [],
    stateTransition: {},
    groupByConfig: { groupByKeys: [] },
    priority: 0,
    stateMachineTTL: endlessTTL,
    ctaValidTill: null,
    actions: [],
    frequency: {},
  });
});

test.each<[string, RuleInput['frequency'], number | undefined]>([
  ['lifeSpan', { lifeSpan: { limit: 5 } }, 5],
  ['lifespan', { lifespan: { limit: 6 } }, 6],
  ['0, which is none', { lifeSpan: { limit: 0 } }, undefined],
  ['nothing', undefined, undefined],
])('the lifespan limit is read from %s', (_, frequency, limit) => {
  expect(lifespanLimit({ ...minimal, ...(frequency && { frequency }) })).toBe(limit);
});

test.each<[string, unknown, boolean]>([
  ['a whole rule', full, true],
  ['a minimal rule', minimal, true],
  ['no actions', { stateToAction: {}, stateTransition: {} }, false],
  ['an unknown field', { ...minimal, colour: 'red' }, false],
  ['an action id that is no text: that is for checkRule', { ...minimal, stateToAction: { '1': 1 } }, true],
  ['a negative limit', { ...minimal, frequency: { session: { limit: -1 } } }, false],
  ['a window without unit', { ...minimal, frequency: { window: { limit: 1, value: 1 } } }, false],
  ['a float', { ...minimal, priority: 1.5 }, false],
])('the schema judges %s', (_, rule, accepted) => {
  expect(TypeCompiler.Compile(RuleInput).Check(rule)).toBe(accepted);
});

test('the schema is plain: nothing but closed or open objects, arrays and scalars', () => {
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const word of ['anyOf', 'oneOf', 'allOf', '$ref', 'patternProperties'])
      expect(schema).not.toHaveProperty(word);
    // A list of types says only that null clears.
    const { type } = schema as { type?: unknown };
    if (Array.isArray(type)) expect(type).toEqual([expect.any(String), 'null']);
    for (const inner of Object.values(schema)) walk(inner);
  };
  walk(JSON.parse(JSON.stringify(RuleInput)));
});

test.each<[number | null | undefined, number | null, number | null]>([
  [undefined, null, null],
  [undefined, 200, 200],
  [100, null, 100],
  [100, 200, 100],
  [300, 200, 200],
  [0, 200, 0],
])('with ctaValidTill %p and endTime %p apps hear %p', (ctaValidTill, endTime, told) => {
  const rule = { ...minimal, ...(typeof ctaValidTill === 'number' && { ctaValidTill }) };
  expect(wireRule(rule, endTime).ctaValidTill).toBe(told);
});
