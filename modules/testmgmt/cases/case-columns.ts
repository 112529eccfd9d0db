import { everyClassification, idFieldOf, type ClassificationId } from '../rules/classification.ts';
import type { Test, TestFields } from './case-store.ts';

type Columns = Pick<
  Test,
  | 'name'
  | 'description'
  | 'preconditions'
  | 'steps'
  | 'sectionId'
  | 'squadId'
  | 'estimateSeconds'
  | ClassificationId
>;

/** The columns of the given fields of a test. An omitted field has no column in the result; null clears a column. */
export function columnsOf(fields: Partial<TestFields>): Partial<Columns> {
  const { testName, testDescription, preconditions, steps, ...ids } = fields;
  return {
    ...(testName === undefined ? {} : { name: testName.trim() }),
    ...(testDescription === undefined ? {} : { description: testDescription?.trim() ?? '' }),
    ...(preconditions === undefined ? {} : { preconditions: preconditions?.trim() ?? '' }),
    ...(steps === undefined ? {} : { steps }),
    ...pick(ids),
  };
}

/** An allowlist, so that a statement never contains a property that is not a column. */
const idColumns = ['sectionId', ...everyClassification.map(idFieldOf), 'squadId', 'estimateSeconds'] as const;

function pick(given: Partial<TestFields>): Partial<Columns> {
  const ids: Partial<Record<(typeof idColumns)[number], number | null>> = {};
  for (const column of idColumns) {
    const id = given[column];
    if (id !== undefined) ids[column] = id;
  }
  return ids;
}
