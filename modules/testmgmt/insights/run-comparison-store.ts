import { and, asc, desc, eq, gt, isNull, lt } from 'drizzle-orm';
import type { Query } from '../../../core/db/db.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import type { TestStatus } from '../rules/test-status.ts';
import { runs, runTests } from '../schema.ts';

/** Rows that one statement reads: about 3 ms. */
const rowsPerRead = 2_000;

/** The status of each test of a run. */
export async function statusesInRun(
  q: Query,
  runId: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, TestStatus>> {
  const found = new Map<number, TestStatus>();
  for (let after = 0; ;) {
    const rows = await q
      .select({ testId: runTests.testId, status: runTests.status })
      .from(runTests)
      .where(and(eq(runTests.runId, runId), gt(runTests.testId, after)))
      .orderBy(asc(runTests.testId))
      .limit(rowsPerRead);
    for (const { testId, status } of rows) found.set(testId, status);
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerRead) return found;
    after = last.testId;
    if (turnIsOver()) await nextTurn(signal);
  }
}

/** The newest run of the project before this one; undefined for the first. */
export async function runBefore(q: Query, run: { readonly id: number; readonly projectId: number }) {
  const [before] = await q
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.projectId, run.projectId), lt(runs.id, run.id), isNull(runs.deletedAt)))
    .orderBy(desc(runs.id))
    .limit(1);
  return before?.id;
}

/** What the runs of a project counted, that were created since a time, in parts. Yields to other requests between them. */
export async function* runsSince(
  q: Query,
  projectId: number,
  { since, signal }: { readonly since: number; readonly signal: AbortSignal },
) {
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await q
      .select({
        id: runs.id,
        createdAt: runs.createdAt,
        passed: runs.passed,
        failed: runs.failed,
        blocked: runs.blocked,
      })
      .from(runs)
      .where(and(eq(runs.projectId, projectId), isNull(runs.deletedAt), lt(runs.id, before)))
      .orderBy(desc(runs.id))
      .limit(rowsPerRead);
    yield rows.filter(({ createdAt }) => createdAt >= since);
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerRead) return;
    before = last.id;
    if (turnIsOver()) await nextTurn(signal);
  }
}
