import { and, eq, gte, isNull, lte, or, sql, type SQL } from 'drizzle-orm';
import { blocksWhileItRuns } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { results, runs, tests } from '../base/schema.ts';
import type { Interval } from './field-kinds/field-value.ts';
import { inRange, within, type QueryPlace } from './query-place-store.ts';

interface Counted {
  /** The status to count; `any` counts runs with an outcome. */
  readonly status: 'passed' | 'failed' | 'any';
  readonly any: readonly Interval[];
  readonly window: Interval;
}

/**
 * Whether a window of time contains the required number of results of a test: passes, failures, or runs with an outcome. Counted from the
 * history, because the summary of a test (outcomes) contains only its last 20 results, whenever they were. Only runs that changed since
 * then are examined. Never null.
 */
export function countedWithin(q: Query, { status, any, window }: Counted, place: QueryPlace): SQL {
  const isCounted = status === 'any' ? sql`in ('passed', 'failed', 'blocked')` : sql.raw(`= '${status}'`);
  const count = status === 'any' ? sql`count(distinct ${results.runId})` : sql`count(*)`;
  const changed = q
    .select({ id: runs.id })
    .from(runs)
    .where(
      and(
        eq(runs.projectId, place.projectId),
        window.least === null
          ? undefined
          : or(isNull(runs.updatedAt), gte(runs.updatedAt, window.least), gte(runs.createdAt, window.least)),
      ),
    );
  const counts = and(
    sql`${results.runId} in ${changed}`,
    sql`${results.status} ${isCounted}`,
    window.least === null ? undefined : gte(results.at, window.least),
    window.most === null ? undefined : lte(results.at, window.most),
    isOutcome,
  );
  const fits = within(count, any);
  const noneFits = any.some(({ least, most }) => (least ?? 0) <= 0 && (most ?? 0) >= 0);

  // One count per test when few tests are examined, and one pass over the window when all are.
  if (!place.range && blocksWhileItRuns) {
    const ofTest = q
      .select({ fits: sql`case when ${fits} then 1 else 0 end` })
      .from(results)
      .where(and(eq(results.testId, tests.id), counts));
    return sql`${ofTest} = 1`;
  }
  const inPlace = place.range ? inRange(results.testId, place.range) : undefined;
  const grouped = (having: SQL) =>
    q
      .select({ testId: results.testId })
      .from(results)
      .where(and(inPlace, counts))
      .groupBy(results.testId)
      .having(having);
  return noneFits
    ? sql`${tests.id} not in ${grouped(sql`not (${fits})`)}`
    : sql`${tests.id} in ${grouped(fits)}`;
}

/** A row with the same status as its predecessor in the run is the same result with another comment (outcome.ts). */
const isOutcome = sql`coalesce((select p.status from ${results} p where p.run_id = ${results.runId} and p.test_id = ${results.testId}
  and p.id < ${results.id} order by p.id desc limit 1), '') <> ${results.status}`;
