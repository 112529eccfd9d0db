import { Type } from '@sinclair/typebox';
import { clearable, recordId } from '../../../core/base/schema.ts';
import { fieldValues, longText, nameText } from '../base/parameters.ts';
import { byIdField, classifications, type Classification } from '../rules/classification.ts';
import { maxLabels } from './case-label-changes.ts';
import { stepRecord } from './case-steps.ts';

const labelIds = (description: string) =>
  Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
      maxItems: maxLabels,
      description,
    }),
  );

const description = longText('What it is about.');
const preconditions = longText('What must hold before.');
const sectionId = recordId('From get-sections.');
const section = Type.String({ minLength: 1, maxLength: 8_000, description: 'Its path: A > B.' });
const squadId = recordId('From get-squads.');
const valueId = (kind: Classification) => recordId(`From ${classifications[kind].tool}.`);
/** A week of working days; more is a project of its own. */
const maxEstimateSeconds = 7 * 24 * 3_600;
export const estimateSeconds = Type.Integer({
  minimum: 1,
  maximum: maxEstimateSeconds,
  description: 'How long it takes.',
});
const lists = {
  fields: fieldValues,
  labels: labelIds('From get-labels.'),
  steps: Type.Optional(Type.Array(stepRecord, { maxItems: 500, description: 'In order.' })),
};

/** For calls whose tests may name sections. */
export const createSections = Type.Optional(Type.Boolean({ description: 'Make missing sections.' }));

/** Optional fields of a new test, in addition to its name. */
export const newTestFields = {
  testDescription: Type.Optional(description),
  sectionId: Type.Optional(sectionId),
  section: Type.Optional(section),
  ...byIdField((kind) => Type.Optional(valueId(kind))),
  squadId: Type.Optional(squadId),
  estimateSeconds: Type.Optional(estimateSeconds),
  preconditions: Type.Optional(preconditions),
  ...lists,
};

/** Optional fields of a change of a test. Null clears a text or an id, an empty list clears a list. */
export const changedTestFields = {
  testName: Type.Optional(nameText('The new name.')),
  testDescription: Type.Optional(clearable(description)),
  sectionId: Type.Optional(clearable(sectionId)),
  section: Type.Optional(clearable(section)),
  ...byIdField((kind) => Type.Optional(clearable(valueId(kind)))),
  squadId: Type.Optional(clearable(squadId)),
  estimateSeconds: Type.Optional(clearable(estimateSeconds)),
  preconditions: Type.Optional(clearable(preconditions)),
  ...lists,
  addLabels: labelIds('Besides those it has.'),
  removeLabels: labelIds('Of those it has.'),
};
