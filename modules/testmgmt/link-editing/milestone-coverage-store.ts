import { and, asc, eq, gt, isNull, ne } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { runs, runTests } from '../base/schema.ts';
import { isRunOfMilestone } from '../milestones/milestone-store.ts';
import type { LinkedTest } from './requirement-coverage.ts';

/** Rows of few numbers that one statement reads: about 3 ms. */
const rowsAtOnce = 2_000;

/**
 * The newest result of each test in the runs of a milestone and of its parts; a test without one is absent. Yields to other requests
 * between its chunks.
 */
export async function resultsOfMilestone(
  q: Query,
  milestoneId: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, NonNullable<LinkedTest['last']>>> {
  const newest = new Map<number, NonNullable<LinkedTest['last']>>();
  const ofMilestone = await q
    .select({ id: runs.id })
    .from(runs)
    .where(and(isRunOfMilestone(q, milestoneId), isNull(runs.deletedAt)));
  for (const { id } of ofMilestone) {
    for (let after = 0; ;) {
      const rows = await q
        .select({ testId: runTests.testId, status: runTests.status, at: runTests.updatedAt })
        .from(runTests)
        .where(and(eq(runTests.runId, id), gt(runTests.testId, after), ne(runTests.status, 'untested')))
        .orderBy(asc(runTests.testId))
        .limit(rowsAtOnce);
      for (const { testId, status, at } of rows)
        if (at !== null && at >= (newest.get(testId)?.at ?? 0)) newest.set(testId, { status, at });
      const last = rows.at(-1);
      if (turnIsOver()) await nextTurn(signal);
      if (!last || rows.length < rowsAtOnce) break;
      after = last.testId;
    }
  }
  return newest;
}
