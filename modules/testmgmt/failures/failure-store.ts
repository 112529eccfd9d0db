import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { inValues } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { runTests, tests } from '../base/schema.ts';

/** Rows of few columns that one statement reads: about 3 ms. */
const rowsAtOnce = 1_000;

/** Messages that one statement reads: they may have 10,000 characters. */
const messagesAtOnce = 100;

/** The failing tests of a run in id order with their groups; with the message where the group is not known yet. */
export const failuresAfter = (q: Query, runId: number, after: number) =>
  q
    .select({
      testId: runTests.testId,
      group: runTests.commentGroup,
      message: sql<
        string | null
      >`case when ${runTests.commentGroup} is null then substr(${runTests.comment}, 1, 4000) end`,
    })
    .from(runTests)
    .where(and(eq(runTests.runId, runId), eq(runTests.status, 'failed'), gt(runTests.testId, after)))
    .orderBy(asc(runTests.testId))
    .limit(rowsAtOnce);

/** The status of each of these tests in a run that they are in; at most as many as {@link failuresAfter} reads. */
export async function statusesOfTests(q: Query, runId: number, testIds: readonly number[]) {
  const rows = await q
    .select({ testId: runTests.testId, status: runTests.status })
    .from(runTests)
    .where(and(eq(runTests.runId, runId), inValues(runTests.testId, testIds)));
  return new Map(rows.map(({ testId, status }) => [testId, status]));
}

/** Names and messages of tests in a run. */
export async function failuresByTest(q: Query, runId: number, testIds: readonly number[]) {
  const rows = await q
    .select({ testId: runTests.testId, testName: tests.name, message: runTests.comment })
    .from(runTests)
    .innerJoin(tests, eq(tests.id, runTests.testId))
    .where(and(eq(runTests.runId, runId), inValues(runTests.testId, testIds)));
  return new Map(rows.map((row) => [row.testId, row]));
}

/** Worded exactly as in the index: SQLite compares the text. */
const isUngrouped = sql`status = 'failed' and comment <> '' and comment_group is null`;

/** Failures that a server of an earlier version has written. */
export const ungroupedFailures = (q: Query) =>
  q
    .select({ runId: runTests.runId, testId: runTests.testId, message: runTests.comment })
    .from(runTests)
    .where(isUngrouped)
    .limit(messagesAtOnce);

export async function setGroup(
  q: Query,
  { runId, testId, message }: { readonly runId: number; readonly testId: number; readonly message: string },
  group: string,
): Promise<void> {
  await q
    .update(runTests)
    .set({ commentGroup: group })
    .where(
      and(eq(runTests.runId, runId), eq(runTests.testId, testId), eq(runTests.comment, message), isUngrouped),
    );
}
