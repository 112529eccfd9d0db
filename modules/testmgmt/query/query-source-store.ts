import { and, eq, isNull, sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { TestStatus } from '../rules/test-status.ts';
import { outcomes, runs, runTests, tests } from '../base/schema.ts';
import { testsAsOf } from '../versions/as-of-store.ts';
import type { AskedQuery } from './query-store.ts';

/** The rows from which a query selects. */
export interface QuerySource {
  /** A table, or joined tables. */
  readonly from: SQL;
  readonly id: AnySQLiteColumn;
  /** Which of the rows count at all, e.g. those of a project that are not deleted. An index finds them in id order. */
  readonly base: SQL | undefined;
  /** The table whose index by `base` and `id` is the smallest. */
  readonly counted: SQL;
}

/**
 * With a join, SQLite reads outcomes in id order; an EXISTS searches for each test from the root of the tree, which takes twice the time
 * and also searches for rows that are not needed.
 */
const joined = ({ readsOutcomes }: AskedQuery): SQL =>
  readsOutcomes ? sql` left join ${outcomes} on ${outcomes.testId} = ${tests.id}` : sql``;

/** Tests of a project. @param base of the table of tests. */
export function testsSource(base: SQL | undefined, asked: AskedQuery): QuerySource {
  const rows = sql`${asked.asOf === null ? tests : testsAsOf(asked.asOf)}`;
  return { from: sql`${rows}${joined(asked)}`, id: tests.id, base, counted: rows };
}

/** Tests of a run, optionally of one status. */
export function runTestsSource(runId: number, asked: AskedQuery, status?: TestStatus): QuerySource {
  const from = sql`${runTests} inner join ${tests} on ${tests.id} = ${runTests.testId}${joined(asked)}`;
  return {
    from,
    id: runTests.testId,
    base: and(eq(runTests.runId, runId), status === undefined ? undefined : eq(runTests.status, status)),
    counted: sql`${runTests}`,
  };
}

export function runsSource(projectId: number): QuerySource {
  const from = sql`${runs}`;
  const base = and(eq(runs.projectId, projectId), isNull(runs.deletedAt));
  return { from, id: runs.id, base, counted: from };
}
