import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { inValues } from '../../../core/db/columns.ts';
import type { Query } from '../../../core/db/db.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { countAgain } from '../outcomes/outcome-history-store.ts';
import { shift, type TestStatus } from '../rules/test-status.ts';

import { countInRun, runOf } from '../runs/run-store.ts';
import { outcomes, results, runTests } from '../schema.ts';
import { rowsPerChange } from '../statement-sizes.ts';
import { reportedResults } from '../pipeline-schema.ts';

export interface TestPair {
  /** The test that ends. */
  readonly from: number;
  /** The test that goes on. */
  readonly to: number;
}

/** A run that both tests are in. */
export interface SharedRun {
  readonly runId: number;
  readonly from: TestStatus;
  readonly to: TestStatus;
}

/** The runs that both tests are in. */
export async function sharedRuns(q: Query, { from, to }: TestPair): Promise<readonly SharedRun[]> {
  const rows = await q
    .select({ runId: runTests.runId, testId: runTests.testId, status: runTests.status })
    .from(runTests)
    .where(
      and(
        inValues(runTests.testId, [from, to]),
        sql`${runTests.runId} in (select a.run_id from ${runTests} a where a.test_id = ${from})`,
        sql`${runTests.runId} in (select b.run_id from ${runTests} b where b.test_id = ${to})`,
      ),
    );
  return [...Map.groupBy(rows, ({ runId }) => runId)].flatMap(([runId, pair]) => {
    const statusOf = (testId: number) => pair.find((row) => row.testId === testId)?.status;
    const [a, b] = [statusOf(from), statusOf(to)];
    return a === undefined || b === undefined ? [] : [{ runId, from: a, to: b }];
  });
}

interface Author {
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * Gives all results of one test to another, and its places in runs. In a transaction that holds the project against every other write.
 * Yields to other requests between its chunks.
 * @param shared the runs that both are in: in each, one of them is untested.
 */
export async function moveResults(
  q: Query,
  { from, to }: TestPair,
  shared: readonly SharedRun[],
  { by, now, signal }: Author,
): Promise<void> {
  for (const { runId, ...status } of shared) {
    const ends = status.to === 'untested' ? to : from;
    const inRun = (testId: number) => and(eq(runTests.runId, runId), eq(runTests.testId, testId));
    await q.delete(runTests).where(inRun(ends));
    await q
      .delete(reportedResults)
      .where(and(eq(reportedResults.runId, runId), eq(reportedResults.testId, ends)));
    const run = await runOf(q, runId);
    if (run) await countInRun(q, run, shift(['untested'], []), { by, now, changed: 1 });
    if (turnIsOver()) await nextTurn(signal);
  }
  await q.update(runTests).set({ testId: to }).where(eq(runTests.testId, from));
  // What was reported stays when a test is removed from a run.
  const reportedOf = sql`select r.run_id from ${reportedResults} r where r.test_id = ${to}`;
  await q
    .delete(reportedResults)
    .where(and(eq(reportedResults.testId, from), sql`${reportedResults.runId} in (${reportedOf})`));
  await q.update(reportedResults).set({ testId: to }).where(eq(reportedResults.testId, from));
  for (let after = 0; ;) {
    const rows = await q
      .select({ id: results.id })
      .from(results)
      .where(and(eq(results.testId, from), gt(results.id, after)))
      .orderBy(asc(results.id))
      .limit(rowsPerChange);
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await q.update(results).set({ testId: to }).where(inValues(results.id, ids));
    const last = ids.at(-1);
    if (last === undefined || ids.length < rowsPerChange) break;
    after = last;
    if (turnIsOver()) await nextTurn(signal);
  }
  await q.delete(outcomes).where(eq(outcomes.testId, from));
  await countAgain(q, to);
}
