import { everyClassification, idFieldOf, type ClassificationId } from '../rules/classification.ts';
import { trimmedFieldValues, type FieldValues } from '../rules/field-value.ts';
import type { Test, TestFields } from './case-store.ts';

/** The columns of a test that a person fills in. */
export type Columns = Pick<
  Test,
  | 'name'
  | 'description'
  | 'preconditions'
  | 'steps'
  | 'sectionId'
  | 'squadId'
  | 'estimateSeconds'
  | 'fields'
  | ClassificationId
>;

/**
 * The columns of the given fields of a test. An omitted field has no column in the result; null clears a column. Given values of own fields
 * may be null: they are merged with the stored ones, in which null clears one.
 */
export function columnsOf(given: Partial<TestFields>): Partial<Columns> {
  const { testName, testDescription, preconditions, steps, fields: values, fieldValues, ...ids } = given;
  return {
    ...(testName === undefined ? {} : { name: testName.trim() }),
    ...(testDescription === undefined ? {} : { description: testDescription?.trim() ?? '' }),
    ...(preconditions === undefined ? {} : { preconditions: preconditions?.trim() ?? '' }),
    ...(steps === undefined ? {} : { steps }),
    ...(values === undefined && fieldValues === undefined
      ? {}
      : {
          fields: values === undefined ? (fieldValues ?? null) : (trimmedFieldValues(values) as FieldValues),
        }),
    ...pick(ids),
  };
}

/** An allowlist, so that a statement never contains a property that is not a column. */
const idColumns = [
  'sectionId',
  ...everyClassification.map((kind) => idFieldOf[kind]),
  'squadId',
  'estimateSeconds',
] as const;

function pick(given: Partial<TestFields>): Partial<Columns> {
  const ids: Partial<Record<(typeof idColumns)[number], number | null>> = {};
  for (const column of idColumns) {
    const id = given[column];
    if (id !== undefined) ids[column] = id;
  }
  return ids;
}
