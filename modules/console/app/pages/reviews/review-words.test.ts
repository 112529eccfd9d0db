import { expect, test } from 'bun:test';
import { decisionsFor, isOwnChange, kindOf, stateInAddress } from './review-words.ts';

const open = {
  state: 'open',
  authorId: 1,
  reviewers: [] as number[],
  fields: ['testName'],
  baseVersion: 3,
} as const;

test.each([
  ['another member', open, 2, 'approve request-changes decline', false],
  ['the author', open, 1, 'decline', true],
  [
    'approved, another member',
    { ...open, state: 'approved' },
    2,
    'merge approve request-changes decline',
    false,
  ],
  ['approved, the author', { ...open, state: 'approved' }, 1, 'merge decline', true],
  ['one who was asked', { ...open, reviewers: [2] }, 2, 'approve request-changes decline', false],
  ['one who was not asked', { ...open, reviewers: [3] }, 2, '', true],
  [
    'changes were requested',
    { ...open, state: 'changes-requested' },
    2,
    'approve request-changes decline',
    false,
  ],
  ['merged', { ...open, state: 'merged' }, 2, '', false],
  ['declined', { ...open, state: 'declined' }, 2, '', false],
] as const)('%s', (_, review, userId, expected, hasNote) => {
  const { decisions, note } = decisionsFor(
    { ...review, reviewers: [...review.reviewers], fields: [...review.fields] },
    { userId, mayWrite: true },
  );
  expect(decisions.join(' ')).toBe(expected);
  expect(note !== null).toBe(hasNote);
});

test.each([
  ['a change', 3, 'Change the proposal, or'],
  ['a new test', 0, 'and propose something else'],
])('whose proposal of %s needs changes learns what to do', (_, baseVersion, words) => {
  const review = { ...open, state: 'changes-requested' as const, fields: ['testName'], baseVersion };
  expect(decisionsFor(review, { userId: 1, mayWrite: true }).note).toContain(words);
});

test('a reader decides nothing', () =>
  expect(
    decisionsFor({ ...open, reviewers: [], fields: [] }, { userId: 2, mayWrite: false }).decisions,
  ).toEqual([]));

test.each([
  [null, 'open'],
  ['merged', 'merged'],
  ['all', 'all'],
  ['toString', 'open'],
])('the filter %p', (text, expected) => expect(stateInAddress(text)).toBe(expected as 'open'));

test.each([
  [['testName'], 3, 'change'],
  [['testName'], 0, 'create'],
  [['deleted'], 3, 'delete'],
])('%j from version %d', (fields, baseVersion, expected) =>
  expect<string>(kindOf({ fields, baseVersion })).toBe(expected),
);

const change = { state: 'open', authorId: 1, fields: ['testName'], baseVersion: 3 } as const;
test.each([
  ['the author', change, 1, true],
  ['the author, changes requested', { ...change, state: 'changes-requested' }, 1, true],
  ['another member', change, 2, false],
  ['nobody yet', change, undefined, false],
  ['merged', { ...change, state: 'merged' }, 1, false],
  ['a new test, which has no form', { ...change, baseVersion: 0 }, 1, false],
  ['a deletion', { ...change, fields: ['deleted'] }, 1, false],
] as const)('may be replaced by %s', (_, review, userId, expected) =>
  expect(isOwnChange({ ...review, fields: [...review.fields] }, userId)).toBe(expected),
);
