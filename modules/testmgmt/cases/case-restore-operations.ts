import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { fail } from '../base/errors.ts';
import { requireDistinct, testIdList } from '../base/id-list.ts';
import { extraOperation } from '../base/operation.ts';
import { dryRun, idList, projectId, queryText } from '../base/parameters.ts';
import { changesOf, testRecords } from '../base/written-changes.ts';
import { actOnChosen, choiceRecord } from './case-choice-operations.ts';
import { chooseTests, deletedAmong, requireSome } from './case-choice-store.ts';
import { undeleteTests } from './case-write-store.ts';

export const restoreTests = extraOperation({
  name: 'restore-tests',
  title: 'Restore deleted tests',
  description:
    'Restores deleted tests, by ids or by a query among the deleted ones (get-tests with is:deleted lists them), all or none; each ' +
    'without its section if that is deleted. Tests that are not deleted stay unchanged. With `dryRun` it only counts them.',
  input: closedObject({
    projectId,
    testIds: Type.Optional(idList('Each once.')),
    query: Type.Optional(queryText()),
    dryRun,
  }),
  output: closedObject(choiceRecord),
  access: member('write'),
  effect: 'update',
  additive: true,
  handler: async (input, context) => {
    const { projectId: id, testIds, query } = input;
    const { actor, signal, wrote } = context;
    if ((testIds === undefined) === (query === undefined))
      throw fail.INVALID_REQUEST('Give either testIds or query.', {
        cause: testIds === undefined ? 'testIds' : 'query',
        tip: 'Give restore-tests testIds, or a query as in get-tests, e.g. label:smoke.',
      });
    if (testIds) requireDistinct(testIds, testIdList);
    return actOnChosen(
      input,
      context,
      (q, now) =>
        query === undefined
          ? deletedAmong(q, id, testIds ?? [], signal)
          : chooseTests(q, actor, { projectId: id, query }, { deleted: true, now, signal }),
      async (q, chosen, author) => {
        if (query !== undefined) requireSome(chosen);
        const { ids } = chosen;
        await undeleteTests(q, id, ids, { ...author, signal });
        wrote({ projectId: id, records: testRecords(ids), changes: changesOf(ids.length) });
        return {};
      },
    );
  },
});
