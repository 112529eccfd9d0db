import { Type, type Static } from '@sinclair/typebox';
import { closedObject, check } from '../../../core/schema.ts';
import { CsvFault } from './csv.ts';
import { jsonItems, JsonFault } from './json-items.ts';
import { byName, classifications, everyClassification, idFieldOf } from '../rules/classification.ts';
import { longText, nameText } from '../parameters.ts';
import { longestSteps, stepsLength, stepRecord } from '../cases/case-steps.ts';
import { ColumnFault, testsOfCsv, type DescribedTest } from './case-csv.ts';

/*
 * What a file to import says, in whatever of three ways it was written. what of it exists in a project already is for
 * the store to find out.
 */

/** How many tests one import may bring. */
const maximumRows = 100_000;

/** How many labels they may have together. Each is a row of its own in the database: without a limit 16 MiB hold 8 million. */
const maximumLabels = 500_000;

const name = (description: string) => Type.Optional(nameText(description));

/** A test as a file describes it: everything it belongs to by name. */
const importedTest = closedObject({
  testName: nameText('What the test checks.'),
  testDescription: Type.Optional(longText('What the test is about.')),
  preconditions: Type.Optional(longText('What must hold before the test.')),
  steps: Type.Optional(Type.Array(stepRecord, { maxItems: 500 })),
  sectionPath: Type.Optional(Type.Array(nameText('A section.'), { maxItems: 32 })),
  ...byName((kind) => name(`Its ${classifications[kind].singular}.`)),
  squad: name('Its squad.'),
  labels: Type.Optional(Type.Array(nameText('A label.'), { maxItems: 100 })),
});
export type ImportedTest = Static<typeof importedTest>;

/** What is wrong with one row. `row` counts as a spreadsheet does: 1 is the header of a CSV, or the first test of JSON. */
interface RowFault {
  readonly row: number;
  readonly message: string;
}

export interface ReadFile {
  readonly tests: readonly ImportedTest[];
  /** The first {@link shownFaults} of them. */
  readonly faults: readonly RowFault[];
  readonly faultsCount: number;
  /** Columns or members that mean nothing here, the first {@link shownFaults} of them. */
  readonly ignored: readonly string[];
}

/** It is no file of tests at all, or beyond a limit. The message is one sentence for whoever sent it. */
export class UnreadableFile extends Error {}

/** How many faulty rows and ignored columns are named: an answer is read by people. */
const shownFaults = 100;

/**
 * Reads a file. Yields where the reader may pause: every limit is asked while it is read, so that a file beyond one costs what
 * was read of it.
 * @throws UnreadableFile.
 */
export function* readTests(content: string, format: 'csv' | 'json'): Generator<void, ReadFile> {
  const tests: ImportedTest[] = [];
  const faults: RowFault[] = [];
  const ignored = new Set<string>();
  let faultsCount = 0;
  let labels = 0;
  const ignore = (name: string) => {
    if (ignored.size < shownFaults) ignored.add(name.slice(0, 255));
  };
  const described = format === 'csv' ? testsOfCsv(content, ignore) : testsOfJson(content, ignore);
  try {
    for (const one of described) {
      yield;
      if (!one) continue;
      const { row, fields } = one;
      if (tests.length + faultsCount === maximumRows) {
        throw new UnreadableFile(`It has more than ${maximumRows} tests.`);
      }
      const result = check(importedTest, fields);
      const tooLong = result.ok && stepsLength(result.value.steps ?? []) > longestSteps;
      if (result.ok && !tooLong) {
        labels += result.value.labels?.length ?? 0;
        if (labels > maximumLabels) {
          throw new UnreadableFile(`Its tests have more than ${maximumLabels} labels together.`);
        }
        tests.push(result.value);
        continue;
      }
      faultsCount++;
      if (faults.length === shownFaults) continue;
      const problems = result.ok
        ? [{ path: 'steps', message: `must have at most ${longestSteps} characters together` }]
        : result.problems;
      const message = problems.map(({ path, message: problem }) => `${path} ${problem}`).join('; ');
      faults.push({ row, message });
    }
  } catch (error) {
    if (error instanceof CsvFault)
      throw new UnreadableFile(`It is not CSV that can be read: ${error.message}`);
    if (error instanceof JsonFault || error instanceof ColumnFault) throw new UnreadableFile(error.message);
    throw error;
  }
  return { tests, faults, faultsCount, ignored: [...ignored] };
}

/** Members of an exported test that another project gives anew. */
const givenAnew = [
  'testId',
  'projectId',
  'createdBy',
  'createdAt',
  'updatedAt',
  'sectionId',
  ...everyClassification.map(idFieldOf),
  'squadId',
];
const known = new Set([...Object.keys(importedTest.properties), ...givenAnew]);

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
    if (!known.has(member)) ignore(member);
    // An export says null for what a test does not have.
    else if (Object.hasOwn(importedTest.properties, member) && value !== null) fields[member] = value;
  }
  if (Array.isArray(fields['labels'])) fields['labels'] = fields['labels'].map(labelName);
  return fields;
}

/** An export has `{labelId, labelName}`; by hand people write the name. */
const labelName = (label: unknown): unknown =>
  typeof label === 'object' && label !== null && 'labelName' in label ? label.labelName : label;
