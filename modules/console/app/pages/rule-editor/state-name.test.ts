import { expect, test } from 'bun:test';
import { stateName } from './state-name.ts';

const rule = {
  stateTransition: {
    home_opened: { '0': [{ transitionTo: '1' }] },
    closed: { '1': [{ transitionTo: '2' }], '3': [{ transitionTo: '2' }] },
    bought: { '1': [{ transitionTo: '4' }] },
    looked: { '1': [{ transitionTo: '3' }] },
  },
  stateToAction: { '1': 'show', '3': 'remind' },
  resetStates: ['4'],
  actions: [
    { actionId: 'show', type: 'POPUP', template: { title: 'Five euros for you' } },
    { actionId: 'remind', type: 'CUSTOM' },
  ],
};

test.each([
  ['0', 'Start'],
  ['1', 'Shows “Five euros for you”'],
  ['2', 'After closed'],
  ['3', 'Shows remind'],
  ['4', 'Ends after bought'],
  ['9', 'Unreachable'],
])('state %s is called %s', (state, name) => {
  expect(stateName(rule, state)).toBe(name);
});

test('a rule that is no rule yet has names, too', () => {
  expect(stateName({}, '0')).toBe('Start');
  expect(stateName({ stateToAction: { '1': 'x' }, actions: 'none' }, '1')).toBe('Shows x');
});
