import { Type, type Static } from '@sinclair/typebox';
import { check, closedObject } from '../../../core/base/schema.ts';
import { estimateSeconds } from '../cases/case-parameters.ts';
import { maxStepsLength, stepRecord, stepsLength } from '../cases/case-steps.ts';
import { maxLinksOfRecord } from '../links/link-store.ts';
import { fieldValues, longText, nameText } from '../base/parameters.ts';
import { byName, classifications, everyClassification, idFieldOf } from '../rules/classification.ts';
import {
  fieldValueFaults,
  fieldValueOfText,
  type FieldDefinition,
  type GivenFieldValues,
} from '../rules/field-value.ts';
import { InvalidColumns, testsOfCsv, type DescribedTest } from './case-csv.ts';
import { InvalidCsv } from './csv.ts';
import { InvalidJson, jsonItems } from './json-items.ts';

/* Reads a file to import, in any of its formats. import-resolution.ts determines which of its names exist in the project. */

/** Most tests of one import. */
const maxRows = 100_000;

/** Most labels and links of all tests of one import. Each is a row in the database: without a limit, 16 MiB could contain 8 million. */
const maxLabels = 500_000;

const name = (description: string) => Type.Optional(nameText(description));

/** A test in a file. It refers to its section, classifications, squad and labels by name. */
const importedTest = closedObject({
  testName: nameText('What the test checks.'),
  testDescription: Type.Optional(longText('What the test is about.')),
  preconditions: Type.Optional(longText('What must hold before the test.')),
  steps: Type.Optional(Type.Array(stepRecord, { maxItems: 500 })),
  sectionPath: Type.Optional(Type.Array(nameText('A section.'), { maxItems: 32 })),
  ...byName((kind) => name(`Its ${classifications[kind].singular}.`)),
  squad: name('Its squad.'),
  estimateSeconds: Type.Optional(estimateSeconds),
  fields: fieldValues,
  labels: Type.Optional(Type.Array(nameText('A label.'), { maxItems: 100 })),
  refs: Type.Optional(Type.Array(nameText('A requirement.'), { maxItems: maxLinksOfRecord / 2 })),
  defects: Type.Optional(Type.Array(nameText('A defect.'), { maxItems: maxLinksOfRecord / 2 })),
});
export type ImportedTest = Static<typeof importedTest>;

/** The problems of one row. `row` counts like a spreadsheet: 1 is the header of a CSV file, or the first test in JSON. */
interface RowProblem {
  readonly row: number;
  readonly message: string;
}

export interface ReadFile {
  readonly tests: readonly ImportedTest[];
  /** The first {@link shownProblems}. */
  readonly faults: readonly RowProblem[];
  readonly faultsCount: number;
  /** The first {@link shownProblems} unknown columns or members. */
  readonly ignored: readonly string[];
}

/** It is not a file of tests, or exceeds a limit. The message is one sentence for the caller. */
export class UnreadableFile extends Error {}

/** The most invalid rows and unknown columns that are named: people read the result. */
const shownProblems = 100;

/**
 * Reads a file. Yields where the reader may pause. Every limit is checked during reading, so that the rest of a file that exceeds a limit
 * costs nothing.
 * @throws UnreadableFile.
 */
export function* readTests(
  content: string,
  format: 'csv' | 'json',
  known: ReadonlyMap<string, FieldDefinition> = new Map(),
): Generator<void, ReadFile> {
  const tests: ImportedTest[] = [];
  const faults: RowProblem[] = [];
  const ignored = new Set<string>();
  let faultsCount = 0;
  let labels = 0;
  const ignore = (name: string) => {
    if (ignored.size < shownProblems) ignored.add(name.slice(0, 255));
  };
  const ownOf = ownFieldReader(known, format === 'csv', ignore);
  const described = format === 'csv' ? testsOfCsv(content, ignore) : testsOfJson(content, ignore);
  try {
    for (const one of described) {
      yield;
      if (!one) continue;
      const { row, fields } = one;
      if (tests.length + faultsCount === maxRows) {
        throw new UnreadableFile(`It has more than ${maxRows} tests.`);
      }
      const result = check(importedTest, fields);
      const tooLong = result.ok && stepsLength(result.value.steps ?? []) > maxStepsLength;
      if (result.ok && !tooLong) {
        const { labels: ownLabels, refs, defects } = result.value;
        labels += [ownLabels, refs, defects].reduce((sum, some) => sum + (some?.length ?? 0), 0);
        if (labels > maxLabels) {
          throw new UnreadableFile(`Its tests have more than ${maxLabels} labels and links together.`);
        }
        const { fields: own, problem } = ownOf(result.value.fields);
        if (problem === null) {
          tests.push({ ...result.value, ...(own ? { fields: own } : {}) });
          continue;
        }
        faultsCount++;
        if (faults.length < shownProblems) faults.push({ row, message: problem });
        continue;
      }
      faultsCount++;
      if (faults.length === shownProblems) continue;
      const problems = result.ok
        ? [{ path: 'steps', message: `must have at most ${maxStepsLength} characters together` }]
        : result.problems;
      const message = problems.map(({ path, message: problem }) => `${path} ${problem}`).join('; ');
      faults.push({ row, message });
    }
  } catch (error) {
    if (error instanceof InvalidCsv)
      throw new UnreadableFile(`It is not CSV that can be read: ${error.message}`);
    if (error instanceof InvalidJson || error instanceof InvalidColumns)
      throw new UnreadableFile(error.message);
    throw error;
  }
  return { tests, faults, faultsCount, ignored: [...ignored] };
}

/** Members of an exported test for which the importing project assigns new values. */
const assignedAnew = [
  'testId',
  'projectId',
  'createdBy',
  'createdAt',
  'updatedBy',
  'updatedAt',
  'deletedAt',
  'sectionId',
  ...everyClassification.map(idFieldOf),
  'squadId',
];
const knownMembers = new Set([...Object.keys(importedTest.properties), ...assignedAnew]);

function* testsOfJson(
  content: string,
  ignore: (member: string) => void,
): Generator<DescribedTest | undefined, void> {
  let row = 0;
  for (const item of jsonItems(content, 'tests')) {
    if (!item) {
      yield undefined;
      continue;
    }
    row++;
    yield { row, fields: fieldsOf(item.value, ignore) };
  }
}

function fieldsOf(test: unknown, ignore: (member: string) => void): unknown {
  if (typeof test !== 'object' || test === null || Array.isArray(test)) return test;
  const fields: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(test)) {
    if (!knownMembers.has(member)) ignore(member);
    // An export has null for an unset field.
    else if (Object.hasOwn(importedTest.properties, member) && value !== null) fields[member] = value;
  }
  if (Array.isArray(fields['labels'])) fields['labels'] = fields['labels'].map(labelName);
  return fields;
}

/** An export has `{labelId, labelName}`; a hand-written file has the name. */
const labelName = (label: unknown): unknown =>
  typeof label === 'object' && label !== null && 'labelName' in label ? label.labelName : label;

/** Reads the values of own fields of a test: those that the project does not have are left out, and named by `ignore`. */
function ownFieldReader(
  known: ReadonlyMap<string, FieldDefinition>,
  areTexts: boolean,
  ignore: (name: string) => void,
) {
  return (given: GivenFieldValues | undefined) => {
    if (!given) return { fields: undefined, problem: null };
    const values = Object.entries(given).flatMap(([key, value]) => {
      const field = known.get(key);
      if (!field) ignore(`cf.${key}`);
      return field ? [[key, areTexts ? fieldValueOfText(field, String(value)) : value] as const] : [];
    });
    const fields: GivenFieldValues | undefined = values.length === 0 ? undefined : Object.fromEntries(values);
    const faults = fieldValueFaults(fields, known, false);
    const problem = faults.map(({ path, message }) => `${path} ${message}`).join('; ');
    return { fields, problem: problem === '' ? null : problem };
  };
}
