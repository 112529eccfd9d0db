import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Rows in one transaction of the file. */
const rowsPerCommit = 5_000;

/**
 * A temporary file of rows, for work that must read a large source in another order than it has. Each row is a text, found by its kind, the
 * id of what it belongs to, and its own id. It is no part of the data: it is not durable, and is removed at the end.
 */
interface RowFile {
  /** A row with the same ids replaces the one before. */
  put(kind: string, parent: number, id: number, body: string): void;
  /** Rows of one kind and parent with greater ids, in id order. @param limit -1: all. */
  rows(kind: string, parent: number, after: number, limit: number): readonly string[];
  /** The ids of the rows of some parents. */
  idsBelow(kind: string, parents: readonly number[]): ReadonlyArray<readonly [parent: number, id: number]>;
  /** Copies rows as another kind, under the parents of their parents, which are rows of `through`. */
  regroup(kind: string, as: string, through: string): void;
  /** The greatest id of a kind; 0 for none. */
  lastId(kind: string): number;
  remove(): void;
}

/** @throws Error when the directory for temporary files takes no file. */
export function openRowFile(): RowFile {
  const directory = mkdtempSync(join(tmpdir(), 'trivet-rows-'));
  const db = new Database(join(directory, 'rows.db'), { create: true, strict: true });
  for (const pragma of ['journal_mode = off', 'synchronous = off', 'locking_mode = exclusive'])
    db.run(`pragma ${pragma}`);
  db.run(
    'create table rows (kind text, parent integer, id integer, body text, primary key (kind, parent, id)) without rowid',
  );
  const insert = db.prepare('insert or replace into rows values (?, ?, ?, ?)');
  const select = db.prepare<{ body: string }, [string, number, number, number]>(
    'select body from rows where kind = ? and parent = ? and id > ? order by id limit ?',
  );
  let open = 0;
  const commit = () => {
    if (open > 0) db.run('commit');
    open = 0;
  };
  return {
    put: (kind, parent, id, body) => {
      if (open === 0) db.run('begin');
      insert.run(kind, parent, id, body);
      if (++open >= rowsPerCommit) commit();
    },
    rows: (kind, parent, after, limit) => select.all(kind, parent, after, limit).map(({ body }) => body),
    idsBelow: (kind, parents) =>
      db
        .query<{ parent: number; id: number }, [string, string]>(
          'select parent, id from rows where kind = ? and parent in (select value from json_each(?)) order by parent, id',
        )
        .all(kind, JSON.stringify(parents))
        .map(({ parent, id }) => [parent, id] as const),
    regroup: (kind, as, through) => {
      commit();
      db.run('create temp table parents (id integer primary key, parent integer)');
      db.run('insert or replace into parents select id, parent from rows where kind = ?', [through]);
      db.run(
        'insert into rows select ?, p.parent, r.id, r.body from rows r join temp.parents p on p.id = r.parent where r.kind = ?',
        [as, kind],
      );
      db.run('drop table temp.parents');
    },
    lastId: (kind) =>
      db.query<{ last: number | null }, [string]>('select max(id) as last from rows where kind = ?').get(kind)
        ?.last ?? 0,
    remove: () => {
      db.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
