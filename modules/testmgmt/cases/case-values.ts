import { byIdField, type ClassificationId } from '../rules/classification.ts';
import { sortedFieldValues } from '../rules/field-value.ts';
import type { Test } from './case-store.ts';

/** The values of a test by parameter name, for comparing it before and after a change. */
export const valuesOfTest = (test: Test, labels: readonly number[]) => ({
  testName: test.name,
  testDescription: test.description,
  preconditions: test.preconditions,
  steps: test.steps,
  sectionId: test.sectionId,
  ...byIdField((kind) => test[`${kind}Id` satisfies ClassificationId]),
  squadId: test.squadId,
  estimateSeconds: test.estimateSeconds,
  fieldValues: sortedFieldValues(test.fields),
  labels,
});
