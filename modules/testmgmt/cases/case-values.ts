import type { WriteChanges } from '../../../core/base/write-entry.ts';
import { changesOfOne } from '../base/written-changes.ts';
import { byIdField, type ClassificationId } from '../rules/classification.ts';
import { sortedFieldValues, type FieldValues } from '../rules/field-value.ts';
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

type TestValues = ReturnType<typeof valuesOfTest>;

/** What the entry of a write to one test says of it: own fields under the name of their parameter, and only those that differ. */
export function changesOfTest(before: Partial<TestValues>, after: Partial<TestValues>): WriteChanges {
  const [{ fieldValues: from, ...old }, { fieldValues: to, ...values }] = [before, after];
  return changesOfOne(
    { ...old, fields: valuesThatDiffer(from, to) },
    { ...values, fields: valuesThatDiffer(to, from) },
  );
}

const valuesThatDiffer = (values: FieldValues | null | undefined, others: FieldValues | null | undefined) =>
  Object.fromEntries(
    Object.entries(values ?? {}).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(others?.[key]),
    ),
  );
