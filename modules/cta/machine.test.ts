import { expect, test } from 'bun:test';
import {
  actionIn,
  concerns,
  groupKeyOf,
  isAlive,
  moved,
  onlyGroup,
  transitionOn,
  type AppEvent,
} from './machine.ts';
import { endlessTTL, type StateTransition } from './rule.ts';

const event = (name: string, properties: Record<string, unknown> = {}, at = 100): AppEvent => ({
  name,
  at,
  properties,
});
const priceAbove = (comparisonValue: number) => ({
  operator: 'AND' as const,
  filter: [
    { propertyName: 'price', propertyType: 'number' as const, comparisonType: '>' as const, comparisonValue },
  ],
});
const stateTransition: StateTransition = {
  opened: {
    '0': [
      { transitionTo: 'dear', filters: priceAbove(100) },
      { transitionTo: 'mid', filters: priceAbove(10) },
      { transitionTo: 'any' },
      { transitionTo: 'never' },
    ],
    any: [{ transitionTo: '0' }],
    mid: [{ transitionTo: 'end', filters: priceAbove(10) }],
    none: [],
  },
};

test.each<[string, string, AppEvent, string | undefined]>([
  ['the first that holds wins', '0', event('opened', { price: 200 }), 'dear'],
  ['the next one when the first does not hold', '0', event('opened', { price: 50 }), 'mid'],
  ['one without filters holds always', '0', event('opened', {}), 'any'],
  ['of another state', 'any', event('opened', {}), '0'],
  ['filters that do not hold', 'mid', event('opened', { price: 1 }), undefined],
  ['a state that the event knows nothing of', 'end', event('opened'), undefined],
  ['a state with an empty list', 'none', event('opened'), undefined],
  ['an event that is not there', '0', event('closed'), undefined],
  ['an event that every object has', '0', event('toString'), undefined],
  ['a state that every object has', 'constructor', event('opened'), undefined],
])('%s', (_, state, happened, to) => {
  expect(transitionOn({ stateTransition }, state, happened)?.transitionTo).toBe(to);
});

test('an event concerns a rule that names it', () => {
  expect(['opened', 'closed', 'toString'].map((name) => concerns({ stateTransition }, name))).toEqual([
    true,
    false,
    false,
  ]);
});

test.each<[string, string[], Record<string, unknown>, string | undefined]>([
  ['no keys', [], { a: 1 }, onlyGroup],
  ['one key', ['a'], { a: 'x', b: 'y' }, 'x'],
  ['two keys, in their order', ['b', 'a'], { a: 'x', b: 'y' }, 'y|x'],
  ['a number and a boolean', ['a', 'b'], { a: 1.5, b: false }, '1.5|false'],
  ['an empty text', ['a'], { a: '' }, ''],
  ['a bar inside', ['a', 'b'], { a: 'x|y', b: 'z' }, 'x\\|y|z'],
  ['a bar at another place', ['a', 'b'], { a: 'x', b: 'y|z' }, 'x|y\\|z'],
  ['a backslash before the bar', ['a', 'b'], { a: 'x\\', b: 'z' }, 'x\\\\|z'],
  ['a missing property', ['a', 'b'], { a: 'x' }, undefined],
  ['null', ['a'], { a: null }, undefined],
  ['an object', ['a'], { a: {} }, undefined],
  ['no number', ['a'], { a: Number.NaN }, undefined],
  ['what every object has', ['toString'], {}, undefined],
  ['the longest key', ['a'], { a: 'x'.repeat(1024) }, 'x'.repeat(1024)],
  ['a key too long to be sent', ['a'], { a: 'x'.repeat(1025) }, undefined],
])('group key: %s', (_, keys, properties, key) => expect(groupKeyOf(keys, properties)).toBe(key));

test.each<[string, number | undefined, number, boolean]>([
  ['for ever when absent', undefined, 10 ** 15, true],
  ['for ever when 0', 0, 10 ** 15, true],
  ['for ever as clients get it', endlessTTL, 10 ** 15, true],
  ['until its last millisecond', 50, 150, true],
  ['no longer', 50, 151, false],
  ['before it was made, by a clock that was set back', 50, 0, true],
])('a machine made at 100 lives %s', (_, ttl, now, alive) => {
  expect(isAlive({ createdAt: 100 }, ttl, now)).toBe(alive);
});

test('a machine of the oldest time there is lives for ever when there is no time to live', () => {
  expect(isAlive({ createdAt: Number.MIN_SAFE_INTEGER }, endlessTTL, Number.MAX_SAFE_INTEGER)).toBe(true);
});

test('a machine keeps when it was made, moves its time on, and gathers context', () => {
  const rule = { contextParams: ['city', 'price', 'missing'] };
  const first = moved(undefined, '1', rule, event('a', { city: 'Rome', price: 1, other: 9 }, 100));
  expect(first).toEqual({
    currentState: '1',
    lastTransitionAt: 100,
    createdAt: 100,
    context: { city: 'Rome', price: 1 },
  });
  const second = moved(first, '2', rule, event('b', { price: 2 }, 200));
  expect(second).toEqual({
    currentState: '2',
    lastTransitionAt: 200,
    createdAt: 100,
    context: { city: 'Rome', price: 2 },
  });
  expect(moved(second, '3', rule, event('c', {}, 150)).lastTransitionAt).toBe(200);
  expect(first.context).toEqual({ city: 'Rome', price: 1 });
  expect(moved(undefined, '1', { contextParams: [] }, event('a'))).not.toHaveProperty('context');
});

test('what entering a state does', () => {
  const rule = {
    stateToAction: { '1': 'a', '2': 'gone' },
    actions: [
      { actionId: 'b', type: 'POPUP' as const },
      { actionId: 'a', type: 'TOOLTIP' as const },
    ],
  };
  expect(actionIn(rule, '1')).toEqual({ actionId: 'a', type: 'TOOLTIP' });
  for (const state of ['0', '2', 'toString']) expect(actionIn(rule, state)).toBeUndefined();
});
