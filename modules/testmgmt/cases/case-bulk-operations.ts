import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, recordId, words } from '../../../core/base/schema.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import type { WriteSubject } from '../../../core/base/write-entry.ts';
import { fail } from '../base/errors.ts';
import { firstProblems, requireDistinct, testIdList, type IdList } from '../base/id-list.ts';
import { operation } from '../base/operation.ts';
import { idList, nameText, projectId, recordsPerCall } from '../base/parameters.ts';
import { requireFieldValues } from '../fields/field-value-store.ts';
import { becomesProposals, orProposed, proposeInstead } from '../proposals/proposed-write.ts';
import { projectToChange } from '../projects/project-store.ts';
import { changesOf, changesOfMany, testRecords, unchanged } from '../base/written-changes.ts';
import { changedTestFields, createSections, newTestFields } from './case-parameters.ts';
import { withSectionIds } from './case-placement-store.ts';
import { proposalsOfChanges, proposalsOfDeletion, proposalsOfNew } from './case-proposals.ts';
import { writtenTests } from './case-record.ts';
import { loadReferences } from './case-reference-store.ts';
import { requireOneWay } from './case-label-changes.ts';
import { idsIn, requireReferences } from './case-references.ts';
import { requireShortSteps } from './case-steps.ts';
import { testsToChange, type ChangedFields } from './case-store.ts';
import { changeTests, deleteTests, insertTests } from './case-write-store.ts';

const pathOf = (index: number) => `tests[${index}].`;

/** The parameter of bulk-update-tests. */
const changedTests: IdList = { parameter: 'tests', inside: '.testId' };

/** What a bulk write returns. Ids by default: 5,000 names cost a model 100,000 tokens, although it sent them itself. */
const returned = Type.Optional(
  words(['ids', 'records'], { default: 'ids', description: 'records: with the names.' }),
);

const written = (
  tests: ReadonlyArray<{ readonly testId: number; readonly testName: string }>,
  wanted: 'ids' | 'records',
) => ({
  total: tests.length,
  tests: wanted === 'records' ? [...tests] : tests.map(({ testId }) => ({ testId })),
});

/** Tests of a project whose changes need a review, beside others: a half of the call would be written. */
const severalProjects = (ids: readonly number[]) =>
  fail.REVIEW_REQUIRED(`Changes of tests of project ${ids.join(', ')} need a review. Nothing was written.`, {
    cause: 'review',
    tip: 'Send the tests of each project in a call of its own: those of this one become proposals.',
  });

export const bulkAddTests = operation({
  name: 'bulk-add-tests',
  title: 'Create many tests',
  description: 'Creates up to 5,000 tests in a project, all or none.',
  input: closedObject({
    projectId,
    tests: Type.Array(closedObject({ testName: nameText('What the test checks.'), ...newTestFields }), {
      ...recordsPerCall,
      description: 'The tests.',
    }),
    create: createSections,
    return: returned,
  }),
  output: orProposed(writtenTests),
  access: member('write'),
  effect: 'create',
  handler: ({ projectId: id, tests, create = false, return: wanted = 'ids' }, context) =>
    context.db.tx(async (q) => {
      const { actor, surface, clock, signal, wrote } = context;
      const project = await projectToChange(q, actor, id);
      requireShortSteps(tests, pathOf);
      const now = clock.now();
      if (becomesProposals(project, surface, tests.length)) {
        const proposals = await proposalsOfNew(
          q,
          { projectId: id, items: tests, create, signal, pathOf },
          context,
        );
        const { answer, subject } = await proposeInstead(q, id, proposals, { ...context, now });
        wrote(subject);
        return answer;
      }
      const items = await withSectionIds(q, id, tests, { create, by: actor.userId, now, signal, pathOf });
      const known = await loadReferences(q, id, idsIn(items, { fields: true }));
      requireReferences(id, items, known, { pathOf });
      await requireFieldValues(q, items, { projectId: id, known: known.fields, isNew: true, pathOf });
      if (turnIsOver()) await nextTurn(signal);
      const given = { projectId: id, items, by: actor.userId, now, signal };
      const stored = await insertTests(q, given);
      wrote({ projectId: id, records: testRecords(stored), changes: changesOf(stored.length) });
      const rows = stored.map((testId, at) => ({ testId, testName: items[at]?.testName.trim() ?? '' }));
      return written(rows, wanted);
    }),
});

export const bulkUpdateTests = operation({
  name: 'bulk-update-tests',
  title: 'Change many tests',
  description: 'Changes the given fields of up to 5,000 tests, all or none; null clears one.',
  input: closedObject({
    tests: Type.Array(
      closedObject({
        testId: recordId('From get-tests.'),
        ...changedTestFields,
      }),
      { ...recordsPerCall, description: 'One item per test.' },
    ),
    create: createSections,
    return: returned,
  }),
  output: orProposed(writtenTests),
  access: member('write'),
  effect: 'update',
  handler: ({ tests: items, create = false, return: wanted = 'ids' }, context) => {
    const { actor, surface, db, clock, signal, wrote } = context;
    const ids = items.map(({ testId }) => testId);
    requireDistinct(ids, changedTests);
    const empty = items.flatMap((item, index) => (Object.keys(item).length === 1 ? [`tests[${index}]`] : []));
    if (empty.length > 0) {
      throw fail.NOTHING_TO_UPDATE(`No field is given in ${firstProblems(empty)}. Nothing was written.`, {
        cause: 'tests',
        tip: 'Give each test at least one field besides testId, e.g. testName; bulk-update-tests takes the fields of update-test.',
      });
    }
    requireShortSteps(items, pathOf);
    requireOneWay(items, pathOf);
    return db.tx(async (q) => {
      const { found, projects } = await testsToChange(q, actor, ids, { list: changedTests, signal });
      if (turnIsOver()) await nextTurn(signal);
      const now = clock.now();
      const reviewed = projects.filter((project) => becomesProposals(project, surface, ids.length));
      const [project] = reviewed;
      if (project) {
        if (projects.length > 1) throw severalProjects(reviewed.map(({ id }) => id));
        const changed = items.map((item) => {
          const { testId: _, ...fields } = item;
          return fields;
        });
        const given = { projectId: project.id, testIds: ids, items: changed, create, signal, pathOf };
        const proposals = await proposalsOfChanges(q, given, context);
        if (proposals.length === 0) {
          wrote({ projectId: project.id, changes: unchanged });
          return written(
            found.map(({ id, name }) => ({ testId: id, testName: name })),
            wanted,
          );
        }
        const { answer, subject } = await proposeInstead(q, project.id, proposals, { ...context, now });
        wrote(subject);
        return answer;
      }
      const given = found.map((test, index) => {
        const { testId: _, ...fields } = items[index] ?? { testId: test.id };
        return { test, fields, index };
      });
      const subjects: WriteSubject[] = [];
      const changes: Array<{ test: (typeof found)[number]; fields: ChangedFields }> = [];
      for (const [project, ofProject] of Map.groupBy(given, ({ test }) => test.projectId)) {
        const at = (nth: number) => pathOf(ofProject[nth]?.index ?? nth);
        const unplaced = ofProject.map(({ fields }) => fields);
        const making = { create, by: actor.userId, now, signal, pathOf: at };
        const placed = await withSectionIds(q, project, unplaced, making);
        const known = await loadReferences(q, project, idsIn(placed));
        requireReferences(project, placed, known, { pathOf: at });
        await requireFieldValues(q, placed, { projectId: project, known: known.fields, pathOf: at });
        for (const [nth, { test, index }] of ofProject.entries())
          changes[index] = { test, fields: placed[nth] ?? {} };
        const records = testRecords(ofProject.map(({ test }) => test.id));
        subjects.push({ projectId: project, records, changes: changesOfMany(placed) });
      }
      wrote(...subjects);
      if (turnIsOver()) await nextTurn(signal);
      await changeTests(q, changes, { by: actor.userId, now, signal });
      const rows = changes.map(({ test, fields }) => ({
        testId: test.id,
        testName: fields.testName?.trim() ?? test.name,
      }));
      return written(rows, wanted);
    });
  },
});

export const bulkDeleteTests = operation({
  name: 'bulk-delete-tests',
  title: 'Delete many tests',
  description: 'Deletes tests of a project, all or none; their results stay.',
  input: closedObject({ projectId, testIds: idList('From get-tests, each once.') }),
  output: orProposed(closedObject({ projectId: Type.Integer(), deletedCount: Type.Integer() })),
  access: member('write'),
  effect: 'delete',
  confirm: 'restore-tests brings them back.',
  handler: ({ projectId: id, testIds }, context) => {
    const { actor, surface, db, clock, signal, wrote } = context;
    requireDistinct(testIds, testIdList);
    return db.tx(async (q) => {
      const project = await projectToChange(q, actor, id);
      if (becomesProposals(project, surface, testIds.length)) {
        const proposals = await proposalsOfDeletion(q, actor, id, testIds);
        const now = clock.now();
        const { answer, subject } = await proposeInstead(q, id, proposals, { ...context, now });
        wrote(subject);
        return answer;
      }
      await deleteTests(q, id, testIds, { by: actor.userId, now: clock.now(), signal });
      wrote({ projectId: id, records: testRecords(testIds), changes: changesOf(testIds.length) });
      return { projectId: id, deletedCount: testIds.length };
    });
  },
});
