import { and, asc, eq, gt, ne, sql } from 'drizzle-orm';
import { inValues } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import type { TestStatus } from '../rules/test-status.ts';
import { runTests } from '../base/schema.ts';

/** Rows of few numbers that one statement reads: about 3 ms. */
const rowsAtOnce = 2_000;

interface StatusInRun {
  readonly testId: number;
  readonly status: TestStatus;
}

const statusesAfter = prepared<{ runId: number; after: number }, StatusInRun>(
  (q) =>
    q
      .select({ testId: runTests.testId, status: runTests.status })
      .from(runTests)
      .where(and(eq(runTests.runId, sql.placeholder('runId')), gt(runTests.testId, sql.placeholder('after'))))
      .orderBy(asc(runTests.testId))
      .limit(rowsAtOnce),
  'testmgmt_run_statuses_after',
);

/** The tests of a run with their statuses, in id order and in chunks: one by one takes half as long again. Yields to other requests. */
export async function* statusesOfRun(
  q: Query,
  runId: number,
  signal: AbortSignal,
): AsyncGenerator<readonly StatusInRun[], void> {
  for (let after = 0; ;) {
    const rows = await statusesAfter(q, { runId, after });
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) return;
    after = last.testId;
    if (turnIsOver()) await nextTurn(signal);
  }
}

/** The given tests that have a result in a run. */
export async function testsWithResult(
  q: Query,
  runId: number,
  testIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await q
    .select({ testId: runTests.testId })
    .from(runTests)
    .where(
      and(eq(runTests.runId, runId), inValues(runTests.testId, testIds), ne(runTests.status, 'untested')),
    );
  return new Set(rows.map(({ testId }) => testId));
}

/** Those of the given tests that are in a run, with their statuses. */
export async function statusesIn(
  q: Query,
  runId: number,
  testIds: readonly number[],
): Promise<ReadonlyMap<number, TestStatus>> {
  const rows = await q
    .select({ testId: runTests.testId, status: runTests.status })
    .from(runTests)
    .where(and(eq(runTests.runId, runId), inValues(runTests.testId, testIds)));
  return new Map(rows.map(({ testId, status }) => [testId, status]));
}
