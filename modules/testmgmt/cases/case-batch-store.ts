import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/db.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { tests } from '../schema.ts';
import { labelsOf } from './case-record-store.ts';
import { testRecordOf, type TestRecord } from './case-record.ts';
import { referencesOf } from './case-reference-store.ts';
import { stepsLength } from './case-steps.ts';
import type { Test } from './case-store.ts';

/** How many tests are read at once at most, and how much text they may have together before fewer are: some 3 ms. */
const mostAtOnce = 100;
const textAtOnce = 256 * 1024;

const testsAfter = prepared<{ projectId: number; after: number; limit: number }, Test>(
  (q) =>
    q
      .select()
      .from(tests)
      .where(
        and(
          eq(tests.projectId, sql.placeholder('projectId')),
          gt(tests.id, sql.placeholder('after')),
          isNull(tests.deletedAt),
        ),
      )
      .orderBy(asc(tests.id))
      .limit(sql.placeholder('limit')),
  'testmgmt_tests_after',
);

/**
 * The whole records of a project's tests that are not deleted, oldest first, in batches, with requests let in between. Read one
 * batch after the other and not in one transaction: each test is as it is at one moment, two tests may be of two moments.
 */
export async function* testBatches(
  q: Query,
  projectId: number,
  signal: AbortSignal,
): AsyncGenerator<readonly TestRecord[]> {
  const references = await referencesOf(q, projectId);
  let limit = 10;
  for (let after = 0; ;) {
    const rows = await testsAfter(q, { projectId, after, limit });
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    const labels = await labelsOf(
      q,
      rows.map(({ id }) => id),
    );
    yield rows.map((test) => testRecordOf(test, labels.get(test.id) ?? [], references));
    // The tests that follow are most likely of the same kind.
    const text = rows.reduce((sum, test) => sum + textOf(test), 0);
    limit = Math.max(1, Math.min(mostAtOnce, Math.floor((textAtOnce * rows.length) / Math.max(1, text))));
    if (turnIsOver()) await nextTurn(signal);
  }
}

const textOf = ({ description, preconditions, steps }: Test): number =>
  description.length + preconditions.length + stepsLength(steps);
