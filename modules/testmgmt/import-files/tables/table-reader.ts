import { everyClassification, type Classification } from '../../rules/classification.ts';
import { split } from '../../rules/name-list.ts';
import type { Reading } from './import-format.ts';
import { InvalidImport, type DescribedTest, NoNameColumn } from '../text/described-test.ts';
import { secondsOf } from '../text/estimate-text.ts';
import { unguarded } from '../text/formula-guard.ts';
import { stepOfTexts, stepsOfLists } from '../text/numbered-list.ts';
import { readableText } from '../text/readable-text.ts';
import { mappedColumns, type KnownColumns } from './column-mapping.ts';
import { fieldsOfTarget, fieldsWithLists, plainHeader, type ColumnTarget } from './table-fields.ts';

/** The cells of a row by their target. */
export type RowCells = Partial<Record<ColumnTarget, string>>;

/** How a product writes tests as a table. */
export interface TableShape {
  readonly columns: KnownColumns;
  /** Plain headers of columns that mean nothing here and are not worth a word. */
  readonly silent?: ReadonlySet<string>;
  /** Its texts are HTML. */
  readonly hasHtml?: boolean;
  /** A cell may hold several steps as a numbered list. */
  readonly isNumbered?: boolean;
  /** The items of such a list may be in quotes. */
  readonly isQuoted?: boolean;
  /** Cells that begin like a formula are guarded by an apostrophe, as in an export of Trivet. */
  readonly isGuarded?: boolean;
  readonly pathSeparator?: '/';
  /** The values of classifications in the words of Trivet; null: none. */
  readonly values?: Partial<Record<Classification, Readonly<Record<string, string | null>>>>;
  /** Fields of tests that the row reader makes. */
  readonly supplies?: readonly string[];
  /** Sees each row before it is read: null leaves it out. */
  readonly rowReader?: () => (row: RowCells) => RowCells | null;
}

/** A row of a table, numbered from 1. */
export interface TableRow {
  readonly row: number;
  readonly cells: readonly string[];
}

/** Most steps of a test. One more is read, so that the check rejects the test; the rest is not read. */
const maxSteps = 500;

interface Pending {
  readonly row: number;
  readonly cells: RowCells;
  readonly externalId: string;
  readonly group: string;
  readonly fields: Record<string, unknown>;
  readonly steps: unknown[];
}

/**
 * The tests of a table, whose first row names its columns. Yields undefined where the reader may pause.
 * @throws InvalidImport if there is no column for the names of tests, or no row at all.
 */
export function* testsOfTable(
  rows: Generator<TableRow | undefined, void>,
  shape: TableShape,
  reading: Reading,
): Generator<DescribedTest | undefined, void> {
  let targets: ReadonlyArray<ColumnTarget | undefined> | undefined;
  let header: readonly string[] = [];
  let pending: Pending | undefined;
  const readerOfRow = shape.rowReader?.();
  const readCells = new ReadCells();
  for (const read of rows) {
    if (!read || read.cells.every((text) => text.trim() === '')) {
      yield undefined;
      continue;
    }
    if (!targets) {
      header = read.cells;
      targets = headerOf(header, shape, reading);
      continue;
    }
    for (const at of withoutHeader(read.cells, header)) reading.ignore(`column ${at + 1}`);
    const given = cellsByTarget(read.cells, targets, shape);
    const cells = readerOfRow ? readerOfRow(given) : given;
    if (!cells) {
      yield undefined;
      continue;
    }
    const step = stepOfRow(cells, shape);
    if (pending && goesOn(cells, pending)) {
      if (step && pending.steps.length <= maxSteps) pending.steps.push(step);
      yield undefined;
      continue;
    }
    if (pending) yield described(pending);
    pending = {
      row: read.row,
      cells,
      externalId: (cells.externalId ?? '').trim(),
      group: (cells.group ?? '').trim(),
      fields: fieldsOf(cells, shape, readCells),
      steps: stepsOf(cells, step, shape),
    };
  }
  if (!targets) throw new InvalidImport('It is empty.');
  if (pending) yield described(pending);
}

const stepTargets = ['stepAction', 'stepData', 'stepExpected'] as const;
const stepCells: ReadonlySet<string> = new Set(stepTargets);

/** Whether a row says nothing but its step that the first row of the test does not say. */
const saysNoMore = (cells: RowCells, first: RowCells): boolean =>
  Object.entries(cells).every(
    ([target, text]) => stepCells.has(target) || first[target as keyof RowCells]?.trim() === text?.trim(),
  );

/**
 * A further row of a test has its id or its group again, or only a step, also one without a text, e.g. a picture. A row that says something
 * else is a test of its own, which the check refuses by its id or its missing name, instead of its texts being lost.
 */
function goesOn(cells: RowCells, { cells: first, externalId, group }: Pending): boolean {
  const [id, ofGroup] = [(cells.externalId ?? '').trim(), (cells.group ?? '').trim()];
  const name = (cells.testName ?? '').trim();
  if (ofGroup !== '') return ofGroup === group && (name === '' || name === first.testName?.trim());
  if (id !== '') return id === externalId && saysNoMore(cells, first);
  const hasStep = stepTargets.some((target) => cells[target] !== undefined);
  return hasStep && name === '' && saysNoMore(cells, first);
}

function headerOf(
  header: readonly string[],
  { columns, silent, supplies = [] }: TableShape,
  { mapping, known, ignore, supply, mapped }: Reading,
): ReadonlyArray<ColumnTarget | undefined> {
  const targets = mappedColumns(header, { columns, mapping, known });
  mapped(header.map((column, at) => ({ column, to: targets[at] ?? null })));
  if (!targets.includes('testName'))
    throw new NoNameColumn(
      'Its first row names no column "testName" or "Title". With the format "table", mapping says which column it is.',
    );
  for (const field of supplies) supply(field);
  for (const [at, column] of header.entries()) {
    const target = targets[at];
    if (target !== undefined) for (const field of fieldsOfTarget(target)) supply(field);
    else if (column.trim() !== '' && silent?.has(plainHeader(column)) !== true) ignore(column);
  }
  return targets;
}

/** The positions of cells with a text whose column has no name. */
const withoutHeader = (cells: readonly string[], header: readonly string[]): readonly number[] =>
  cells.flatMap((text, at) => (text.trim() !== '' && (header[at] ?? '').trim() === '' ? [at] : []));

function cellsByTarget(
  cells: readonly string[],
  targets: ReadonlyArray<ColumnTarget | undefined>,
  { isGuarded = false }: TableShape,
): RowCells {
  const found: RowCells = {};
  for (const [at, target] of targets.entries()) {
    const text = cells[at] ?? '';
    if (target === undefined || target === 'ignore' || text.trim() === '') continue;
    const cell = isGuarded ? unguarded(text) : text;
    const before = found[target];
    if (before === undefined) found[target] = cell;
    else if (fieldsWithLists.has(target)) found[target] = `${before},${cell}`;
  }
  return found;
}

const described = ({ row, externalId, fields, steps }: Pending): DescribedTest => ({
  row,
  fields: steps.length > 0 ? { ...fields, steps } : fields,
  ...(externalId === '' ? {} : { externalId }),
});

const names = ['testName', 'squad'] as const;
/** A product that stores HTML has it here, and not in names. */
const texts = ['testDescription', 'preconditions'] as const;

/** Most different cells that are kept, and the longest. */
const [mostKept, longestKept] = [20_000, 500];

/** What equal cells were read as: 100,000 tests of a file have few sections, labels and priorities, which then are in memory once. */
class ReadCells {
  readonly #known = new Map<string, unknown>();

  of<T>(kind: string, cell: string, read: (cell: string) => T): T {
    if (cell.length > longestKept) return read(cell);
    const key = `${kind} ${cell}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known as T;
    const value = read(cell);
    if (this.#known.size < mostKept) this.#known.set(key, value);
    return value;
  }
}

function fieldsOf(cells: RowCells, shape: TableShape, read: ReadCells): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const column of names) if (cells[column] !== undefined) fields[column] = cells[column];
  for (const column of texts) {
    const text = cells[column];
    if (text !== undefined) fields[column] = shape.hasHtml === true ? readableText(text) : text;
  }
  for (const kind of everyClassification) {
    const cell = cells[kind];
    const value = cell === undefined ? null : read.of(kind, cell, () => valueOf(kind, cell, shape.values));
    if (value !== null) fields[kind] = value;
  }
  const seconds = estimateOf(cells.estimateSeconds ?? '');
  if (seconds !== undefined) fields['estimateSeconds'] = seconds;
  const path = read.of('sectionPath', cells.sectionPath ?? '', (cell) => pathOf(cell, shape.pathSeparator));
  if (path.length > 0) fields['sectionPath'] = path;
  for (const column of ['labels', 'refs', 'defects'] as const) {
    const names = read.of('names', cells[column] ?? '', (cell) => namesOf(cell, ','));
    if (names.length > 0) fields[column] = names;
  }
  if (cells.otherLinks !== undefined) fields['otherLinks'] = listOfJson(cells.otherLinks) ?? cells.otherLinks;
  const own = Object.entries(cells).flatMap(([target, text]) =>
    target.startsWith('cf.') ? [[target.slice(3), text] as const] : [],
  );
  if (own.length > 0) fields['fields'] = Object.fromEntries(own);
  return fields;
}

/** A value of a classification; null for none. */
export function valueOf(kind: Classification, text: string, values: TableShape['values']): string | null {
  const plain = text.trim();
  if (plain === '') return null;
  const words = values?.[kind];
  const key = plain.toLowerCase();
  const known = words && Object.hasOwn(words, key) ? words[key] : undefined;
  return known === undefined ? plain : known;
}

/** Seconds; the text itself where it is no estimate, so that the check names it. Other tools write 0 for "no estimate". */
export function estimateOf(text: string): number | string | undefined {
  const estimate = text.trim();
  const seconds = secondsOf(estimate);
  return estimate === '' || seconds === 0 ? undefined : (seconds ?? estimate);
}

function pathOf(cell: string, separator: '/' | undefined): string[] {
  if (separator === undefined) return namesOf(cell, '>');
  if (cell.length > maxNamesLength) return [cell];
  return cell
    .split('/')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** 100 labels of 255 characters with a backslash before each are shorter. A longer cell is not a list of names. */
const maxNamesLength = 60_000;

const namesOf = (cell: string, separator: '>' | ','): string[] =>
  cell.length > maxNamesLength ? [cell] : split(cell, separator);

function stepOfRow({ stepAction = '', stepData = '', stepExpected = '' }: RowCells, { hasHtml }: TableShape) {
  const plain = hasHtml === true ? readableText : (text: string) => text;
  return stepOfTexts(plain(stepAction), plain(stepData), plain(stepExpected));
}

function stepsOf(cells: RowCells, step: object | undefined, shape: TableShape): unknown[] {
  const inHtml = (text = '') => (shape.hasHtml === true ? readableText(text) : text);
  if (step) {
    if (shape.isNumbered !== true) return [step];
    return stepsOfLists(inHtml(cells.stepAction), inHtml(cells.stepData), inHtml(cells.stepExpected));
  }
  const [all, data, expected] = [inHtml(cells.steps), inHtml(cells.data), inHtml(cells.expected)];
  const json = listOfJson(all);
  if (json) return json;
  if (shape.isNumbered === true) return stepsOfLists(all, data, expected, shape.isQuoted);
  return [stepOfTexts(all, data, expected)].flatMap((one) => one ?? []);
}

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

/** An export of Trivet has steps and other links as JSON in a cell, and Jira's the steps of Xray. Other files have text. */
function listOfJson(text: string): unknown[] | undefined {
  if (!text.startsWith('[{') || !fewMarks(text)) return undefined;
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    // A text that begins like JSON but is not.
    return undefined;
  }
}
