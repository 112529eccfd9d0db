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
import { projectToChange } from '../projects/project-store.ts';
import { changesOf, changesOfMany, testRecords } from '../base/written-changes.ts';
import { changedTestFields, createSections, newTestFields } from './case-parameters.ts';
import { withSectionIds } from './case-placement-store.ts';
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
  output: writtenTests,
  access: member('write'),
  effect: 'create',
  handler: (
    { projectId: id, tests, create = false, return: wanted = 'ids' },
    { actor, surface, db, clock, signal, wrote },
  ) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, id, { testsFrom: surface });
      requireShortSteps(tests, pathOf);
      const now = clock.now();
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
  description:
    'Changes the given fields of up to 5,000 tests, all or none; null clears one. `labels` replaces all labels of a test.',
  input: closedObject({
    tests: Type.Array(
      closedObject({
        testId: recordId('From get-tests.'),
        ...changedTestFields,
      }),
      { ...recordsPerCall, description: 'The changes, one item per test.' },
    ),
    create: createSections,
    return: returned,
  }),
  output: writtenTests,
  access: member('write'),
  effect: 'update',
  handler: (
    { tests: items, create = false, return: wanted = 'ids' },
    { actor, surface, db, clock, signal, wrote },
  ) => {
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
      const found = await testsToChange(q, actor, ids, { list: changedTests, from: surface, signal });
      if (turnIsOver()) await nextTurn(signal);
      const now = clock.now();
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
  description: 'Deletes tests of a project, all or none. Their history and their places in runs stay.',
  input: closedObject({ projectId, testIds: idList('From get-tests, each once.') }),
  output: closedObject({ projectId: Type.Integer(), deletedCount: Type.Integer() }),
  access: member('write'),
  effect: 'delete',
  confirm: 'restore-tests brings them back.',
  handler: ({ projectId: id, testIds }, { actor, surface, db, clock, signal, wrote }) => {
    requireDistinct(testIds, testIdList);
    return db.tx(async (q) => {
      await projectToChange(q, actor, id, { testsFrom: surface });
      await deleteTests(q, id, testIds, { now: clock.now(), signal });
      wrote({ projectId: id, records: testRecords(testIds), changes: changesOf(testIds.length) });
      return { projectId: id, deletedCount: testIds.length };
    });
  },
});
