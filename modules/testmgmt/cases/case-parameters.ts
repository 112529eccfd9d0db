import { Type } from '@sinclair/typebox';
import { recordId } from '../../../core/schema.ts';
import { longText } from '../parameters.ts';
import { byIdField, classifications } from '../rules/classification.ts';
import { stepRecord } from './case-steps.ts';

/** Fields of a test besides its name, all optional. */
export const testFields = {
  testDescription: Type.Optional(longText('What it is about.')),
  sectionId: Type.Optional(recordId('From get-sections.')),
  ...byIdField((kind) => Type.Optional(recordId(`From ${classifications[kind].tool}.`))),
  squadId: Type.Optional(recordId('From get-squads.')),
  labels: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
      maxItems: 100,
      description: 'From get-labels.',
    }),
  ),
  preconditions: Type.Optional(longText('What must hold before.')),
  steps: Type.Optional(Type.Array(stepRecord, { maxItems: 500, description: 'In order.' })),
};
