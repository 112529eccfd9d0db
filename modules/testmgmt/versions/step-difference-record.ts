import { Type } from '@sinclair/typebox';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import { stepRecord } from '../cases/case-steps.ts';

/** A step that differs between two lists, as tools return it (`StepDifference`). */
export const stepDifference = closedObject({
  change: words(['added', 'removed', 'changed'], { description: 'What happened to the step.' }),
  from: nullable(Type.Integer({ description: 'Its position, from 1.' })),
  to: nullable(Type.Integer()),
  before: Type.Optional(stepRecord),
  after: Type.Optional(stepRecord),
});
