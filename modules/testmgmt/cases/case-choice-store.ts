import type { Actor } from '../../../core/actor.ts';
import { inValues } from '../../../core/db/columns.ts';
import { rowsInOrder } from '../../../core/db/counted-page.ts';
import type { Query } from '../../../core/db/db.ts';
import { fail } from '../errors.ts';
import { askQuery } from '../query/query-store.ts';
import { tests } from '../schema.ts';
import { everyIdOfQuery } from './case-query-store.ts';

/** Tests that a query chose, in its order. */
export interface ChosenTests {
  readonly ids: readonly number[];
  /** The first ten, for who looks before acting. */
  readonly first: ReadonlyArray<{ readonly testId: number; readonly testName: string }>;
}

const shownTests = 10;
/** The most tests that one call acts on by a query, as by a list of ids. */
const mostByQuery = 100_000;

/**
 * The tests of a project that a query chooses, to act on them.
 * @param most more are refused: one transaction holds all of them.
 * @throws Fault INVALID_QUERY, also for a query for deleted tests; QUERY_TOO_EXPENSIVE when it chooses too many.
 */
export async function chooseTests(
  q: Query,
  actor: Actor,
  { projectId, query }: { readonly projectId: number; readonly query: string },
  {
    most = mostByQuery,
    now,
    signal,
  }: { readonly most?: number; readonly now: number; readonly signal: AbortSignal },
): Promise<ChosenTests> {
  const asked = askQuery(query, actor, { scope: 'tests', projectId, now });
  if (asked.seesDeleted)
    throw fail.INVALID_QUERY('Nothing can be done with deleted tests.', {
      cause: 'query',
      tip: 'Leave out is:deleted, or use restore-test first.',
    });
  await asked.requireNames(q);
  const ids = await everyIdOfQuery(q, { projectId, filter: {}, asked }, signal);
  if (ids.length > most)
    throw fail.QUERY_TOO_EXPENSIVE(
      `The query chooses ${ids.length} tests; at most ${most} are allowed here.`,
      {
        cause: 'query',
        tip: 'Narrow it, e.g. by section:, and call again for the rest; get-tests-count says how many it chooses.',
      },
    );
  const shown = ids.slice(0, shownTests);
  const rows = await q
    .select({ testId: tests.id, testName: tests.name })
    .from(tests)
    .where(inValues(tests.id, shown));
  return { ids, first: rowsInOrder(shown, rows, ({ testId }) => testId) };
}

/** @throws Fault NOTHING_TO_UPDATE when the query chose no test. */
export function requireSome({ ids }: ChosenTests): void {
  if (ids.length > 0) return;
  throw fail.NOTHING_TO_UPDATE('No test fits the query; nothing was written.', {
    cause: 'query',
    tip: 'Try the query with get-tests first.',
  });
}
