import { expect, test } from 'bun:test';
import { endlessTTL, isAlive } from '../state/time-to-live.ts';
import { eventData, unknownApp } from './app-event.ts';
import { actionIn, concerns, firstThatHolds, groupKeyOf, transitionsFrom } from './machine.ts';
import type { StateTransition } from './rule-parts.ts';

const event = (properties: Record<string, unknown> = {}) =>
  eventData({ name: 'opened', at: 100, properties }, unknownApp);
const priceAbove = (comparisonValue: number) => ({
  operator: 'AND' as const,
  filter: [
    { propertyName: 'price', propertyType: 'number' as const, comparisonType: '>' as const, comparisonValue },
  ],
});
const stateTransition: StateTransition = {
  opened: {
    '0': [
      { transitionTo: '1', filters: priceAbove(100) },
      { transitionTo: '2', filters: priceAbove(10) },
      { transitionTo: '3' },
      { transitionTo: '4' },
    ],
    '1': [{ transitionTo: '0' }],
    '2': [{ transitionTo: '9', filters: priceAbove(10) }],
    '5': [],
    word: [{ transitionTo: '1' }],
  },
};

test.each<[string, string, string, Record<string, unknown>, string | undefined]>([
  ['the first that holds wins', 'opened', '0', { price: 200 }, '1'],
  ['the next one when the first does not hold', 'opened', '0', { price: 50 }, '2'],
  ['one without filters holds always', 'opened', '0', {}, '3'],
  ['of another state', 'opened', '1', {}, '0'],
  ['a state is looked up as a whole number', 'opened', '01', {}, '0'],
  ['what follows the number is cut off', 'opened', '1st', {}, '0'],
  ['a word is no number', 'opened', 'word', {}, undefined],
  ['filters that do not hold', 'opened', '2', { price: 1 }, undefined],
  ['a filter that cannot be evaluated', 'opened', '0', { price: { valueOf: 1, toString: 1 } }, undefined],
  ['a state that the event knows nothing of', 'opened', '9', {}, undefined],
  ['a state with an empty list', 'opened', '5', {}, undefined],
  ['an event that is not there', 'closed', '0', {}, undefined],
  ['an event that every object has', 'toString', '0', {}, undefined],
])('%s', (_, name, state, properties, to) => {
  const transitions = transitionsFrom({ stateTransition }, state, name);
  const found = firstThatHolds(
    transitions,
    event(properties),
    () => false,
    () => undefined,
  );
  expect(found?.transitionTo).toBe(to);
});

test('a state that may not be entered is passed over, and told', () => {
  const skipped: string[] = [];
  const blocked = (state: string) => state !== '4';
  const transitions = transitionsFrom({ stateTransition }, '0', 'opened');
  const found = firstThatHolds(transitions, event({ price: 50 }), blocked, (state) => skipped.push(state));
  expect([found?.transitionTo, ...skipped]).toEqual(['4', '2', '3']);
});

test('an event concerns a rule that names it', () => {
  expect(['opened', 'closed', 'toString'].map((name) => concerns({ stateTransition }, name))).toEqual([
    true,
    false,
    false,
  ]);
});

test.each<[string, string[], Record<string, unknown>, string | undefined]>([
  ['no keys', [], { a: 1 }, '7'],
  ['one key', ['a'], { a: 'x', b: 'y' }, 'x'],
  ['two keys, in their order', ['b', 'a'], { a: 'x', b: 'y' }, 'y-x'],
  ['a number and a boolean', ['a', 'b'], { a: 1.5, b: false }, '1.5-false'],
  ['an empty text', ['a'], { a: '' }, ''],
  ['a hyphen inside is not escaped', ['a', 'b'], { a: 'x-y', b: 'z' }, 'x-y-z'],
  ['a missing property', ['a', 'b'], { a: 'x' }, undefined],
  ['null', ['a', 'b'], { a: null, b: 1 }, '-1'],
  ['a list', ['a'], { a: ['x', null, ['y', 1]] }, 'x,,y,1'],
  ['an object', ['a'], { a: {} }, '[object Object]'],
  ['an object without text', ['a'], { a: { toString: 1, valueOf: 1 } }, undefined],
  ['the name of the event', ['eventName'], { eventName: 'other' }, 'opened'],
  ['what every object has: the SDK throws', ['a'], { a: 'constructor' }, undefined],
  ['what every object has, put together', ['a', 'b'], { a: '__proto__', b: '' }, '__proto__-'],
  ['the longest key', ['a'], { a: 'x'.repeat(64 * 1024 - 1) }, 'x'.repeat(64 * 1024 - 1)],
  ['a key too long to be held', ['a', 'a'], { a: 'x'.repeat(32 * 1024) }, undefined],
])('group key: %s', (_, keys, properties, key) => expect(groupKeyOf(keys, event(properties), '7')).toBe(key));

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
