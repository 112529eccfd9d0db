import { and, asc, eq, gt, isNull, sql, type SQL } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { blocksWhileItRuns, countRows } from '../../../core/db/query/columns.ts';
import type { Page } from '../../../core/db/query/counted-page.ts';
import { together, type Query } from '../../../core/db/query/db.ts';
import { summariesOf } from '../cases/case-query-store.ts';
import { summaryColumns, type TestSummary } from '../cases/case-store.ts';
import type { TestStatus } from '../rules/test-status.ts';
import { statusesOfRun } from '../runs/run-status-store.ts';
import { runs, runTests, tests } from '../base/schema.ts';
import { everyRow } from '../base/statement-sizes.ts';
import { changeWords, runDifference, type Change } from './run-difference.ts';

/** Rows of few numbers that one statement reads: about 3 ms. */
const narrowRows = 2_000;

/** The status of each test of a run. Yields to other requests. */
async function statusesInRun(
  q: Query,
  runId: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, TestStatus>> {
  const statuses = new Map<number, TestStatus>();
  for await (const rows of statusesOfRun(q, runId, signal))
    for (const { testId, status } of rows) statuses.set(testId, status);
  return statuses;
}

interface Compared {
  readonly counts: Readonly<Record<Change, number>>;
  /** The total number of listed changes, over all pages. */
  readonly total: number;
  readonly tests: ReadonlyArray<{
    readonly test: TestSummary;
    readonly change: Change;
    readonly status: TestStatus | null;
    readonly before: TestStatus | null;
  }>;
}

interface RunPair {
  readonly now: number;
  readonly before: number;
}

type Asked = Page & { readonly change: Change | undefined; readonly signal: AbortSignal };

/** The tests that fail in a run and did not fail in the one before, or were not in it: what an upload counts as newly failing. By id. */
export async function testsNewlyFailing(
  q: Query,
  pair: RunPair,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const before = await statusesInRun(q, pair.before, signal);
  const now = await statusesInRun(q, pair.now, signal);
  return [...now].flatMap(([id, status]) => (status === 'failed' && before.get(id) !== 'failed' ? [id] : []));
}

/** The changes from one run to another, by kind and then by test. PostgreSQL runs two statements at once, SQLite works in steps. */
export const comparedRuns = (q: Query, pair: RunPair, asked: Asked): Promise<Compared> =>
  blocksWhileItRuns ? comparedInSteps(q, pair, asked) : comparedAtOnce(q, pair, asked);

async function comparedInSteps(
  q: Query,
  pair: RunPair,
  { change, limit, offset, signal }: Asked,
): Promise<Compared> {
  const now = await statusesInRun(q, pair.now, signal);
  const changes = runDifference(await statusesInRun(q, pair.before, signal), now);
  const listed = changeWords
    .filter((one) => change === undefined || one === change)
    .flatMap((one) => changes.get(one) ?? []);
  const shown = listed.slice(offset, offset + limit);
  const rows = await summariesOf(
    q,
    shown.map(({ testId }) => testId),
  );
  return {
    counts: countsOf((one) => changes.get(one)?.length ?? 0),
    total: listed.length,
    tests: rows.flatMap((test, at) => {
      const found = shown[at];
      return found ? [{ test, change: found.change, status: found.status, before: found.before }] : [];
    }),
  };
}

const countsOf = (count: (change: Change) => number) =>
  Object.fromEntries(changeWords.map((change) => [change, count(change)])) as Record<Change, number>;

const positionOf = (change: Change): SQL => sql.raw(String(changeWords.indexOf(change)));

/** `changeOf` of run-difference.ts as a position in `changeWords`; null when nothing relevant changed. */
const position = sql`case when b.test_id is null then ${positionOf('added')} when a.test_id is null then ${positionOf('removed')}
  when a.status = 'failed' then case when b.status = 'failed' then ${positionOf('still-failing')} else ${positionOf('newly-failing')} end
  when b.status = 'failed' and a.status = 'passed' then ${positionOf('fixed')} end`;

async function comparedAtOnce(
  q: Query,
  { now, before }: RunPair,
  { change, limit, offset }: Asked,
): Promise<Compared> {
  const ofRun = (runId: number) =>
    sql`(select ${runTests.testId} as test_id, ${runTests.status} as status from ${runTests} where ${runTests.runId} = ${runId})`;
  const changes = sql`(select coalesce(a.test_id, b.test_id) as id, a.status as now, b.status as before, ${position} as change
    from ${ofRun(now)} a full join ${ofRun(before)} b on a.test_id = b.test_id) changed`;
  const columns = { change: sql<number>`changed.change`.mapWith(Number) };
  const [groups, rows] = await together([
    q
      .select({ ...columns, count: countRows() })
      .from(changes as unknown as SQLiteTable)
      .where(sql`changed.change is not null`)
      .groupBy(sql`changed.change`),
    q
      .select({
        ...columns,
        status: sql<TestStatus | null>`changed.now`,
        before: sql<TestStatus | null>`changed.before`,
        test: summaryColumns,
      })
      .from(changes as unknown as SQLiteTable)
      .innerJoin(tests, eq(tests.id, sql`changed.id`))
      .where(
        change === undefined ? sql`changed.change is not null` : sql`changed.change = ${positionOf(change)}`,
      )
      .orderBy(sql`changed.change`, sql`changed.id`)
      .limit(limit)
      .offset(offset),
  ]);
  const counts = countsOf((one) => groups.find((group) => changeWords[group.change] === one)?.count ?? 0);
  return {
    counts,
    total:
      change === undefined ? Object.values(counts).reduce((sum, count) => sum + count, 0) : counts[change],
    tests: rows.flatMap(({ test, change: at, status, before: old }) => {
      const word = changeWords[at];
      return word ? [{ test, change: word, status, before: old }] : [];
    }),
  };
}

/** The counts of each run of a project. Yields to other requests. */
export const runCounts = (q: Query, projectId: number, signal: AbortSignal) =>
  everyRow(
    (after) =>
      q
        .select({
          id: runs.id,
          createdAt: runs.createdAt,
          passed: runs.passed,
          failed: runs.failed,
          blocked: runs.blocked,
        })
        .from(runs)
        .where(and(eq(runs.projectId, projectId), isNull(runs.deletedAt), gt(runs.id, after)))
        .orderBy(asc(runs.id))
        .limit(narrowRows),
    signal,
    narrowRows,
  );
