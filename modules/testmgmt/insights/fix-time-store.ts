import { asc, gte, and } from 'drizzle-orm';
import { blocksWhileItRuns, inValues } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { results } from '../base/schema.ts';
import { fixTimesOf, type FixTimes } from './fix-time.ts';

/** Tests whose history one statement reads: about 3 ms at 20 results each, on the engine where that blocks others. */
const testsPerRead = blocksWhileItRuns ? 100 : 1_000;

/** How long tests failed before they passed again, since a given time, from their history. Tests that were never fixed are omitted. */
export async function fixTimesOfTests(
  q: Query,
  testIds: readonly number[],
  { since, signal }: { readonly since: number; readonly signal: AbortSignal },
): Promise<ReadonlyMap<number, FixTimes>> {
  const found = new Map<number, FixTimes>();
  for await (const ids of partsInTurns(testIds, testsPerRead, signal)) {
    const rows = await q
      .select({ testId: results.testId, status: results.status, at: results.at })
      .from(results)
      .where(and(inValues(results.testId, ids), gte(results.at, since)))
      .orderBy(asc(results.testId), asc(results.id));
    for (const [testId, ofTest] of Map.groupBy(rows, (row) => row.testId)) {
      const times = fixTimesOf(ofTest);
      if (times) found.set(testId, times);
    }
  }
  return found;
}
