import type { TestStatus } from '../rules/test-status.ts';

/** The possible changes of a test, in the order in which a comparison lists them. */
export const changeWords = ['newly-failing', 'fixed', 'still-failing', 'added', 'removed'] as const;
export type Change = (typeof changeWords)[number];

interface ChangedTest {
  readonly testId: number;
  readonly change: Change;
  /** Null when the test is not in the run. */
  readonly status: TestStatus | null;
  readonly before: TestStatus | null;
}

/** The change of one test from one run to another; null when nothing relevant changed. */
export function changeOf(before: TestStatus | undefined, status: TestStatus | undefined): Change | null {
  if (before === undefined) return status === undefined ? null : 'added';
  if (status === undefined) return 'removed';
  if (status === 'failed') return before === 'failed' ? 'still-failing' : 'newly-failing';
  return before === 'failed' && status === 'passed' ? 'fixed' : null;
}

/** The changes from one run to another: newly failing first, then fixed, …; each by test id. */
export function runDifference(
  before: ReadonlyMap<number, TestStatus>,
  now: ReadonlyMap<number, TestStatus>,
): ReadonlyMap<Change, readonly ChangedTest[]> {
  const found = new Map<Change, ChangedTest[]>(changeWords.map((change) => [change, []]));
  const note = (testId: number) => {
    const [old, status] = [before.get(testId), now.get(testId)];
    const change = changeOf(old, status);
    if (change !== null)
      found.get(change)?.push({ testId, change, status: status ?? null, before: old ?? null });
  };
  for (const testId of now.keys()) note(testId);
  for (const testId of before.keys()) if (!now.has(testId)) note(testId);
  return found;
}
