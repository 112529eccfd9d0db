import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { MergedUsers } from '../../../core/base/write-entry.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { inTurns, nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import type { TestStatus } from '../rules/test-status.ts';
import { runTests } from '../base/schema.ts';
import { rowsPerChange } from '../base/statement-sizes.ts';
import { forecastsOf } from './forecast-store.ts';
import { sharedWork, type ShareableTest, type ShareRule } from './work-share.ts';

/** Who gets which tests; null: nobody. */
export type Shares = ReadonlyMap<number | null, readonly ShareableTest[]>;

/**
 * Deals tests of a project to people. Forecasts take time, so they are made only for the rule that needs them, and by callers before their
 * transaction. Yields to other requests.
 * @param people null: the tests are taken from whoever has them.
 */
export async function sharesOf(
  q: Query,
  projectId: number,
  testIds: readonly number[],
  { people, rule, signal }: { people: readonly number[] | null; rule: ShareRule; signal: AbortSignal },
): Promise<Shares> {
  const needed = people !== null && rule === 'estimate' ? testIds : [];
  const { byTest } = await forecastsOf(q, projectId, needed, signal);
  const tests = testIds.map((testId) => ({ testId, seconds: byTest.get(testId)?.seconds ?? 0 }));
  return people === null ? new Map([[null, tests]]) : inTurns(sharedWork(tests, people, rule), signal);
}

/** Assigns tests of a run. Yields to other requests between its chunks. @returns how many have another assignee than before. */
export async function assign(q: Query, runId: number, shares: Shares, signal: AbortSignal): Promise<number> {
  let changed = 0;
  for (const [assigneeId, tests] of shares)
    for await (const part of partsInTurns(tests, rowsPerChange, signal)) {
      const ids = part.map(({ testId }) => testId);
      const isOther = sql`${runTests.assigneeId} is distinct from ${assigneeId}`;
      const rows = await q
        .update(runTests)
        .set({ assigneeId })
        .where(and(eq(runTests.runId, runId), inArray(runTests.testId, ids), isOther))
        .returning({ testId: runTests.testId });
      changed += rows.length;
    }
  return changed;
}

/** What one account was to run, the account that it became part of is to run. Yields to other requests between its chunks. */
export async function moveAssignments(q: Query, { fromUserId, intoUserId }: MergedUsers): Promise<void> {
  for (;;) {
    const some = q
      .select({ runId: runTests.runId, testId: runTests.testId })
      .from(runTests)
      .where(eq(runTests.assigneeId, fromUserId))
      .limit(rowsPerChange);
    const moved = await q
      .update(runTests)
      .set({ assigneeId: intoUserId })
      .where(sql`(${runTests.runId}, ${runTests.testId}) in ${some}`)
      .returning({ testId: runTests.testId });
    if (moved.length < rowsPerChange) return;
    if (turnIsOver()) await nextTurn();
  }
}

interface AssignedTest {
  readonly testId: number;
  readonly status: TestStatus;
  readonly assigneeId: number | null;
}

const rowsAtOnce = 2_000;

const assignedAfter = prepared<{ runId: number; after: number }, AssignedTest>(
  (q) =>
    q
      .select({ testId: runTests.testId, status: runTests.status, assigneeId: runTests.assigneeId })
      .from(runTests)
      .where(and(eq(runTests.runId, sql.placeholder('runId')), gt(runTests.testId, sql.placeholder('after'))))
      .orderBy(asc(runTests.testId))
      .limit(rowsAtOnce),
  'testmgmt_assigned_after',
);

/** The tests of a run with their assignees, in chunks. Yields to other requests. */
export async function* assignedTestsOf(
  q: Query,
  runId: number,
  signal: AbortSignal,
): AsyncGenerator<readonly AssignedTest[], void> {
  for (let after = 0; ;) {
    const rows = await assignedAfter(q, { runId, after });
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) return;
    after = last.testId;
    if (turnIsOver()) await nextTurn(signal);
  }
}
