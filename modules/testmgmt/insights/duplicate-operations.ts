import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { together } from '../../../core/db/query/db.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { insightOperation } from '../base/operation.ts';
import { everyIdOfQuery, summariesOf } from '../cases/case-query-store.ts';
import { projectFor } from '../projects/project-store.ts';
import { askQuery } from '../query/query-store.ts';
import { duplicatesAmong } from './duplicate-store.ts';
import { narrowed } from './insight-parameters.ts';
import { insightTestFields } from './insight-record.ts';
import { insightTests } from './ranked-test-store.ts';

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
