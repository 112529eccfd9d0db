import { and, asc, sql, type SQL } from 'drizzle-orm';
import { amongSelected, blocksWhileItRuns, countRows, inValues } from '../../../core/db/columns.ts';
import { rowsInOrder, type CountedPage, type Page } from '../../../core/db/counted-page.ts';
import type { Query } from '../../../core/db/db.ts';
import { partsInTurns } from '../../../core/turns.ts';
import { deepestSortedRow, idsOfQuery, sortTooDeep } from '../query/query-page-store.ts';
import type { AskedQuery } from '../query/query-store.ts';
import { tests } from '../schema.ts';
import { idsPerQuery } from '../statement-sizes.ts';
import { matching, summaryColumns, type TestFilter, type TestSummary } from './case-store.ts';

interface Asked {
  readonly projectId: number;
  readonly filter: TestFilter;
  readonly asked: AskedQuery;
}

/**
 * One page of the tests that a query chooses, in its order and then by id, and their number. On PostgreSQL both statements are started
 * at once; on SQLite the tests are looked at in steps.
 */
export async function pageOfQuery(
  q: Query,
  { projectId, filter, asked }: Asked,
  page: Page & { readonly signal: AbortSignal },
): Promise<CountedPage<TestSummary>> {
  const base = matching(projectId, filter, { deleted: asked.seesDeleted });
  if (!blocksWhileItRuns) return pageAtOnce(q, and(base, asked.where(q)), asked, page);
  if (await asked.fewRows(q)) return pageAtOnce(q, and(base, asked.where(q, { driven: true })), asked, page);
  const source = { from: sql`${tests}`, id: tests.id, base };
  const { total, ids } = await idsOfQuery(q, source, asked, page);
  const rows = await q.select(summaryColumns).from(tests).where(inValues(tests.id, ids));
  return { total, rows: rowsInOrder(ids, rows, ({ id }) => id) };
}

/** The ids of all tests that a query chooses, in its order. @throws Fault QUERY_TOO_EXPENSIVE when it sorts too many. */
export async function everyIdOfQuery(
  q: Query,
  { projectId, filter, asked }: Asked,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const base = matching(projectId, filter, { deleted: asked.seesDeleted });
  const source = { from: sql`${tests}`, id: tests.id, base };
  const sorted = asked.orderBy.length > 0;
  const page = { limit: sorted ? deepestSortedRow : Number.MAX_SAFE_INTEGER, offset: 0, signal };
  const { ids, total } = await idsOfQuery(q, source, asked, page);
  if (sorted && total > ids.length) throw sortTooDeep();
  return ids;
}

/** The number of tests that a query chooses, by priority and automation status. */
export async function countOfQuery(q: Query, given: Asked, signal: AbortSignal) {
  const unsorted = { ...given, asked: { ...given.asked, orderBy: [] } };
  const groups = new Map<
    string,
    { priorityId: number | null; automationStatusId: number | null; count: number }
  >();
  for await (const ids of partsInTurns(await everyIdOfQuery(q, unsorted, signal), idsPerQuery, signal)) {
    const rows = await q
      .select({
        priorityId: tests.priorityId,
        automationStatusId: tests.automationStatusId,
        count: countRows(),
      })
      .from(tests)
      .where(inValues(tests.id, ids))
      .groupBy(tests.priorityId, tests.automationStatusId);
    for (const row of rows) {
      const key = `${row.priorityId} ${row.automationStatusId}`;
      groups.set(key, { ...row, count: row.count + (groups.get(key)?.count ?? 0) });
    }
  }
  return [...groups.values()];
}

async function pageAtOnce(
  q: Query,
  where: SQL | undefined,
  { orderBy }: AskedQuery,
  { limit, offset }: Page,
): Promise<CountedPage<TestSummary>> {
  const order = [...orderBy, asc(tests.id)];
  const wanted = q
    .select({ id: tests.id })
    .from(tests)
    .where(where)
    .orderBy(...order)
    .limit(limit)
    .offset(offset);
  const [rows, [counted]] = await Promise.all([
    q
      .select(summaryColumns)
      .from(tests)
      .where(amongSelected(tests.id, wanted))
      .orderBy(...order),
    q.select({ total: countRows() }).from(tests).where(where),
  ]);
  return { total: counted?.total ?? 0, rows };
}
