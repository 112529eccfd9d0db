import { everyClassification } from '../rules/classification.ts';
import { split } from '../rules/name-list.ts';
import { columnsOf, fieldColumnsOf, isUnknownColumn, type Column } from './csv-columns.ts';
import { csvRows, type CsvLimits } from './csv.ts';
import { secondsOf } from './estimate-text.ts';
import { unguarded } from './formula-guard.ts';

/*
 * Reads tests from CSV files of Trivet, Checkmate and TestRail.
 */

/** Checked while a file is read. A project of 100,000 tests with some steps on separate rows stays below the limit of rows. */
const limits: CsvLimits = { columns: 1_000, cellLength: 1_048_576, rows: 1_000_000 };

/** Most steps of a test. One more is read, so that the check rejects the test; the rest is not read. */
const maxSteps = 500;

/** An unchecked test of a file: its fields and the number of its first row. */
export interface DescribedTest {
  readonly row: number;
  readonly fields: unknown;
}

/** The file has no column for test names, or no row at all. The message says which. */
export class InvalidColumns extends Error {}

/**
 * The tests of a file. Yields undefined where the reader may pause.
 * @param ignore receives the name of each unknown column.
 * @throws InvalidCsv, InvalidColumns.
 */
export function* testsOfCsv(
  content: string,
  ignore: (column: string) => void,
): Generator<DescribedTest | undefined, void> {
  let columns: ReadonlyMap<Column, number> | undefined;
  let ownColumns: ReadonlyMap<string, number> = new Map();
  let pending:
    { readonly row: number; readonly fields: Record<string, unknown>; readonly steps: unknown[] } | undefined;
  for (const read of csvRows(content, limits)) {
    if (!read) {
      yield undefined;
      continue;
    }
    const { row, cells } = read;
    if (!columns) {
      columns = columnsOf(cells);
      if (!columns.has('testName')) {
        throw new InvalidColumns('Its first row names no column "testName" or "Title".');
      }
      ownColumns = fieldColumnsOf(cells);
      const used = new Set([...columns.values(), ...ownColumns.values()]);
      for (const [at, column] of cells.entries()) {
        if (!used.has(at) && isUnknownColumn(column)) ignore(column);
      }
      continue;
    }
    if (cells.every((text) => text.trim() === '')) {
      yield undefined;
      continue;
    }
    const places = columns;
    const cell = (column: Column) => {
      const index = places.get(column);
      return index === undefined ? '' : unguarded(cells[index] ?? '');
    };
    const step = stepOf(cell);
    // TestRail writes each further step of a test on a separate row.
    if (cell('testName').trim() === '' && step && pending) {
      if (pending.steps.length <= maxSteps) pending.steps.push(step);
      yield undefined;
      continue;
    }
    if (pending) yield described(pending);
    const fields = fieldsOf(cell);
    const own = [...ownColumns].flatMap(([key, at]) => {
      const text = unguarded(cells[at] ?? '');
      return text.trim() === '' ? [] : [[key, text] as const];
    });
    if (own.length > 0) fields['fields'] = Object.fromEntries(own);
    pending = { row, fields, steps: step ? [step] : stepsOf(cell('steps'), cell('expected')) };
  }
  if (!columns) throw new InvalidColumns('It is empty.');
  if (pending) yield described(pending);
}

const described = ({ row, fields, steps }: { row: number; fields: object; steps: readonly unknown[] }) => ({
  row,
  fields: steps.length > 0 ? { ...fields, steps } : fields,
});

/** The step of the step columns; null when they are empty. */
function stepOf(cell: (column: Column) => string): Record<string, string> | null {
  const [action, data, expected] = [cell('stepAction'), cell('stepData'), cell('stepExpected')];
  if (action.trim() === '' && data.trim() === '' && expected.trim() === '') return null;
  return withoutEmpty({ action: action.trim() === '' ? '–' : action, data, expected });
}

function fieldsOf(cell: (column: Column) => string): Record<string, unknown> {
  const texts = ['testName', 'testDescription', 'preconditions', 'squad'] as const;
  const fields: Record<string, unknown> = {};
  for (const column of [...texts, ...everyClassification]) {
    if (cell(column).trim() !== '') fields[column] = cell(column);
  }
  const estimate = cell('estimateSeconds').trim();
  const seconds = secondsOf(estimate);
  // Other tools write 0 for "no estimate".
  if (estimate !== '' && seconds !== 0) fields['estimateSeconds'] = seconds ?? estimate;
  const path = namesOf(cell('sectionPath'), '>');
  if (path.length > 0) fields['sectionPath'] = path;
  for (const column of ['labels', 'refs', 'defects'] as const) {
    const names = namesOf(cell(column), ',');
    if (names.length > 0) fields[column] = names;
  }
  return fields;
}

/** 100 labels of 255 characters with a backslash before each are shorter. A longer cell is not a list of names. */
const maxNamesLength = 60_000;

const namesOf = (cell: string, separator: '>' | ','): string[] =>
  cell.length > maxNamesLength ? [cell] : split(cell, separator);

/** 500 steps have fewer commas and brackets. JSON.parse takes 1 µs for each. */
const maxMarks = 6_000;

/** Whether a cell has few enough commas, colons and brackets outside its texts to be parsed in one step. */
function fewMarks(text: string): boolean {
  let marks = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++)
        if (text.charCodeAt(at) === 0x5c) at++;
    } else if (code === 0x2c || code === 0x3a || code === 0x5b || code === 0x7b) {
      if (++marks > maxMarks) return false;
    }
  }
  return true;
}

/** An export of Trivet has JSON in this cell. Other files have text, which becomes one step. */
function stepsOf(text: string, expected: string): unknown[] {
  if (text.startsWith('[{') && fewMarks(text)) {
    try {
      return JSON.parse(text) as unknown[];
    } catch {
      // A text that begins like JSON but is not.
    }
  }
  if (text.trim() === '' && expected.trim() === '') return [];
  return [withoutEmpty({ action: text.trim() === '' ? '–' : text, expected })];
}

const withoutEmpty = (record: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value.trim() !== ''));
