import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../test/temporary.ts';
import { ownerFile, ownsBackups } from './backup-owner.ts';

/** @see Two servers with one --backup-dir and --backup-keep 1 left one backup of both. */
test('backups in a directory are those of one installation', () => {
  const [prod, staging, shared] = ['prod', 'staging', 'shared'].map(temporaryDirectory);
  if (prod === undefined || staging === undefined || shared === undefined) throw new Error('no directory');
  let made = 0;
  const newId = () => `id ${++made}`;
  const rows = [
    [prod, shared, true],
    [staging, shared, false],
    [prod, shared, true],
    [staging, join(staging, 'backups'), true],
    [prod, join(prod, 'deep', 'backups'), true],
  ] as const;
  for (const [data, directory, owns] of rows) {
    mkdirSync(directory, { recursive: true });
    expect([data, directory, ownsBackups(data, directory, newId)]).toEqual([data, directory, owns]);
  }
  expect(made).toBe(2);
  expect(readdirSync(join(staging, 'backups'))).toEqual([]);
  rmSync(join(shared, ownerFile));
  expect(ownsBackups(staging, shared, newId)).toBe(true);
  expect(ownsBackups(prod, shared, newId)).toBe(false);
});
