import { Type } from '@sinclair/typebox';
import { recordId } from '../../core/schema.ts';
import { stepRecord } from './records.ts';

/** Parameters that many tools share, with their limits (docs/operations.md lists them). */
export const orgId = recordId('The organization; get-orgs-list names yours.');
export const projectId = recordId('The project; get-projects lists them.');
export const runId = recordId('The run; get-runs lists them.');

/** A name that is not blank. It is stored without the space around it. */
export const nameText = (description: string) =>
  Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description });

export const longText = (description: string) => Type.String({ maxLength: 20_000, description });

export const commentText = Type.String({ maxLength: 10_000, description: 'Kept with the result.' });

export const idList = (description: string) =>
  Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
    minItems: 1,
    maxItems: 100_000,
    description,
  });

/** Fields of a test besides its name; all may be left out. */
export const testFields = {
  testDescription: Type.Optional(longText('What the test is about.')),
  sectionId: Type.Optional(recordId('The section (test suite); get-sections lists them.')),
  priorityId: Type.Optional(recordId('The priority; get-priority lists them.')),
  typeId: Type.Optional(recordId('The test type; get-type lists them.')),
  automationStatusId: Type.Optional(recordId('The automation status; get-automation-status lists them.')),
  platformId: Type.Optional(recordId('The platform; get-platforms lists them.')),
  testCoveredById: Type.Optional(recordId('The coverage type; get-test-covered-by lists them.')),
  squadId: Type.Optional(recordId('The squad; get-squads lists them.')),
  labels: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
      maxItems: 100,
      description: 'Label ids; get-labels lists them.',
    }),
  ),
  preconditions: Type.Optional(longText('What must hold before the test.')),
  steps: Type.Optional(
    Type.Array(stepRecord, { maxItems: 500, description: 'What the tester does, in order.' }),
  ),
};
