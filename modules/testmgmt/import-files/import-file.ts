import { check } from '../../../core/base/schema.ts';
import { maxStepsLength, stepsLength } from '../cases/case-steps.ts';
import { maxLinksOfRecord } from '../links/link-store.ts';
import { maxUrl } from '../links/link-template.ts';
import { FileFault } from '../result-files/text/file-fault.ts';
import { fieldValueFaults, fieldValueOfText, ownName, type GivenFieldValues } from '../rules/field-value.ts';
import type { OwnFields, Reading } from './tables/import-format.ts';
import { importFormats, type ImportFormatName } from './import-formats.ts';
import type { ColumnTarget } from './tables/table-fields.ts';
import { InvalidCsv } from './text/csv.ts';
import { InvalidImport, NoNameColumn } from './text/described-test.ts';
import { givenLinks, importedTest, type ImportedTest } from './text/imported-test.ts';
import { InvalidJson } from './text/json-items.ts';

/* Reads a file to import, in any of its formats. transfer/import-resolution.ts determines which of its names exist in the project. */

/** Most tests of one import. */
const maxRows = 100_000;

/** Most labels and links of all tests of one import. Each is a row in the database: without a limit, 16 MiB could contain 8 million. */
const maxLabels = 500_000;

const maxExternalId = 255;

/** The problems of one row. `row` counts like a spreadsheet: 1 is the header of a CSV file, or the first test in XML and JSON. */
interface RowProblem {
  readonly row: number;
  readonly message: string;
}

export interface ReadFile {
  readonly tests: readonly ImportedTest[];
  /** For each test its row, as in the faults. */
  readonly rows: readonly number[];
  /** For each test its id in the product that wrote the file; undefined for none. */
  readonly externalIds: ReadonlyArray<string | undefined>;
  /** The fields that the file has for its tests, set or not; own fields as `cf.KEY`. */
  readonly supplied: ReadonlySet<string>;
  /** Where the columns of a table go; empty for XML and JSON. */
  readonly columns: ReadonlyArray<{ readonly column: string; readonly to: ColumnTarget | null }>;
  /** The first {@link shownProblems}. */
  readonly faults: readonly RowProblem[];
  readonly faultsCount: number;
  /** The first {@link shownProblems} unknown columns or members. */
  readonly ignored: readonly string[];
}

/** It is not a file of tests, or exceeds a limit. The message is one sentence for the caller. */
export class UnreadableFile extends Error {}

/** The most invalid rows and unknown columns that are named: people read the result. */
export const shownProblems = 100;

interface Given {
  readonly content: string;
  readonly format: ImportFormatName;
  readonly known?: OwnFields;
  readonly mapping?: Readonly<Record<string, unknown>>;
  /** Nothing will be written: columns without a name for the tests are a fault of their row. */
  readonly isPreview?: boolean;
}

/**
 * Reads a file. Yields where the reader may pause. Every limit is checked during reading, so that the rest of a file that exceeds a limit
 * costs nothing.
 * @throws UnreadableFile.
 */
export function* readTests(given: Given): Generator<void, ReadFile> {
  const collected = new CollectedTests(given);
  try {
    if (given.mapping && !importFormats[given.format].isTable)
      throw new InvalidImport(`mapping is for tables; the format ${given.format} has no columns.`);
    // Text of UTF-16 that was read as another encoding has a null at every second character.
    if (given.content.slice(0, 1_000).includes('\0'))
      throw new InvalidImport(
        'It has null characters: it is binary, or UTF-16 read as something else. Save it as UTF-8.',
      );
    for (const one of importFormats[given.format].read(collected.reading)) {
      yield;
      if (one) collected.add(one);
    }
  } catch (error) {
    if (!(error instanceof NoNameColumn && given.isPreview)) throw unreadable(error);
    collected.fault(1, () => error.message);
  }
  return collected.result();
}

function unreadable(error: unknown): unknown {
  if (error instanceof InvalidCsv)
    return new UnreadableFile(`It is not CSV that can be read: ${error.message}`);
  if (error instanceof FileFault) {
    const { place } = error;
    return new UnreadableFile(
      place ? `${error.message} (line ${place.line}, column ${place.column})` : error.message,
    );
  }
  return error instanceof InvalidJson || error instanceof InvalidImport
    ? new UnreadableFile(error.message)
    : error;
}

class CollectedTests {
  readonly reading: Reading;
  readonly #tests: ImportedTest[] = [];
  readonly #rows: number[] = [];
  readonly #externalIds: Array<string | undefined> = [];
  readonly #rowOfId = new Map<string, number>();
  readonly #faults: RowProblem[] = [];
  readonly #ignored = new Set<string>();
  readonly #supplied = new Set<string>();
  readonly #ownOf: ReturnType<typeof ownFieldReader>;
  #columns: ReadFile['columns'] = [];
  #faultsCount = 0;
  #labels = 0;

  constructor({ content, format, known = new Map(), mapping = {} }: Given) {
    this.reading = {
      content,
      mapping,
      known,
      ignore: (name) => this.#ignore(name),
      supply: (field) => void this.#supplied.add(field),
      mapped: (columns) => void (this.#columns = columns),
    };
    this.#ownOf = ownFieldReader(known, format !== 'json', (name) => this.#ignore(name));
  }

  /** @throws InvalidImport beyond a limit. */
  add({ row, fields, externalId }: { row: number; fields: unknown; externalId?: string | undefined }): void {
    if (this.#tests.length + this.#faultsCount === maxRows)
      throw new InvalidImport(`It has more than ${maxRows} tests.`);
    const result = check(importedTest, fields);
    if (!result.ok) {
      const message = () => result.problems.map(({ path, message: text }) => `${path} ${text}`).join('; ');
      return this.fault(row, message);
    }
    if (stepsLength(result.value.steps ?? []) > maxStepsLength)
      return this.fault(row, () => `steps must have at most ${maxStepsLength} characters together`);
    const links = givenLinks(result.value);
    if (!links)
      return this.fault(
        row,
        () => `otherLinks must have http or https addresses of at most ${maxUrl} characters`,
      );
    if (links.length > maxLinksOfRecord)
      return this.fault(row, () => `refs and defects must have at most ${maxLinksOfRecord} items together`);
    this.#labels += (result.value.labels?.length ?? 0) + links.length;
    if (this.#labels > maxLabels)
      throw new InvalidImport(`Its tests have more than ${maxLabels} labels and links together.`);
    const problem = this.#problemOfId(row, externalId);
    if (problem !== null) return this.fault(row, () => problem);
    const own = this.#ownOf(result.value.fields);
    if (own.problem !== null) return this.fault(row, () => own.problem ?? '');
    const { fields: _given, ...rest } = result.value;
    this.#tests.push({ ...rest, ...(own.fields ? { fields: own.fields } : {}) });
    this.#rows.push(row);
    this.#externalIds.push(externalId);
  }

  result(): ReadFile {
    return {
      tests: this.#tests,
      rows: this.#rows,
      externalIds: this.#externalIds,
      supplied: this.#supplied,
      columns: this.#columns,
      faults: this.#faults,
      faultsCount: this.#faultsCount,
      ignored: [...this.#ignored],
    };
  }

  #problemOfId(row: number, externalId: string | undefined): string | null {
    if (externalId === undefined) return null;
    if (externalId.length > maxExternalId || !externalId.isWellFormed())
      return `its id must have at most ${maxExternalId} characters`;
    const before = this.#rowOfId.get(externalId);
    if (before !== undefined) return `has the id "${externalId}" of row ${before}`;
    this.#rowOfId.set(externalId, row);
    return null;
  }

  fault(row: number, message: () => string): void {
    this.#faultsCount++;
    if (this.#faults.length < shownProblems) this.#faults.push({ row, message: message() });
  }

  #ignore(name: string): void {
    if (this.#ignored.size < shownProblems) this.#ignored.add(name.trim().slice(0, 255));
  }
}

/** Reads the values of own fields of a test: those that the project does not have are left out, and named by `ignore`. */
function ownFieldReader(known: OwnFields, areTexts: boolean, ignore: (name: string) => void) {
  return (given: GivenFieldValues | undefined) => {
    if (!given) return { fields: undefined, problem: null };
    const values = Object.entries(given).flatMap(([key, value]) => {
      const field = known.get(key);
      if (!field) ignore(ownName(key));
      return field ? [[key, areTexts ? fieldValueOfText(field, String(value)) : value] as const] : [];
    });
    const fields: GivenFieldValues | undefined = values.length === 0 ? undefined : Object.fromEntries(values);
    const faults = fieldValueFaults(fields, known, false);
    const problem = faults.map(({ path, message }) => `${path} ${message}`).join('; ');
    return { fields, problem: problem === '' ? null : problem };
  };
}
