import { and, asc, eq, getTableColumns, inArray, isNull, sql } from 'drizzle-orm';
import { mayInProject, type Actor } from '../../../core/base/actor.ts';
import { amongSelected, countRows, forUpdate, inValues } from '../../../core/db/query/columns.ts';
import type { CountedPage, Page } from '../../../core/db/query/counted-page.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { testIdList, unknownIds, type IdList } from '../base/id-list.ts';
import { requireActive, mayName, visibleProject, type Project } from '../projects/project-store.ts';
import type { ClassificationId } from '../rules/classification.ts';
import type { FieldValues, GivenFieldValues } from '../rules/field-value.ts';
import { projects, tests, type Step } from '../base/schema.ts';
import { idsPerQuery } from '../base/statement-sizes.ts';

export type Test = typeof tests.$inferSelect;

/** A test in lists, without its long texts: in a page of 500 tests they could have 150 MB. */
export type TestSummary = Omit<Test, 'description' | 'preconditions' | 'steps'>;

const {
  description: _description,
  preconditions: _preconditions,
  steps: _steps,
  ...summary
} = getTableColumns(tests);
export const summaryColumns = summary;

/** The fields of a test as callers give them (docs/contract.md, Records). Null means "not set", and clears the stored value. */
export interface TestFields extends Readonly<Partial<Record<ClassificationId, number | null>>> {
  readonly testName: string;
  readonly testDescription?: string | null;
  readonly preconditions?: string | null;
  readonly steps?: readonly Step[];
  readonly sectionId?: number | null;
  readonly squadId?: number | null;
  readonly estimateSeconds?: number | null;
  readonly labels?: readonly number[];
  /** Values of the project's own fields: each replaces the stored one, null clears it, others stay. */
  readonly fields?: GivenFieldValues;
  /** All of them, in place of those stored; null for none. */
  readonly fieldValues?: FieldValues | null;
}

/** The fields of a change. `labels` replaces all labels, the other two add or remove single labels. */
export interface ChangedFields extends Partial<TestFields> {
  readonly addLabels?: readonly number[];
  readonly removeLabels?: readonly number[];
}

export const testById = prepared<{ id: number }, Test>(
  (q) =>
    q
      .select()
      .from(tests)
      .where(eq(tests.id, sql.placeholder('id'))),
  'testmgmt_test_by_id',
);

/** Locks the project of a test. A test never changes its project. */
const projectOfTest = prepared<{ id: number }, Project>(
  (q) =>
    forUpdate(
      q
        .select()
        .from(projects)
        .where(
          inArray(
            projects.id,
            q
              .select({ id: tests.projectId })
              .from(tests)
              .where(eq(tests.id, sql.placeholder('id'))),
          ),
        ),
    ),
  'testmgmt_project_of_test',
);

export const testNotFound = (testId: number) => fail.TEST_NOT_FOUND(`There is no test ${testId}.`);

/** The error for a list of tests of which only some exist in the project. */
export function notInProject(projectId: number, testIds: readonly number[], known: ReadonlySet<number>) {
  const unknown = unknownIds(testIds, known, testIdList);
  const message = `Not tests of project ${projectId}, or deleted: ${unknown}. Nothing was written.`;
  return fail.NOT_IN_PROJECT(message, { cause: 'testIds' });
}

const testDeleted = (testId: number) =>
  fail.TEST_NOT_FOUND(`Test ${testId} is deleted.`, {
    cause: 'deleted',
    tip: 'Use restore-test (toolset extra) to bring it back; get-test-status-history still reads its results.',
  });

/**
 * The test of this project, deleted or not.
 * @throws Fault TEST_NOT_FOUND; NOT_IN_PROJECT when it is of another project of the organization.
 */
export async function testEverIn(q: Query, actor: Actor, projectId: number, testId: number): Promise<Test> {
  const [test] = await testById(q, { id: testId });
  if (test?.projectId === projectId) return test;
  if (test && (await mayName(q, actor, projectId, test.projectId))) {
    throw fail.NOT_IN_PROJECT(
      `Test ${testId} is of project ${test.projectId}, not of project ${projectId}.`,
      { cause: 'testId' },
    );
  }
  throw testNotFound(testId);
}

/** The test of this project. @throws Fault TEST_NOT_FOUND (if deleted, the tip says how to restore it), NOT_IN_PROJECT. */
export async function testFor(q: Query, actor: Actor, projectId: number, testId: number): Promise<Test> {
  const test = await testEverIn(q, actor, projectId, testId);
  if (test.deletedAt !== null) throw testDeleted(testId);
  return test;
}

/**
 * The test with this id, locked for a change.
 * @throws Fault TEST_NOT_FOUND (also if deleted or of another organization), FORBIDDEN, PROJECT_INACTIVE.
 */
export async function testToChange(
  q: Query,
  actor: Actor,
  testId: number,
): Promise<{ readonly test: Test; readonly project: Project }> {
  // Sent together: the second statement begins when the first has the lock.
  const [[project], [test]] = await Promise.all([
    projectOfTest(q, { id: testId }),
    testById(q, { id: testId }),
  ]);
  if (!test || !project || !mayInProject(actor, project, 'write')) throw testNotFound(testId);
  requireActive(project);
  if (test.deletedAt !== null) throw testDeleted(testId);
  return { test, project };
}

/** The columns that a bulk change needs: it does not read the texts of 5,000 tests. */
type ChangedTest = Pick<Test, 'id' | 'projectId' | 'name'>;

/**
 * Tests by their ids, of all projects that the actor may write to, in the given order.
 * @throws Fault TEST_NOT_FOUND that names the missing, deleted and hidden tests by index; FORBIDDEN, PROJECT_INACTIVE.
 */
export async function testsToChange(
  q: Query,
  actor: Actor,
  testIds: readonly number[],
  { list, signal }: { readonly list: IdList; readonly signal: AbortSignal },
): Promise<{ readonly found: readonly ChangedTest[]; readonly projects: readonly Project[] }> {
  const projectIds = new Set<number>();
  for await (const ids of partsInTurns(testIds, idsPerQuery, signal)) {
    const rows = await q
      .selectDistinct({ projectId: tests.projectId })
      .from(tests)
      .where(inValues(tests.id, ids));
    for (const { projectId } of rows) projectIds.add(projectId);
  }
  const visible = new Map<number, Project | null>();
  // Locked in one order, so that two calls on the same projects cannot deadlock.
  for (const projectId of [...projectIds].toSorted((a, b) => a - b))
    visible.set(projectId, await visibleProject(q, actor, projectId, 'write', 'change'));
  const found = new Map<number, ChangedTest>();
  for await (const ids of partsInTurns(testIds, idsPerQuery, signal)) {
    const rows = await q
      .select({ id: tests.id, projectId: tests.projectId, name: tests.name })
      .from(tests)
      .where(and(inValues(tests.id, ids), isNull(tests.deletedAt)));
    for (const row of rows) found.set(row.id, row);
  }
  for (const [id, test] of found) if (!visible.get(test.projectId)) found.delete(id);
  if (found.size < testIds.length) {
    throw fail.TEST_NOT_FOUND(
      `There is no such test, or it is deleted: ${unknownIds(testIds, found, list)}. Nothing was written.`,
      {
        cause: list.parameter,
        tip: 'Use get-tests to see the tests of a project; restore-test brings a deleted one back.',
      },
    );
  }
  const writable = [...visible.values()].filter((project) => project !== null);
  for (const project of writable) requireActive(project);
  return { found: testIds.flatMap((id) => found.get(id) ?? []), projects: writable };
}

export interface TestFilter {
  readonly sectionId?: number;
  readonly priorityId?: number;
  readonly automationStatusId?: number;
}

const isLive = (projectId: number) => and(eq(tests.projectId, projectId), isNull(tests.deletedAt));

/**
 * The condition for the matching tests of a project.
 * @param options `deleted`: includes deleted tests.
 */
export function matching(
  projectId: number,
  { sectionId, priorityId, automationStatusId }: TestFilter,
  { deleted } = { deleted: false },
) {
  return and(
    deleted ? eq(tests.projectId, projectId) : isLive(projectId),
    sectionId === undefined ? undefined : eq(tests.sectionId, sectionId),
    priorityId === undefined ? undefined : eq(tests.priorityId, priorityId),
    automationStatusId === undefined ? undefined : eq(tests.automationStatusId, automationStatusId),
  );
}

/** One prepared statement for each combination of filters. */
const pages = new Map<string, ReturnType<typeof pageBy>>();

const pageBy = (section: boolean, priority: boolean) => {
  const filter = {
    ...(section ? { sectionId: sql.placeholder('sectionId') as unknown as number } : {}),
    ...(priority ? { priorityId: sql.placeholder('priorityId') as unknown as number } : {}),
  };
  const where = matching(sql.placeholder('projectId') as unknown as number, filter);
  const name = `testmgmt_tests_page_${section}_${priority}`;
  return {
    rows: prepared<Record<string, unknown>, TestSummary>((q) => {
      const wanted = q
        .select({ id: tests.id })
        .from(tests)
        .where(where)
        .orderBy(asc(tests.id))
        .limit(sql.placeholder('limit') as never)
        .offset(sql.placeholder('offset') as never);
      return q
        .select(summaryColumns)
        .from(tests)
        .where(amongSelected(tests.id, wanted))
        .orderBy(asc(tests.id));
    }, name),
    total: prepared<Record<string, unknown>, { total: number }>(
      (q) =>
        section || priority
          ? q.select({ total: countRows() }).from(tests).where(where)
          : q
              .select({ total: projects.testsCount })
              .from(projects)
              .where(eq(projects.id, sql.placeholder('projectId'))),
      `${name}_total`,
    ),
  };
};

/**
 * One page of the tests of a project that are not deleted, oldest first, and their total. An index selects the page; only its tests are
 * read. Both statements are started at once.
 */
export async function pageOfTests(
  q: Query,
  projectId: number,
  { sectionId, priorityId }: TestFilter,
  { limit, offset }: Page,
): Promise<CountedPage<TestSummary>> {
  const key = `${sectionId !== undefined} ${priorityId !== undefined}`;
  const statements = pages.get(key) ?? pageBy(sectionId !== undefined, priorityId !== undefined);
  pages.set(key, statements);
  const values = {
    projectId,
    ...(sectionId === undefined ? {} : { sectionId }),
    ...(priorityId === undefined ? {} : { priorityId }),
  };
  const [rows, [counted]] = await Promise.all([
    statements.rows(q, { ...values, limit, offset }),
    statements.total(q, values),
  ]);
  return { total: counted?.total ?? 0, rows };
}

/** The number of matching tests by priority and automation status: one scan of an index. */
export async function countTests(q: Query, projectId: number, filter: TestFilter) {
  return q
    .select({
      priorityId: tests.priorityId,
      automationStatusId: tests.automationStatusId,
      count: countRows(),
    })
    .from(tests)
    .where(matching(projectId, filter))
    .groupBy(tests.priorityId, tests.automationStatusId);
}
