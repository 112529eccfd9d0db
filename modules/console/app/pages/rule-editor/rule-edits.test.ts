import { expect, test } from 'bun:test';
import type { Json } from './json-path.ts';
import {
  addTransition,
  changeTransition,
  filterText,
  moveTransition,
  nextState,
  removeState,
  removeTransition,
  renameAction,
  renameState,
  setAction,
  setReset,
  statesOf,
  transitionsOf,
} from './rule-edits.ts';

const filters = { operator: 'AND', filter: [] };
const rule: Json = {
  stateTransition: {
    opened: { '0': [{ transitionTo: '1', filters }, { transitionTo: '2' }] },
    closed: { '1': [{ transitionTo: '2' }] },
  },
  stateToAction: { '1': 'banner' },
  resetStates: ['2'],
  actions: [{ actionId: 'banner', type: 'TOOLTIP' }],
  unknown: { stays: true },
};
const first = { event: 'opened', from: '0', index: 0 };

test('a rule is a graph', () => {
  expect(statesOf(rule)).toEqual([
    { state: '0', actionId: null, isReset: false },
    { state: '1', actionId: 'banner', isReset: false },
    { state: '2', actionId: null, isReset: true },
  ]);
  expect(transitionsOf(rule).map(({ event, from, to }) => [event, from, to])).toEqual([
    ['opened', '0', '1'],
    ['opened', '0', '2'],
    ['closed', '1', '2'],
  ]);
});

test.each<[string, Json]>([
  ['nothing', {}],
  ['other types', { stateTransition: 7, stateToAction: [], resetStates: 'x' }],
  ['lists of other types', { stateTransition: { a: { '0': 7 }, b: 'x' } }],
])('%s is a graph of the initial state', (_, broken) =>
  expect([statesOf(broken).map(({ state }) => state), transitionsOf(broken)]).toEqual([['0'], []]),
);

const events = (changed: Json) => changed['stateTransition'];

test.each<[string, Json, unknown]>([
  [
    'a transition is added last',
    addTransition(rule, { event: 'opened', from: '0', to: '3' }).rule,
    {
      opened: { '0': [{ transitionTo: '1', filters }, { transitionTo: '2' }, { transitionTo: '3' }] },
      closed: { '1': [{ transitionTo: '2' }] },
    },
  ],
  [
    'the last transition of an event takes the event along',
    removeTransition(rule, { event: 'closed', from: '1', index: 0 }),
    { opened: { '0': [{ transitionTo: '1', filters }, { transitionTo: '2' }] } },
  ],
  [
    'another event keeps the filters',
    changeTransition(rule, first, { event: 'closed', from: '1', to: '2' }).rule,
    {
      opened: { '0': [{ transitionTo: '2' }] },
      closed: { '1': [{ transitionTo: '2' }, { transitionTo: '2', filters }] },
    },
  ],
  [
    'another target stays at its place',
    changeTransition(rule, first, { event: 'opened', from: '0', to: '9' }).rule,
    {
      opened: { '0': [{ transitionTo: '9', filters }, { transitionTo: '2' }] },
      closed: { '1': [{ transitionTo: '2' }] },
    },
  ],
  [
    'a transition is tried later',
    moveTransition(rule, first, 1).rule,
    {
      opened: { '0': [{ transitionTo: '2' }, { transitionTo: '1', filters }] },
      closed: { '1': [{ transitionTo: '2' }] },
    },
  ],
  ['the first cannot be tried earlier', moveTransition(rule, first, -1).rule, events(rule)],
  [
    'a removed state takes its transitions along',
    removeState(rule, '2'),
    { opened: { '0': [{ transitionTo: '1', filters }] } },
  ],
  [
    'a state gets another number everywhere',
    renameState(rule, '1', '5'),
    {
      opened: { '0': [{ transitionTo: '5', filters }, { transitionTo: '2' }] },
      closed: { '5': [{ transitionTo: '2' }] },
    },
  ],
])('%s', (_, changed, expected) => {
  expect(events(changed)).toEqual(expected);
  expect(changed['unknown']).toEqual({ stays: true });
});

test('actions, resets and numbers', () => {
  expect(setAction(rule, '2', 'banner')['stateToAction']).toEqual({ '1': 'banner', '2': 'banner' });
  expect(setAction(rule, '1', null)['stateToAction']).toEqual({});
  expect(setReset(rule, '1', true)['resetStates']).toEqual(['2', '1']);
  expect(setReset(rule, '2', false)['resetStates']).toBeUndefined();
  expect(renameState(rule, '1', '5')['stateToAction']).toEqual({ '5': 'banner' });
  expect(renameState(rule, '2', '7')['resetStates']).toEqual(['7']);
  expect(removeState(rule, '2')['resetStates']).toBeUndefined();
  expect(nextState(rule)).toBe('3');
  expect(renameAction(rule, 0, 'offer')).toMatchObject({
    stateToAction: { '1': 'offer' },
    actions: [{ actionId: 'offer', type: 'TOOLTIP' }],
  });
});

const leaf = (propertyName: string, comparisonType: string, comparisonValue: unknown) => ({
  propertyName,
  comparisonType,
  comparisonValue,
});

test.each<[unknown, string]>([
  [undefined, ''],
  [{}, ''],
  [{ operator: 'AND', filter: [leaf('amount', '>', 50)] }, 'amount > 50'],
  [
    {
      operator: 'AND',
      filter: [leaf('a', '=', 1), { operator: 'OR', filter: [leaf('b', '=', 'x'), leaf('c', '=', true)] }],
    },
    'a = 1 and (b = x or c = true)',
  ],
])('a filter in words', (given, words) => expect(filterText(given)).toBe(words));
