import { and, asc, eq, getTableColumns, gt, isNull, sql } from 'drizzle-orm';
import { inValues } from '../../../core/db/query/columns.ts';
import { rowsInOrder } from '../../../core/db/query/counted-page.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { tests } from '../base/schema.ts';
import { labelsAsOf, labelsOf } from './case-record-store.ts';
import { testsAsOf } from '../versions/as-of-store.ts';
import { linksByTest } from '../links/link-store.ts';
import { exportedLinksOf } from '../links/link-record.ts';
import { testRecordOf, type TestRecord } from './case-record.ts';
import { referencesOf } from './case-reference-store.ts';
import { stepsLength } from './case-steps.ts';
import type { Test } from './case-store.ts';

/** Tests, and characters, that one statement reads: about 3 ms. */
const maxAtOnce = 100;
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

/** In the given order, without those that were deleted meanwhile. */
async function testsByIds(q: Query, ids: readonly number[], asOf: number | null): Promise<readonly Test[]> {
  const rows = await q
    .select(getTableColumns(tests))
    .from(asOf === null ? tests : testsAsOf(asOf))
    .where(inValues(tests.id, ids));
  return rowsInOrder(ids, rows, 'id');
}

interface Batches {
  readonly projectId: number;
  readonly ids?: readonly number[] | undefined;
  /** The given tests as they were at this time, in epoch milliseconds, without links; null: as they are. */
  readonly asOf?: number | null | undefined;
}

/**
 * The records of a project's tests that are not deleted, oldest first, in batches; or of the given ones in their order. Yields to other
 * requests between batches. Not one transaction: each test is consistent, but two tests may be from different moments.
 */
export async function* testBatches(
  q: Query,
  { projectId, ids, asOf = null }: Batches,
  signal: AbortSignal,
): AsyncGenerator<readonly TestRecord[]> {
  const references = await referencesOf(q, projectId, asOf);
  let limit = 10;
  let done = 0;
  for (let after = 0; ;) {
    const rows = ids
      ? await testsByIds(q, ids.slice(done, done + limit), asOf)
      : await testsAfter(q, { projectId, after, limit });
    done += limit;
    const last = rows.at(-1);
    if (!last && (!ids || done >= ids.length)) return;
    if (!last) continue;
    after = last.id;
    const testIds = rows.map(({ id }) => id);
    const labels =
      asOf === null ? await labelsOf(q, testIds) : await labelsAsOf(q, testIds, asOf, references);
    const links = asOf === null ? await linksByTest(q, testIds) : new Map();
    yield rows.map((test) => ({
      ...testRecordOf(test, labels.get(test.id) ?? [], references),
      ...exportedLinksOf(links.get(test.id) ?? []),
    }));
    // The next tests are probably of similar length.
    const text = rows.reduce((sum, test) => sum + textOf(test), 0);
    limit = Math.max(1, Math.min(maxAtOnce, Math.floor((textAtOnce * rows.length) / Math.max(1, text))));
    if (turnIsOver()) await nextTurn(signal);
  }
}

const textOf = ({ description, preconditions, steps }: Test): number =>
  description.length + preconditions.length + stepsLength(steps);
