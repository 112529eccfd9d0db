import { projectOfRecord } from '../../testmgmt/index.ts';
import { joinedOf, testsByIds } from '../tests/test-reading.ts';
import type { Work } from '../wire/api-route.ts';
import type { Wanted } from '../wire/row-page.ts';
import { runTestRow, type ListedRun, type ListedRunTest } from './run-form.ts';

export interface NamedRun {
  readonly projectId: number;
  readonly runId: number;
}

/** A run with its project, which Checkmate's clients often leave out. @throws Fault RUN_NOT_FOUND. */
export const runNamed = async (
  work: Work,
  { runId, projectId }: { readonly runId: number; readonly projectId?: number | undefined },
): Promise<NamedRun> => ({
  runId,
  projectId: projectId ?? (await projectOfRecord(work.host.db.q, work.actor, 'run', runId)),
});

/** Reads the tests of a run. */
export const runTestsOf =
  (work: Work, run: NamedRun, query: string | undefined) =>
  async (page: Wanted): Promise<{ readonly total: number; readonly rows: readonly ListedRunTest[] }> => {
    const { total, tests } = await work.call('get-run-tests-list', {
      ...run,
      ...page,
      ...(query !== undefined && { query }),
    });
    return { total, rows: tests };
  };

/** Rows of `run/tests`, with what they need of the tests. */
export async function runTestRows(
  work: Work,
  { projectId }: NamedRun,
  { status }: ListedRun,
  rows: readonly ListedRunTest[],
) {
  const testIds = rows.flatMap(({ testId }) => testId ?? []);
  const tests = await testsByIds(work, projectId, testIds);
  const testers = rows.map(({ updatedBy }) => updatedBy);
  const joined = { ...(await joinedOf(work, projectId, [...tests.values()], testers)), runStatus: status };
  return rows.map((row) => ({ row, shown: runTestRow(row, tests.get(row.testId ?? 0), joined) }));
}
