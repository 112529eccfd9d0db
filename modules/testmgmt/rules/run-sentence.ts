import type { StatusCounts } from './test-status.ts';

/** What a run came to, in one sentence for somebody who reads nothing else. @param extra failed cases that are no tests. */
export function runSentence({ total, failed, blocked, retest, untested }: StatusCounts, extra = 0): string {
  if (total === 0 && extra === 0) return 'The run has no tests.';
  const open = [
    part(blocked, 'blocked'),
    part(retest, 'to be run again'),
    part(untested, 'not run yet'),
  ].filter((one) => one !== '');
  const rest = open.length === 0 ? '' : `; ${open.join(', ')}`;
  const cases = extra === 0 ? '' : `, and ${extra} ${extra === 1 ? 'case' : 'cases'} of no test`;
  if (failed + extra > 0) return `Failed: ${failed} of ${tests(total)}${cases}${rest}.`;
  if (blocked > 0) return `Blocked: none of ${tests(total)} failed${rest}.`;
  if (open.length > 0) return `Not finished: none of ${tests(total)} failed so far${rest}.`;
  return `Passed: ${total === 1 ? 'the only test' : `all ${tests(total)}`} passed.`;
}

const tests = (count: number) => `${count} ${count === 1 ? 'test' : 'tests'}`;
const part = (count: number, words: string) =>
  count === 0 ? '' : `${count} ${count === 1 ? 'is' : 'are'} ${words}`;
