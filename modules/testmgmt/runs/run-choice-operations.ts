import { Type } from '@sinclair/typebox';
import { member } from '../../../core/actor.ts';
import { closedObject } from '../../../core/schema.ts';
import { choiceRecord, choiceRecordOf } from '../cases/case-choice-operations.ts';
import { chooseTests, requireSome } from '../cases/case-choice-store.ts';
import { extraOperation } from '../operation.ts';
import { dryRun, longText, nameText, projectId, queryText } from '../parameters.ts';
import { projectToChange } from '../projects/project-store.ts';
import { changesOfAll } from '../written-changes.ts';
import { runRecord, runRecordOf } from './run-record.ts';
import { insertRun, newRun } from './run-store.ts';

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
  handler: (input, { actor, db, clock, signal, wrote }) =>
    db.tx(async (q) => {
      const { projectId: id, dryRun: dry = false } = input;
      await projectToChange(q, actor, id);
      const now = clock.now();
      const chosen = await chooseTests(q, actor, input, { now, signal });
      if (dry) return choiceRecordOf(chosen, dry);
      requireSome(chosen);
      const run = await insertRun(q, newRun(input, actor.userId, now), chosen.ids, signal);
      const changes = changesOfAll(chosen.ids.length, { runName: run.name });
      wrote({ projectId: id, runId: run.id, changes });
      return { ...choiceRecordOf(chosen, dry), run: runRecordOf(run) };
    }),
});
