import { Type, type Static } from '@sinclair/typebox';
import { parse } from 'csv-parse/sync';
import { check } from '../../core/schema.ts';
import { longText, nameText } from './parameters.ts';
import { stepRecord } from './records.ts';
import { split, unguarded } from './test-table.ts';

/*
 * What a file to import says, in whatever of three ways it was written. Pure: what of it exists in a project already is for
 * the store to find out.
 */

/** How many tests one import may bring. */
export const maximumRows = 100_000;

const name = (description: string) => Type.Optional(nameText(description));

/** A test as a file describes it: everything it belongs to by name. */
const importedTest = Type.Object(
  {
    testName: nameText('What the test checks.'),
    testDescription: Type.Optional(longText('What the test is about.')),
    preconditions: Type.Optional(longText('What must hold before the test.')),
    steps: Type.Optional(Type.Array(stepRecord, { maxItems: 500 })),
    sectionPath: Type.Optional(Type.Array(nameText('A section.'), { maxItems: 32 })),
    priority: name('Its priority.'),
    type: name('Its type.'),
    automationStatus: name('Its automation status.'),
    platform: name('Its platform.'),
    testCoveredBy: name('Its coverage type.'),
    squad: name('Its squad.'),
    labels: Type.Optional(Type.Array(nameText('A label.'), { maxItems: 100 })),
  },
  { additionalProperties: false },
);
export type ImportedTest = Static<typeof importedTest>;

/** What is wrong with one row. `row` counts as a spreadsheet does: 1 is the header of a CSV, or the first test of JSON. */
export interface RowFault {
  readonly row: number;
  readonly message: string;
}

export interface ReadFile {
  readonly tests: readonly ImportedTest[];
  readonly faults: readonly RowFault[];
  /** Columns or members that mean nothing here. */
  readonly ignored: readonly string[];
}

/** Reads a file. @returns what it says, or one sentence when it is no such file at all. */
export function readTests(
  content: string,
  format: 'csv' | 'json',
): ReadFile | { readonly unreadable: string } {
  const rows = format === 'csv' ? rowsOfCsv(content) : rowsOfJson(content);
  if ('unreadable' in rows) return rows;
  if (rows.rows.length > maximumRows) return { unreadable: `It has more than ${maximumRows} tests.` };
  const tests: ImportedTest[] = [];
  const faults: RowFault[] = [];
  for (const { row, fields } of rows.rows) {
    const result = check(importedTest, fields);
    if (result.ok) tests.push(result.value);
    else {
      const message = result.problems.map(({ path, message: problem }) => `${path} ${problem}`).join('; ');
      faults.push({ row, message });
    }
  }
  return { tests, faults, ignored: rows.ignored };
}

interface Row {
  readonly row: number;
  readonly fields: unknown;
}
type Rows =
  { readonly rows: readonly Row[]; readonly ignored: readonly string[] } | { readonly unreadable: string };

/** Members of an exported test that another project gives anew. */
const givenAnew = ['testId', 'projectId', 'createdBy', 'createdAt', 'updatedAt'];
const idMembers = [
  'sectionId',
  'priorityId',
  'typeId',
  'automationStatusId',
  'platformId',
  'testCoveredById',
  'squadId',
];

function rowsOfJson(content: string): Rows {
  let document: unknown;
  try {
    document = JSON.parse(content);
  } catch {
    return { unreadable: 'It is not JSON.' };
  }
  const tests: unknown = Array.isArray(document) ? document : (document as { tests?: unknown } | null)?.tests;
  if (!Array.isArray(tests))
    return { unreadable: 'It is neither a list of tests nor an object with "tests".' };
  const known = new Set([...Object.keys(importedTest.properties), ...givenAnew, ...idMembers]);
  const ignored = new Set<string>();
  const rows = tests.map((test: unknown, index): Row => {
    if (typeof test !== 'object' || test === null || Array.isArray(test))
      return { row: index + 1, fields: test };
    const fields: Record<string, unknown> = {};
    for (const [member, value] of Object.entries(test)) {
      if (!known.has(member)) ignored.add(member);
      // An export says null for what a test does not have.
      else if (Object.hasOwn(importedTest.properties, member) && value !== null) fields[member] = value;
    }
    if (Array.isArray(fields['labels'])) fields['labels'] = fields['labels'].map(labelName);
    return { row: index + 1, fields };
  });
  return { rows, ignored: [...ignored] };
}

/** An export has `{labelId, labelName}`; by hand people write the name. */
const labelName = (label: unknown): unknown =>
  typeof label === 'object' && label !== null && 'labelName' in label ? label.labelName : label;

/**
 * What a column is, by its name without case, space and marks: our own export's, and those of the CSV files of Checkmate
 * ("Title", "Section" with `A > B`, "Expected Result") and TestRail ("Section Hierarchy", "Steps (Step)"). Of several that
 * mean the same the first listed here wins.
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
  priority: ['priority'],
  type: ['type'],
  automationStatus: ['automationstatus'],
  platform: ['platform'],
  testCoveredBy: ['testcoveredby'],
  squad: ['squad'],
  labels: ['labels', 'label'],
} as const;
type Column = keyof typeof columnNames;

const plain = (header: string) => header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Where each column is; undefined for one that the file does not have. */
function columnsOf(header: readonly string[]): ReadonlyMap<Column, number> {
  const names = header.map(plain);
  const found = new Map<Column, number>();
  for (const [column, aliases] of Object.entries(columnNames) as Array<[Column, readonly string[]]>) {
    const at = aliases.map((alias) => names.indexOf(alias)).find((index) => index >= 0);
    if (at !== undefined) found.set(column, at);
  }
  return found;
}

function rowsOfCsv(content: string): Rows {
  let records: string[][];
  try {
    records = parse(content, { bom: true, relax_column_count: true });
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    return { unreadable: `It is not CSV${typeof code === 'string' ? ` (${code})` : ''}.` };
  }
  const header = records[0];
  if (!header) return { unreadable: 'It is empty.' };
  const columns = columnsOf(header);
  if (!columns.has('testName')) {
    return { unreadable: 'Its first row names no column "testName" or "Title".' };
  }
  const used = new Set(columns.values());
  const ours = new Set(givenAnew.map(plain));
  const ignored = header.filter(
    (column, at) => column.trim() !== '' && !used.has(at) && !ours.has(plain(column)),
  );

  const rows: Array<{ row: number; fields: Record<string, unknown> }> = [];
  for (const [at, record] of records.slice(1).entries()) {
    if (record.every((text) => text.trim() === '')) continue;
    const cell = (column: Column) => {
      const index = columns.get(column);
      return index === undefined ? '' : unguarded(record[index] ?? '');
    };
    const step = stepOf(cell);
    const before = rows.at(-1);
    // TestRail writes each further step of a case on a row that has nothing else.
    if (cell('testName').trim() === '' && step && before) {
      const steps = before.fields['steps'];
      before.fields['steps'] = [...(Array.isArray(steps) ? (steps as unknown[]) : []), step];
      continue;
    }
    rows.push({ row: at + 2, fields: fieldsOf(cell, step) });
  }
  return { rows, ignored };
}

/** A step that has columns of its own; null when the row has none. */
function stepOf(cell: (column: Column) => string): Record<string, string> | null {
  const [action, data, expected] = [cell('stepAction'), cell('stepData'), cell('stepExpected')];
  if (action.trim() === '' && data.trim() === '' && expected.trim() === '') return null;
  return withoutEmpty({ action: action.trim() === '' ? '–' : action, data, expected });
}

function fieldsOf(cell: (column: Column) => string, step: object | null): Record<string, unknown> {
  const texts = ['testName', 'testDescription', 'preconditions', 'squad'] as const;
  const options = ['priority', 'type', 'automationStatus', 'platform', 'testCoveredBy'] as const;
  const fields: Record<string, unknown> = {};
  for (const column of [...texts, ...options]) {
    if (cell(column).trim() !== '') fields[column] = cell(column);
  }
  const path = split(cell('sectionPath'), '>');
  if (path.length > 0) fields['sectionPath'] = path;
  const labels = split(cell('labels'), ',');
  if (labels.length > 0) fields['labels'] = labels;
  const steps = step ? [step] : stepsOf(cell('steps'), cell('expected'));
  if (steps.length > 0) fields['steps'] = steps;
  return fields;
}

/** Our own export has JSON in this cell; others have text, which is one step. */
function stepsOf(text: string, expected: string): unknown[] {
  if (text.startsWith('[{')) {
    try {
      return JSON.parse(text) as unknown[];
    } catch {
      // Text that happens to begin so.
    }
  }
  if (text.trim() === '' && expected.trim() === '') return [];
  return [withoutEmpty({ action: text.trim() === '' ? '–' : text, expected })];
}

const withoutEmpty = (record: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value.trim() !== ''));
