import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Surface } from '../../../core/base/write-entry.ts';
import type { Context } from '../../../core/host/host.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { extraOperation } from '../base/operation.ts';
import { dryRun, projectId, queryText, recordsPerCall } from '../base/parameters.ts';
import { requireFieldValues } from '../fields/field-value-store.ts';
import { projectToChange } from '../projects/project-store.ts';
import { changesOf, changesOfAll, testRecords } from '../base/written-changes.ts';
import { chooseTests, requireSome, type ChosenTests } from './case-choice-store.ts';
import { changedTestFields, createSections } from './case-parameters.ts';
import { withSectionIds } from './case-placement-store.ts';
import { loadReferences } from './case-reference-store.ts';
import { requireOneWay } from './case-label-changes.ts';
import { idsIn, requireReferences } from './case-references.ts';
import { requireShortSteps } from './case-steps.ts';
import { changeTests, deleteTests } from './case-write-store.ts';

/** The result of an operation on the tests that a query selects. */
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

type Choice = ReturnType<typeof choiceRecordOf>;

/**
 * Acts on chosen tests in one transaction that locks their project; with `dryRun` it only reports them. A call that would be refused
 * because its project needs reviews is refused then, too: nobody is asked to agree to it.
 * @param given `testsFrom`: it changes what tests say, and the call comes from there.
 * @param choose the tests, and any other check before the write.
 * @param act writes, and returns additional fields of the result.
 */
export const actOnChosen = <C extends ChosenTests, R extends object>(
  {
    projectId: id,
    dryRun: dry = false,
    testsFrom,
  }: { readonly projectId: number; readonly dryRun?: boolean; readonly testsFrom?: Surface },
  { actor, db, clock }: Pick<Context, 'actor' | 'db' | 'clock'>,
  choose: (q: Query, now: number) => Promise<C>,
  act: (q: Query, chosen: C, author: { readonly by: number; readonly now: number }) => Promise<R>,
): Promise<Choice | (Choice & R)> =>
  db.tx(async (q) => {
    await projectToChange(q, actor, id, testsFrom === undefined ? {} : { testsFrom });
    const now = clock.now();
    const chosen = await choose(q, now);
    if (dry) return choiceRecordOf(chosen, dry);
    const added = await act(q, chosen, { by: actor.userId, now });
    return { ...choiceRecordOf(chosen, dry), ...added };
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
  handler: (input, context) => {
    const { projectId: id, create = false, dryRun: dry = false } = input;
    const { actor, surface, signal, wrote } = context;
    const pathOf = () => 'set.';
    return actOnChosen(
      { ...input, testsFrom: surface },
      context,
      async (q, now) => {
        requireShortSteps([input.set]);
        requireOneWay([input.set], pathOf);
        const chosen = await chooseTests(q, actor, input, { most: recordsPerCall.maxItems, now, signal });
        const making = { create, dryRun: dry, by: actor.userId, now, signal, pathOf };
        const [set = {}] = await withSectionIds(q, id, [input.set], making);
        const known = await loadReferences(q, id, idsIn([set]));
        requireReferences(id, [set], known, { pathOf });
        await requireFieldValues(q, [set], { projectId: id, known: known.fields, pathOf });
        return { ...chosen, set };
      },
      async (q, chosen, author) => {
        requireSome(chosen);
        const { ids, set } = chosen;
        const changes = ids.map((testId) => ({ test: { id: testId, projectId: id }, fields: set }));
        await changeTests(q, changes, { ...author, signal });
        wrote({ projectId: id, records: testRecords(ids), changes: changesOfAll(ids.length, set) });
        return {};
      },
    );
  },
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
  confirm: 'restore-tests brings them back.',
  handler: (input, context) => {
    const { projectId: id } = input;
    const { actor, surface, signal, wrote } = context;
    return actOnChosen(
      { ...input, testsFrom: surface },
      context,
      async (q, now) => {
        const chosen = await chooseTests(q, actor, input, { now, signal });
        // Also a dry run: over MCP a person is asked after it, and not about nothing.
        requireSome(chosen);
        return chosen;
      },
      async (q, { ids }, author) => {
        await deleteTests(q, id, ids, { ...author, signal });
        wrote({ projectId: id, records: testRecords(ids), changes: changesOf(ids.length) });
        return {};
      },
    );
  },
});
