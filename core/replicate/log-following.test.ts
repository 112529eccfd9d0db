import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../test/temporary.ts';
import { DatabasePins } from '../db/sqlite/database-pins.ts';
import { LogFollower, type Changes } from './log-following.ts';

/*
 * Another process writes and never pauses, so the log can begin anew only while it waits. Mutation note: seen to fail when what was
 * committed before the lock is not read under it.
 */
const pageSize = 4_096;
const writerProgram = join(import.meta.dir, '..', '..', 'test', 'crash', 'busy-writer.ts');

/** @see With what was seen and not stored, as there always is on such a server, it never began anew: 1.2 GB in 45 s. */
test.each([
  ['', false],
  [', also while something waits for the target', true],
])(
  'the log of a server that never pauses begins anew, and nothing is left out%s',
  async (_title, waits) => {
    const directory = temporaryDirectory('busy');
    const path = join(directory, 'trivet.db');
    const made = new Database(path, { create: true, readwrite: true });
    made.run('PRAGMA journal_mode = WAL');
    made.run('CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB)');
    made.run(
      'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 20000) INSERT INTO t SELECT n, randomblob(300) FROM c',
    );
    made.run('PRAGMA wal_checkpoint(TRUNCATE)');
    const pages = new Map<number, Buffer>();
    const pagesOf = (bytes: Buffer) =>
      Array.from({ length: bytes.length / pageSize }, (_, index) =>
        bytes.subarray(index * pageSize, (index + 1) * pageSize),
      );
    for (const [index, page] of pagesOf(readFileSync(path)).entries()) pages.set(index + 1, page);

    const pins = new DatabasePins(directory);
    const follower = new LogFollower(directory, pins, Date.now());
    follower.beginAtEnd(pins.databasePages, Date.now());
    let databasePages = 0;
    const apply = (changes: Changes) => {
      for (const [number, bytes] of changes.pages) pages.set(number, Buffer.from(bytes));
      databasePages = changes.databasePages ?? databasePages;
      follower.stored(changes);
    };
    const storeAll = () => {
      for (let changes = follower.next(); changes; changes = follower.next()) apply(changes);
    };
    const writer = Bun.spawn([process.execPath, '--no-env-file', writerProgram, path], {
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'inherit',
    });
    const logs = new Set<number>();
    for (const over = performance.now() + 40_000; logs.size < 2 && performance.now() < over;) {
      follower.poll(Date.now());
      const { number } = follower.log.header() ?? {};
      if (number !== undefined) logs.add(number);
      storeAll();
      // Something is committed meanwhile, so it cannot be done without holding the writer up.
      await Bun.sleep(50);
      if (waits) follower.poll(Date.now());
      follower.rest(Date.now());
    }
    await writer.stdin.end();
    expect(await writer.exited).toBe(0);
    follower.poll(Date.now());
    storeAll();
    // It waited for us, and the log began anew.
    expect(logs.size).toBe(2);
    expect(follower.longestHoldMs).toBeGreaterThan(0);
    expect(follower.isClear).toBe(true);
    expect(follower.rest(Date.now())).toBe(true);
    const stored = pagesOf(readFileSync(path));
    expect(stored).toHaveLength(databasePages);
    expect(stored.flatMap((page, index) => (pages.get(index + 1)?.equals(page) ? [] : [index + 1]))).toEqual(
      [],
    );
    made.close();
  },
  60_000,
);
