import type { Actor } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { chooseTests, firstTests, type ChosenTests } from '../cases/case-choice-store.ts';
import { notInProject } from '../cases/case-store.ts';
import { fail } from '../base/errors.ts';
import { requireDistinct, testIdList } from '../base/id-list.ts';
import { idsPerQuery } from '../base/statement-sizes.ts';
import { askQuery } from '../query/query-store.ts';
import { everyIdOfRunQuery, liveTestIds, requireInRun } from './run-case-store.ts';
import { statusesIn } from './run-status-store.ts';

/** How a call names tests: by a query or by their ids; with a run, those in it. */
interface GivenTests {
  readonly projectId: number;
  readonly query?: string | undefined;
  readonly testIds?: readonly number[] | undefined;
  readonly runId?: number | undefined;
}

/**
 * The tests that a call names, by a query or by their ids.
 * @param most more are refused, because one transaction locks all of them.
 * @throws Fault INVALID_REQUEST unless exactly one of both is given; INVALID_QUERY, QUERY_TOO_EXPENSIVE, DUPLICATE_ID, NOT_IN_PROJECT,
 * NOT_IN_RUN.
 */
export async function testsGiven(
  q: Query,
  actor: Actor,
  given: GivenTests,
  { most, now, signal }: { readonly most: number; readonly now: number; readonly signal: AbortSignal },
): Promise<ChosenTests> {
  const { projectId, query, testIds, runId } = given;
  if ((query === undefined) === (testIds === undefined))
    throw fail.INVALID_REQUEST('Which tests? Give either query or testIds.', { cause: 'query' });
  if (testIds !== undefined) {
    requireDistinct(testIds, testIdList);
    const known = await liveTestIds(q, projectId, testIds, signal);
    if (known.size < testIds.length) throw notInProject(projectId, testIds, known);
    if (runId !== undefined)
      for await (const ids of partsInTurns(testIds, idsPerQuery, signal))
        requireInRun(runId, ids, await statusesIn(q, runId, ids), testIdList);
    return { ids: testIds, first: await firstTests(q, testIds) };
  }
  if (runId === undefined)
    return chooseTests(q, actor, { projectId, query: query ?? '' }, { most, now, signal });
  const asked = askQuery(query ?? '', actor, { scope: 'run-tests', projectId, now });
  await asked.requireNames(q);
  const ids = await everyIdOfRunQuery(q, runId, asked, signal);
  if (ids.length > most)
    throw fail.QUERY_TOO_EXPENSIVE(
      `The query chooses ${ids.length} tests; at most ${most} are allowed here.`,
      {
        cause: 'query',
        tip: 'Narrow it, e.g. by section:, and call again for the rest.',
      },
    );
  return { ids, first: await firstTests(q, ids) };
}
