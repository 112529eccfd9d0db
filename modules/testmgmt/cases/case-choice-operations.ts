import { Type } from '@sinclair/typebox';
import { member } from '../../../core/actor.ts';
import { closedObject } from '../../../core/schema.ts';
import { extraOperation } from '../operation.ts';
import { dryRun, projectId, queryText, recordsPerCall } from '../parameters.ts';
import { projectToChange } from '../projects/project-store.ts';
import { changesOf, changesOfAll, testRecords } from '../written-changes.ts';
import { chooseTests, requireSome, type ChosenTests } from './case-choice-store.ts';
import { changedTestFields, createSections } from './case-parameters.ts';
import { withSectionIds } from './case-placement-store.ts';
import { loadReferences } from './case-reference-store.ts';
import { requireOneWay } from './case-label-changes.ts';
import { idsIn, requireReferences } from './case-references.ts';
import { requireShortSteps } from './case-steps.ts';
import { changeTests, deleteTests } from './case-write-store.ts';

/** What an operation on the tests of a query answers. */
export const choiceRecord = {
  dryRun: Type.Boolean(),
  count: Type.Integer(),
  first: Type.Array(closedObject({ testId: Type.Integer(), testName: Type.String() })),
};

export const choiceRecordOf = ({ ids, first }: ChosenTests, dry: boolean) => ({
  dryRun: dry,
  count: ids.length,
  first: [...first],
});

export const changeTestsByQuery = extraOperation({
  name: 'change-tests',
  title: 'Change the tests of a query',
  description:
    'Sets the same fields of every test that a query chooses, up to 5,000, all or none. With `dryRun` it only counts them.',
  input: closedObject({
    projectId,
    query: queryText(),
    set: closedObject(changedTestFields, {
      minProperties: 1,
      description: 'The fields, as in update-test; at least one.',
    }),
    create: createSections,
    dryRun,
  }),
  output: closedObject(choiceRecord),
  access: member('write'),
  effect: 'update',
  handler: (input, { actor, db, clock, signal, wrote }) =>
    db.tx(async (q) => {
      const { projectId: id, create = false, dryRun: dry = false } = input;
      await projectToChange(q, actor, id);
      requireShortSteps([input.set]);
      const pathOf = () => 'set.';
      requireOneWay([input.set], pathOf);
      const now = clock.now();
      const chosen = await chooseTests(q, actor, input, { most: recordsPerCall.maxItems, now, signal });
      const making = { create, dryRun: dry, by: actor.userId, now, signal, pathOf };
      const [set = {}] = await withSectionIds(q, id, [input.set], making);
      const known = await loadReferences(q, id, idsIn([set]));
      requireReferences(id, [set], known, { pathOf });
      if (dry) return choiceRecordOf(chosen, dry);
      requireSome(chosen);
      const changes = chosen.ids.map((testId) => ({ test: { id: testId, projectId: id }, fields: set }));
      await changeTests(q, changes, { by: actor.userId, now, signal });
      const changed = changesOfAll(chosen.ids.length, set);
      wrote({ projectId: id, records: testRecords(chosen.ids), changes: changed });
      return choiceRecordOf(chosen, dry);
    }),
});

export const deleteTestsByQuery = extraOperation({
  name: 'delete-tests-by-query',
  title: 'Delete the tests of a query',
  description:
    'Deletes every test that a query chooses, all or none; restore-tests brings them back. With `dryRun` it only counts them.',
  input: closedObject({ projectId, query: queryText(), dryRun }),
  output: closedObject(choiceRecord),
  access: member('write'),
  effect: 'delete',
  handler: (input, { actor, db, clock, signal, wrote }) =>
    db.tx(async (q) => {
      const { projectId: id, dryRun: dry = false } = input;
      await projectToChange(q, actor, id);
      const now = clock.now();
      const chosen = await chooseTests(q, actor, input, { now, signal });
      if (dry) return choiceRecordOf(chosen, dry);
      requireSome(chosen);
      await deleteTests(q, id, chosen.ids, { now, signal });
      const deleted = changesOf(chosen.ids.length);
      wrote({ projectId: id, records: testRecords(chosen.ids), changes: deleted });
      return choiceRecordOf(chosen, dry);
    }),
});
