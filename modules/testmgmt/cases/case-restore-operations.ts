import { Type } from '@sinclair/typebox';
import { member } from '../../../core/actor.ts';
import { closedObject } from '../../../core/schema.ts';
import { fail } from '../errors.ts';
import { requireDistinct, testIdList } from '../id-list.ts';
import { extraOperation } from '../operation.ts';
import { dryRun, idList, projectId, queryText } from '../parameters.ts';
import { projectToChange } from '../projects/project-store.ts';
import { changesOf, testRecords } from '../written-changes.ts';
import { choiceRecord, choiceRecordOf } from './case-choice-operations.ts';
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
  handler: async (input, { actor, db, clock, signal, wrote }) => {
    const { projectId: id, testIds, query, dryRun: dry = false } = input;
    if ((testIds === undefined) === (query === undefined))
      throw fail.INVALID_REQUEST('Give either testIds or query.', {
        cause: testIds === undefined ? 'testIds' : 'query',
        tip: 'Give restore-tests testIds, or a query as in get-tests, e.g. label:smoke.',
      });
    if (testIds) requireDistinct(testIds, testIdList);
    return db.tx(async (q) => {
      await projectToChange(q, actor, id);
      const now = clock.now();
      const chosen =
        query === undefined
          ? await deletedAmong(q, id, testIds ?? [], signal)
          : await chooseTests(q, actor, { projectId: id, query }, { deleted: true, now, signal });
      if (dry) return choiceRecordOf(chosen, dry);
      if (query !== undefined) requireSome(chosen);
      await undeleteTests(q, id, chosen.ids, { by: actor.userId, now, signal });
      const changes = changesOf(chosen.ids.length);
      wrote({ projectId: id, records: testRecords(chosen.ids), changes });
      return choiceRecordOf(chosen, dry);
    });
  },
});
