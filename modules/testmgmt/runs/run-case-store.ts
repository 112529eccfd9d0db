import { and, asc, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import { inList, inValues, listValue } from '../../../core/db/query/columns.ts';
import { rowsInOrder, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { givenInt } from '../../../core/db/query/given-value.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { loadReferences } from '../cases/case-reference-store.ts';
import { idsIn } from '../cases/case-references.ts';
import { notInProject } from '../cases/case-store.ts';
import { fail } from '../base/errors.ts';
import { membersOfProject } from '../projects/project-people.ts';
import { testIdList, unknownIds, type IdList } from '../base/id-list.ts';
import { everyIdOf, idsOfQuery } from '../query/query-page-store.ts';
import { runTestsSource } from '../query/query-source-store.ts';
import type { AskedQuery } from '../query/query-store.ts';
import type { TestStatus } from '../rules/test-status.ts';
import { runTests, tests, type runs } from '../base/schema.ts';
import { idsPerQuery, rowsPerChange } from '../base/statement-sizes.ts';
import { versionsOfResults } from '../versions/result-version-store.ts';
import { runTestRecordsOf } from './run-record.ts';
import type { RunTest } from './run-row.ts';

type RunKey = Pick<typeof runs.$inferSelect, 'id' | 'projectId'>;

/** Selects those of the tests `ids` that belong to the project and are not deleted. */
const isLive = and(
  inList(tests.id, 'ids'),
  eq(tests.projectId, sql.placeholder('projectId')),
  isNull(tests.deletedAt),
);

const live = prepared<{ projectId: number; ids: unknown }, { id: number }>(
  (q) => q.select({ id: tests.id }).from(tests).where(isLive),
  'testmgmt_live_tests',
);

/** The given ids that are tests of the project and not deleted. Yields to other requests. */
export async function liveTestIds(
  q: Query,
  projectId: number,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for await (const part of partsInTurns(ids, idsPerQuery, signal))
    for (const { id } of await live(q, { projectId, ids: listValue(part) })) found.add(id);
  return found;
}

/** Adds the given tests that may be in a run of the project, as untested, unless they are in it already. */
const insertLive = prepared<{ runId: number; projectId: number; ids: unknown }, { testId: number }>(
  (q) =>
    q
      .insert(runTests)
      .select(
        q
          .select({
            runId: givenInt('runId').as('run_id'),
            testId: tests.id,
            status: sql<TestStatus>`'untested'`.as('status'),
            comment: sql<null>`null`.as('comment'),
            updatedBy: sql<null>`null`.as('updated_by'),
            updatedAt: sql<null>`null`.as('updated_at'),
            commentGroup: sql<null>`null`.as('comment_group'),
            assigneeId: sql<null>`cast(null as bigint)`.as('assignee_id'),
          })
          .from(tests)
          .where(isLive),
      )
      .onConflictDoNothing()
      .returning({ testId: runTests.testId }),
  'testmgmt_insert_run_tests',
);

/**
 * Adds tests to a run as untested; tests already in it are unchanged. Yields to other requests between its chunks.
 * @returns how many were added.
 * @throws Fault NOT_IN_PROJECT that names unknown, deleted and foreign tests by index; then nothing is written.
 */
export async function addTests(
  q: Query,
  run: RunKey,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<number> {
  let added = 0;
  // In id order, the rows are appended to the table and its index instead of spread over them.
  const ordered = testIds.toSorted((a, b) => a - b);
  for await (const ids of partsInTurns(ordered, idsPerQuery, signal)) {
    const inserted = await insertLive(q, { runId: run.id, projectId: run.projectId, ids: listValue(ids) });
    added += inserted.length;
  }
  // If fewer were added than given, some may have been in the run already, or may not exist.
  if (added < testIds.length) await requireTests(q, run.projectId, testIds, signal);
  return added;
}

/** @throws Fault NOT_IN_PROJECT that names by index the tests that are deleted or not in the project. */
async function requireTests(
  q: Query,
  projectId: number,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const known = await liveTestIds(q, projectId, testIds, signal);
  if (known.size < testIds.length) throw notInProject(projectId, testIds, known);
}

const statusesInRun = prepared<{ runId: number; ids: unknown }, { testId: number; status: TestStatus }>(
  (q) =>
    q
      .select({ testId: runTests.testId, status: runTests.status })
      .from(runTests)
      .where(and(eq(runTests.runId, sql.placeholder('runId')), inList(runTests.testId, 'ids'))),
  'testmgmt_statuses_in_run',
);

/** @throws Fault NOT_IN_RUN that names by index the tests that were not found in a run. */
export function requireInRun(
  runId: number,
  testIds: readonly number[],
  found: ReadonlyMap<number, unknown>,
  list: IdList,
): void {
  if (found.size === testIds.length) return;
  throw fail.NOT_IN_RUN(`Not in run ${runId}: ${unknownIds(testIds, found, list)}. Nothing was changed.`, {
    cause: list.parameter,
  });
}

/** The status of each test in a run. @throws Fault NOT_IN_RUN that names by index the tests that are not in it. */
export async function requireTestsInRun(
  q: Query,
  runId: number,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, TestStatus>> {
  const found = new Map<number, TestStatus>();
  for await (const ids of partsInTurns(testIds, idsPerQuery, signal))
    for (const { testId, status } of await statusesInRun(q, { runId, ids: listValue(ids) }))
      found.set(testId, status);
  requireInRun(runId, testIds, found, testIdList);
  return found;
}

/** Removes tests from a run; their results stay in the history. @returns the status that each had. @throws Fault NOT_IN_RUN. */
export async function removeTests(
  q: Query,
  runId: number,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<readonly TestStatus[]> {
  const statuses = await requireTestsInRun(q, runId, testIds, signal);
  for await (const ids of partsInTurns(testIds, rowsPerChange, signal)) {
    await q.delete(runTests).where(and(eq(runTests.runId, runId), inArray(runTests.testId, [...ids])));
  }
  return [...statuses.values()];
}

/**
 * One page of the tests of a run, in id order. The page is selected before the tests are joined.
 * @param page `after` continues after a test id: reading a whole run by `offset` would count all of it again for each page.
 */
export async function pageOfRunTests(
  q: Query,
  runId: number,
  status: TestStatus | undefined,
  { limit, offset = 0, after }: Pick<Page, 'limit'> & Partial<Page> & { readonly after?: number },
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
      assigneeId: wanted.assigneeId,
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

/** One page of the tests of a run that a query selects, and their total. @param status only tests of this status. */
export async function pageOfRunTestQuery(
  q: Query,
  runId: number,
  asked: AskedQuery,
  { status, ...page }: Page & { readonly signal: AbortSignal; readonly status?: TestStatus },
): Promise<CountedPage<RunTest>> {
  const { total, ids } = await idsOfQuery(q, runTestsSource(runId, asked, status), asked, page);
  return { total, rows: await runTestsByIds(q, runId, ids) };
}

/** Tests of a run in the order of these ids. */
export async function runTestsByIds(
  q: Query,
  runId: number,
  ids: readonly number[],
): Promise<readonly RunTest[]> {
  const rows = await q
    .select(runTestColumns)
    .from(runTests)
    .innerJoin(tests, eq(tests.id, runTests.testId))
    .where(and(eq(runTests.runId, runId), inValues(runTests.testId, ids)));
  return rowsInOrder(ids, rows, 'testId');
}

/** The ids of all tests of a run that a query selects, in its order. @throws Fault QUERY_TOO_EXPENSIVE. */
export const everyIdOfRunQuery = (
  q: Query,
  runId: number,
  asked: AskedQuery,
  signal: AbortSignal,
): Promise<readonly number[]> => everyIdOf(q, runTestsSource(runId, asked), asked, signal);

const runTestColumns = {
  testId: runTests.testId,
  status: runTests.status,
  comment: runTests.comment,
  updatedBy: runTests.updatedBy,
  updatedAt: runTests.updatedAt,
  assigneeId: runTests.assigneeId,
  testName: tests.name,
  sectionId: tests.sectionId,
  priorityId: tests.priorityId,
  squadId: tests.squadId,
  deletedAt: tests.deletedAt,
};

/** The people to whom tests are assigned, without those who have left the organization. */
export async function assigneesOf(
  q: Query,
  projectId: number,
  rows: ReadonlyArray<Pick<RunTest, 'assigneeId'>>,
): Promise<{ has(userId: number): boolean }> {
  const assigned = rows.flatMap(({ assigneeId }) => assigneeId ?? []);
  return assigned.length === 0 ? new Set() : membersOfProject(q, projectId, assigned);
}

export async function loadRunTestRecords(q: Query, projectId: number, rows: readonly RunTest[]) {
  const [references, people] = await Promise.all([
    loadReferences(q, projectId, idsIn(rows)),
    assigneesOf(q, projectId, rows),
  ]);
  return runTestRecordsOf(rows, references, people);
}

export async function isInRun(q: Query, runId: number, testId: number): Promise<boolean> {
  const [found] = await q
    .select({ testId: runTests.testId })
    .from(runTests)
    .where(and(eq(runTests.runId, runId), eq(runTests.testId, testId)));
  return found !== undefined;
}

/** The same records with the versions of the tests that their results are about. */
export async function loadRunTestVersions(q: Query, projectId: number, rows: readonly RunTest[]) {
  const given = rows.flatMap(({ testId, updatedAt }) =>
    updatedAt === null ? [] : [{ testId, at: updatedAt }],
  );
  const [records, versions] = await Promise.all([
    loadRunTestRecords(q, projectId, rows),
    versionsOfResults(q, given),
  ]);
  const byTest = new Map(given.map(({ testId }, index) => [testId, versions[index]]));
  return records.map((record) => ({
    ...record,
    ...(byTest.get(record.testId) ?? { testVersion: null, changedSince: false }),
  }));
}
