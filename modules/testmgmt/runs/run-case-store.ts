import { loadReferences } from '../cases/case-reference-store.ts';
import { runTestRecordsOf } from './run-record.ts';
import { notInProject } from '../cases/case-store.ts';
import { and, asc, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/db.ts';
import { partsInTurns } from '../../../core/turns.ts';
import { fail } from '../errors.ts';
import { unknownIds, type IdList, testIdList } from '../id-list.ts';
import { idsPerQuery, rowsPerChange } from '../statement-sizes.ts';
import type { TestStatus } from '../rules/test-status.ts';
import { runTests, tests, type runs } from '../schema.ts';
import { idsIn } from '../cases/case-references.ts';

type RunKey = Pick<typeof runs.$inferSelect, 'id' | 'projectId'>;

/** The tests of a project that may be in a run, among these. */
const liveTests = (projectId: number, ids: readonly number[]) =>
  and(inArray(tests.id, [...ids]), eq(tests.projectId, projectId), isNull(tests.deletedAt));

/**
 * Puts tests into a run as untested; those that are in it stay as they are. Lets requests in between its parts.
 * @returns how many came in.
 * @throws Fault NOT_IN_PROJECT naming unknown, deleted and foreign tests by index; then nothing is written.
 */
export async function addTests(
  q: Query,
  run: RunKey,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<number> {
  let added = 0;
  // In order of id the rows are appended to the table and to its index instead of being spread over them.
  const ordered = testIds.toSorted((a, b) => a - b);
  for await (const ids of partsInTurns(ordered, idsPerQuery, signal)) {
    const inserted = await q
      .insert(runTests)
      .select(
        q
          .select({
            runId: sql<number>`${run.id}`.as('run_id'),
            testId: tests.id,
            status: sql<TestStatus>`${'untested'}`.as('status'),
            comment: sql<null>`null`.as('comment'),
            updatedBy: sql<null>`null`.as('updated_by'),
            updatedAt: sql<null>`null`.as('updated_at'),
          })
          .from(tests)
          .where(liveTests(run.projectId, ids)),
      )
      .onConflictDoNothing()
      .returning({ testId: runTests.testId });
    added += inserted.length;
  }
  // Only where fewer came in than were given is it looked up why: some may have been in the run.
  if (added < testIds.length) await requireTests(q, run.projectId, testIds, signal);
  return added;
}

/** @throws Fault NOT_IN_PROJECT naming by index the tests that are not of the project, or deleted. */
async function requireTests(
  q: Query,
  projectId: number,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const known = new Set<number>();
  for await (const ids of partsInTurns(testIds, idsPerQuery, signal)) {
    const found = await q.select({ id: tests.id }).from(tests).where(liveTests(projectId, ids));
    for (const { id } of found) known.add(id);
  }
  if (known.size < testIds.length) throw notInProject(projectId, testIds, known);
}

/** How a test stands in a run. */
export interface Standing {
  readonly status: TestStatus;
  readonly comment: string | null;
}

/**
 * How tests stand in a run, by test.
 * @param comments whether their comments are needed, too: taking tests out needs none of them in memory.
 * @throws Fault NOT_IN_RUN naming by index the tests that are not in the run.
 */
export async function standingsInRun(
  q: Query,
  runId: number,
  testIds: readonly number[],
  {
    list,
    comments,
    signal,
  }: { readonly list: IdList; readonly comments: boolean; readonly signal: AbortSignal },
): Promise<ReadonlyMap<number, Standing>> {
  const statuses = new Map<number, Standing>();
  const comment = comments ? runTests.comment : sql<string | null>`null`;
  for await (const ids of partsInTurns(testIds, idsPerQuery, signal)) {
    const found = await q
      .select({ testId: runTests.testId, status: runTests.status, comment })
      .from(runTests)
      .where(and(eq(runTests.runId, runId), inArray(runTests.testId, [...ids])));
    for (const { testId, ...standing } of found) statuses.set(testId, standing);
  }
  if (statuses.size === testIds.length) return statuses;
  throw fail.NOT_IN_RUN(`Not in run ${runId}: ${unknownIds(testIds, statuses, list)}. Nothing was changed.`, {
    cause: list.parameter,
  });
}

/** Takes tests out of a run; their results stay in the history. @returns what status each had. @throws Fault NOT_IN_RUN. */
export async function removeTests(
  q: Query,
  runId: number,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<readonly TestStatus[]> {
  const standings = await standingsInRun(q, runId, testIds, { list: testIdList, comments: false, signal });
  for await (const ids of partsInTurns(testIds, rowsPerChange, signal)) {
    await q.delete(runTests).where(and(eq(runTests.runId, runId), inArray(runTests.testId, [...ids])));
  }
  return [...standings.values()].map(({ status }) => status);
}

/**
 * One page of the tests of a run in the order of their ids. The page is cut before the tests are looked up.
 * @param page `after` goes on behind a test: reading a run to its end by `offset` would count all of it again for each page.
 */
export async function pageOfRunTests(
  q: Query,
  runId: number,
  status: TestStatus | undefined,
  { limit, offset = 0, after }: { readonly limit: number; readonly offset?: number; readonly after?: number },
) {
  const wanted = q
    .select()
    .from(runTests)
    .where(
      and(
        eq(runTests.runId, runId),
        status === undefined ? undefined : eq(runTests.status, status),
        after === undefined ? undefined : gt(runTests.testId, after),
      ),
    )
    .orderBy(asc(runTests.testId))
    .limit(limit)
    .offset(offset)
    .as('wanted');
  return q
    .select({
      testId: wanted.testId,
      status: wanted.status,
      comment: wanted.comment,
      updatedBy: wanted.updatedBy,
      updatedAt: wanted.updatedAt,
      testName: tests.name,
      sectionId: tests.sectionId,
      priorityId: tests.priorityId,
      squadId: tests.squadId,
      deletedAt: tests.deletedAt,
    })
    .from(wanted)
    .innerJoin(tests, eq(tests.id, wanted.testId))
    .orderBy(asc(wanted.testId));
}

export type RunTest = Awaited<ReturnType<typeof pageOfRunTests>>[number];

/** The tests of a run with what they are classified by. */
export async function loadRunTestRecords(q: Query, projectId: number, rows: readonly RunTest[]) {
  return runTestRecordsOf(rows, await loadReferences(q, projectId, idsIn(rows)));
}

/** Whether a test is in a run. */
export async function isInRun(q: Query, runId: number, testId: number): Promise<boolean> {
  const [found] = await q
    .select({ testId: runTests.testId })
    .from(runTests)
    .where(and(eq(runTests.runId, runId), eq(runTests.testId, testId)));
  return found !== undefined;
}
