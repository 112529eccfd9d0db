import { eq, sql, type SQL } from 'drizzle-orm';
import { forUpdate, inList, listValue } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { givenInt, givenText } from '../../../core/db/query/given-value.ts';
import { outcomes, results, runTests } from '../base/schema.ts';
import { recentLength } from './outcome.ts';

/*
 * The rule of outcome.ts in SQL. A writer locks the row of `testmgmt_outcomes` that it advances until its commit; rows are locked in the
 * order of test ids. So the results of a test are counted in commit order. Commit order must equal the order of result ids, which are
 * assigned earlier: a result that comes too late is not counted, and the caller gives it a new id (`recordSingleResult`, `recordResults`).
 */

const isOutcome = (status: SQL) => sql`${status} in ('passed', 'failed', 'blocked')`;

/**
 * Treats each of these results as the first of its test. `last_result_id` is 0 if the history contains an uncounted result, written by a
 * server of an earlier version.
 * @param appended results that were just appended: id, test_id, run_id, status, by_user, at, and `standing`, the status of the test in the
 * run before this result. It does not show earlier results of a test that was removed from the run and added again.
 */
const asFirst = (appended: SQL, projectId: SQL) => sql`with known as materialized (
    select a.*,
      case when a.standing <> 'untested' then a.standing else
        (select p.status from ${results} p where p.run_id = a.run_id and p.test_id = a.test_id and p.id < a.id
          order by p.id desc limit 1) end as previous,
      exists (select 1 from ${results} p where p.test_id = a.test_id and p.id < a.id
        and p.id > coalesce((select o.last_result_id from ${outcomes} o where o.test_id = a.test_id), 0)) as behind
    from (${appended}) a
  ), lettered as (
    select k.*,
      case when ${isOutcome(sql`k.status`)} and k.previous is distinct from k.status
        then substr(k.status, 1, 1) else '' end as letter,
      case when k.previous is null then 1 when ${isOutcome(sql`k.standing`)} then 0
        when exists (select 1 from ${results} p where p.run_id = k.run_id and p.test_id = k.test_id and p.id < k.id
          and ${isOutcome(sql`p.status`)}) then 0 else 1 end as new_in_run
    from known k
  )
  select test_id, ${projectId}, status, at, by_user, run_id,
    case when behind then 0 else id end, id, 0,
    letter, case when letter in ('p', 'f') then letter end, case letter when 'f' then 1 else 0 end, 0,
    case letter when '' then 0 else new_in_run end, case letter when '' then 0 else 1 end,
    case letter when 'f' then at end
    from lettered where true`;

const excluded = (column: { readonly name: string }) => sql`excluded.${sql.identifier(column.name)}`;
const letter = excluded(outcomes.recent);
const newest = sql`lower(substr(${outcomes.recent}, 1, 1))`;
const flips = sql`${excluded(outcomes.lastVerdict)} <> ${outcomes.lastVerdict}`;
/** The oldest outcome, which leaves the recent ones. */
const dropped = sql`case when ${letter} = '' then '' else substr(${outcomes.recent}, ${sql.raw(String(recentLength))}, 1) end`;
const isNext = sql`${excluded(outcomes.lastResultId)} > ${outcomes.lastResultId}`;

/** The row of a test after the result in `excluded`. */
const advanced = {
  lastStatus: excluded(outcomes.lastStatus),
  lastAt: excluded(outcomes.lastAt),
  lastBy: excluded(outcomes.lastBy),
  lastRunId: excluded(outcomes.lastRunId),
  lastResultId: excluded(outcomes.lastResultId),
  recent: sql`substr(case when ${flips} then upper(${letter}) else ${letter} end || ${outcomes.recent}, 1,
    ${sql.raw(String(recentLength))})`,
  lastVerdict: sql`coalesce(${excluded(outcomes.lastVerdict)}, ${outcomes.lastVerdict})`,
  failed: sql`${outcomes.failed} + ${excluded(outcomes.failed)} - case when ${dropped} in ('f', 'F') then 1 else 0 end`,
  flips: sql`${outcomes.flips} + case when ${flips} then 1 else 0 end - case when ${dropped} in ('P', 'F') then 1 else 0 end`,
  runs: sql`${outcomes.runs} + ${excluded(outcomes.runs)}`,
  streak: sql`case when ${letter} = '' then ${outcomes.streak} when ${letter} = ${newest} then ${outcomes.streak} + 1 else 1 end`,
  failingSince: sql`case when ${letter} = '' then ${outcomes.failingSince} when ${letter} <> 'f' then null
    when ${newest} = 'f' then ${outcomes.failingSince} else ${excluded(outcomes.failingSince)} end`,
};

/**
 * One result, taken from the statement's values: reading it back from the history takes SQLite a seventh more time. It is assumed to be the
 * newest result. If another request has written a newer one, that one is counted as well, and this one comes too late.
 */
const single = (isNews: SQL): SQL => sql`select n.id, ${givenInt('testId')} as test_id,
    ${givenInt('runId')} as run_id, ${givenText('status')} as status, ${givenInt('by')} as by_user,
    ${givenInt('at')} as at, ${runTests.status} as standing
  from (select max(p.id) as id from ${results} p where p.test_id = ${givenInt('testId')}) n, ${runTests}
  where ${isNews}`;

const many = sql`select ${results.id} as id, ${results.testId} as test_id, ${results.runId} as run_id,
    ${results.status} as status, ${results.by} as by_user, ${results.at} as at, ${runTests.status} as standing
  from ${results} join ${runTests} on ${runTests.runId} = ${results.runId} and ${runTests.testId} = ${results.testId}
  where ${inList(results.id, 'ids')}`;

/**
 * Counts a single result that was just appended, before the run's test takes its status; part of a pipeline. Refuses when the result comes
 * too late, or when another result was not counted.
 * @param isNews whether a result was appended.
 */
export const advanceBySingleResult = (isNews: SQL) =>
  prepared<Record<string, string | number | null>, { held: number | null }>(
    (q) =>
      q
        .insert(outcomes)
        .select(asFirst(single(isNews), givenInt('projectId')))
        .onConflictDoUpdate({
          target: outcomes.testId,
          set: {
            ...advanced,
            lastResultId: sql`case when ${isNext} then ${excluded(outcomes.lastResultId)} else 0 end`,
          },
        })
        .returning({
          held: sql<number | null>`1 / case when ${outcomes.lastResultId} = 0 then 0 else 1 end`.mapWith(
            Number,
          ),
        }),
    'testmgmt_advance_by_single_result',
  );

/**
 * Counts results that were just appended, at most one per test, before the run's tests take their status.
 * @returns the tests whose result is counted. The row of each other test is locked; it does not cover all results of that test.
 */
export const advanceByResults = prepared<
  { ids: unknown; projectId: number },
  { testId: number; lastResultId: number }
>(
  (q) =>
    q
      .insert(outcomes)
      .select(sql`${asFirst(many, givenInt('projectId'))} order by test_id`)
      .onConflictDoUpdate({ target: outcomes.testId, set: advanced, setWhere: isNext })
      .returning({ testId: outcomes.testId, lastResultId: outcomes.lastResultId }),
  'testmgmt_advance_by_results',
);

/** The last result of a test, as lists show it. */
export interface LastResult {
  readonly lastStatus: typeof outcomes.$inferSelect.lastStatus;
  readonly lastAt: number;
  readonly flips: number;
}

const lastResults = prepared<{ ids: unknown }, LastResult & { testId: number }>(
  (q) =>
    q
      .select({
        testId: outcomes.testId,
        lastStatus: outcomes.lastStatus,
        lastAt: outcomes.lastAt,
        flips: outcomes.flips,
      })
      .from(outcomes)
      .where(inList(outcomes.testId, 'ids')),
  'testmgmt_last_results',
);

/** The last results by test. Tests without a result are omitted. */
export async function lastResultsOf(
  q: Query,
  testIds: readonly number[],
): Promise<ReadonlyMap<number, LastResult>> {
  const rows = await lastResults(q, { ids: listValue(testIds) });
  return new Map(rows.map(({ testId, ...last }) => [testId, last]));
}

/** Locks the row of a test. @returns the row, if there is one. */
export async function holdOutcome(q: Query, testId: number) {
  const [row] = await forUpdate(q.select().from(outcomes).where(eq(outcomes.testId, testId)));
  return row;
}
