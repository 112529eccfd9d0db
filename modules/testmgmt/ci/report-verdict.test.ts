import { describe, expect, test } from 'bun:test';
import type { UploadReport } from '../pipelines/rows/upload-report.ts';
import { greenReport, redReport } from '../testing/upload-reports.ts';
import { failRules, failsBy, verdictOf, type FailRule } from './report-verdict.ts';

const stillRed: UploadReport = { ...redReport, newlyFailing: [], newlyFailingCount: 0 };
const { totals } = redReport;
const none = { cases: 0, passed: 0, failed: 0, skipped: 0, flaky: 0 };

const inQuarantine: UploadReport = { ...stillRed, totals: { ...totals, quarantined: 3 } };

describe('an upload fails', () => {
  const cases: ReadonlyArray<readonly [string, UploadReport, Readonly<Record<FailRule, boolean>>]> = [
    ['without a failed case', greenReport, { any: false, new: false, none: false }],
    ['with a newly failing test', redReport, { any: true, new: true, none: false }],
    ['with failures that are known', stillRed, { any: true, new: false, none: false }],
    [
      'with more newly failing tests than the report names',
      { ...redReport, newlyFailing: [] },
      { any: true, new: true, none: false },
    ],
    ['only in quarantine', inQuarantine, { any: false, new: false, none: false }],
    ['without a case', { ...greenReport, totals: none }, { any: false, new: false, none: false }],
  ];
  test.each(cases)('%s', (_title, report, expected) => {
    expect(Object.fromEntries(failRules.map((rule) => [rule, failsBy(report, rule)]))).toEqual(expected);
  });
});

describe('the verdict', () => {
  const cases: ReadonlyArray<readonly [UploadReport, string]> = [
    [greenReport, 'Passed: 234 of 240 tests'],
    [inQuarantine, 'Passed with 1 warning: 231 of 240 tests, 3 failed in quarantine'],
    [redReport, 'Failed: 3 of 240 tests, 2 of them newly'],
    [stillRed, 'Failed: 3 of 240 tests, none of them newly'],
    [{ ...redReport, comparedWith: null }, 'Failed: 3 of 240 tests'],
    [{ ...redReport, dryRun: true }, 'Failed: 3 of 240 tests, 2 of them newly (dry run, nothing is written)'],
    [{ ...greenReport, totals: { ...none, cases: 1, passed: 1 } }, 'Passed: 1 of 1 test'],
    [{ ...greenReport, warnings: ['Tests may be missing.'] }, 'Passed with 1 warning: 234 of 240 tests'],
    [{ ...greenReport, totals: { ...none, cases: 2, skipped: 2 } }, 'Skipped: 2 tests'],
    [{ ...greenReport, totals: none }, 'No tests were reported'],
    [{ ...redReport, totals: { ...totals, cases: 3, passed: 0 } }, 'Failed: 3 of 3 tests, 2 of them newly'],
  ];
  test.each(cases)('%#', (report, verdict) => expect(verdictOf(report)).toBe(verdict));
});
