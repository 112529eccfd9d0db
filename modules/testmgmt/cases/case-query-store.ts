import { and, asc, eq, sql, type SQL } from 'drizzle-orm';
import { amongSelected, blocksWhileItRuns, countRows, inValues } from '../../../core/db/columns.ts';
import type { CountedPage, Page } from '../../../core/db/counted-page.ts';
import type { Query } from '../../../core/db/db.ts';
import { partsInTurns } from '../../../core/turns.ts';
import { deepestSortedRow, idsOfQuery, sortTooDeep } from '../query/query-page-store.ts';
import type { AskedQuery } from '../query/query-store.ts';
import { tests } from '../schema.ts';
import { idsPerQuery } from '../statement-sizes.ts';
import { matching, summaryColumns, type TestFilter, type TestSummary } from './case-store.ts';

/** Which tests of a project count at all: with a query for deleted ones, these too. */
function among(projectId: number, filter: TestFilter, asked: AskedQuery): SQL | undefined {
  if (!asked.seesDeleted) return matching(projectId, filter);
  const { sectionId, priorityId, automationStatusId } = filter;
  return and(
    eq(tests.projectId, projectId),
    sectionId === undefined ? undefined : eq(tests.sectionId, sectionId),
    priorityId === undefined ? undefined : eq(tests.priorityId, priorityId),
    automationStatusId === undefined ? undefined : eq(tests.automationStatusId, automationStatusId),
  );
}

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
  const base = among(projectId, filter, asked);
  if (!blocksWhileItRuns) return pageAtOnce(q, and(base, asked.where(q)), asked, page);
  if (await asked.fewRows(q)) {
    return pageAtOnce(q, and(base, asked.where(q, { driven: true })), asked, page);
  }
  const source = { from: sql`${tests}`, id: tests.id, base };
  const { total, ids } = await idsOfQuery(q, source, asked, page);
  const rows = await q.select(summaryColumns).from(tests).where(inValues(tests.id, ids));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { total, rows: ids.flatMap((id) => byId.get(id) ?? []) };
}

/** The most tests that one call reads or changes by a query. */
export const mostByQuery = 100_000;

/** The ids of all tests that a query chooses, in its order. */
export async function everyIdOfQuery(
  q: Query,
  { projectId, filter, asked }: Asked,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const source = { from: sql`${tests}`, id: tests.id, base: among(projectId, filter, asked) };
  const sorted = asked.orderBy.length > 0;
  const page = { limit: sorted ? deepestSortedRow : mostByQuery, offset: 0, signal };
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
