import type { TestRecord } from '../cases/case-record.ts';
import { everyClassification } from '../rules/classification.ts';
import { guarded } from './formula-guard.ts';

/** The columns of an export in CSV, in order; the import reads them back. Ids of other records are left out: they differ by project. */
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

/** The cells of a test. Steps are JSON, a section is its path `Checkout > Payment`, labels are a list. */
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

const shownSeparator = { '>': ' > ', ',': ', ' } as const;
type Separator = keyof typeof shownSeparator;

/** Names in one cell. A backslash escapes a separator or backslash inside a name. */
export const joined = (names: readonly string[], separator: Separator): string =>
  names
    .map((name) =>
      name.replace(/[\\>,]/g, (mark) => (mark === '\\' || mark === separator ? `\\${mark}` : mark)),
    )
    .join(shownSeparator[separator]);

/** The names of a cell, trimmed, without empty ones. */
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
