/** Status values of a test within a run (specification, Area C). */
export const testStatuses = ['passed', 'failed', 'blocked', 'retest', 'untested'] as const;
export type TestStatus = (typeof testStatuses)[number];

/** How many tests of a run have which status. */
export type StatusCounts = Readonly<Record<TestStatus, number>> & { readonly total: number };

/** The counts of a run from its grouped rows: every status is there, also when no test has it. */
export function statusCounts(
  groups: ReadonlyArray<{ readonly status: TestStatus; readonly count: number }>,
): StatusCounts {
  const counts = { total: 0, passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 };
  for (const { status, count } of groups) {
    counts[status] += count;
    counts.total += count;
  }
  return counts;
}
