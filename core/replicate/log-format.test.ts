import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../test/temporary.ts';
import {
  addToSum,
  frameHeaderBytes,
  frameOffset,
  readFrame,
  readLogHeader,
  type LogSum,
} from './log-format.ts';

/*
 * The log as SQLite writes it.
 */

/** A database with a log of several transactions, the last of them rolled back. */
function logOf(pageSize: number): Uint8Array {
  const path = join(temporaryDirectory('log'), 'trivet.db');
  const db = new Database(path, { create: true, readwrite: true });
  db.run(`PRAGMA page_size = ${pageSize}`);
  db.run('PRAGMA journal_mode = WAL');
  db.run('PRAGMA wal_autocheckpoint = 0');
  db.run('CREATE TABLE t (x)');
  for (let n = 0; n < 5; n++) db.run('INSERT INTO t VALUES (randomblob(3000))');
  const bytes = new Uint8Array(readFileSync(`${path}-wal`));
  db.close();
  return bytes;
}

/** The frames that continue the log from its beginning. */
function framesOf(bytes: Uint8Array) {
  const header = readLogHeader(bytes);
  if (!header) return [];
  const found = [];
  let { sum } = header;
  for (let number = 1; ; number++) {
    const frame = readFrame(header, sum, bytes.subarray(frameOffset(number, header.pageSize)));
    if (!frame) return found;
    ({ sum } = frame);
    found.push(frame);
  }
}

const changed = (bytes: Uint8Array, at: number) => {
  const copy = bytes.slice();
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

test.each([512, 4_096, 65_536])('every frame of a log with pages of %i bytes is read', (pageSize) => {
  const bytes = logOf(pageSize);
  const frames = framesOf(bytes);
  expect(frames.length).toBe((bytes.length - 32) / (pageSize + frameHeaderBytes));
  expect(frames.filter(({ databasePages }) => databasePages > 0)).toHaveLength(6);
  expect(frames.at(-1)?.databasePages).toBeGreaterThan(1);
});

const page = 4_096;
const whole = logOf(page);
const count = framesOf(whole).length;
const third = frameOffset(3, page);

test.each<[what: string, bytes: Uint8Array, frames: number]>([
  ['nothing', new Uint8Array(), 0],
  ['a part of the header', whole.subarray(0, 31), 0],
  ['a header with another magic', changed(whole, 0), 0],
  ['a header with another salt', changed(whole, 16), 0],
  ['a header with another checksum', changed(whole, 24), 0],
  ['the header alone', whole.subarray(0, 32), 0],
  ['a frame that is not complete', whole.subarray(0, frameOffset(4, page) - 1), 2],
  ['a frame of an earlier log', changed(whole, third + 8), 2],
  ['another number of a page', changed(whole, third + 3), 2],
  ['another size of the database', changed(whole, third + 7), 2],
  ['one other bit in a page', changed(whole, third + frameHeaderBytes + 100), 2],
  ['another checksum', changed(whole, third + 20), 2],
  ['all of it', whole, count],
])('a log is read up to what does not continue it: %s', (_what, bytes, frames) => {
  expect(framesOf(bytes)).toHaveLength(frames);
});

test('a checksum is the same whether or not the bytes lie on a border of words', () => {
  const bytes = crypto.getRandomValues(new Uint8Array(4_096));
  const shifted = new Uint8Array(4_099).subarray(3);
  shifted.set(bytes);
  for (const bigEndian of [false, true]) {
    const sums: LogSum[] = [addToSum([1, 2], bytes, bigEndian), addToSum([1, 2], shifted, bigEndian)];
    expect(sums[0]).toEqual(sums[1] as LogSum);
  }
});
