import { Type, type Static } from '@sinclair/typebox';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import type { LastResult } from '../outcomes/outcome-store.ts';
import { otherLink, shownLinkList } from '../links/link-record.ts';
import { isFlaky } from '../outcomes/outcome.ts';
import {
  everyClassification,
  idFieldOf,
  type Classification,
  type ClassificationId,
} from '../rules/classification.ts';
import { shownFieldValues, type FieldValues } from '../rules/field-value.ts';
import { sectionPath } from '../rules/section-tree.ts';
import { testStatuses } from '../rules/test-status.ts';
import type { References } from './case-references.ts';
import { stepRecord } from './case-steps.ts';
import type { Test, TestSummary } from './case-store.ts';

const id = Type.Integer();
const optionalId = nullable(id);
const optionalName = nullable(Type.String());
/** By key; null for none. Which keys there are, only the project knows: a schema would cost tokens and say nothing. */
const fieldValuesRecord = Type.Unsafe<FieldValues | null>(Type.Unknown());

/** The fields with the id and the name of each classification. */
function classificationFields() {
  type Fields = Record<ClassificationId, typeof optionalId> & Record<Classification, typeof optionalName>;
  const fields = everyClassification.flatMap((kind) => [
    [idFieldOf[kind], optionalId],
    [kind, optionalName],
  ]);
  return Object.fromEntries(fields) as Fields;
}

const testSummaryFields = {
  testId: id,
  projectId: id,
  testName: Type.String(),
  sectionId: optionalId,
  sectionPath: Type.Array(Type.String()),
  ...classificationFields(),
  squadId: optionalId,
  squad: optionalName,
  estimateSeconds: optionalId,
  fields: fieldValuesRecord,
  labels: Type.Array(closedObject({ labelId: id, labelName: Type.String() })),
  createdBy: id,
  createdAt: Type.String(),
  updatedBy: optionalId,
  updatedAt: Type.String(),
  deletedAt: optionalName,
};

const texts = {
  testDescription: Type.String(),
  preconditions: Type.String(),
  steps: Type.Array(stepRecord),
};

/** The summary of a test's results: null and false when it has none. */
const resultFields = {
  lastStatus: nullable(words(testStatuses, { description: 'Of its newest result in any run.' })),
  lastRunAt: nullable(Type.String()),
  flaky: Type.Boolean(),
};

export const testSummaryRecord = closedObject({ ...testSummaryFields, ...resultFields });

/** Fields that a list omits for a test in which they are not set. */
export const whatIsOftenUnset = [
  'sectionId',
  ...everyClassification.flatMap((kind) => [idFieldOf[kind], kind]),
  'squadId',
  'squad',
  'estimateSeconds',
  'fields',
  'updatedBy',
  'deletedAt',
] as const;

export const testRecord = closedObject({
  ...testSummaryFields,
  ...resultFields,
  ...texts,
  links: shownLinkList,
  version: id,
});

const exportedTest = closedObject({
  ...testSummaryFields,
  ...texts,
  refs: Type.Array(Type.String()),
  defects: Type.Array(Type.String()),
  otherLinks: Type.Optional(Type.Array(otherLink)),
});
/** A test as exported, without the summary of its results: an import creates tests but no results. */
export type TestRecord = Static<typeof exportedTest>;

/** The result of bulk-add-tests and bulk-update-tests, in the order of the call. */
export const writtenTests = closedObject({
  total: id,
  tests: Type.Array(closedObject({ testId: id, testName: Type.Optional(Type.String()) })),
});

export const testsCountRecord = closedObject({
  projectId: id,
  total: id,
  byPriority: Type.Array(closedObject({ priorityId: optionalId, priority: optionalName, count: id })),
  byAutomationStatus: Type.Array(
    closedObject({ automationStatusId: optionalId, automationStatus: optionalName, count: id }),
  ),
});

/** A label of a test, as records show it. */
export interface Label {
  readonly labelId: number;
  readonly labelName: string;
}

type Classified = Record<ClassificationId, number | null> & Record<Classification, string | null>;

/** The ids and the names of a test's classifications. */
function classified(test: TestSummary, { classifications }: References): Classified {
  const fields: Partial<Classified> = {};
  for (const kind of everyClassification) {
    const id = test[idFieldOf[kind]];
    fields[idFieldOf[kind]] = id;
    fields[kind] = id === null ? null : (classifications.get(id)?.name ?? null);
  }
  return fields as Classified;
}

/** The record of a test in lists, without the long texts. */
export function testSummaryRecordOf(test: TestSummary, labels: readonly Label[], known: References) {
  const named = classified(test, known);
  return {
    testId: test.id,
    projectId: test.projectId,
    testName: test.name,
    sectionId: test.sectionId,
    sectionPath: sectionPath(known.sections, test.sectionId),
    ...named,
    squadId: test.squadId,
    squad: test.squadId === null ? null : (known.squads.get(test.squadId) ?? null),
    estimateSeconds: test.estimateSeconds,
    fields: shownFieldValues(test.fields, known.fields),
    labels: [...labels],
    createdBy: test.createdBy,
    createdAt: isoTime(test.createdAt),
    updatedBy: test.updatedBy,
    updatedAt: isoTime(test.updatedAt),
    deletedAt: isoTime(test.deletedAt),
  };
}

/** The fields of a record that depend on the results of a test. */
export const resultFieldsOf = (last?: LastResult) => ({
  lastStatus: last?.lastStatus ?? null,
  lastRunAt: last === undefined ? null : isoTime(last.lastAt),
  flaky: last !== undefined && isFlaky(last),
});

export function testRecordOf(test: Test, labels: readonly Label[], known: References) {
  const { description, preconditions, steps } = test;
  return {
    ...testSummaryRecordOf(test, labels, known),
    testDescription: description,
    preconditions,
    steps: [...steps],
  };
}
