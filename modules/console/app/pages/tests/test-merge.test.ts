import { expect, test } from 'bun:test';
import { mergedContent, type FormContent } from './test-merge.ts';

const base: FormContent = {
  testName: 'Pay',
  testDescription: 'Why',
  preconditions: null,
  steps: [{ action: 'Open' }, { action: 'Pay', expected: 'Paid' }],
  labels: [1, 2],
  estimateSeconds: 60,
};
type Change = Partial<FormContent>;

/** @see "Replace it with mine" of a changed step threw away the step that somebody else had changed. */
const cases: ReadonlyArray<readonly [string, Change, Change, Change, readonly (string | number)[]]> = [
  ['nothing', {}, { testName: 'Theirs' }, {}, []],
  ['another field', { testName: 'Mine' }, { testDescription: 'Theirs' }, { testName: 'Mine' }, []],
  ['the same field', { testName: 'Mine' }, { testName: 'Theirs' }, { testName: 'Mine' }, ['testName']],
  ['the same to the same', { testName: 'Both' }, { testName: 'Both' }, { testName: 'Both' }, []],
  [
    'a cleared text',
    { testDescription: null },
    { testDescription: 'Theirs' },
    { testDescription: null },
    ['testDescription'],
  ],
  [
    'neighbouring steps',
    { steps: [{ action: 'Open it' }, { action: 'Pay', expected: 'Paid' }] },
    { steps: [{ action: 'Open' }, { action: 'Pay', expected: 'Paid at once' }] },
    { steps: [{ action: 'Open it' }, { action: 'Pay', expected: 'Paid at once' }] },
    [],
  ],
  [
    'two fields of one step',
    { steps: [{ action: 'Open' }, { action: 'Pay by card', expected: 'Paid' }] },
    { steps: [{ action: 'Open' }, { action: 'Pay', data: '4242', expected: 'Paid' }] },
    { steps: [{ action: 'Open' }, { action: 'Pay by card', data: '4242', expected: 'Paid' }] },
    [],
  ],
  [
    'one field of one step',
    { steps: [{ action: 'Open' }, { action: 'Mine', expected: 'Paid' }] },
    { steps: [{ action: 'Open' }, { action: 'Theirs', expected: 'Paid' }] },
    { steps: [{ action: 'Open' }, { action: 'Mine', expected: 'Paid' }] },
    [2],
  ],
  [
    'a step added at the end by the other',
    { steps: [{ action: 'Open it' }, { action: 'Pay', expected: 'Paid' }] },
    { steps: [...base.steps, { action: 'Leave' }] },
    { steps: [{ action: 'Open it' }, { action: 'Pay', expected: 'Paid' }, { action: 'Leave' }] },
    [],
  ],
  [
    'a step removed that the other changed',
    { steps: [{ action: 'Open' }] },
    { steps: [{ action: 'Open' }, { action: 'Theirs', expected: 'Paid' }] },
    { steps: [{ action: 'Open' }] },
    ['steps'],
  ],
  ['the estimate', { estimateSeconds: null }, { testName: 'Theirs' }, { estimateSeconds: null }, []],
  ['labels', { labels: [1, 3] }, { labels: [1, 2, 4] }, { labels: [1, 4, 3] }, []],
];

test.each(cases)('%s', (_name, mine, theirs, given, collisions) => {
  expect(mergedContent(base, { ...base, ...mine }, { ...base, ...theirs })).toEqual({
    given,
    collisions: [...collisions] as never,
  });
});
