import type { Input, Output } from '../../api/calls.ts';

type Test = Output<'get-test-details'>;
export type ProposedSet = NonNullable<Input<'propose-test-change'>['set']>;

/** What a proposal sets, from its changes: they have each field with its proposed value. */
export const proposedSet = (changes: Output<'get-review'>['changes']): ProposedSet =>
  Object.fromEntries(changes.map(({ field, to }) => [field, to])) as ProposedSet;

/** A value as it is compared: no text is an empty one, labels have no order. */
function comparable(field: string, value: unknown): string {
  if (field === 'labels') return JSON.stringify((value as readonly number[]).toSorted((a, b) => a - b));
  return JSON.stringify(value ?? (field === 'testDescription' || field === 'preconditions' ? '' : null));
}

/** The values that differ from those before. */
export function changedSince<T extends object>(before: object, given: T): Partial<T> {
  const earlier = before as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(given).filter(
      ([field, value]) => comparable(field, value) !== comparable(field, earlier[field]),
    ),
  ) as Partial<T>;
}

/** The fields of a form that differ from the test: a proposal shows those only. */
export const changedOf = (test: Test, given: ProposedSet): ProposedSet =>
  changedSince({ ...test, labels: test.labels.map(({ labelId }) => labelId) }, given);
