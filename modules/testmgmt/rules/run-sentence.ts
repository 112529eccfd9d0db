import type { StatusCounts } from './test-status.ts';

/** What a run came to: a failure counts before what is blocked, and that before what is open. @param extra failed cases that are no tests. */
export function runOutcome(
  { total, failed, blocked, retest, untested }: StatusCounts,
  extra = 0,
): 'empty' | 'failed' | 'blocked' | 'open' | 'passed' {
  if (total === 0 && extra === 0) return 'empty';
  if (failed + extra > 0) return 'failed';
  if (blocked > 0) return 'blocked';
  return retest + untested > 0 ? 'open' : 'passed';
}

/** What a run came to, in one sentence for somebody who reads nothing else. @param extra failed cases that are no tests. */
export function runSentence(counts: StatusCounts, extra = 0): string {
  const { total, failed, blocked, retest, untested } = counts;
  const open = [
    part(blocked, 'blocked'),
    part(retest, 'to be run again'),
    part(untested, 'not run yet'),
  ].filter((one) => one !== '');
  const rest = open.length === 0 ? '' : `; ${open.join(', ')}`;
  const cases = extra === 0 ? '' : `, and ${extra} ${extra === 1 ? 'case' : 'cases'} of no test`;
  return {
    empty: 'The run has no tests.',
    failed: `Failed: ${failed} of ${tests(total)}${cases}${rest}.`,
    blocked: `Blocked: none of ${tests(total)} failed${rest}.`,
    open: `Not finished: none of ${tests(total)} failed so far${rest}.`,
    passed: `Passed: ${total === 1 ? 'the only test' : `all ${tests(total)}`} passed.`,
  }[runOutcome(counts, extra)];
}

const tests = (count: number) => `${count} ${count === 1 ? 'test' : 'tests'}`;
const part = (count: number, words: string) =>
  count === 0 ? '' : `${count} ${count === 1 ? 'is' : 'are'} ${words}`;
