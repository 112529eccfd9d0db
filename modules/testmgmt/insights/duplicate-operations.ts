import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { inValues } from '../../../core/db/query/columns.ts';
import { together, type Query } from '../../../core/db/query/db.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { insightOperation } from '../base/operation.ts';
import { tests } from '../base/schema.ts';
import { everyIdOfQuery, summariesOf } from '../cases/case-query-store.ts';
import { projectFor } from '../projects/project-store.ts';
import { askQuery } from '../query/query-store.ts';
import { DuplicateNames } from '../rules/duplicate-name.ts';
import { narrowed } from './insight-parameters.ts';
import { insightTestFields } from './insight-record.ts';
import { insightTests } from './ranked-test-store.ts';

/** Names that one statement reads: about 2 ms. */
const namesAtOnce = 1_000;
/** Tests of a group that are shown. */
const shownOfGroup = 10;

export const getDuplicateTests = insightOperation({
  name: 'get-duplicate-tests',
  title: 'List tests with the same name',
  description:
    'Lists groups of tests that have the same name, whatever its case and spaces, the largest first; of each group the oldest ' +
    `${shownOfGroup} tests. merge-tests joins two.`,
  input: closedObject({ ...narrowed, ...paging }),
  output: page(
    'groups',
    closedObject({ count: Type.Integer(), tests: Type.Array(closedObject(insightTestFields)) }),
  ),
  access: member('read'),
  effect: 'read',
  handler: (input, { actor, db, clock, signal }) =>
    db.reads(async (q) => {
      const { projectId, query = '' } = input;
      const { limit, offset } = pageOf(input);
      const asked = askQuery(query, actor, { scope: 'tests', projectId, now: clock.now() });
      const [, , ids] = await together([
        projectFor(q, actor, projectId, 'read'),
        asked.requireNames(q),
        everyIdOfQuery(q, { projectId, filter: {}, asked: { ...asked, sort: [] } }, signal),
      ]);
      const groups = await duplicatesAmong(q, ids, signal);
      const chosen = groups.slice(offset, offset + limit);
      const shownIds = chosen.flatMap(({ testIds }) => testIds.slice(0, shownOfGroup));
      const rows = await insightTests(q, projectId, await summariesOf(q, shownIds));
      const shownById = new Map(rows.map(({ test, shown }) => [test.id, shown]));
      return {
        total: groups.length,
        limit,
        offset,
        groups: chosen.map(({ testIds }) => ({
          count: testIds.length,
          tests: testIds.flatMap((id) => shownById.get(id) ?? []),
        })),
      };
    }),
});

async function duplicatesAmong(q: Query, ids: readonly number[], signal: AbortSignal) {
  const names = new DuplicateNames();
  for await (const part of partsInTurns(ids, namesAtOnce, signal)) {
    const rows = await q
      .select({ id: tests.id, name: tests.name })
      .from(tests)
      .where(inValues(tests.id, part));
    for (const { id, name } of rows) names.see(id, name);
  }
  return names.groups();
}
