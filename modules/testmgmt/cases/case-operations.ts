import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { together } from '../../../core/db/query/db.ts';
import { closedObject, recordId } from '../../../core/base/schema.ts';
import { listFields } from '../../../core/tools/list-fields.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { deletedRecord } from '../base/deleted-record.ts';
import { fail } from '../base/errors.ts';
import { valuesOf } from '../metadata/classification-store.ts';
import { extraOperation, operation } from '../base/operation.ts';
import { nameText, projectId, queryText, testId, versionNumber } from '../base/parameters.ts';
import { requireFieldValues } from '../fields/field-value-store.ts';
import { becomesProposals, orProposed, proposeInstead } from '../proposals/proposed-write.ts';
import { projectFor, projectToChange } from '../projects/project-store.ts';
import { asOfMoment, asOfText, queryFor } from '../query/query-parameter.ts';
import { requireSeenTest, seenText } from '../base/seen-time.ts';
import { changesOf, changesOfOne, testRecords, unchanged } from '../base/written-changes.ts';
import { breakdown } from './case-counts.ts';
import { askOfTime, countOfQuery, pageOfQuery } from './case-query-store.ts';
import { changedTestFields, createSections, newTestFields } from './case-parameters.ts';
import { withSectionIds } from './case-placement-store.ts';
import { labelsOf, loadRecordThen, loadTestRecord, loadTestSummaries } from './case-record-store.ts';
import {
  resultFieldsOf,
  testRecord,
  testRecordOf,
  testsCountRecord,
  testSummaryRecord,
  whatIsOftenUnset,
  type Label,
} from './case-record.ts';
import { loadReferences, requireFilter } from './case-reference-store.ts';
import { requireOneWay } from './case-label-changes.ts';
import { idsIn, namedLabels, requireReferences } from './case-references.ts';
import { requireShortSteps } from './case-steps.ts';
import { proposalsOfChanges, proposalsOfDeletion, proposalsOfNew } from './case-proposals.ts';
import { countTests, pageOfTests, testEverIn, testFor, testToChange } from './case-store.ts';
import { changesOfTest, valuesOfTest } from './case-values.ts';
import { testInVersion, versionAsOf } from '../versions/version-read-store.ts';
import { changeTests, deleteTests, insertTest, undeleteTests } from './case-write-store.ts';

const sectionFilter = Type.Optional(recordId('Without those below it, unlike section: of a query.'));
const priorityFilter = Type.Optional(recordId('Only this priority.'));
/** Lists omit classifications that are not set: otherwise a third of each test would be nulls. */
const summaryFields = listFields(testSummaryRecord, whatIsOftenUnset, [
  'testId',
  'testName',
  'sectionPath',
  'priority',
  'lastStatus',
]);

export const getTests = operation({
  name: 'get-tests',
  title: 'List tests',
  description:
    'Lists the tests of a project, oldest first, without descriptions and steps (get-test-details returns them).',
  input: closedObject({
    projectId,
    sectionId: sectionFilter,
    priorityId: priorityFilter,
    query: Type.Optional(
      queryFor(
        'tests',
        'label:smoke (last:failed OR runs:0) -has:steps updated:>=2026-11-01 sort:updated-desc',
      ),
    ),
    asOf: asOfText,
    ...summaryFields.parameter,
    ...paging,
  }),
  output: page('tests', summaryFields.record),
  access: member('read'),
  effect: 'read',
  handler: (input, { actor, db, clock, signal }) =>
    db.reads(async (q) => {
      const { projectId: id, sectionId, priorityId } = input;
      const asked = askOfTime(input, actor, clock.now());
      const filter = {
        ...(sectionId === undefined ? {} : { sectionId }),
        ...(priorityId === undefined ? {} : { priorityId }),
      };
      const { limit, offset } = pageOf(input);
      const [, , , { total, rows }] = await together([
        projectFor(q, actor, id, 'read'),
        requireFilter(q, id, filter, asked?.asOf),
        asked?.requireNames(q),
        asked === undefined
          ? pageOfTests(q, id, filter, { limit, offset })
          : pageOfQuery(q, { projectId: id, filter, asked }, { limit, offset, signal }),
      ]);
      return { total, limit, offset, tests: await loadTestSummaries(q, id, rows, asked?.asOf) };
    }),
});

export const getTestDetails = operation({
  name: 'get-test-details',
  title: 'Read a test',
  description: 'Returns one test with its description and steps.',
  input: closedObject({
    testId,
    projectId,
    version: Type.Optional(versionNumber('An earlier one.')),
    asOf: asOfText,
  }),
  output: testRecord,
  access: member('read'),
  effect: 'read',
  handler: ({ projectId: id, testId: test, version, asOf }, { actor, db, clock }) =>
    db.reads(async (q) => {
      const at = asOfMoment(asOf, clock.now());
      const isEarlier = version !== undefined || at !== null;
      if (version !== undefined && at !== null)
        throw fail.INVALID_REQUEST('Give version or asOf, not both.', { cause: 'asOf' });
      const [, found] = await together([
        projectFor(q, actor, id, 'read'),
        isEarlier ? testEverIn(q, actor, id, test) : testFor(q, actor, id, test),
      ]);
      if (!isEarlier) return loadTestRecord(q, found);
      const wanted = version ?? (await versionAsOf(q, found, at ?? 0));
      return loadRecordThen(q, await testInVersion(q, found, wanted), at);
    }),
});

export const getTestsCount = operation({
  name: 'get-tests-count',
  title: 'Count tests',
  description: 'Counts the tests of a project by priority and automation status.',
  input: closedObject({
    projectId,
    sectionId: sectionFilter,
    priorityId: priorityFilter,
    automationStatusId: Type.Optional(recordId('Only this status.')),
    query: Type.Optional(queryText()),
    asOf: asOfText,
  }),
  output: testsCountRecord,
  access: member('read'),
  effect: 'read',
  handler: ({ query, asOf, ...given }, { actor, db, clock, signal }) =>
    db.reads(async (q) => {
      const { projectId: id, ...filter } = given;
      const asked = askOfTime({ projectId: id, query, asOf }, actor, clock.now());
      const [, , , groups, values] = await together([
        projectFor(q, actor, id, 'read'),
        requireFilter(q, id, filter, asked?.asOf),
        asked?.requireNames(q),
        asked ? countOfQuery(q, { projectId: id, filter, asked }, signal) : countTests(q, id, filter),
        valuesOf(q, id),
      ]);
      return { projectId: id, ...breakdown(groups, values) };
    }),
});

export const createTest = operation({
  name: 'create-test',
  title: 'Create a test',
  description: 'Creates one test. For several use bulk-add-tests.',
  input: closedObject({
    projectId,
    testName: nameText('What the test checks.'),
    ...newTestFields,
    create: createSections,
  }),
  output: orProposed(testRecord),
  access: member('write'),
  effect: 'create',
  handler: ({ projectId: id, create = false, ...given }, context) =>
    context.db.tx(async (q) => {
      const { actor, surface, clock, signal, wrote } = context;
      const now = clock.now();
      const [project, early] = await together([
        projectToChange(q, actor, id),
        loadReferences(q, id, idsIn([given], { fields: true })),
      ]);
      requireShortSteps([given]);
      if (becomesProposals(project, surface, 1)) {
        const proposals = await proposalsOfNew(q, { projectId: id, items: [given], create, signal }, context);
        const { answer, subject } = await proposeInstead(q, id, proposals, { ...context, now });
        wrote(subject);
        return answer;
      }
      const [fields = given] = await withSectionIds(q, id, [given], {
        create,
        by: actor.userId,
        now,
        signal,
      });
      const known =
        given.section === undefined ? early : await loadReferences(q, id, idsIn([fields], { fields: true }));
      requireReferences(id, [fields], known);
      await requireFieldValues(q, [fields], { projectId: id, known: known.fields, isNew: true });
      const test = await insertTest(q, { projectId: id, fields, by: actor.userId, now });
      const changes = changesOfOne({}, { testName: test.name });
      wrote({ projectId: id, records: testRecords([test.id]), changes });
      const record = testRecordOf(test, namedLabels(fields.labels ?? [], known), known);
      return { ...record, ...resultFieldsOf(), links: [], version: test.version };
    }),
});

export const updateTest = operation({
  name: 'update-test',
  title: 'Change a test',
  description:
    'Changes the given fields of one test; null clears one. `labels` replaces all its labels. For several tests use ' +
    'bulk-update-tests.',
  input: closedObject({
    testId,
    ...changedTestFields,
    create: createSections,
    seenAt: Type.Optional(seenText),
  }),
  output: orProposed(testRecord),
  access: member('write'),
  effect: 'update',
  handler: ({ testId: id, create = false, seenAt, ...given }, context) =>
    context.db.tx(async (q) => {
      const { actor, surface, clock, signal, wrote } = context;
      const { test, project } = await testToChange(q, actor, id);
      const proposes = becomesProposals(project, surface, 1);
      if (Object.keys(given).length === 0) {
        throw fail.NOTHING_TO_UPDATE('No field of the test is given.', {
          tip: `Give update-test at least one of ${Object.keys(changedTestFields).join(', ')}.`,
        });
      }
      requireSeenTest(test, seenAt);
      requireShortSteps([given]);
      requireOneWay([given]);
      const now = clock.now();
      if (proposes) {
        const wanted = { projectId: test.projectId, testIds: [id], items: [given], create, signal };
        const proposals = await proposalsOfChanges(q, wanted, context);
        if (proposals.length === 0) {
          wrote({ projectId: test.projectId, records: testRecords([id]), changes: unchanged });
          return loadTestRecord(q, test);
        }
        const { answer, subject } = await proposeInstead(q, test.projectId, proposals, { ...context, now });
        wrote(subject);
        return answer;
      }
      const [fields = given] = await withSectionIds(q, test.projectId, [given], {
        create,
        by: actor.userId,
        now,
        signal,
      });
      const known = await loadReferences(q, test.projectId, idsIn([fields]));
      requireReferences(test.projectId, [fields], known);
      await requireFieldValues(q, [fields], { projectId: test.projectId, known: known.fields });
      const { projectId } = test;
      const relabelled = (given.labels ?? given.addLabels ?? given.removeLabels) !== undefined;
      const before = relabelled ? ((await labelsOf(q, [id])).get(id) ?? []) : null;
      await changeTests(q, [{ test, fields }], { by: actor.userId, now, signal });
      const changed = await testFor(q, actor, projectId, id);
      const record = await loadTestRecord(q, changed);
      const labelIds = (labels: readonly Label[]) => labels.map(({ labelId }) => labelId);
      const after = valuesOfTest(changed, labelIds(record.labels));
      const changes = changesOfTest(valuesOfTest(test, before ? labelIds(before) : after.labels), after);
      wrote({ projectId, records: testRecords([id]), changes });
      return record;
    }),
});

export const deleteTest = operation({
  name: 'delete-test',
  title: 'Delete a test',
  description: 'Deletes one test; its results stay. For several use bulk-delete-tests.',
  input: closedObject({ testId, projectId }),
  output: orProposed(deletedRecord('testId')),
  access: member('write'),
  effect: 'delete',
  confirm: 'restore-test brings it back.',
  handler: (input, context) =>
    context.db.tx(async (q) => {
      const { actor, surface, clock, signal, wrote } = context;
      const project = await projectToChange(q, actor, input.projectId);
      await testFor(q, actor, input.projectId, input.testId);
      if (becomesProposals(project, surface, 1)) {
        const proposals = await proposalsOfDeletion(q, actor, project.id, [input.testId]);
        const now = clock.now();
        const { answer, subject } = await proposeInstead(q, project.id, proposals, { ...context, now });
        wrote(subject);
        return answer;
      }
      wrote({ projectId: input.projectId, records: testRecords([input.testId]), changes: changesOf(1) });
      await deleteTests(q, input.projectId, [input.testId], { by: actor.userId, now: clock.now(), signal });
      return { testId: input.testId, deleted: true as const };
    }),
});

export const restoreTest = extraOperation({
  name: 'restore-test',
  // Testers ask for this first, although the interface specification does not have it.
  alsoIn: 'testmgmt',
  title: 'Restore a deleted test',
  description:
    'Restores a deleted test as it was, without its section if that is deleted. A test that is not deleted stays unchanged.',
  input: closedObject({ testId, projectId }),
  output: testRecord,
  access: member('write'),
  effect: 'update',
  additive: true,
  handler: (input, { actor, db, clock, signal, wrote }) =>
    db.tx(async (q) => {
      const { projectId: id } = input;
      await projectToChange(q, actor, id);
      const test = await testEverIn(q, actor, id, input.testId);
      const isDeleted = test.deletedAt !== null;
      wrote({
        projectId: id,
        records: testRecords([test.id]),
        changes: isDeleted ? changesOf(1) : unchanged,
      });
      if (!isDeleted) return loadTestRecord(q, test);
      await undeleteTests(q, id, [test.id], { by: actor.userId, now: clock.now(), signal });
      return loadTestRecord(q, await testFor(q, actor, id, test.id));
    }),
});
