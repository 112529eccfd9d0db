import { and, eq } from 'drizzle-orm';
import type { Actor } from '../../../core/base/actor.ts';
import { inValues } from '../../../core/db/query/columns.ts';
import { rowsInOrder } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { testIdList, unknownIds } from '../base/id-list.ts';
import { askQuery } from '../query/query-store.ts';
import { tests } from '../base/schema.ts';
import { idsPerQuery } from '../base/statement-sizes.ts';
import { everyIdOfQuery } from './case-query-store.ts';

/** Tests that a query chose, in its order. */
export interface ChosenTests {
  readonly ids: readonly number[];
  /** The first ten, for callers who preview before acting. */
  readonly first: ReadonlyArray<{ readonly testId: number; readonly testName: string }>;
}

const shownTests = 10;
/** The most tests that one call may change, by a query or by a list of ids. */
export const mostByQuery = 100_000;

/**
 * The tests of a project that a query selects for a change.
 * @param most more are refused, because one transaction locks all of them.
 * @param deleted selects only deleted tests instead of only existing ones.
 * @throws Fault INVALID_QUERY, also for a query for deleted tests; QUERY_TOO_EXPENSIVE when it selects too many.
 */
export async function chooseTests(
  q: Query,
  actor: Actor,
  { projectId, query }: { readonly projectId: number; readonly query: string },
  {
    most = mostByQuery,
    deleted = false,
    now,
    signal,
  }: {
    readonly most?: number;
    readonly deleted?: boolean;
    readonly now: number;
    readonly signal: AbortSignal;
  },
): Promise<ChosenTests> {
  const asked = askQuery(query, actor, { scope: 'tests', projectId, now });
  if (asked.seesDeleted && !deleted)
    throw fail.INVALID_QUERY('Nothing can be done with deleted tests.', {
      cause: 'query',
      tip: 'Leave out is:deleted, or use restore-tests first.',
    });
  await asked.requireNames(q);
  const ids = await everyIdOfQuery(q, { projectId, filter: {}, asked, onlyDeleted: deleted }, signal);
  if (ids.length > most)
    throw fail.QUERY_TOO_EXPENSIVE(
      `The query chooses ${ids.length} tests; at most ${most} are allowed here.`,
      {
        cause: 'query',
        tip: 'Narrow it, e.g. by section:, and call again for the rest; get-tests-count says how many it chooses.',
      },
    );
  return { ids, first: await firstTests(q, ids) };
}

/** The first ten, with their names. */
export async function firstTests(q: Query, ids: readonly number[]) {
  const shown = ids.slice(0, shownTests);
  const rows = await q
    .select({ testId: tests.id, testName: tests.name })
    .from(tests)
    .where(inValues(tests.id, shown));
  return rowsInOrder(shown, rows, 'testId');
}

/**
 * Those of the given tests that are deleted, in the given order.
 * @throws Fault NOT_IN_PROJECT that names by index the tests that are not in the project.
 */
export async function deletedAmong(
  q: Query,
  projectId: number,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<ChosenTests> {
  const known = new Map<number, number | null>();
  for await (const ids of partsInTurns(testIds, idsPerQuery, signal)) {
    const rows = await q
      .select({ id: tests.id, deletedAt: tests.deletedAt })
      .from(tests)
      .where(and(inValues(tests.id, ids), eq(tests.projectId, projectId)));
    for (const { id, deletedAt } of rows) known.set(id, deletedAt);
  }
  if (known.size < testIds.length) {
    const unknown = unknownIds(testIds, known, testIdList);
    throw fail.NOT_IN_PROJECT(`Not tests of project ${projectId}: ${unknown}. Nothing was written.`, {
      cause: 'testIds',
      tip: 'get-tests with the query is:deleted lists the deleted tests of a project.',
    });
  }
  const ids = testIds.filter((id) => known.get(id) !== null);
  return { ids, first: await firstTests(q, ids) };
}

/** @throws Fault NOTHING_TO_UPDATE when the query chose no test. */
export function requireSome({ ids }: ChosenTests): void {
  if (ids.length > 0) return;
  throw fail.NOTHING_TO_UPDATE('No test fits the query; nothing was written.', {
    cause: 'query',
    tip: 'Try the query with get-tests first.',
  });
}
