import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { copyDatabase } from './backup.ts';
import { createDatabase, examineDatabase, readMarks } from './database-file.ts';
import { checkAndMark } from './sqlite-start.ts';

/*
 * The errors of a start for a database that is not what it seems to be.
 *
 * Mutation note: seen to fail when the marks are not compared, when a backup keeps the mark of its original, and when the size
 * of the file is not checked.
 */
let directory = '';
let path = '';
beforeEach(() => {
  directory = temporaryDirectory('database-file');
  path = join(directory, 'trivet.db');
});

/** A database of a server that was killed: its last writes are in the log. */
function crashed(): void {
  const live = temporaryDirectory('live');
  const file = join(live, 'trivet.db');
  const client = new Database(file);
  client.run('PRAGMA journal_mode = WAL');
  client.run('CREATE TABLE t (n integer)');
  client.run('INSERT INTO t VALUES (1)');
  checkAndMark(client, live);
  client.run('INSERT INTO t VALUES (2)');
  for (const name of readdirSync(live)) cpSync(join(live, name), join(directory, name));
  client.close();
}

/** A copy of a sound database with one more row, elsewhere. */
function other(): string {
  const elsewhere = join(temporaryDirectory('elsewhere'), 'trivet.db');
  const client = new Database(path);
  client.run('CREATE TABLE IF NOT EXISTS t (n integer)');
  copyDatabase(client, elsewhere);
  client.close();
  return elsewhere;
}

describe('a database that is none is named as such', () => {
  const cases: ReadonlyArray<readonly [string, () => void, RegExp]> = [
    ['empty', () => writeFileSync(path, ''), /trivet\.db is empty \(0 bytes\)\./],
    ['text', () => writeFileSync(path, 'hello'.repeat(100)), /is not a SQLite database\./],
    ['a few bytes', () => writeFileSync(path, 'SQLite format 3\0'), /is not a SQLite database/],
    [
      'truncated',
      () => {
        const client = new Database(path);
        client.run('CREATE TABLE t (a text)');
        client.run('INSERT INTO t VALUES (hex(randomblob(50000)))');
        client.close();
        truncateSync(path, statSync(path).size - 5000);
      },
      /is truncated: it has \d+ bytes of \d+\./,
    ],
  ];
  test.each(cases)('%s', (_title, make, reason) => {
    make();
    expect(() => examineDatabase(directory)).toThrow(reason);
    expect(() => examineDatabase(directory)).toThrow(
      expect.objectContaining({
        code: 'STORAGE_FAILED',
        tip: expect.stringContaining('Restore a backup') as string,
      }) as Error,
    );
  });

  test('damaged inside', () => {
    const client = new Database(path);
    client.run('CREATE TABLE t (a text)');
    for (let i = 0; i < 100; i++) client.run('INSERT INTO t VALUES (hex(randomblob(500)))');
    client.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 8192, 12_288);
    writeFileSync(path, bytes);
    expect(examineDatabase(directory)).toBe(true);
    const again = new Database(path);
    expect(() => checkAndMark(again, directory)).toThrow(/is damaged \(.*\)\.$/);
    again.close();
  });

  test('no database is no fault', () => expect(examineDatabase(directory)).toBe(false));
});

describe('a log beside a database that it does not belong to', () => {
  /** @see A copied database replayed the log of the earlier one: corrupt responses while /healthz was 200. */
  test('of a backup that was copied over a directory is refused', () => {
    crashed();
    const backup = (() => {
      const copy = temporaryDirectory('copy');
      for (const name of readdirSync(directory)) cpSync(join(directory, name), join(copy, name));
      const client = new Database(join(copy, 'trivet.db'));
      const to = join(temporaryDirectory('backup'), 'trivet.db');
      copyDatabase(client, to);
      client.close();
      return to;
    })();
    expect(examineDatabase(directory)).toBe(true);
    cpSync(backup, path);
    expect(() => examineDatabase(directory)).toThrow(
      /do not belong together.*Move trivet\.db-wal and trivet\.db-shm away/,
    );
  });

  test('of a copy of an earlier run is refused', () => {
    const client = new Database(path);
    client.run('PRAGMA journal_mode = WAL');
    client.run('CREATE TABLE t (n integer)');
    checkAndMark(client, directory);
    client.close();
    const earlier = readFileSync(path);
    crashed();
    writeFileSync(path, earlier);
    expect(() => examineDatabase(directory)).toThrow('do not belong together');
  });

  test('its own is read, also after other starts, and after a start that was killed at any step', () => {
    crashed();
    for (let start = 0; start < 3; start++) {
      expect(examineDatabase(directory)).toBe(true);
      const client = new Database(path);
      checkAndMark(client, directory);
      expect(readMarks(directory)?.length).toBe(1);
      client.run('INSERT INTO t VALUES (3)');
      const rows = client.query('SELECT count(*) AS n FROM t').get();
      expect(rows).toEqual({ n: 3 + start });
      client.close();
    }
    // Killed between adding a mark and setting it.
    writeFileSync(join(directory, 'trivet.db-marks'), `${readMarks(directory)?.[0]}\n77\n`);
    expect(examineDatabase(directory)).toBe(true);
  });

  test('of a whole directory that was copied is read', () => {
    crashed();
    const copy = temporaryDirectory('whole');
    for (const name of readdirSync(directory)) cpSync(join(directory, name), join(copy, name));
    expect(examineDatabase(copy)).toBe(true);
  });

  test('of 0.1.0, which made no marks, is read', () => {
    const live = temporaryDirectory('live');
    const client = new Database(join(live, 'trivet.db'));
    client.run('PRAGMA journal_mode = WAL');
    client.run('CREATE TABLE t (n integer)');
    for (const name of readdirSync(live)) cpSync(join(live, name), join(directory, name));
    client.close();
    expect(existsSync(`${path}-wal`)).toBe(true);
    expect(examineDatabase(directory)).toBe(true);
  });

  test('while another process holds the log, the earlier marks stay', () => {
    const client = new Database(path);
    client.run('PRAGMA journal_mode = WAL');
    client.run('CREATE TABLE t (n integer)');
    client.run('PRAGMA busy_timeout = 20');
    const reader = new Database(path);
    reader.run('BEGIN');
    reader.query('SELECT * FROM t').all();
    client.run('INSERT INTO t VALUES (1)');
    checkAndMark(client, directory);
    expect(readMarks(directory)?.length).toBe(2);
    reader.close();
    client.close();
  });
});

test('a copy has a mark of its own', () => {
  const client = new Database(path);
  client.run('CREATE TABLE t (n integer)');
  client.run('PRAGMA user_version = 5');
  client.close();
  const copy = new Database(other());
  expect(copy.query('PRAGMA user_version').get()).not.toEqual({ user_version: 5 });
  expect(copy.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  copy.close();
});

test('a new database has its header when it has its name, and one that is there stays', () => {
  const made: number[] = [];
  createDatabase(directory, (part) => {
    expect(existsSync(path)).toBe(false);
    writeFileSync(part, 'first');
    made.push(1);
  });
  createDatabase(directory, (part) => writeFileSync(part, 'second'));
  expect([made.length, readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([1, 'first', 0o600]);
  expect(readdirSync(directory)).toEqual(['trivet.db']);
});
