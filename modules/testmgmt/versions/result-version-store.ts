import { eq, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { listedInt, listedRows, rowsValue } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { tests } from '../base/schema.ts';
import { testVersions } from '../base/version-schema.ts';

/** A result of a test, and when it was given (epoch milliseconds). */
interface GivenResult {
  readonly testId: number;
  readonly at: number;
}

/** The version of a test that a result is about. */
interface ResultVersion {
  readonly testVersion: number;
  /** The test was changed after the result. */
  readonly changedSince: boolean;
}

const ended = prepared<{ rows: string }, { version: number; ended: number | null }>(
  (q) =>
    q
      .select({
        version: sql<number>`${tests.version}`,
        ended: sql<number | null>`(select min(${testVersions.version}) from ${testVersions}
          where ${eq(testVersions.testId, tests.id)} and ${testVersions.untilAt} > ${listedInt(1)})`,
      })
      .from(sql`${listedRows('rows')} cross join ${tests}` as unknown as SQLiteTable)
      .where(sql`${tests.id} = ${listedInt(0)}`)
      .orderBy(listedInt(2)),
  'testmgmt_versions_of_results',
);

/**
 * The versions of the tests of results, in the order of the results: those that held when they were given. Nothing is stored with a result.
 * @param given of tests that are stored; at most a page.
 */
export async function versionsOfResults(
  q: Query,
  given: readonly GivenResult[],
): Promise<readonly ResultVersion[]> {
  if (given.length === 0) return [];
  const rows = await ended(q, { rows: rowsValue(given.map(({ testId, at }, n) => [testId, at, n])) });
  return rows.map((row) => ({
    testVersion: Number(row.ended ?? row.version),
    changedSince: row.ended !== null,
  }));
}
