import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import { countRows } from '../../core/db/columns.ts';
import { isoTime } from '../../core/clock.ts';
import { prepared, type Query } from '../../core/db/db.ts';
import { refuse } from './errors.ts';
import { statusCounts, type TestStatus } from './run-status.ts';
import { results, runs, runTests, tests } from './schema.ts';

export type Run = typeof runs.$inferSelect;

/** Rows of one statement: SQLite allows 32,766 bound values, PostgreSQL 65,535. */
const rowsPerInsert = 2_000;
const idsPerQuery = 10_000;

function* chunks<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** @throws Fault DUPLICATE_ID naming the first id given twice. */
export function requireDistinct(ids: readonly number[], field: string): void {
  const seen = new Set<number>();
  for (const id of ids) {
    if (seen.has(id)) throw refuse.DUPLICATE_ID(`${field} names ${id} twice.`, { cause: field });
    seen.add(id);
  }
}

/** How many faulty ids one answer names. */
const shownIds = 20;

const listIds = (ids: readonly number[]) =>
  `${ids.slice(0, shownIds).join(', ')}${ids.length > shownIds ? ` and ${ids.length - shownIds} more` : ''}`;

/** Makes a run of exactly these tests, all untested. @throws Fault NOT_IN_PROJECT for unknown, deleted or foreign tests. */
export async function insertRun(
  q: Query,
  row: Omit<typeof runs.$inferInsert, 'id'>,
  testIds: readonly number[],
): Promise<Run> {
  const known = new Set<number>();
  for (const part of chunks(testIds, idsPerQuery)) {
    const found = await q
      .select({ id: tests.id })
      .from(tests)
      .where(and(inArray(tests.id, part), eq(tests.projectId, row.projectId), isNull(tests.deletedAt)));
    for (const { id } of found) known.add(id);
  }
  const foreign = testIds.filter((id) => !known.has(id));
  if (foreign.length > 0) {
    throw refuse.NOT_IN_PROJECT(
      `Not tests of project ${row.projectId}: ${listIds(foreign)}. Nothing was created.`,
      {
        cause: 'testIds',
      },
    );
  }
  const [run] = await q.insert(runs).values(row).returning();
  if (!run) throw new Error('the run was not stored');
  for (const part of chunks(testIds, rowsPerInsert)) {
    await q
      .insert(runTests)
      .values(part.map((testId) => ({ runId: run.id, testId, status: 'untested' as const })));
  }
  return run;
}

const runById = prepared<{ runId: number; projectId: number }, Run>(
  (q) =>
    q
      .select()
      .from(runs)
      .where(
        and(
          eq(runs.id, sql.placeholder('runId')),
          eq(runs.projectId, sql.placeholder('projectId')),
          isNull(runs.deletedAt),
        ),
      ),
  'testmgmt_run_by_id',
);

/** @throws Fault RUN_NOT_FOUND: no such run in this project, or deleted. */
export async function runFor(q: Query, projectId: number, runId: number): Promise<Run> {
  const [run] = await runById(q, { runId, projectId });
  if (!run) throw refuse.RUN_NOT_FOUND(`There is no run ${runId} in project ${projectId}.`);
  return run;
}

/** @throws Fault RUN_LOCKED. */
export function requireUnlocked(run: Run): void {
  if (run.lockedAt !== null) throw refuse.RUN_LOCKED(`Run ${run.id} is locked and takes no changes.`);
}

export interface TestResult {
  readonly testId: number;
  readonly status: TestStatus;
  readonly comment?: string;
}

/**
 * Sets the status of tests in a run and writes one history row each. A result without comment leaves the last comment alone.
 * @throws Fault NOT_IN_RUN naming the tests that are not; then nothing is written.
 */
export async function recordResults(
  q: Query,
  runId: number,
  given: readonly TestResult[],
  { by, now }: { readonly by: number; readonly now: number },
): Promise<void> {
  const inRun = new Set<number>();
  for (const part of chunks(given, idsPerQuery)) {
    const ids = part.map(({ testId }) => testId);
    const found = await q
      .select({ testId: runTests.testId })
      .from(runTests)
      .where(and(eq(runTests.runId, runId), inArray(runTests.testId, ids)));
    for (const { testId } of found) inRun.add(testId);
  }
  const missing = given.map(({ testId }) => testId).filter((testId) => !inRun.has(testId));
  if (missing.length > 0) {
    throw refuse.NOT_IN_RUN(`Not in run ${runId}: ${listIds(missing)}. Nothing was changed.`, {
      cause: 'testResults',
    });
  }
  for (const { testId, status, comment } of given) {
    await q
      .update(runTests)
      .set({ status, updatedBy: by, updatedAt: now, ...(comment === undefined ? {} : { comment }) })
      .where(and(eq(runTests.runId, runId), eq(runTests.testId, testId)));
  }
  for (const part of chunks(given, rowsPerInsert)) {
    await q.insert(results).values(
      part.map(({ testId, status, comment }) => ({
        runId,
        testId,
        status,
        comment: comment ?? null,
        by,
        at: now,
      })),
    );
  }
}

const countsByRun = prepared<{ runId: number }, { status: TestStatus; count: number }>(
  (q) =>
    q
      .select({ status: runTests.status, count: countRows() })
      .from(runTests)
      .where(eq(runTests.runId, sql.placeholder('runId')))
      .groupBy(runTests.status),
  'testmgmt_counts_by_run',
);

/** The whole record of a run. */
export async function runRecord(q: Query, run: Run) {
  return {
    runId: run.id,
    projectId: run.projectId,
    runName: run.name,
    runDescription: run.description,
    status: run.lockedAt === null ? ('active' as const) : ('locked' as const),
    counts: statusCounts(await countsByRun(q, { runId: run.id })),
    createdBy: run.createdBy,
    createdAt: isoTime(run.createdAt),
    lockedBy: run.lockedBy,
    lockedAt: isoTime(run.lockedAt),
  };
}
