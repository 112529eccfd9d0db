import { expect, test } from 'bun:test';
import type { Json } from './json-path.ts';
import { faultsOf, refusedFaults, unique, warningsOf, type Fault } from './rule-faults.ts';

const rule = (more: Json = {}) => ({ stateTransition: {}, stateToAction: {}, actions: [], ...more });

test.each<[string, Json, readonly string[]]>([
  ['a sound CTA', { rule: rule() }, []],
  ['a period that ends before it starts', { rule: rule(), startTime: 2, endTime: 1 }, ['endTime']],
  [
    'an action that does not exist',
    { rule: rule({ stateToAction: { '0': 'x' } }) },
    ['rule.stateToAction.0'],
  ],
  ['an action of no type', { rule: rule({ actions: [{ actionId: 'a' }] }) }, ['rule.actions[0].type']],
  ['no rule: the server says so', {}, []],
  ['a rule of another form: the server says so', { rule: rule({ actions: 7, frequency: null }) }, []],
])('the faults of %s', (_, doc, paths) => expect(faultsOf(doc).map(({ path }) => path)).toEqual([...paths]));

test('what surprises is said at its path', () =>
  expect(warningsOf({ rule: rule({ frequency: { session: { limit: 1 } } }) })[0]?.path).toBe(
    'rule.frequency.session.limit',
  ));

test.each<[string, string, string | undefined, readonly Fault[]]>([
  [
    'those of an experiment',
    'The experiment cannot be saved: experiment.variants have weights that add up to 0.9, not to 1.',
    'experiment.variants',
    [{ path: 'experiment.variants', message: 'have weights that add up to 0.9, not to 1' }],
  ],
  [
    'several in a rule',
    'The rule cannot be saved: rule.actions[0].type must be one of A, B; rule.resetStates[0] cannot be reached.',
    'rule.actions[0].type',
    [
      { path: 'rule.actions[0].type', message: 'must be one of A, B' },
      { path: 'rule.resetStates[0]', message: 'cannot be reached' },
    ],
  ],
  [
    'an event of two words',
    'The rule cannot be saved: rule.stateTransition.my event.0 must be an array.',
    'rule.stateTransition.my event.0',
    [{ path: 'rule.stateTransition.my event.0', message: 'must be an array' }],
  ],
  [
    'a sentence about a parameter',
    'There is no behaviour tag "x".',
    'behaviourTagName',
    [{ path: 'behaviourTagName', message: 'There is no behaviour tag "x".' }],
  ],
  ['a status is no field', 'CTA "8" is LIVE; only DRAFT and PAUSED ones can be edited.', 'status', []],
  ['no cause', 'Something else.', undefined, []],
])('the faults of a refusal: %s', (_, message, cause, faults) =>
  expect(refusedFaults(message, cause)).toEqual([...faults]),
);

test('a fault is shown once', () => {
  const fault = { path: 'a', message: 'b' };
  expect(unique([fault, { ...fault }])).toEqual([fault]);
});
