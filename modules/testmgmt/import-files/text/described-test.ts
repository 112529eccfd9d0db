/** An unchecked test of a file: its fields, its id there, and where it stands. */
export interface DescribedTest {
  /** The number of its first row; in XML and JSON it counts the tests. */
  readonly row: number;
  readonly fields: unknown;
  /** Its id in the product that wrote the file. */
  readonly externalId?: string | undefined;
}

/** The file is not of its format, or exceeds a limit. The message is one sentence for the caller. */
export class InvalidImport extends Error {}

/** No column has the names of the tests. A preview shows the columns nevertheless, so that one can be chosen. */
export class NoNameColumn extends InvalidImport {}
