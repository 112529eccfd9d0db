import { Type } from '@sinclair/typebox';
import { member } from '../../../core/actor.ts';
import { closedObject } from '../../../core/schema.ts';
import { choiceRecord, dryRun } from '../cases/case-choice-operations.ts';
import { chooseTests, requireSome } from '../cases/case-choice-store.ts';
import { extraOperation } from '../operation.ts';
import { longText, nameText, projectId, queryText } from '../parameters.ts';
import { projectToChange } from '../projects/project-store.ts';
import { runRecord, runRecordOf } from './run-record.ts';
import { insertRun } from './run-store.ts';

export const createRunFromQuery = extraOperation({
  name: 'create-run-from-query',
  title: 'Create a run of the tests of a query',
  description:
    'Creates a run of every test that a query chooses now, each untested. With `dryRun` it only counts them.',
  input: closedObject({
    projectId,
    query: queryText(),
    runName: nameText('What people call it.'),
    runDescription: Type.Optional(longText('What it is for.')),
    dryRun,
  }),
  output: closedObject({ ...choiceRecord, run: Type.Optional(runRecord) }),
  access: member('write'),
  effect: 'create',
  handler: (input, { actor, db, clock, signal }) =>
    db.tx(async (q) => {
      const { projectId: id, dryRun: dry = false } = input;
      await projectToChange(q, actor, id);
      const now = clock.now();
      const chosen = await chooseTests(q, actor, input, { now, signal });
      const answer = { dryRun: dry, count: chosen.ids.length, first: [...chosen.first] };
      if (dry) return answer;
      requireSome(chosen);
      const row = {
        projectId: id,
        name: input.runName.trim(),
        description: input.runDescription?.trim() ?? '',
        createdBy: actor.userId,
        createdAt: now,
      };
      return { ...answer, run: runRecordOf(await insertRun(q, row, chosen.ids, signal)) };
    }),
});
