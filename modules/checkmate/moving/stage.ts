import { openRowFile } from '../../../core/db/sqlite/row-file.ts';
import {
  cellOf,
  checkmateTables,
  tableNames,
  type AnyCheckmateRow,
  type CheckmateRow,
  type CheckmateTable,
  type TableName,
} from './checkmate-table.ts';

/**
 * The rows of a Checkmate database in a temporary file: a dump has its tables one after the other, and a transaction must not wait for a
 * network. Read by the record that they belong to, in id order.
 */
export interface Stage {
  /** Adds a row. A row without what identifies it is passed over. */
  add(table: TableName, cells: Readonly<Record<string, unknown>>): void;
  /** After the last row. */
  close(): void;
  /** Rows of one record, with greater ids, in id order. @param of null for a table whose rows belong to none. */
  rows<T extends TableName>(
    table: T,
    of: number | null,
    after: number,
    limit: number,
  ): ReadonlyArray<CheckmateRow<T>>;
  /** All rows of one record, where they are few. */
  every<T extends TableName>(table: T, of: number | null): ReadonlyArray<CheckmateRow<T>>;
  /** The labels of tests: pairs of both. */
  labelsOf(testIds: readonly number[]): ReadonlyArray<readonly [testId: number, labelId: number]>;
  /** The changes of the runs of a project in id order: those of a test in all runs are counted as they happened. */
  history(
    projectId: number,
    after: number,
    limit: number,
  ): ReadonlyArray<CheckmateRow<'testRunsStatusHistory'>>;
  /** The greatest id of a table; 0 for none. */
  lastId(table: TableName): number;
  remove(): void;
}

/** @throws Error when there is no room for the file. */
export function openStage(): Stage {
  const file = openRowFile();
  const read = <T extends TableName>(kind: string, of: number | null, after: number, limit: number) =>
    file.rows(kind, of ?? 0, after, limit).map((body) => JSON.parse(body) as CheckmateRow<T>);
  return {
    add: (table, cells) => {
      const { key, of, columns }: CheckmateTable = checkmateTables[table];
      const row = rowOf(columns, cells);
      const place = placeOf(table, row, key, of);
      if (place) file.put(table, place.parent, place.id, JSON.stringify(row));
    },
    close: () => file.regroup('testRunsStatusHistory', 'history', 'runs'),
    rows: (table, of, after, limit) => read(table, of, after, limit),
    every: (table, of) => read(table, of, -1, -1),
    labelsOf: (testIds) => file.idsBelow('labelTestMap', testIds),
    history: (projectId, after, limit) => read('history', projectId, after, limit),
    lastId: (table) => file.lastId(table),
    remove: () => file.remove(),
  };
}

function rowOf(
  columns: CheckmateTable['columns'],
  cells: Readonly<Record<string, unknown>>,
): AnyCheckmateRow {
  return Object.fromEntries(
    Object.entries(columns).map(([column, kind]) => [column, cellOf(kind, cells[column])]),
  );
}

/** A test is once in a run: the last row of several counts. */
function placeOf(table: TableName, row: AnyCheckmateRow, key: readonly string[], of: string | null) {
  const parent = of === null ? 0 : row[of];
  const id = row[table === 'testRunMap' ? 'testId' : (key[0] ?? '')];
  return typeof parent === 'number' && typeof id === 'number' && id > 0 ? { parent, id } : undefined;
}

const byLowerCase = new Map(tableNames.map((name) => [name.toLowerCase(), name]));

/** MySQL on Windows and macOS stores names of tables in lower case. */
export const tableCalled = (name: string): TableName | undefined => byLowerCase.get(name.toLowerCase());
