import { byName } from '../rules/classification.ts';

/**
 * The header determines what a CSV column means, without case, spaces and punctuation: the headers of Trivet's export, and those of the CSV
 * files of Checkmate ("Title", "Section" with `A > B`, "Expected Result") and TestRail ("Section Hierarchy", "Steps (Step)"). If several
 * headers have the same meaning, the first one listed here wins.
 */
const columnNames = {
  testName: ['testname', 'title'],
  testDescription: ['testdescription', 'description'],
  preconditions: ['preconditions'],
  steps: ['steps'],
  stepAction: ['stepsstep'],
  stepData: ['stepsadditionalinfo'],
  stepExpected: ['stepsexpectedresult'],
  expected: ['expectedresult'],
  sectionPath: ['sectionpath', 'sectionhierarchy', 'section'],
  ...byName((kind) => [kind.toLowerCase()]),
  squad: ['squad'],
  estimateSeconds: ['estimateseconds', 'estimate'],
  labels: ['labels', 'label'],
  refs: ['refs', 'references'],
  defects: ['defects', 'defect'],
} as const;
export type Column = keyof typeof columnNames;

const plain = (header: string) => header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The positions of the known columns in a header row. */
export function columnsOf(header: readonly string[]): ReadonlyMap<Column, number> {
  const names = header.map(plain);
  const found = new Map<Column, number>();
  for (const [column, aliases] of Object.entries(columnNames) as Array<[Column, readonly string[]]>) {
    const at = aliases.map((alias) => names.indexOf(alias)).find((index) => index >= 0);
    if (at !== undefined) found.set(column, at);
  }
  return found;
}

/** The positions of the columns of own fields, `cf.KEY`, by key. */
export function fieldColumnsOf(header: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [at, name] of header.entries()) {
    const key = /^cf\.([a-z][a-z0-9_-]{0,31})$/.exec(name.trim().toLowerCase())?.[1];
    if (key !== undefined && !found.has(key)) found.set(key, at);
  }
  return found;
}

/** Columns of an export for which the importing project assigns new values. */
const assignedAnew = new Set(
  ['testId', 'projectId', 'createdBy', 'createdAt', 'updatedBy', 'updatedAt', 'deletedAt'].map(plain),
);

/** Whether a header is neither used by an import nor a column of an export. */
export const isUnknownColumn = (header: string): boolean =>
  header.trim() !== '' && !assignedAnew.has(plain(header));
