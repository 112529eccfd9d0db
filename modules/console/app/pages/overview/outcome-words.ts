import { runOutcome } from '../../../../testmgmt/rules/run-sentence.ts';
import { countText, numberText } from '../../design/amount.ts';
import type { Counts } from '../../design/status.tsx';
import { t } from '../../texts/text.ts';

const openText = ({ blocked, retest, untested }: Counts): string =>
  [
    blocked > 0 && t('blocked: {count}', { count: numberText(blocked) }),
    retest > 0 && t('to be run again: {count}', { count: numberText(retest) }),
    untested > 0 && t('not run yet: {count}', { count: numberText(untested) }),
  ]
    .filter((part) => part !== false)
    .join(', ');

/** What a run came to, in a line, e.g. "Failed: 3 of 83 tests (blocked: 1)". @param extra failed cases of a pipeline that are no tests. */
export function runOutcomeText(counts: Counts, extra = 0): string {
  const tests = countText(counts.total, 'test');
  const open = openText(counts);
  const rest = open === '' ? '' : ` (${open})`;
  const failed = numberText(counts.failed);
  switch (runOutcome(counts, extra)) {
    case 'empty':
      return t('The run has no tests.');
    case 'failed':
      return extra === 0
        ? t('Failed: {failed} of {tests}{rest}', { failed, tests, rest })
        : t('Failed: {failed} of {tests}, and {cases} of no test{rest}', {
            failed,
            tests,
            cases: countText(extra, 'case'),
            rest,
          });
    case 'blocked':
      return t('Blocked: no failure in {tests}{rest}', { tests, rest });
    case 'open':
      return t('Not finished: no failure so far in {tests}{rest}', { tests, rest });
    case 'passed':
      return t('Passed: {tests}', { tests });
  }
}
