import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { settled } from '../../test/rejection.ts';
import { temporaryDirectory } from '../../test/temporary.ts';
import { backupToFile, type BackupSource } from './backup-making.ts';

/** @see atDestination: the message said to check the data directory, or to report a defect. */
function sourceOf(): BackupSource {
  const data = temporaryDirectory('data');
  const client = new Database(join(data, 'trivet.db'), { create: true });
  client.run('CREATE TABLE notes (id integer PRIMARY KEY)');
  client.close();
  return { data, files: [], databaseOnly: false, version: 'test', now: 0 };
}

test.each([
  ['ENOSPC', { code: 'STORAGE_FAILED', causeWord: 'enospc' }],
  ['EROFS', { code: 'STORAGE_FAILED', causeWord: 'erofs' }],
  ['ENOENT', { exitCode: 2 }],
])('a destination that fails with %s is named, and nothing is left there', async (code, expected) => {
  const place = temporaryDirectory('destination');
  const failing = () => {
    throw Object.assign(new Error('failed'), { code });
  };
  const made = backupToFile(sourceOf(), join(place, 'a.tar.gz'), [], failing);
  const thrown: unknown = await made.catch((error: unknown) => error);
  expect(thrown).toMatchObject({ ...expected, message: expect.stringContaining(place) as string });
  expect(readdirSync(place)).toEqual([]);
});

test.skipIf(process.platform !== 'linux')('a directory that takes no files is named', async () => {
  expect(await settled(backupToFile(sourceOf(), '/proc/a.tar.gz', [], () => {}))).toThrow(
    '/proc cannot hold a backup',
  );
});
