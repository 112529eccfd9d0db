import { expect, test } from 'bun:test';
import { changedOf, changedSince } from './test-proposal.ts';

const stored = {
  testName: 'Pay',
  testDescription: '',
  preconditions: 'An account',
  steps: [{ action: 'Pay' }],
  sectionId: 3,
  squadId: null,
  labels: [
    { labelId: 2, labelName: 'b' },
    { labelId: 1, labelName: 'a' },
  ],
} as never;

test.each([
  ['nothing', { testName: 'Pay', testDescription: null, steps: [{ action: 'Pay' }], labels: [1, 2] }, {}],
  ['a name', { testName: 'Pay now', preconditions: 'An account' }, { testName: 'Pay now' }],
  ['a text that is taken away', { preconditions: null }, { preconditions: null }],
  ['a section and a squad', { sectionId: null, squadId: null }, { sectionId: null }],
  ['labels', { labels: [1] }, { labels: [1] }],
])('%s', (_, given, expected) => expect(changedOf(stored, given)).toEqual(expected));

test('what a form had before is not among its changes', () => {
  const before = { testName: 'Pay', labels: [2, 1], steps: [{ action: 'Pay' }] };
  expect(changedSince(before, { testName: 'Pay now', labels: [1, 2], steps: [{ action: 'Pay' }] })).toEqual({
    testName: 'Pay now',
  });
});
