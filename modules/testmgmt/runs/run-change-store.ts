import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import { blocksWhileItRuns } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { runTests } from '../base/schema.ts';

/** Tests of a run that one statement examines on SQLite: about 1 ms. */
const lookedAtOnce = 5_000;

interface After extends Record<string, unknown> {
  readonly runId: number;
  readonly after: number;
}

const given = (name: string) => sql.placeholder(name);
const beyond = and(eq(runTests.runId, given('runId')), gt(runTests.testId, given('after')));
const isChanged = gt(runTests.updatedAt, given('since'));

const endAfter = prepared<After, { testId: number }>(
  (q) =>
    q
      .select({ testId: runTests.testId })
      .from(runTests)
      .where(beyond)
      .orderBy(asc(runTests.testId))
      .limit(1)
      .offset(lookedAtOnce - 1),
  'testmgmt_run_tests_end_after',
);

const changedAfter = prepared<
  After & { readonly end: number; readonly since: number; readonly limit: number },
  { testId: number }
>(
  (q) =>
    q
      .select({ testId: runTests.testId })
      .from(runTests)
      .where(and(beyond, lte(runTests.testId, given('end')), isChanged))
      .orderBy(asc(runTests.testId))
      .limit(given('limit')),
  'testmgmt_run_tests_changed_after',
);

/**
 * The tests of a run whose result changed after a time, in id order. Found by the key of the table: an index by time would make each result
 * more expensive to write, only to speed up a search that runs once a second while results arrive. Yields to other requests.
 * @param after only tests with greater ids.
 */
export async function changedTests(
  q: Query,
  { runId, since, limit, ...from }: After & { readonly since: number; readonly limit: number },
  signal: AbortSignal,
): Promise<readonly number[]> {
  const changed: number[] = [];
  for (let { after } = from; ;) {
    const [last] = blocksWhileItRuns ? await endAfter(q, { runId, after }) : [];
    const end = last?.testId ?? Number.MAX_SAFE_INTEGER;
    const rows = await changedAfter(q, { runId, after, end, since, limit: limit - changed.length });
    for (const { testId } of rows) changed.push(testId);
    if (!last || changed.length >= limit) return changed;
    after = last.testId;
    if (turnIsOver()) await nextTurn(signal);
  }
}
