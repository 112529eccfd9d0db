import { eq, sql, type SQL } from 'drizzle-orm';
import { forUpdate, inList, listValue } from '../../../core/db/columns.ts';
import { prepared, type Query } from '../../../core/db/db.ts';
import { outcomes, results, runTests } from '../schema.ts';
import { recentLength } from './outcome.ts';

/*
 * The rule of outcome.ts in SQL. A row of `testmgmt_outcomes` is locked by whoever advances it until the commit, in the order of test
 * ids. So the results of a test are counted in the order in which their transactions commit. That has to be the order of their ids, which
 * are given before: a result that comes too late is not counted, and the caller gives it a new id (`recordSingleResult`,
 * `recordResults`).
 */

/** Results that have just been appended. The run's tests have the status from before. */
interface Appended {
  /** `from` and `where` of rows with these columns. */
  readonly from: SQL;
  readonly id: SQL;
  readonly testId: SQL;
  readonly runId: SQL;
  readonly status: SQL;
  readonly by: SQL;
  readonly at: SQL;
  /** The status that the run's test has. */
  readonly before: SQL;
}

const isOutcome = (status: SQL) => sql`${status} in ('passed', 'failed', 'blocked')`;

/**
 * Each result as the row of a test that has no other. `last_result_id` is 0 if the history has a result that was not counted: a server
 * of an earlier version wrote it. The status before is that of the run's test. Only a test that was removed from the run and added
 * again has results that this status does not show.
 */
const asFirst = (of: Appended): SQL => sql`with appended as materialized (
    select ${of.id} as id, ${of.testId} as test_id, ${of.runId} as run_id, ${of.status} as status, ${of.by} as by_user, ${of.at} as at,
      ${of.before} as standing ${of.from}
  ), placed as materialized (
    select a.*,
      case when a.standing <> 'untested' then 0 when exists (select 1 from ${results} p
        where p.run_id = a.run_id and p.test_id = a.test_id and p.id < a.id) then 1 else 0 end as again,
      exists (select 1 from ${results} p where p.test_id = a.test_id and p.id < a.id
        and p.id > coalesce((select o.last_result_id from ${outcomes} o where o.test_id = a.test_id), 0)) as behind
    from appended a
  ), known as materialized (
    select a.*,
      case when a.again = 0 then a.standing else
        (select p.status from ${results} p where p.run_id = a.run_id and p.test_id = a.test_id and p.id < a.id
          order by p.id + 0 desc limit 1) end as previous,
      case when ${isOutcome(sql`a.standing`)} then 0 when a.standing = 'untested' and a.again = 0 then 1
        when exists (select 1 from ${results} p where p.run_id = a.run_id and p.test_id = a.test_id and p.id < a.id
          and ${isOutcome(sql`p.status`)}) then 0 else 1 end as new_in_run
    from placed a
  ), lettered as (
    select k.*, case when ${isOutcome(sql`k.status`)} and k.previous <> k.status
      then substr(k.status, 1, 1) else '' end as letter
    from known k
  )
  select test_id, cast(${sql.placeholder('projectId')} as bigint), status, at, by_user, run_id,
    case when behind then 0 else id end, id, 0,
    letter, case when letter in ('p', 'f') then letter end, case letter when 'f' then 1 else 0 end, 0,
    case letter when '' then 0 else new_in_run end, case letter when '' then 0 else 1 end,
    case letter when 'f' then at end
  from lettered order by test_id`;

const excluded = (column: { readonly name: string }) => sql`excluded.${sql.identifier(column.name)}`;
const letter = excluded(outcomes.recent);
const newest = sql`lower(substr(${outcomes.recent}, 1, 1))`;
const recent = sql`substr(case when ${excluded(outcomes.lastVerdict)} <> ${outcomes.lastVerdict} then upper(${letter})
  else ${letter} end || ${outcomes.recent}, 1, ${sql.raw(String(recentLength))})`;
const isNext = sql`${excluded(outcomes.lastResultId)} > ${outcomes.lastResultId}`;

/** The row of a test after the result in `excluded`. */
const advanced = {
  lastStatus: excluded(outcomes.lastStatus),
  lastAt: excluded(outcomes.lastAt),
  lastBy: excluded(outcomes.lastBy),
  lastRunId: excluded(outcomes.lastRunId),
  lastResultId: excluded(outcomes.lastResultId),
  recent,
  lastVerdict: sql`coalesce(${excluded(outcomes.lastVerdict)}, ${outcomes.lastVerdict})`,
  failed: sql`length(${recent}) - length(replace(lower(${recent}), 'f', ''))`,
  flips: sql`length(${recent}) - length(replace(replace(${recent}, 'P', ''), 'F', ''))`,
  runs: sql`${outcomes.runs} + ${excluded(outcomes.runs)}`,
  streak: sql`case when ${letter} = '' then ${outcomes.streak} when ${letter} = ${newest} then ${outcomes.streak} + 1 else 1 end`,
  failingSince: sql`case when ${letter} = '' then ${outcomes.failingSince} when ${letter} <> 'f' then null
    when ${newest} = 'f' then ${outcomes.failingSince} else ${excluded(outcomes.failingSince)} end`,
};

const given = (name: string, type: 'bigint' | 'text') =>
  sql`cast(${sql.placeholder(name)} as ${sql.raw(type)})`;

/**
 * Counts the one result that was just appended, in a pipeline and before the run's test takes its status. Refuses when the result
 * comes too late, or when another one was not counted.
 * @param isNews whether a result was appended.
 */
export const advanceBySingleResult = (isNews: SQL) =>
  prepared<Record<string, string | number | null>, { held: number | null }>(
    (q) =>
      q
        .insert(outcomes)
        .select(
          asFirst({
            from: sql`from ${runTests} where ${isNews}`,
            // If somebody else's result is newer by now, it is counted as well, and this one comes too late.
            id: sql`(select max(p.id) from ${results} p where p.test_id = ${given('testId', 'bigint')})`,
            testId: given('testId', 'bigint'),
            runId: given('runId', 'bigint'),
            status: given('status', 'text'),
            by: given('by', 'bigint'),
            at: given('at', 'bigint'),
            before: sql`${runTests.status}`,
          }),
        )
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
 * Counts results that were just appended, at most one of a test, before the run's tests take their status.
 * @returns the tests whose result is counted. The row of each other test is locked; it is not that of all its results.
 */
export const advanceByResults = prepared<
  { ids: unknown; projectId: number },
  { testId: number; lastResultId: number }
>(
  (q) =>
    q
      .insert(outcomes)
      .select(
        asFirst({
          from: sql`from ${results} join ${runTests} on ${runTests.runId} = ${results.runId} and ${runTests.testId} = ${results.testId}
            where ${inList(results.id, 'ids')}`,
          id: sql`${results.id}`,
          testId: sql`${results.testId}`,
          runId: sql`${results.runId}`,
          status: sql`${results.status}`,
          by: sql`${results.by}`,
          at: sql`${results.at}`,
          before: sql`${runTests.status}`,
        }),
      )
      .onConflictDoUpdate({ target: outcomes.testId, set: advanced, setWhere: isNext })
      .returning({ testId: outcomes.testId, lastResultId: outcomes.lastResultId }),
  'testmgmt_advance_by_results',
);

/** What lists show of the results of tests. */
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

/** The last results of tests, by test. A test without a result is not in it. */
export async function lastResultsOf(
  q: Query,
  testIds: readonly number[],
): Promise<ReadonlyMap<number, LastResult>> {
  const rows = await lastResults(q, { ids: listValue(testIds) });
  return new Map(rows.map(({ testId, ...last }) => [testId, last]));
}

/** Locks the row of a test. @returns it, if there is one. */
export async function holdOutcome(q: Query, testId: number) {
  const [row] = await forUpdate(q.select().from(outcomes).where(eq(outcomes.testId, testId)));
  return row;
}
