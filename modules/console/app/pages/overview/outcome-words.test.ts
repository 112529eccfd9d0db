import { expect, test } from 'bun:test';
import { runOutcomeText } from './outcome-words.ts';

const none = { passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 };
test.each<[Partial<typeof none>, number, string]>([
  [{}, 0, 'The run has no tests.'],
  [{ passed: 83 }, 0, 'Passed: 83 tests'],
  [{ passed: 1 }, 0, 'Passed: 1 test'],
  [{ passed: 80, failed: 3 }, 0, 'Failed: 3 of 83 tests'],
  [{ passed: 2 }, 1, 'Failed: 0 of 2 tests, and 1 case of no test'],
  [
    { passed: 70, failed: 3, blocked: 1, retest: 2, untested: 7 },
    0,
    'Failed: 3 of 83 tests (blocked: 1, to be run again: 2, not run yet: 7)',
  ],
  [{ passed: 2, blocked: 1 }, 0, 'Blocked: no failure in 3 tests (blocked: 1)'],
  [{ passed: 2, untested: 1 }, 0, 'Not finished: no failure so far in 3 tests (not run yet: 1)'],
])('%p', (counts, extra, text) => {
  const all = { ...none, ...counts };
  const total = Object.values(all).reduce((sum, count) => sum + count, 0);
  expect(runOutcomeText({ ...all, total }, extra)).toBe(text);
});
