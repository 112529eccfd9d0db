import type { FieldDefinition } from '../../rules/field-value.ts';
import type { ColumnTarget } from './table-fields.ts';
import type { DescribedTest } from '../text/described-test.ts';

/** An own field of a project, as far as it is known. */
type OwnField = FieldDefinition & { readonly name?: string };
export type OwnFields = ReadonlyMap<string, OwnField>;

/** What a reader is given, and what it tells beside the tests. */
export interface Reading {
  readonly content: string;
  /** Where the caller wants the columns of a table to go, by header. */
  readonly mapping: Readonly<Record<string, unknown>>;
  readonly known: OwnFields;
  /** Receives each name in the file that is not understood. */
  ignore(name: string): void;
  /** Receives each field that the file has for its tests, set or not: an update clears it where it is not set. */
  supply(field: string): void;
  /** Receives where the columns of a table go; null: nowhere. */
  mapped(columns: ReadonlyArray<{ readonly column: string; readonly to: ColumnTarget | null }>): void;
}

/** The beginning of a file, by which its format is found. */
export type FileHead =
  | { readonly kind: 'xml'; readonly root: string; readonly text: string }
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'zip' }
  /** The plain names of the header (`plainHeader`). */
  | { readonly kind: 'table'; readonly header: ReadonlySet<string> };

/** How the files of one product are read. */
export interface ImportFormat {
  readonly title: string;
  /** The product that gave the tests their ids; null: the files have none that stay the same. */
  readonly source: string | null;
  /** Whether its columns can be mapped. */
  readonly isTable: boolean;
  /** Whether a file that begins so is of this format. */
  recognizes(head: FileHead): boolean;
  /**
   * Its tests. Yields undefined where the reader may pause.
   * @throws InvalidImport, FileFault.
   */
  read(reading: Reading): Generator<DescribedTest | undefined, void>;
}
