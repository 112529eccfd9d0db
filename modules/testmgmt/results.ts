import { and, desc, eq, gte, isNull, sql } from 'drizzle-orm';
import { isoTime } from '../../core/clock.ts';
import { countRows, table } from '../../core/db/columns.ts';
import { prepared, type Query } from '../../core/db/db.ts';
import { parts, rowsPerInsert } from './parts.ts';
import { shift, statusCounts, type TestStatus } from './run-status.ts';
import { statusesInRun } from './run-tests.ts';
import { countInRun, type Run } from './runs.ts';
import { resultColumns, results, runs, runTests } from './schema.ts';

export interface TestResult {
  readonly testId: number;
  readonly status: TestStatus;
  readonly comment?: string;
}

interface Author {
  readonly by: number;
  readonly now: number;
}

/** The history without its id, which the database gives out: what an INSERT … SELECT fills. */
const appended = table('testmgmt_results', resultColumns());

const statusOf = prepared<{ runId: number; testId: number }, { status: TestStatus }>(
  (q) => q.select({ status: runTests.status }).from(runTests).where(oneTest()),
  'testmgmt_status_of',
);

const appendOne = prepared<typeof results.$inferInsert, never>(
  (q) =>
    q.insert(appended).values({
      runId: sql.placeholder('runId'),
      testId: sql.placeholder('testId'),
      status: sql.placeholder('status'),
      comment: sql.placeholder('comment'),
      by: sql.placeholder('by'),
      at: sql.placeholder('at'),
    }),
  'testmgmt_append_result',
);

const setOne = prepared<typeof results.$inferInsert, never>(
  (q) =>
    q
      .update(runTests)
      .set({
        status: sql`${sql.placeholder('status')}`,
        comment: sql`coalesce(${sql.placeholder('comment')}, ${runTests.comment})`,
        updatedBy: sql`${sql.placeholder('by')}`,
        updatedAt: sql`${sql.placeholder('at')}`,
      })
      .where(oneTest()),
  'testmgmt_set_result',
);

const oneTest = () =>
  and(eq(runTests.runId, sql.placeholder('runId')), eq(runTests.testId, sql.placeholder('testId')));

/** One result, as a pipeline reports while it runs: the same as below with statements that are built already. */
async function recordOne(q: Query, run: Run, given: TestResult, { by, now }: Author): Promise<Run> {
  const { testId, status } = given;
  const [before] = await statusOf(q, { runId: run.id, testId });
  // Whoever is not in the run is refused as in a list of one.
  if (!before) await statusesInRun(q, run.id, [testId], 'testResults');
  const result = { runId: run.id, testId, status, comment: given.comment?.trim() ?? null, by, at: now };
  await appendOne(q, result);
  await setOne(q, result);
  return countInRun(q, run, shift(before ? [before.status] : [], [status]));
}

/**
 * Sets the status of tests in a run and writes one history row each, in few statements however many there are: the
 * history rows are written first, then the run's tests take status and comment from them. A result without comment leaves
 * the last comment alone (CONTRACT §3).
 * @returns the run with its new counts.
 * @throws Fault NOT_IN_RUN naming the tests that are not; then nothing is written.
 */
export async function recordResults(
  q: Query,
  run: Run,
  given: readonly TestResult[],
  { by, now }: Author,
): Promise<Run> {
  const [only, ...others] = given;
  if (only && others.length === 0) return recordOne(q, run, only, { by, now });
  const testIds = given.map(({ testId }) => testId);
  const before = await statusesInRun(q, run.id, testIds, 'testResults');

  let firstId = Number.MAX_SAFE_INTEGER;
  for (const part of parts(given, rowsPerInsert)) {
    const rows = part.map(({ testId, status, comment }) => ({
      runId: run.id,
      testId,
      status,
      comment: comment?.trim() ?? null,
      by,
      at: now,
    }));
    for (const { id } of await q.insert(results).values(rows).returning({ id: results.id })) {
      firstId = Math.min(firstId, id);
    }
  }
  // Ids only grow, so from the first new one on these are all ours: no other write is in between on either engine.
  await q
    .update(runTests)
    .set({
      status: sql`${results.status}`,
      comment: sql`coalesce(${results.comment}, ${runTests.comment})`,
      updatedBy: by,
      updatedAt: now,
    })
    .from(results)
    .where(
      and(gte(results.id, firstId), eq(runTests.runId, results.runId), eq(runTests.testId, results.testId)),
    );
  return countInRun(
    q,
    run,
    shift(
      before.values(),
      given.map(({ status }) => status),
    ),
  );
}

/** Sets every test of a run to retest, one history row each; comments stay (specification, States). */
export async function resetRun(q: Query, run: Run, { by, now }: Author): Promise<Run> {
  await q.insert(appended).select(
    q
      .select({
        runId: runTests.runId,
        testId: runTests.testId,
        status: sql<TestStatus>`${'retest'}`.as('status'),
        comment: sql<null>`null`.as('comment'),
        by: sql<number>`${by}`.as('by_user'),
        at: sql<number>`${now}`.as('at'),
      })
      .from(runTests)
      .where(eq(runTests.runId, run.id)),
  );
  await q
    .update(runTests)
    .set({ status: 'retest', updatedBy: by, updatedAt: now })
    .where(eq(runTests.runId, run.id));
  const { total, passed, failed, blocked, untested } = statusCounts(run);
  return countInRun(q, run, {
    passed: -passed,
    failed: -failed,
    blocked: -blocked,
    untested: -untested,
    retest: total - run.retest,
  });
}

/** One page of what happened to a test, the newest first: in one run, or in all runs that are not deleted. */
export async function pageOfHistory(
  q: Query,
  of: { readonly testId: number; readonly runId?: number },
  { limit, offset }: { readonly limit: number; readonly offset: number },
) {
  const matching = and(
    eq(results.testId, of.testId),
    of.runId === undefined ? undefined : eq(results.runId, of.runId),
    isNull(runs.deletedAt),
  );
  const [counted] = await q
    .select({ total: countRows() })
    .from(results)
    .innerJoin(runs, eq(runs.id, results.runId))
    .where(matching);
  const rows = await q
    .select({
      runId: results.runId,
      runName: runs.name,
      status: results.status,
      comment: results.comment,
      by: results.by,
      at: results.at,
    })
    .from(results)
    .innerJoin(runs, eq(runs.id, results.runId))
    .where(matching)
    .orderBy(desc(results.id))
    .limit(limit)
    .offset(offset);
  const history = rows.map((row) => ({ ...row, at: isoTime(row.at) }));
  return { total: counted?.total ?? 0, history };
}
