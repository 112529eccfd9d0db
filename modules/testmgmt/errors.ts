import { catalogue, type FaultKind } from '../../core/errors.ts';

export const testmgmtErrors = {
  ORGANIZATION_NOT_FOUND: { status: 404, tip: 'Use get-orgs-list to see the organizations you belong to.' },
  PROJECT_NOT_FOUND: { status: 404, tip: 'Use get-projects to see the projects of an organization.' },
  TEST_NOT_FOUND: { status: 404, tip: 'Use get-tests to see the tests of a project.' },
  RUN_NOT_FOUND: { status: 404, tip: 'Use get-runs to see the runs of a project.' },
  SECTION_NOT_FOUND: { status: 404, tip: 'Use get-sections to see the sections of a project.' },
  USER_NOT_FOUND: { status: 404, tip: 'Use get-all-users to see the people of your organizations.' },
  NOT_IN_PROJECT: { status: 400, tip: 'Use only ids of this project: get-tests lists its tests.' },
  NOT_IN_RUN: { status: 400, tip: 'Use get-run-tests-list to see the tests of the run.' },
  DUPLICATE_ID: { status: 400, tip: 'Name each id once; get-tests lists them.' },
  NOTHING_TO_UPDATE: {
    status: 400,
    tip: 'Give at least one field besides the ids, e.g. testName for update-test.',
  },
  PROJECT_INACTIVE: {
    status: 409,
    tip: 'An administrator can use update-project-status with isActive true first; reading works as it is.',
  },
  RUN_LOCKED: {
    status: 423,
    tip: 'Use create-run for a new one, or have an administrator use unlock-run.',
  },
  SECTION_EXISTS: {
    status: 409,
    tip: 'Use the section that is there, or another name; get-sections lists them.',
  },
  SECTION_TOO_DEEP: { status: 400, tip: 'Choose a parent higher up; get-sections shows each path.' },
  IMPORT_UNREADABLE: {
    status: 400,
    tip: 'Give the text of a file of download-tests, or CSV with a first row that names "Title", and its format: csv or json.',
  },
  IMPORT_FAULTY: { status: 400, tip: 'Correct these rows; import-tests with dryRun true names all faults.' },
  IMPORT_CREATES: {
    status: 400,
    tip: 'Correct the names in the file, or add them first (add-labels, add-squads, add-section), or leave out strict.',
  },
  PROJECT_FULL: {
    status: 409,
    tip: 'Use the names that are there (get-sections, get-labels, get-squads), or another project.',
  },
  STEPS_TOO_LONG: {
    status: 400,
    tip: 'Use create-test for several shorter tests, or keep long data in a file and name it in the step.',
  },
  SECTION_NOT_EMPTY: {
    status: 409,
    tip: 'Move its tests with bulk-update-tests (get-tests lists them) and use delete-section on its subsections first.',
  },
} as const satisfies Record<string, FaultKind>;

export const refuse = catalogue(testmgmtErrors);

/** How many faulty items one answer names. */
const shownFaults = 20;

/** The first twenty faults as one phrase, then how many more there are. Pure. */
export function firstFaults(faults: readonly string[], count = faults.length): string {
  const shown = faults.slice(0, shownFaults);
  return count > shown.length ? `${shown.join('; ')}; and ${count - shown.length} more` : shown.join('; ');
}

/** The ids of a list that are not known, by index, as {@link firstFaults} puts it: of 100,000 only the first are put in words. */
export function unknownIds(
  ids: readonly number[],
  known: { has(id: number): boolean },
  at: (index: number) => string,
): string {
  const faults: string[] = [];
  let count = 0;
  for (const [index, id] of ids.entries()) {
    if (!known.has(id) && ++count <= shownFaults) faults.push(`${at(index)} is ${id}`);
  }
  return firstFaults(faults, count);
}

/**
 * @param inside where the id stands in an item of the field.
 * @throws Fault DUPLICATE_ID naming the ids that are given twice, by index.
 */
export function requireDistinct(ids: readonly number[], field: string, inside = ''): void {
  // By sorted numbers and not by a set, which takes 25 ms for 100,000 of them (measured; so 6).
  const sorted = Float64Array.from(ids).sort();
  if (sorted.every((id, index) => index === 0 || id !== sorted[index - 1])) return;
  const firstAt = new Map<number, number>();
  const faults: string[] = [];
  let count = 0;
  for (const [index, id] of ids.entries()) {
    const earlier = firstAt.get(id);
    if (earlier === undefined) firstAt.set(id, index);
    else if (++count <= shownFaults)
      faults.push(`${field}[${index}]${inside} is ${id}, as in ${field}[${earlier}]`);
  }
  throw refuse.DUPLICATE_ID(`${firstFaults(faults, count)}. Nothing was written.`, { cause: field });
}
