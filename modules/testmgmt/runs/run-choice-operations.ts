import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { actOnChosen, choiceRecord } from '../cases/case-choice-operations.ts';
import { chooseTests, requireSome } from '../cases/case-choice-store.ts';
import { extraOperation } from '../base/operation.ts';
import { dryRun, longText, nameText, projectId, queryText } from '../base/parameters.ts';
import { changesOfAll } from '../base/written-changes.ts';
import { requireOpenMilestone } from '../milestones/milestone-store.ts';
import { plannedFields, runRecord, runRecordOf } from './run-record.ts';
import { insertRun, newRun } from './run-store.ts';

export const createRunFromQuery = extraOperation({
  name: 'create-run-from-query',
  // Testers ask for this first, although the interface specification does not have it.
  alsoIn: 'testmgmt',
  title: 'Create a run of the tests of a query',
  description:
    'Creates a run of every test that a query chooses now, each untested. With `dryRun` it only counts them.',
  input: closedObject({
    projectId,
    query: queryText(),
    runName: nameText('What people call it.'),
    runDescription: Type.Optional(longText('What it is for.')),
    ...plannedFields,
    dryRun,
  }),
  output: closedObject({ ...choiceRecord, run: Type.Optional(runRecord) }),
  access: member('write'),
  effect: 'create',
  handler: (input, context) => {
    const { actor, signal, wrote } = context;
    return actOnChosen(
      input,
      context,
      async (q, now) => {
        // Before the tests are counted: a dry run says what is wrong with the call, too.
        await requireOpenMilestone(q, input.projectId, input.milestoneId);
        return chooseTests(q, actor, input, { now, signal });
      },
      async (q, chosen, { by, now }) => {
        requireSome(chosen);
        const run = await insertRun(q, newRun(input, by, now), chosen.ids, signal);
        const changes = changesOfAll(chosen.ids.length, { runName: run.name });
        wrote({ projectId: input.projectId, runId: run.id, changes });
        return { run: runRecordOf(run) };
      },
    );
  },
});
