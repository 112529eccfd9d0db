import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cellOf,
  checkmateTables,
  tableNames,
  type AnyRow,
  type CheckmateTable,
  type Row,
  type TableName,
} from './checkmate-table.ts';

/**
 * The rows of a Checkmate database in a temporary file: a dump has its tables one after the other, and a transaction must not wait for a
 * network. Read by the record that they belong to, in id order.
 */
export interface Stage {
  /** Adds a row. A row without what identifies it is passed over. */
  add<T extends TableName>(table: T, cells: Readonly<Record<string, unknown>>): void;
  /** After the last row. */
  close(): void;
  /** Rows of one record, with greater ids, in id order. @param of null for a table whose rows belong to none. */
  rows<T extends TableName>(table: T, of: number | null, after: number, limit: number): ReadonlyArray<Row<T>>;
  /** All rows of one record, where they are few. */
  every<T extends TableName>(table: T, of: number | null): ReadonlyArray<Row<T>>;
  /** The labels of tests: pairs of both. */
  labelsOf(testIds: readonly number[]): ReadonlyArray<readonly [testId: number, labelId: number]>;
  /** The changes of the runs of a project in id order. */
  history(projectId: number, after: number, limit: number): ReadonlyArray<Row<'testRunsStatusHistory'>>;
  /** The greatest id of a table; 0 for none. */
  lastId(table: TableName): number;
  count(table: TableName): number;
  remove(): void;
}

/** Rows in one transaction of the temporary file. */
const rowsPerCommit = 5_000;

/** @throws Error when there is no room for the file. */
export function openStage(): Stage {
  const directory = mkdtempSync(join(tmpdir(), 'trivet-import-'));
  const db = new Database(join(directory, 'stage.db'), { create: true, strict: true });
  db.run('pragma journal_mode = off');
  db.run('pragma synchronous = off');
  db.run('pragma locking_mode = exclusive');
  db.run(
    `create table rows (kind text, parent integer, id integer, body text, primary key (kind, parent, id)) without rowid`,
  );
  db.run('create table run_projects (run integer primary key, project integer)');
  const insert = db.prepare('insert or replace into rows values (?, ?, ?, ?)');
  const insertRun = db.prepare('insert or replace into run_projects values (?, ?)');
  const select = db.prepare<{ body: string }, [string, number, number, number]>(
    'select body from rows where kind = ? and parent = ? and id > ? order by id limit ?',
  );
  let open = 0;
  const commit = () => {
    if (open > 0) db.run('commit');
    open = 0;
  };
  const add: Stage['add'] = (table, cells) => {
    const { key, of, columns }: CheckmateTable = checkmateTables[table];
    const row = rowOf(columns, cells);
    const place = placeOf(table, row, key, of);
    if (!place) return;
    if (open === 0) db.run('begin');
    insert.run(table, place.parent, place.id, JSON.stringify(row));
    if (table === 'runs') insertRun.run(place.id, place.parent);
    if (++open >= rowsPerCommit) commit();
  };
  const rows: Stage['rows'] = (table, of, after, limit) =>
    select.all(table, of ?? 0, after, limit).map(({ body }) => JSON.parse(body) as never);
  const one = (sql: string, table: TableName): number =>
    Number(db.query<{ n: number | null }, [string]>(sql).get(table)?.n ?? 0);
  return {
    add,
    close: () => {
      commit();
      // By project and id: the changes of a test in all runs are counted in the order in which they happened.
      db.run(`insert into rows select 'history', p.project, r.id, r.body from rows r join run_projects p on p.run = r.parent
        where r.kind = 'testRunsStatusHistory'`);
    },
    rows,
    every: (table, of) => rows(table, of, -1, -1),
    labelsOf: (testIds) =>
      db
        .query<{ parent: number; id: number }, [string]>(
          `select parent, id from rows where kind = 'labelTestMap' and parent in (select value from json_each(?)) order by parent, id`,
        )
        .all(JSON.stringify(testIds))
        .map(({ parent, id }) => [parent, id] as const),
    history: (projectId, after, limit) =>
      select.all('history', projectId, after, limit).map(({ body }) => JSON.parse(body) as never),
    lastId: (table) => one('select max(id) as n from rows where kind = ?', table),
    count: (table) => one('select count(*) as n from rows where kind = ?', table),
    remove: () => {
      db.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function rowOf(columns: CheckmateTable['columns'], cells: Readonly<Record<string, unknown>>): AnyRow {
  return Object.fromEntries(
    Object.entries(columns).map(([column, kind]) => [column, cellOf(kind, cells[column])]),
  );
}

/** A test is once in a run: the last row of several counts, as in the pages of Checkmate. */
function placeOf(table: TableName, row: AnyRow, key: readonly string[], of: string | null) {
  const parent = of === null ? 0 : row[of];
  const id = row[table === 'testRunMap' ? 'testId' : (key[0] ?? '')];
  return typeof parent === 'number' && typeof id === 'number' && id > 0 ? { parent, id } : undefined;
}

const byLowerCase = new Map(tableNames.map((name) => [name.toLowerCase(), name]));

/** MySQL on Windows and macOS stores names of tables in lower case. */
export const tableCalled = (name: string): TableName | undefined => byLowerCase.get(name.toLowerCase());
