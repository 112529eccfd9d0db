import { and, asc, between, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm';
import { isoTime } from '../../../core/clock.ts';
import { table } from '../../../core/db/columns.ts';
import type { Page } from '../../../core/db/counted-page.ts';
import type { Query } from '../../../core/db/db.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/turns.ts';
import type { IdList } from '../id-list.ts';
import { shift, testStatuses, type TestStatus } from '../rules/test-status.ts';
import { resultColumns, results, runs, runTests } from '../schema.ts';
import { resultsPerInsert, rowsPerChange } from '../statement-sizes.ts';
import { standingsInRun, type Standing } from './run-case-store.ts';
import { countInRun, type Run } from './run-store.ts';

interface TestResult {
  readonly testId: number;
  readonly status: TestStatus;
  readonly comment?: string;
}

/** The parameter of run-update-test-status. */
export const resultList: IdList = { parameter: 'testResults', inside: '.testId' };

interface Author {
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** The history without its id, which the database assigns: the columns of an INSERT … SELECT. */
const appended = table('testmgmt_results', resultColumns());

/**
 * Whether a result changes anything for the test in the run. A repeated call must change nothing: pipelines and agents retry a
 * call that got no response.
 */
const isNews = ({ status, comment }: TestResult, before: Standing): boolean =>
  status !== before.status || (comment !== undefined && comment.trim() !== before.comment);

/**
 * Sets the status of tests in a run and writes a history row for each result that changes something, in few statements: it writes a
 * chunk of history rows, then the run's tests take status and comment from them. A result without comment keeps the last comment
 * (docs/contract.md, Tests and runs). Yields to other requests between its chunks.
 * @returns the run with its new counts.
 * @throws Fault NOT_IN_RUN that names the tests that are not in the run; then nothing is written.
 */
export async function recordResults(
  q: Query,
  run: Run,
  given: readonly TestResult[],
  { by, now, signal }: Author,
): Promise<Run> {
  const testIds = given.map(({ testId }) => testId);
  const before = await standingsInRun(q, run.id, testIds, { list: resultList, comments: true, signal });
  const news = given.flatMap((result) => {
    const standing = before.get(result.testId);
    return standing && isNews(result, standing) ? [{ ...result, from: standing.status }] : [];
  });
  for await (const part of partsInTurns(news, resultsPerInsert, signal)) {
    const rows = part.map(({ testId, status, comment }) => ({
      runId: run.id,
      testId,
      status,
      comment: comment?.trim() ?? null,
      by,
      at: now,
    }));
    const inserted = await q.insert(results).values(rows).returning({ id: results.id });
    const firstId = inserted.reduce((least, { id }) => Math.min(least, id), Number.MAX_SAFE_INTEGER);
    // Ids only grow, and the run is locked: all rows of the run from the first new id on are ours.
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
        and(
          gte(results.id, firstId),
          eq(results.runId, run.id),
          eq(runTests.runId, run.id),
          eq(runTests.testId, results.testId),
        ),
      );
  }
  return countInRun(
    q,
    run,
    shift(
      news.map(({ from }) => from),
      news.map(({ status }) => status),
    ),
  );
}

/**
 * Sets every test of a run to retest, with one history row for each that had another status. Comments stay (docs/contract.md, Tests
 * and runs). Yields to other requests between its chunks.
 */
export async function resetRun(q: Query, run: Run, { by, now, signal }: Author): Promise<Run> {
  let changed = 0;
  const others = testStatuses.filter((status) => status !== 'retest' && run[status] > 0);
  for (const status of others) {
    for (;;) {
      if (turnIsOver()) await nextTurn(signal);
      // A test that is set to retest is not found again, so each step gets the next ones.
      const next = await q
        .select({ testId: runTests.testId })
        .from(runTests)
        .where(and(eq(runTests.runId, run.id), eq(runTests.status, status)))
        .orderBy(asc(runTests.testId))
        .limit(rowsPerChange);
      const [first, last] = [next[0]?.testId, next.at(-1)?.testId];
      if (first === undefined || last === undefined) break;
      const part = and(
        eq(runTests.runId, run.id),
        eq(runTests.status, status),
        between(runTests.testId, first, last),
      );
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
          .where(part),
      );
      await q.update(runTests).set({ status: 'retest', updatedBy: by, updatedAt: now }).where(part);
      changed += next.length;
    }
  }
  const { passed, failed, blocked, untested } = run;
  return countInRun(q, run, {
    passed: -passed,
    failed: -failed,
    blocked: -blocked,
    untested: -untested,
    retest: changed,
  });
}

/** Ids of results that one statement reads: about 3 ms. */
const idsPerStep = 2_000;

/**
 * One page of the status history of a test, newest first: in one run, or in all runs that are not deleted. To count it, the whole
 * history is read in chunks, because a test of a pipeline may have 100,000 results.
 */
export async function pageOfHistory(
  q: Query,
  of: { readonly testId: number; readonly runId?: number },
  { limit, offset, signal }: Page & { readonly signal: AbortSignal },
) {
  const wanted: number[] = [];
  let total = 0;
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const part = await q
      .select({ id: results.id, deletedAt: runs.deletedAt })
      .from(results)
      .innerJoin(runs, eq(runs.id, results.runId))
      .where(
        and(
          eq(results.testId, of.testId),
          of.runId === undefined ? undefined : eq(results.runId, of.runId),
          lt(results.id, before),
        ),
      )
      .orderBy(desc(results.id))
      .limit(idsPerStep);
    for (const { id, deletedAt } of part) {
      if (deletedAt !== null) continue;
      if (total >= offset && wanted.length < limit) wanted.push(id);
      total++;
    }
    const last = part.at(-1);
    if (!last || part.length < idsPerStep) break;
    before = last.id;
    if (turnIsOver()) await nextTurn(signal);
  }
  if (wanted.length === 0) return { total, history: [] };
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
    .where(inArray(results.id, wanted))
    .orderBy(desc(results.id));
  return { total, history: rows.map((row) => ({ ...row, at: isoTime(row.at) })) };
}
