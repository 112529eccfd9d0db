import { expect, test } from 'bun:test';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { rejectionOf } from '../../test/rejection.ts';
import { temporaryDirectory } from '../../test/temporary.ts';
import { directoryTarget } from './directory-target.ts';
import type { ReplicaTarget } from './replica-target.ts';

const bytes = new TextEncoder().encode('1');

/** @see What was stored between the unmounting of a disk and the next look at it lay under the mount point, and was missing on the disk. */
test.each<[string, (place: string, written: ReplicaTarget) => Promise<ReplicaTarget>]>([
  ['that was written to', async (_, written) => written],
  [
    'that was only read',
    async (place) => {
      const again = directoryTarget(place);
      expect(await again.list('')).toHaveLength(1);
      return again;
    },
  ],
])('a directory %s and is away is not made again', async (_, openAgain) => {
  const place = join(temporaryDirectory('target'), 'deep', 'here');
  const written = directoryTarget(place);
  await written.put('a/b/1', bytes);
  const target = await openAgain(place, written);
  renameSync(place, `${place}-away`);
  for (const key of ['a/b/2', 'a/c/1', 'd', 'a/c/1'])
    expect(await rejectionOf(target.put(key, bytes))).toMatchObject({ code: 'ENOENT' });
  expect(existsSync(place)).toBe(false);
  renameSync(`${place}-away`, place);
  await target.put('a/c/1', bytes);
  expect(readdirSync(join(place, 'a')).toSorted()).toEqual(['b', 'c']);
});
