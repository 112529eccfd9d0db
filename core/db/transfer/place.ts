import type { Engine } from '../query/engine.ts';
import type { Applied } from '../ledger/ledger.ts';
import type { Row } from './row-checksum.ts';
import type { TableDescription } from './table-description.ts';

/** The database of one side of a transfer, for reading. Nothing here depends on its engine. */
export interface TransferSource {
  readonly engine: Engine;
  /** Names the place without a password. The same place always has the same name. */
  readonly name: string;
  tables(): Promise<readonly string[]>;
  /** The migrations of the database; an empty list for an empty database. */
  applied(): Promise<readonly Applied[]>;
  /** How many other sessions of Trivet are seen on it; 0 also where they cannot be seen. */
  sessions(): Promise<number>;
  /** From now on, reads see a snapshot of this moment. */
  snapshot(): Promise<void>;
  count(table: TableDescription): Promise<number>;
  /** The rows after a key in the order of the primary key, or from the first row with `null`. An empty page is the end. */
  page(table: TableDescription, after: Row | null): Promise<readonly Row[]>;
  /** The last number that the identity column has assigned, even to a deleted row; 0 for none. */
  lastId(table: TableDescription): Promise<number>;
  /** The progress of an interrupted transfer to this place; empty if there is none. */
  progress(): Promise<readonly Progress[]>;
  close(): Promise<void>;
}

/** The progress of one table, stored with the rows in one transaction. */
export interface Progress {
  readonly table: string;
  /** The source of the rows. */
  readonly source: string;
  readonly lastKey: Row | null;
  readonly done: boolean;
}

/** The database that rows are transferred to. */
export interface Target extends TransferSource {
  /** Records that the tables are transferred from this source. */
  begin(source: string, tables: readonly TableDescription[]): Promise<void>;
  /** Writes rows and the progress in one transaction. @throws Fault CONFLICT when another process is transferring too. */
  write(table: TableDescription, rows: readonly Row[], from: Progress, to: Progress): Promise<void>;
  /** Sets the identity column so that its next number follows `lastId`. */
  setLastId(table: TableDescription, lastId: number): Promise<void>;
  /** Deletes the rows of these tables (children first) and their progress. */
  clear(tables: readonly TableDescription[]): Promise<void>;
  /** Turns it into an ordinary database: removes the progress. */
  finish(): Promise<void>;
}
