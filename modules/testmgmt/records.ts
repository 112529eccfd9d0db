import { Type, type TLiteral, type TString } from '@sinclair/typebox';
import { roles } from '../../core/actor.ts';
import { closed, nullable, words } from '../../core/schema.ts';
import { testStatuses } from './rules/test-status.ts';
import type { OptionKind } from './schema.ts';

const id = Type.Integer();
const optionalId = nullable(id);
const optionalName = nullable(Type.String());

export const organizationRecord = Type.Object(
  { orgId: id, orgName: Type.String(), createdAt: Type.String() },
  closed,
);

export const projectRecord = Type.Object(
  {
    projectId: id,
    orgId: id,
    projectName: Type.String(),
    projectDescription: Type.String(),
    isActive: Type.Boolean(),
    testsCount: id,
    runsCount: id,
    createdBy: id,
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  closed,
);

export const slimProjectRecord = Type.Omit(projectRecord, ['projectDescription'], closed);

const slimTestFields = {
  testId: id,
  projectId: id,
  testName: Type.String(),
  sectionId: optionalId,
  sectionPath: Type.Array(Type.String()),
  priorityId: optionalId,
  priority: optionalName,
  typeId: optionalId,
  type: optionalName,
  automationStatusId: optionalId,
  automationStatus: optionalName,
  platformId: optionalId,
  platform: optionalName,
  testCoveredById: optionalId,
  testCoveredBy: optionalName,
  squadId: optionalId,
  squad: optionalName,
  labels: Type.Array(Type.Object({ labelId: id, labelName: Type.String() }, closed)),
  createdBy: id,
  createdAt: Type.String(),
  updatedAt: Type.String(),
};

export const slimTestRecord = Type.Object(slimTestFields, closed);

export const stepRecord = Type.Object(
  {
    action: Type.String({ minLength: 1, maxLength: 20_000, pattern: '\\S', description: 'What to do.' }),
    data: Type.Optional(Type.String({ maxLength: 20_000, description: 'What to enter.' })),
    expected: Type.Optional(Type.String({ maxLength: 20_000, description: 'What to see.' })),
  },
  closed,
);

export const testRecord = Type.Object(
  {
    ...slimTestFields,
    testDescription: Type.String(),
    preconditions: Type.String(),
    steps: Type.Array(stepRecord),
  },
  closed,
);

/** What bulk-add-tests and bulk-update-tests answer. */
export const namedTests = Type.Object(
  { total: id, tests: Type.Array(Type.Object({ testId: id, testName: Type.String() }, closed)) },
  closed,
);

/** What a tool that deletes one record answers. */
export const deletedRecord = <K extends string>(key: K) =>
  Type.Object(
    { [key]: id, deleted: Type.Literal(true) } as Record<K, typeof id> & { deleted: TLiteral<true> },
    closed,
  );

const perStatus = { passed: id, failed: id, blocked: id, retest: id, untested: id };
const countsRecord = Type.Object({ total: id, ...perStatus }, closed);
const percent = Type.Number({ minimum: 0, maximum: 100 });

export const statusWord = words(testStatuses, { description: 'The result.' });
const lockWord = words(['active', 'locked'], { description: 'A locked run takes no changes.' });

export const runRecordSchema = Type.Object(
  {
    runId: id,
    projectId: id,
    runName: Type.String(),
    runDescription: Type.String(),
    status: lockWord,
    counts: countsRecord,
    createdBy: id,
    createdAt: Type.String(),
    lockedBy: optionalId,
    lockedAt: optionalName,
  },
  closed,
);

export const slimRunRecord = Type.Omit(runRecordSchema, ['runDescription'], closed);

const runTestState = {
  status: statusWord,
  comment: optionalName,
  updatedBy: optionalId,
  updatedAt: optionalName,
  isDeleted: Type.Boolean(),
};

/** A test of a run, as get-run-test-status answers it. */
export const runTestStatusRecord = Type.Object(
  { testId: id, testName: Type.String(), ...runTestState },
  closed,
);

/** A test of a run, as get-run-tests-list answers it. */
export const runTestRecord = Type.Object(
  {
    testId: id,
    testName: Type.String(),
    sectionPath: Type.Array(Type.String()),
    priority: optionalName,
    squad: optionalName,
    ...runTestState,
  },
  closed,
);

export const historyRecord = Type.Object(
  { runId: id, runName: Type.String(), status: statusWord, comment: optionalName, by: id, at: Type.String() },
  closed,
);

export const runStateRecord = Type.Object(
  {
    runId: id,
    projectId: id,
    runName: Type.String(),
    status: lockWord,
    counts: countsRecord,
    percentages: Type.Object(
      { passed: percent, failed: percent, blocked: percent, retest: percent, untested: percent },
      closed,
    ),
    bySquad: Type.Array(
      Type.Object({ squadId: optionalId, squad: optionalName, counts: countsRecord }, closed),
    ),
    bySection: Type.Array(
      Type.Object(
        { sectionId: optionalId, sectionPath: Type.Array(Type.String()), counts: countsRecord },
        closed,
      ),
    ),
  },
  closed,
);

export const testsCountRecord = Type.Object(
  {
    projectId: id,
    total: id,
    byPriority: Type.Array(
      Type.Object({ priorityId: optionalId, priority: optionalName, count: id }, closed),
    ),
    byAutomationStatus: Type.Array(
      Type.Object({ automationStatusId: optionalId, automationStatus: optionalName, count: id }, closed),
    ),
  },
  closed,
);

export const sectionRecord = Type.Object(
  {
    sectionId: id,
    projectId: id,
    sectionName: Type.String(),
    parentSectionId: optionalId,
    sectionPath: Type.Array(Type.String()),
  },
  closed,
);

export const labelRecord = Type.Object({ labelId: id, labelName: Type.String() }, closed);
export const squadRecord = Type.Object({ squadId: id, squadName: Type.String() }, closed);

/** The record of an option: `{priorityId, priorityName}`, and likewise of the other kinds. */
export const optionRecord = <K extends OptionKind>(kind: K) =>
  Type.Object(
    { [`${kind}Id`]: id, [`${kind}Name`]: Type.String() } as Record<`${K}Id`, typeof id> &
      Record<`${K}Name`, TString>,
    closed,
  );

export const userRecord = Type.Object(
  {
    userId: id,
    name: optionalName,
    email: optionalName,
    status: words(['active', 'disabled'], { description: 'A disabled user cannot sign in.' }),
    createdAt: Type.String(),
    lastSignInAt: optionalName,
    roles: Type.Array(
      Type.Object({ orgId: id, role: words(roles, { description: 'What they may do.' }) }, closed),
    ),
  },
  closed,
);
