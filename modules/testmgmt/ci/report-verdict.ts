import { counted } from '../../../core/base/counted-noun.ts';
import type { UploadReport } from '../pipelines/rows/upload-report.ts';

/** When an upload ends with exit code 1: for any failed case, only for a newly failing test, never. */
export const failRules = ['any', 'new', 'none'] as const;
export type FailRule = (typeof failRules)[number];

/** The failed cases that fail a build: those of tests in quarantine do not. */
export const failedOf = ({ failed, quarantined = 0 }: UploadReport['totals']): number =>
  Math.max(0, failed - quarantined);

export function failsBy({ totals, newlyFailingCount }: UploadReport, rule: FailRule): boolean {
  if (rule === 'none') return false;
  return rule === 'any' ? failedOf(totals) > 0 : newlyFailingCount > 0;
}

/** The overall result in one sentence, without foreign text. */
export function verdictOf({
  totals,
  newlyFailingCount,
  comparedWith,
  dryRun,
  warnings,
}: UploadReport): string {
  const { cases, passed, skipped, quarantined = 0 } = totals;
  const failed = failedOf(totals);
  const of = counted(cases, 'test');
  const newly =
    comparedWith === null || failed === 0
      ? ''
      : newlyFailingCount === 0
        ? ', none of them newly'
        : `, ${newlyFailingCount} of them newly`;
  const verdict =
    cases === 0
      ? 'No tests were reported'
      : failed > 0
        ? `Failed: ${failed} of ${of}${newly}`
        : skipped === cases
          ? `Skipped: ${of}`
          : // A warning may say that tests are missing: they did not pass.
            `Passed${warnings.length === 0 ? '' : ` with ${counted(warnings.length, 'warning')}`}: ${passed} of ${of}`;
  const whole = quarantined === 0 ? verdict : `${verdict}, ${quarantined} failed in quarantine`;
  return dryRun ? `${whole} (dry run, nothing is written)` : whole;
}

export const countsOf = ({ totals, created }: UploadReport): string =>
  [
    `${totals.passed} passed`,
    `${totals.failed} failed`,
    ...(totals.quarantined === undefined ? [] : [`${totals.quarantined} of them in quarantine`]),
    `${totals.skipped} skipped`,
    ...(totals.flaky > 0 ? [`${totals.flaky} flaky`] : []),
    ...(created > 0 ? [`${created} new`] : []),
  ].join(', ');
