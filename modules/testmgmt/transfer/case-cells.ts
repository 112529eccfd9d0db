import type { testRecord } from '../cases/case-record.ts';
import type { Static } from '@sinclair/typebox';
import { everyClassification } from '../rules/classification.ts';

/*
 * Tests as rows of a table, for CSV: what is written here is what the import reads back.
 */

export type TestRecord = Static<typeof testRecord>;

/** The columns of an export, in order. Ids of what a test refers to are left out: another project has others. */
export const testColumns = [
  'testId',
  'testName',
  'testDescription',
  'preconditions',
  'steps',
  'sectionPath',
  ...everyClassification,
  'squad',
  'labels',
  'createdBy',
  'createdAt',
  'updatedAt',
] as const;

/** One test as the cells of its row. Steps are JSON; a section is its path, `Checkout > Payment`; labels are a list. */
export function cellsOf(test: TestRecord): string[] {
  return [
    String(test.testId),
    test.testName,
    test.testDescription,
    test.preconditions,
    test.steps.length > 0 ? JSON.stringify(test.steps) : '',
    joined(test.sectionPath, '>'),
    ...everyClassification.map((kind) => test[kind] ?? ''),
    test.squad ?? '',
    joined(
      test.labels.map(({ labelName }) => labelName),
      ',',
    ),
    String(test.createdBy),
    test.createdAt,
    test.updatedAt,
  ].map(guarded);
}

/** Between two names: as people write it. */
const shownSeparator = { '>': ' > ', ',': ', ' } as const;
type Separator = keyof typeof shownSeparator;

/** Names in one cell. A separator or backslash inside a name has a backslash before it. */
export const joined = (names: readonly string[], separator: Separator): string =>
  names
    .map((name) =>
      name.replace(/[\\>,]/g, (mark) => (mark === '\\' || mark === separator ? `\\${mark}` : mark)),
    )
    .join(shownSeparator[separator]);

/** The names of a cell, without the space around them; empty ones are none. */
export function split(cell: string, separator: Separator): string[] {
  const names: string[] = [''];
  for (let at = 0; at < cell.length; at++) {
    const mark = cell[at] ?? '';
    const next = cell[at + 1];
    const last = names.length - 1;
    if (mark === '\\' && (next === '\\' || next === separator)) {
      names[last] += next;
      at++;
    } else if (mark === separator) names.push('');
    else names[last] += mark;
  }
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

/*
 * A cell that begins like a formula would be run by the spreadsheet that opens the file (CWE-1236), the full-width signs
 * included: Excel reads them as their usual forms. What stands behind a semicolon is a cell of its own where the semicolon is
 * the separator, as in the countries that write a decimal comma. An apostrophe makes such text; one before a cell that has such an
 * apostrophe itself makes both tell apart. Lines inside a cell stay as they are: `- item` begins every list.
 */
const toGuard = /(?:^(?='*[=+\-@＝＋－＠\t\r\n])|(?<=;)(?='*[=+\-@＝＋－＠]))/g;
const guards = /(?:^'(?='*[=+\-@＝＋－＠\t\r\n])|(?<=;)'(?='*[=+\-@＝＋－＠]))/g;

export const guarded = (cell: string): string => cell.replace(toGuard, "'");

export const unguarded = (cell: string): string => (cell.includes("'") ? cell.replace(guards, '') : cell);
