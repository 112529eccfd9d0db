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
  /** The migrations of the database; none for an empty one. */
  applied(): Promise<readonly Applied[]>;
  /** From now on it is read as it is at this moment. */
  snapshot(): Promise<void>;
  count(table: TableDescription): Promise<number>;
  /** The rows after a key in the order of the primary key, `null`: from the first one. No rows: there are no more. */
  page(table: TableDescription, after: Row | null): Promise<readonly Row[]>;
  /** The last number that the identity column has assigned, also to a row that is deleted; 0 for none. */
  lastId(table: TableDescription): Promise<number>;
  /** The progress of an interrupted transfer to this place; none when there is no such one. */
  progress(): Promise<readonly Progress[]>;
  close(): Promise<void>;
}

/** How far one table has come. It is stored with the rows, in one transaction. */
export interface Progress {
  readonly table: string;
  /** The source that the rows are from. */
  readonly source: string;
  readonly lastKey: Row | null;
  readonly done: boolean;
}

/** The database that rows are transferred to. */
export interface Target extends TransferSource {
  /** Records that the tables are transferred from this source. */
  begin(source: string, tables: readonly TableDescription[]): Promise<void>;
  /** Writes rows and the progress in one transaction. @throws Fault CONFLICT when another process transfers too. */
  write(table: TableDescription, rows: readonly Row[], from: Progress, to: Progress): Promise<void>;
  /** Makes the next number of the identity column the one after `lastId`. */
  setLastId(table: TableDescription, lastId: number): Promise<void>;
  /** Deletes the rows of these tables (children first) and their progress. */
  clear(tables: readonly TableDescription[]): Promise<void>;
  /** Makes it an ordinary database: removes the progress. */
  finish(): Promise<void>;
}
