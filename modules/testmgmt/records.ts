import { Type, type TSchema } from '@sinclair/typebox';
import { words } from '../../core/schema.ts';
import { testStatuses } from './run-status.ts';

/** What the tools answer: the record shapes of Area C. Times are ISO 8601 in UTC with milliseconds. */
const closed = { additionalProperties: false } as const;
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
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
    action: Type.String({ minLength: 1, maxLength: 10_000, description: 'What the tester does.' }),
    data: Type.Optional(Type.String({ maxLength: 10_000, description: 'What is entered.' })),
    expected: Type.Optional(Type.String({ maxLength: 10_000, description: 'What must be seen.' })),
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

const countsRecord = Type.Object(
  { total: id, passed: id, failed: id, blocked: id, retest: id, untested: id },
  closed,
);

export const statusWord = words(testStatuses, { description: 'The status of a test within a run.' });

export const runRecordSchema = Type.Object(
  {
    runId: id,
    projectId: id,
    runName: Type.String(),
    runDescription: Type.String(),
    status: words(['active', 'locked'], { description: 'A locked run takes no changes.' }),
    counts: countsRecord,
    createdBy: id,
    createdAt: Type.String(),
    lockedBy: optionalId,
    lockedAt: optionalName,
  },
  closed,
);
