import type { Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { firstProblems } from '../base/id-list.ts';
import { membersOfProject } from '../projects/project-people.ts';
import {
  fieldValueFaults,
  type FieldDefinition,
  type FieldValueFault,
  type GivenFieldValues,
} from '../rules/field-value.ts';

interface WithFields {
  readonly fields?: GivenFieldValues | null;
}

interface Check {
  readonly projectId: number;
  readonly known: ReadonlyMap<string, FieldDefinition>;
  /** The records are made by this call, so they need the required fields. */
  readonly isNew?: boolean;
  /** The path of an item in the call, e.g. `tests[3].`; empty for the only one. */
  readonly pathOf?: (index: number) => string;
}

/** 5,000 tests may have 250,000 wrong values. 20 are named, and the count stops here. */
const mostFaults = 1_000;

/** The keys of the own fields whose values are people: only the database knows who is a member. */
export const keysOfUsers = (known: Check['known']): readonly string[] =>
  [...known.values()].filter(({ kind }) => kind === 'user').map(({ key }) => key);

/**
 * Checks the values of own fields of tests or results.
 * @throws Fault INVALID_FIELD_VALUE that names the first values and what they must be; also for a user who is no active member.
 */
export async function requireFieldValues(
  q: Query,
  items: readonly WithFields[],
  { projectId, known, isNew = false, pathOf = () => '' }: Check,
): Promise<void> {
  const faults: FieldValueFault[] = [];
  const people = new Map<number, string>();
  const ofUsers = keysOfUsers(known);
  for (const [index, { fields }] of items.entries()) {
    for (const fault of fieldValueFaults(fields, known, isNew))
      faults.push({ ...fault, path: pathOf(index) + fault.path });
    if (faults.length >= mostFaults) break;
    for (const key of ofUsers) {
      const id = fields?.[key];
      if (typeof id === 'number' && !people.has(id)) people.set(id, `${pathOf(index)}fields.${key}`);
    }
  }
  if (faults.length === 0 && people.size > 0) {
    const members = await membersOfProject(q, projectId, [...people.keys()]);
    for (const [id, path] of people)
      if (members.get(id)?.status !== 'active') faults.push({ path, message: 'is no active member' });
  }
  if (faults.length === 0) return;
  throw fail.INVALID_FIELD_VALUE(
    `${firstProblems(faults.map(({ path, message }) => `${path} ${message}`))}. Nothing was written.`,
    { cause: 'fields' },
  );
}
