import { Type, type TArray, type TSchema } from '@sinclair/typebox';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import { dayOf, dayParameter } from '../base/day.ts';
import { milestoneId } from '../base/parameters.ts';
import type { FieldValues } from '../rules/field-value.ts';
import type { References } from '../cases/case-references.ts';
import { shownLinkList } from '../links/link-record.ts';
import type { runConfigurationsRecord } from '../configurations/configuration-record.ts';
import type { ConfigurationValue } from '../configurations/configuration-store.ts';
import { sectionPath } from '../rules/section-tree.ts';
import { statusCounts, testStatuses } from '../rules/test-status.ts';
import type { RunTest } from './run-row.ts';
import type { Run } from './run-row.ts';
import type { UnmatchedCounts } from './unmatched-result-store.ts';

/** A list in a record of the default tools, whose schemas every client pays for. */
const looseList = <T extends TSchema>() => Type.Array(Type.Unknown()) as unknown as TArray<T>;

const id = Type.Integer();
const optionalId = nullable(id);
const optionalName = nullable(Type.String());

const perStatus = { passed: id, failed: id, blocked: id, retest: id, untested: id };
const countsRecord = closedObject({ total: id, ...perStatus });
const percent = Type.Number({ minimum: 0, maximum: 100 });

export const statusWord = words(testStatuses, { description: 'The result.' });
/** Results of single steps, as a caller gives them. */
export const stepResultList = Type.Array(
  closedObject({
    step: Type.Integer({ minimum: 1, maximum: 500, description: 'Its number.' }),
    status: statusWord,
    comment: Type.Optional(Type.String({ maxLength: 2_000, description: 'Why.' })),
  }),
  { maxItems: 500, description: 'Of steps.' },
);

const lockWord = words(['active', 'locked'], { description: 'A locked run cannot be changed.' });

/** Reported cases that match no test. */
const unmatchedRecord = Type.Optional(
  closedObject(
    { passed: id, failed: id, skipped: id },
    {
      description:
        'Cases of no test, which are not in counts; absent without any. At most 1,000 of a kind are kept.',
    },
  ),
);

/** Optional fields of a new run. */
export const plannedFields = {
  milestoneId: Type.Optional(milestoneId),
  dueOn: Type.Optional(dayParameter('The last day')),
};

export const runRecord = closedObject({
  runId: id,
  projectId: id,
  runName: Type.String(),
  runDescription: Type.String(),
  status: lockWord,
  counts: countsRecord,
  milestoneId: optionalId,
  planId: optionalId,
  dueOn: optionalName,
  createdBy: id,
  createdAt: Type.String(),
  lockedBy: optionalId,
  lockedAt: optionalName,
  updatedBy: optionalId,
  updatedAt: Type.String(),
});

const { runDescription: _, updatedBy: _by, updatedAt: _at, ...summary } = runRecord.properties;

const shown = {
  configurations: Type.Optional(looseList<(typeof runConfigurationsRecord)['items']>()),
  unmatched: unmatchedRecord,
};

export const runSummaryRecord = closedObject({ ...summary, ...shown });

export const runDetailRecord = closedObject({ ...runRecord.properties, ...shown });

const runTestState = {
  status: statusWord,
  comment: optionalName,
  updatedBy: optionalId,
  updatedAt: optionalName,
  isDeleted: Type.Boolean(),
};

/** A test of a run in the result of get-run-test-status. */
export const runTestStatusRecord = closedObject({
  testId: id,
  testName: Type.String(),
  ...runTestState,
  links: shownLinkList,
});

/** A test of a run in the result of get-run-tests-list. */
export const runTestRecord = closedObject({
  testId: id,
  testName: Type.String(),
  sectionPath: Type.Array(Type.String()),
  priority: optionalName,
  squad: optionalName,
  assigneeId: nullable(
    Type.Integer({ description: 'Who is to run it; null: nobody, or somebody who has left.' }),
  ),
  ...runTestState,
});

/** The same with the version of the test that the result is about; null for an untested one. */
export const runTestVersionRecord = closedObject({
  ...runTestRecord.properties,
  testVersion: optionalId,
  changedSince: Type.Boolean({ description: 'After the result.' }),
});

const stepResultRecord = closedObject({
  step: id,
  status: statusWord,
  comment: Type.Optional(Type.String()),
});
const resultFileRecord = closedObject({
  attachmentId: id,
  fileName: Type.String(),
  mediaType: Type.String(),
  size: id,
  step: optionalId,
});

export const historyRecord = closedObject({
  runId: id,
  runName: Type.String(),
  status: statusWord,
  comment: optionalName,
  by: id,
  at: Type.String(),
  resultId: id,
  testVersion: optionalId,
  byName: optionalName,
  stepResults: Type.Optional(looseList<typeof stepResultRecord>()),
  fields: Type.Optional(Type.Unsafe<FieldValues>(Type.Unknown())),
  attachments: Type.Optional(looseList<typeof resultFileRecord>()),
});

export const runStateRecord = closedObject({
  runId: id,
  projectId: id,
  runName: Type.String(),
  status: lockWord,
  counts: countsRecord,
  percentages: closedObject({
    passed: percent,
    failed: percent,
    blocked: percent,
    retest: percent,
    untested: percent,
  }),
  unmatched: unmatchedRecord,
  bySquad: Type.Array(closedObject({ squadId: optionalId, squad: optionalName, counts: countsRecord })),
  bySection: Type.Array(
    closedObject({ sectionId: optionalId, sectionPath: Type.Array(Type.String()), counts: countsRecord }),
  ),
});

const testerRecord = closedObject({ userId: id, tests: id, name: optionalName });

/** The state of a run with its outcome in a sentence and how many tests each person decided, in the result of get-run-state-detail. */
export const runVerdictRecord = closedObject({
  ...runStateRecord.properties,
  verdict: Type.String(),
  testers: looseList<typeof testerRecord>(),
});

export function runRecordOf(run: Run) {
  return {
    runId: run.id,
    projectId: run.projectId,
    runName: run.name,
    runDescription: run.description,
    status: run.lockedAt === null ? ('active' as const) : ('locked' as const),
    counts: statusCounts(run),
    milestoneId: run.milestoneId,
    planId: run.planId,
    dueOn: dayOf(run.dueOn),
    createdBy: run.createdBy,
    createdAt: isoTime(run.createdAt),
    lockedBy: run.lockedBy,
    lockedAt: isoTime(run.lockedAt),
    updatedBy: run.updatedBy,
    updatedAt: isoTime(run.updatedAt ?? run.createdAt),
  };
}

/** The configurations of a run in its record, if it has any. */
export const runConfigurationsOf = (values: readonly ConfigurationValue[] | undefined) =>
  values === undefined ? {} : { configurations: [...values] };

/** @param unmatched the counts of its reported cases without a test, if there are any. */
export function runSummaryRecordOf(
  run: Run,
  unmatched: UnmatchedCounts | undefined,
  configurations: readonly ConfigurationValue[] | undefined,
) {
  const { runDescription: _text, updatedBy: _who, updatedAt: _when, ...record } = runRecordOf(run);
  return { ...record, ...runConfigurationsOf(configurations), ...unmatchedOf(unmatched) };
}

export const unmatchedOf = (unmatched: UnmatchedCounts | undefined) =>
  unmatched === undefined ? {} : { unmatched };

export const runTestStatusRecordOf = (row: RunTest) => ({
  testId: row.testId,
  testName: row.testName,
  status: row.status,
  comment: row.comment,
  updatedBy: row.updatedBy,
  updatedAt: isoTime(row.updatedAt),
  isDeleted: row.deletedAt !== null,
});

/**
 * @param references the loaded classifications, sections and squads of these tests.
 * @param people those of the assignees who are members of the organization.
 */
export function runTestRecordsOf(
  rows: readonly RunTest[],
  references: References,
  people: { has(userId: number): boolean },
) {
  return rows.map((row) => {
    const { testId, testName, ...status } = runTestStatusRecordOf(row);
    return {
      testId,
      testName,
      sectionPath: sectionPath(references.sections, row.sectionId),
      priority: references.classifications.get(row.priorityId ?? 0)?.name ?? null,
      squad: references.squads.get(row.squadId ?? 0) ?? null,
      assigneeId: row.assigneeId !== null && people.has(row.assigneeId) ? row.assigneeId : null,
      ...status,
    };
  });
}
