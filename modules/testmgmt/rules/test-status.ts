import { percentOf } from './percent.ts';

/** Status values of a test within a run (docs/contract.md, Tests and runs). */
export const testStatuses = ['passed', 'failed', 'blocked', 'retest', 'untested'] as const;
export type TestStatus = (typeof testStatuses)[number];

/** The number of tests by status. */
export type Tally = Readonly<Record<TestStatus, number>>;
export type StatusCounts = Tally & { readonly total: number };

const none: Tally = { passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 };

/** A tally with its total, in the order of records. */
export function statusCounts({ passed, failed, blocked, retest, untested }: Tally): StatusCounts {
  const total = passed + failed + blocked + retest + untested;
  return { total, passed, failed, blocked, retest, untested };
}

/** The tally of grouped rows. It contains every status, including those with 0 tests. */
export function tally(groups: Iterable<{ readonly status: TestStatus; readonly count: number }>): Tally {
  const counts = { ...none };
  for (const { status, count } of groups) counts[status] += count;
  return counts;
}

/** The change of a tally when tests move from some statuses to others. */
export function shift(from: Iterable<TestStatus>, to: Iterable<TestStatus>): Tally {
  const change = { ...none };
  for (const status of from) change[status] -= 1;
  for (const status of to) change[status] += 1;
  return change;
}

/** Percentages of the total with one decimal; all 0 without tests. */
export function percentages(counts: StatusCounts): Tally {
  const percent = { ...none };
  if (counts.total === 0) return percent;
  for (const status of testStatuses) percent[status] = percentOf(counts[status], counts.total) ?? 0;
  return percent;
}
