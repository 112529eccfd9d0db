import { expect, test } from 'bun:test';
import { runSentence } from './run-sentence.ts';
import { statusCounts } from './test-status.ts';

const none = { passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 };
test.each<[Partial<typeof none>, number, string]>([
  [{}, 0, 'The run has no tests.'],
  [{ passed: 83 }, 0, 'Passed: all 83 tests passed.'],
  [{ passed: 1 }, 0, 'Passed: the only test passed.'],
  [{ passed: 80, failed: 3 }, 0, 'Failed: 3 of 83 tests.'],
  [{ passed: 80, failed: 3 }, 2, 'Failed: 3 of 83 tests, and 2 cases of no test.'],
  [{ passed: 2 }, 1, 'Failed: 0 of 2 tests, and 1 case of no test.'],
  [
    { passed: 70, failed: 3, blocked: 1, retest: 2, untested: 7 },
    0,
    'Failed: 3 of 83 tests; 1 is blocked, 2 are to be run again, 7 are not run yet.',
  ],
  [{ passed: 2, blocked: 1 }, 0, 'Blocked: none of 3 tests failed; 1 is blocked.'],
  [{ passed: 2, untested: 1 }, 0, 'Not finished: none of 3 tests failed so far; 1 is not run yet.'],
])('%p', (counts, extra, sentence) => {
  expect(runSentence(statusCounts({ ...none, ...counts }), extra)).toBe(sentence);
});
