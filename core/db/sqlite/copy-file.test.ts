import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { CopyFile, prepareCopy } from './copy-file.ts';

/*
 * A model: a database with a log is written to, and after each step all of its pages are laid over the copy, or only those that differ. The
 * copy then says the same, to a reader that stays open, too.
 */
const pageSize = 4_096;

function source() {
  const path = join(temporaryDirectory('source'), 'trivet.db');
  const db = new Database(path, { create: true, readwrite: true });
  db.run('PRAGMA journal_mode = WAL');
  db.run('CREATE TABLE t (id integer primary key, n integer, x blob)');
  const write = (n: number) => {
    for (let i = 0; i < 40; i++) db.run('INSERT INTO t (n, x) VALUES (?, randomblob(900))', [n]);
    db.run('UPDATE t SET n = ?', [n]);
  };
  /** The database file with everything in it. */
  const image = (): Buffer => {
    db.run('PRAGMA wal_checkpoint(TRUNCATE)');
    return readFileSync(path);
  };
  return { db, write, image, path };
}

const pagesOf = (image: Buffer) =>
  Array.from({ length: image.length / pageSize }, (_, index) => ({
    number: index + 1,
    bytes: new Uint8Array(image.subarray(index * pageSize, (index + 1) * pageSize)),
  }));

function copied(image: Buffer): string {
  const directory = temporaryDirectory('copy');
  const path = join(directory, 'trivet.db');
  writeFileSync(path, image);
  prepareCopy(path);
  return directory;
}

const state = (db: Database) => ({
  ns: db.query('SELECT DISTINCT n FROM t').all(),
  count: db.query('SELECT count(*) AS c FROM t').get(),
  check: db.query('PRAGMA integrity_check').all(),
});

test('changes are seen at once by a reader that stays open, also when the database shrinks and grows', () => {
  const from = source();
  from.write(1);
  const directory = copied(from.image());
  const reader = new Database(join(directory, 'trivet.db'), { create: false, readwrite: true });
  reader.run('PRAGMA query_only = ON');
  const copy = new CopyFile(directory);
  expect(state(reader)).toEqual(state(from.db));
  from.write(2);
  const image = from.image();
  copy.apply(pagesOf(image), image.length / pageSize);
  expect(state(reader)).toEqual(state(from.db));
  from.db.run('DELETE FROM t WHERE id > 20');
  from.db.run('VACUUM');
  from.db.run('CREATE TABLE other (a)');
  const smaller = join(temporaryDirectory('smaller'), 'trivet.db');
  writeFileSync(smaller, from.image());
  copy.replaceBy(smaller);
  expect(state(reader)).toEqual(state(from.db));
  expect(reader.query('SELECT count(*) AS c FROM other').get()).toEqual({ c: 0 });
  expect(existsSync(join(directory, 'trivet.db-journal'))).toBe(false);
  from.write(3);
  const grown = from.image();
  copy.apply(pagesOf(grown), grown.length / pageSize);
  expect(state(reader)).toEqual(state(from.db));
});

test('waits for a reader in a transaction, which goes on seeing what it saw', () => {
  const from = source();
  from.write(1);
  const directory = copied(from.image());
  const reader = new Database(join(directory, 'trivet.db'), { create: false, readwrite: true });
  reader.run('BEGIN');
  const before = state(reader);
  const copy = new CopyFile(directory);
  copy.busyMs = 50;
  from.write(2);
  const image = from.image();
  expect(() => copy.apply(pagesOf(image), image.length / pageSize)).toThrow();
  expect(state(reader)).toEqual(before);
  reader.run('ROLLBACK');
  copy.apply(pagesOf(image), image.length / pageSize);
  expect(state(reader)).toEqual(state(from.db));
});

test('what a kill left half written is undone by the next reader', () => {
  const from = source();
  from.write(1);
  const first = from.image();
  from.write(2);
  const second = from.image();
  const all = second.length / pageSize;
  // The copy after each number of written pages, with the journal that was there then.
  for (let killedAfter = 0; killedAfter <= all; killedAfter += 3) {
    const directory = copied(first);
    const path = join(directory, 'trivet.db');
    const copy = new CopyFile(directory);
    let written = 0;
    const kept = join(temporaryDirectory('kept'), 'trivet.db');
    copy.onWrite = () => {
      if (written++ !== killedAfter) return;
      copyFileSync(path, kept);
      copyFileSync(`${path}-journal`, `${kept}-journal`);
    };
    copy.apply(pagesOf(second), all);
    if (!existsSync(kept)) continue;
    const torn = new Database(kept, { create: false, readwrite: true });
    expect(torn.query('SELECT DISTINCT n FROM t').all()).toEqual([{ n: 1 }]);
    expect(torn.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(readFileSync(kept).length).toBe(first.length);
    torn.close();
    renameSync(kept, `${kept}-done`);
  }
});
