import { expect, test } from 'bun:test';
import {
  countsWith,
  nextUntested,
  noTests,
  settled,
  statusOf,
  withChanges,
  withPage,
  withPending,
  type RunTest,
} from './run-tests.ts';

const row = (testId: number, status: RunTest['status'], updatedAt: string | null = null): RunTest => ({
  testId,
  testName: `T${testId}`,
  sectionPath: [],
  priority: null,
  squad: null,
  assigneeId: null,
  status,
  comment: null,
  updatedBy: null,
  updatedAt,
  isDeleted: false,
  testVersion: null,
  changedSince: false,
});
const three = withPage(noTests, [row(1, 'passed'), row(2, 'untested'), row(3, 'untested')]);

test('a page that comes twice adds nothing', () =>
  expect(withPage(three, [row(2, 'failed')]).order).toEqual([1, 2, 3]));

test('a change of another person is seen, and one that is older than what is known is not', () => {
  const newer = withChanges(three, [row(1, 'failed', '2026-11-02')]);
  expect(statusOf(newer, 1)).toBe('failed');
  expect(statusOf(withChanges(newer, [row(1, 'blocked', '2026-11-01')]), 1)).toBe('failed');
});

test('a change of a test that a query left out stays out', () =>
  expect(withChanges(three, [row(9, 'failed', '2026-11-02')]).rows.has(9)).toBe(false));

test('what is on its way is shown, counted, and gone when it is refused', () => {
  const counts = { total: 3, passed: 1, failed: 0, blocked: 0, retest: 0, untested: 2 };
  const asked = withPending(three, 2, { status: 'failed', nth: 1 });
  expect(statusOf(asked, 2)).toBe('failed');
  expect(countsWith(counts, asked)).toEqual({ ...counts, failed: 1, untested: 1 });
  expect(statusOf(settled(asked, 2, 1), 2)).toBe('untested');
  expect(statusOf(settled(asked, 2, 1, row(2, 'failed')), 2)).toBe('failed');
});

test('the answer to an earlier key settles no later one', () => {
  const first = withPending(three, 2, { status: 'passed', nth: 1 });
  const second = withPending(first, 2, { status: 'failed', nth: 2 });
  const answered = settled(second, 2, 1, row(2, 'passed'));
  expect(statusOf(answered, 2)).toBe('failed');
  expect(statusOf(settled(answered, 2, 2, row(2, 'failed')), 2)).toBe('failed');
});

test('an answer about a test that the list no longer shows adds no row', () =>
  expect(settled(noTests, 2, 1, row(2, 'passed')).rows.size).toBe(0));

test.each([
  ['after the first', three, 0, 1],
  ['after the last, from the beginning', three, 2, 1],
  ['what is on its way counts', withPending(three, 2, { status: 'passed', nth: 1 }), 0, 2],
  ['none', withPage(noTests, [row(1, 'passed')]), 0, -1],
  ['of an empty run', noTests, -1, -1],
])('the next untested: %s', (_, tests, from, next) => expect(nextUntested(tests, from)).toBe(next));
