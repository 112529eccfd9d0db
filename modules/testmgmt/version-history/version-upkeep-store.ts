import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import { nextTurn } from '../../../core/base/turns.ts';
import { tests } from '../base/schema.ts';
import { rowsPerChange } from '../base/statement-sizes.ts';
import { testVersions } from '../base/version-schema.ts';

/** The most versions of a test, the present one included. Worded in the index testmgmt_tests_many_versions, too. */
const mostVersions = 10_000;

export const forgetVersionsEveryMs = 3_600_000;

const testsAtOnce = 500;

/** The newest version of a test that is not kept. */
const newestForgotten = (version: number) => version - mostVersions;

/** Tests that have more versions than are kept, in id order. */
const crowdedTests = (q: Query, after: number) =>
  q
    .select({ id: tests.id, version: tests.version })
    .from(tests)
    .where(
      and(
        sql`version > ${sql.raw(String(mostVersions))}`,
        gt(tests.id, after),
        sql`exists (select 1 from ${testVersions} where ${testVersions.testId} = ${tests.id}
          and ${testVersions.version} <= ${tests.version} - ${sql.raw(String(mostVersions))})`,
      ),
    )
    .orderBy(asc(tests.id))
    .limit(testsAtOnce);

/** Deletes some of the versions of a test up to one. @returns how many. */
async function forgetSome(q: Query, testId: number, newest: number): Promise<number> {
  const some = await q
    .select({ version: testVersions.version })
    .from(testVersions)
    .where(and(eq(testVersions.testId, testId), lte(testVersions.version, newest)))
    .orderBy(asc(testVersions.version))
    .limit(rowsPerChange);
  const last = some.at(-1);
  if (last)
    await q
      .delete(testVersions)
      .where(and(eq(testVersions.testId, testId), lte(testVersions.version, last.version)));
  return some.length;
}

/** Deletes the oldest versions of tests that have more than 10,000. @returns how many versions. */
export async function forgetOldVersions({ db }: Pick<Host, 'db'>): Promise<number> {
  let forgotten = 0;
  for (let after = 0; ;) {
    const crowded = await crowdedTests(db.q, after);
    for (const { id, version } of crowded)
      for (let count = rowsPerChange; count === rowsPerChange;) {
        count = await db.tx((q) => forgetSome(q, id, newestForgotten(version)));
        forgotten += count;
        await nextTurn();
      }
    const last = crowded.at(-1);
    if (!last || crowded.length < testsAtOnce) return forgotten;
    after = last.id;
  }
}
