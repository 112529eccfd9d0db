import { expect, test } from 'bun:test';
import { chownSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../test/temporary.ts';
import { createForOwner, giveToOwner } from './stored-file.ts';

const nobody = 65_534;

/** What root leaves in a directory of somebody else. */
function placeOf(uid: number): string {
  const place = join(temporaryDirectory('owned'), 'data');
  mkdirSync(place, { mode: 0o700 });
  chownSync(place, uid, uid);
  return place;
}

test.skipIf(process.getuid?.() !== 0).each([
  ['root', 0],
  ['somebody else', nobody],
])('a file that root creates in a directory of %s belongs to them, and only they read it', (_who, uid) => {
  const path = join(placeOf(uid), 'made');
  createForOwner(path);
  expect([statSync(path).uid, statSync(path).mode & 0o777]).toEqual([uid, 0o600]);
  // One that is there is left as it is.
  writeFileSync(path, 'kept');
  createForOwner(path);
  expect(statSync(path).size).toBe(4);
});

/** @see The user of a service could put a link in place of a file that root was about to give to them, and got what it leads to. */
test.skipIf(process.getuid?.() !== 0)('a link in such a directory gives nobody what it leads to', () => {
  const place = placeOf(nobody);
  const foreign = join(temporaryDirectory('foreign'), 'secret');
  writeFileSync(foreign, 'of root', { mode: 0o600 });
  symlinkSync(foreign, join(place, 'link'));
  giveToOwner(join(place, 'link'));
  createForOwner(join(place, 'link'));
  expect([statSync(foreign).uid, lstatSync(join(place, 'link')).uid]).toEqual([0, nobody]);
});
