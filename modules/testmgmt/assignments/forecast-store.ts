import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { inList, listValue } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { reportedResults } from '../base/pipeline-schema.ts';
import { runs, tests } from '../base/schema.ts';
import { countedDurations, forecastOf, medianOf, type Forecast } from './forecast.ts';

/** Tests whose durations one statement looks up: about 3 ms on SQLite. */
const testsAtOnce = 50;

/** The newest results of a test among which durations are looked up: people who report by hand give none. */
const resultsLookedAt = 20;

/**
 * One duration for each run, newest first. The names of columns are written out: a select from one table leaves out the names of tables,
 * and "id" alone would be that of the inner one.
 */
const durations = sql<string | null>`(
  select string_agg(cast(taken.duration_us as text), ',') from (
    select r.duration_us from (
      select newest.run_id, max(newest.id) as id from (
        select n.run_id, n.id from testmgmt_results n
        where n.test_id = testmgmt_tests.id order by n.id desc limit ${sql.raw(String(resultsLookedAt))}
      ) newest group by newest.run_id
    ) once inner join testmgmt_reported_results r on r.run_id = once.run_id and r.test_id = testmgmt_tests.id
    where r.duration_us is not null order by once.id desc limit ${sql.raw(String(countedDurations))}
  ) taken)`;

const efforts = prepared<
  { ids: unknown },
  { testId: number; estimateSeconds: number | null; durations: string | null }
>(
  (q) =>
    q
      .select({
        testId: tests.id,
        estimateSeconds: tests.estimateSeconds,
        durations: durations.as('durations'),
      })
      .from(tests)
      .where(inList(tests.id, 'ids')),
  'testmgmt_efforts',
);

/** How long each of some tests of a project probably takes. Yields to other requests between its chunks. */
export async function forecastsOf(
  q: Query,
  projectId: number,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<{ readonly byTest: ReadonlyMap<number, Forecast>; readonly projectSeconds: number | null }> {
  const projectSeconds = testIds.length === 0 ? null : await medianOfProject(q, projectId);
  const byTest = new Map<number, Forecast>();
  for await (const ids of partsInTurns(testIds, testsAtOnce, signal))
    for (const row of await efforts(q, { ids: listValue(ids) })) {
      const durationsUs = row.durations === null ? [] : row.durations.split(',').map(Number);
      byTest.set(
        row.testId,
        forecastOf({ durationsUs, estimateSeconds: row.estimateSeconds }, projectSeconds),
      );
    }
  return { byTest, projectSeconds };
}

/** The newest runs and results of a project from which its median is computed. */
const [runsOfMedian, valuesOfMedian] = [20, 1_000];

/** The median of the newest durations of a project, else of its estimates; null when it has neither. */
async function medianOfProject(q: Query, projectId: number): Promise<number | null> {
  const newest = await q
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.projectId, projectId), isNull(runs.deletedAt)))
    .orderBy(desc(runs.id))
    .limit(runsOfMedian);
  const taken: number[] = [];
  // One by one: a search through all of them would not end early where no pipeline reports durations.
  for (const { id } of newest) {
    if (taken.length >= valuesOfMedian) break;
    const rows = await q
      .select({ us: reportedResults.durationUs })
      .from(reportedResults)
      .where(eq(reportedResults.runId, id))
      .orderBy(desc(reportedResults.testId))
      .limit(valuesOfMedian);
    taken.push(...rows.flatMap(({ us }) => us ?? []));
  }
  const median = medianOf(taken.slice(0, valuesOfMedian));
  if (median !== null) return median / 1_000_000;
  const estimated = await q
    .select({ seconds: tests.estimateSeconds })
    .from(tests)
    .where(and(eq(tests.projectId, projectId), isNull(tests.deletedAt), isNotNull(tests.estimateSeconds)))
    .orderBy(desc(tests.id))
    .limit(valuesOfMedian);
  return medianOf(estimated.flatMap(({ seconds }) => seconds ?? []));
}
