import { expect, test } from 'bun:test';
import { isAgent, needsReview, type Verdict } from '../rules/review-mode.ts';
import { mergeProposal } from './review-merge.ts';
import { proposalHash, refusalOfVerdict, stateOf } from '../proposals/review-rule.ts';

const author = 1;
/** `2:approve` about the present proposal, `2:approve@old` about an earlier one. */
const said = (text: string) =>
  text
    .split(' ')
    .filter((one) => one !== '')
    .map((one) => {
      const [userId, verdict = '', hash = 'now'] = one.split(/[:@]/);
      return { userId: Number(userId), verdict: verdict as Verdict, hash };
    });

test.each([
  ['nobody has decided', '', [], 'open'],
  ['somebody approved', '2:approve', [], 'approved'],
  ['the author approved', '1:approve', [], 'open'],
  ['an approval of an earlier proposal', '2:approve@old', [], 'open'],
  ['changes were requested', '2:request-changes', [], 'changes-requested'],
  ['a request beats an approval', '2:approve 3:request-changes', [], 'changes-requested'],
  ['whoever requested changes approves', '2:request-changes 2:approve', [], 'approved'],
  ['whoever approved requests changes', '2:approve 2:request-changes', [], 'changes-requested'],
  ['a request about an earlier proposal', '2:request-changes@old', [], 'open'],
  ['declined', '2:approve 3:decline', [], 'declined'],
  ['withdrawn by the author', '1:decline', [], 'declined'],
  ['somebody who was not asked approved', '3:approve', [2], 'open'],
  ['one of those who were asked approved', '3:approve', [2, 3], 'approved'],
  ['the author among the reviewers', '1:approve', [1], 'open'],
] as const)('%s', (_, verdicts, reviewers, expected) =>
  expect(stateOf({ hash: 'now', authorId: author, reviewers }, said(verdicts))).toBe(expected),
);

test.each([
  ['another person approves', 2, 'approve', 'console', [], undefined],
  ['the author approves', 1, 'approve', 'console', [], 'The author'],
  ['the author declines', 1, 'decline', 'console', [2], undefined],
  ['an agent approves', 2, 'approve', 'mcp', [], 'over MCP'],
  ['a local agent approves', 2, 'approve', 'stdio', [], 'over MCP'],
  ['an agent requests changes', 2, 'request-changes', 'mcp', [], undefined],
  ['somebody who was not asked', 3, 'decline', 'cli', [2], 'Only the reviewers'],
  ['somebody who was asked', 2, 'approve', 'http', [2], undefined],
] as const)('%s', (_, userId, verdict, surface, reviewers, expected) => {
  const refusal = refusalOfVerdict({ authorId: author, reviewers }, { userId, verdict, surface });
  if (expected === undefined) expect(refusal).toBeUndefined();
  else expect(refusal).toContain(expected);
});

const surfaces = ['http', 'console', 'mcp', 'stdio', 'cli'] as const;
test.each([
  ['off', []],
  ['agents', ['mcp', 'stdio']],
  ['all', surfaces],
] as const)('the mode %s', (mode, refused) => {
  expect(surfaces.filter((surface) => needsReview(mode, surface))).toEqual([...refused]);
  expect(surfaces.filter(isAgent)).toEqual(['mcp', 'stdio']);
});

test('a hash is of exactly one proposal', () => {
  const base = { testId: 1, baseVersion: 2, set: { testName: 'a', labels: [1, 2] } };
  const others = [
    { ...base, testId: 2 },
    { ...base, testId: null },
    { ...base, baseVersion: 3 },
    { ...base, set: { testName: 'b', labels: [1, 2] } },
    { ...base, set: { testName: 'a' } },
    { ...base, set: { testName: 'a', labels: [2, 1] } },
  ];
  expect(new Set([base, ...others].map(proposalHash)).size).toBe(7);
  expect(proposalHash({ ...base, set: { labels: [1, 2], testName: 'a' } })).toBe(proposalHash(base));
  const steps = (step: object) => proposalHash({ ...base, set: { steps: [step] } });
  expect(steps({ action: 'a', data: 'b' })).toBe(steps({ data: 'b', action: 'a' }));
});

const step = (action: string) => ({ action });

test.each([
  ['nobody else changed it', { a: 1 }, { a: 1 }, { a: 2 }, { a: 2 }, []],
  ['another field changed', { a: 1, b: 1 }, { a: 1, b: 2 }, { a: 2 }, { a: 2 }, []],
  ['the same change was made', { a: 1 }, { a: 2 }, { a: 2 }, {}, []],
  ['the proposal keeps what changed since', { a: 1 }, { a: 3 }, { a: 1 }, {}, []],
  ['both set it differently', { a: 1 }, { a: 3 }, { a: 2 }, {}, ['a']],
  ['null is not set', { a: null }, { a: undefined }, { a: 2 }, { a: 2 }, []],
  [
    'lines of a text',
    { preconditions: '1\n2\n3' },
    { preconditions: '1\n2\nC' },
    { preconditions: 'A\n2\n3' },
    { preconditions: 'A\n2\nC' },
    [],
  ],
  [
    'the same line',
    { preconditions: '1' },
    { preconditions: '2' },
    { preconditions: '3' },
    {},
    ['preconditions'],
  ],
  [
    'steps',
    { steps: [step('1'), step('2'), step('3')] },
    { steps: [step('1'), step('2'), step('C')] },
    { steps: [step('A'), step('2'), step('3')] },
    { steps: [step('A'), step('2'), step('C')] },
    [],
  ],
  ['labels', { labels: [1, 2] }, { labels: [2, 3] }, { labels: [1, 2, 4] }, { labels: [2, 3, 4] }, []],
  ['the order of labels', { labels: [1, 2] }, { labels: [1, 2] }, { labels: [2, 1] }, {}, []],
])('merges where %s', (_, base, present, set, fields, conflicts) =>
  expect(mergeProposal({ base, present, set })).toEqual({ fields, conflicts } as never),
);
