import { Type } from '@sinclair/typebox';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import { testStatuses } from '../rules/test-status.ts';
import { changeWords } from './run-difference.ts';

const id = Type.Integer();
const optionalName = nullable(Type.String());
const time = Type.String();

/** The fields of a test that all insights share. */
export const insightTestFields = {
  testId: id,
  testName: Type.String(),
  sectionPath: Type.Array(Type.String()),
  priority: optionalName,
  squad: optionalName,
};

const outcomes = Type.String({ description: 'The last 20, the newest first: p, f, b; a capital is a flip.' });

export const flakyTestRecord = closedObject({
  ...insightTestFields,
  flips: id,
  failed: id,
  outcomes,
  lastRunAt: time,
});

export const failingTestRecord = closedObject({
  ...insightTestFields,
  failingSince: time,
  failuresInARow: id,
  lastRunId: id,
  lastRunAt: time,
});

export const neverRunTestRecord = closedObject({ ...insightTestFields, createdAt: time });

export const fixTimeRecord = closedObject({
  ...insightTestFields,
  fixes: id,
  longestFixHours: Type.Number(),
  averageFixHours: Type.Number(),
  lastFixedAt: time,
});

export const passRateRecord = closedObject({
  from: time,
  runs: id,
  passed: id,
  failed: id,
  blocked: id,
  passRate: nullable(
    Type.Number({ description: 'Percent of passed, failed and blocked; null without any.' }),
  ),
});

export const coverageRecord = closedObject({
  sectionId: nullable(id),
  sectionPath: Type.Array(Type.String()),
  tests: id,
  automated: id,
  coverage: nullable(Type.Number({ description: 'Percent.' })),
  byAutomationStatus: Type.Record(Type.String(), id),
});

const status = words(testStatuses, { description: 'The result.' });

export const runChangeRecord = closedObject({
  ...insightTestFields,
  change: words(changeWords, { description: 'The kind of change.' }),
  status: nullable(status),
  before: nullable(status),
});
