import { and, isNotNull } from 'drizzle-orm';
import type { Actor } from '../../../core/base/actor.ts';
import { inValues } from '../../../core/db/query/columns.ts';
import { rowsInOrder, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { everyIdOf, groupsOfQuery, idsOfQuery } from '../query/query-page-store.ts';
import { testsSource } from '../query/query-source-store.ts';
import { asOfMoment } from '../query/query-parameter.ts';
import { askIfGiven, type AskedQuery } from '../query/query-store.ts';
import { tests } from '../base/schema.ts';
import { testsAsOf } from '../versions/as-of-store.ts';
import { matching, summaryColumns, type TestFilter, type TestSummary } from './case-store.ts';

interface Asked {
  readonly projectId: number;
  readonly filter: TestFilter;
  readonly asked: AskedQuery;
  /** Selects only deleted tests, whether or not the query asks for them. */
  readonly onlyDeleted?: boolean;
}

/**
 * The query of a tool that may ask as of a time, by `as-of:` or by its parameter; undefined if it asks for all tests of now.
 * @throws Fault INVALID_QUERY, INVALID_REQUEST.
 */
export function askOfTime(
  {
    projectId,
    query,
    asOf,
  }: {
    readonly projectId: number;
    readonly query?: string | undefined;
    readonly asOf?: string | undefined;
  },
  actor: Actor,
  now: number,
): AskedQuery | undefined {
  const at = asOfMoment(asOf, now);
  return askIfGiven(query ?? (at === null ? undefined : ''), actor, {
    scope: 'tests',
    projectId,
    now,
    asOf: at,
  });
}

function sourceOf({ projectId, filter, asked, onlyDeleted = false }: Asked) {
  const base = matching(projectId, filter, { deleted: onlyDeleted || asked.seesDeleted });
  return testsSource(onlyDeleted ? and(base, isNotNull(tests.deletedAt)) : base, asked);
}

/** One page of the tests that a query selects, in its order and then by id, and their total. */
export async function pageOfQuery(
  q: Query,
  given: Asked,
  page: Page & { readonly signal: AbortSignal },
): Promise<CountedPage<TestSummary>> {
  const { total, ids } = await idsOfQuery(q, sourceOf(given), given.asked, page);
  return { total, rows: await summariesOf(q, ids, given.asked.asOf) };
}

/**
 * Tests by their ids, in this order.
 * @param asOf as they were at this time, in epoch milliseconds; null: as they are.
 */
export async function summariesOf(
  q: Query,
  ids: readonly number[],
  asOf: number | null = null,
): Promise<readonly TestSummary[]> {
  const rows = await q
    .select(summaryColumns)
    .from(asOf === null ? tests : testsAsOf(asOf))
    .where(inValues(tests.id, ids));
  return rowsInOrder(ids, rows, 'id');
}

/** The ids of all tests that a query selects, in its order. @throws Fault QUERY_TOO_EXPENSIVE when it sorts too many. */
export const everyIdOfQuery = (q: Query, given: Asked, signal: AbortSignal): Promise<readonly number[]> =>
  everyIdOf(q, sourceOf(given), given.asked, signal);

/** The number of tests that a query selects, by section and automation status. */
export async function sectionsOfQuery(q: Query, given: Asked, signal: AbortSignal) {
  const columns = [tests.sectionId, tests.automationStatusId] as const;
  const groups = await groupsOfQuery(q, sourceOf(given), given.asked, columns, signal);
  return groups.map(({ first, second, count }) => ({ sectionId: first, automationStatusId: second, count }));
}

/** The number of tests that a query selects, by priority and automation status. */
export async function countOfQuery(q: Query, given: Asked, signal: AbortSignal) {
  const columns = [tests.priorityId, tests.automationStatusId] as const;
  const groups = await groupsOfQuery(q, sourceOf(given), given.asked, columns, signal);
  return groups.map(({ first, second, count }) => ({ priorityId: first, automationStatusId: second, count }));
}
