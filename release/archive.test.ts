import { expect, test } from 'bun:test';
import { mkdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { unpackTar } from 'modern-tar';
import { temporaryDirectory } from '../test/temporary.ts';
import { gzip, tarOf, zipOf, type Entry } from './archive.ts';
import { run } from './command.ts';

/*
 * The archives are opened with the programs of users: tar, and Python's zipfile where there is no unzip.
 *
 * Mutation note: seen to fail with entries in the order given, with the time of the machine, and without the modes of ZIP.
 */
const time = new Date('2026-11-22T10:20:31Z');
const bytesOf = (text: string) => new TextEncoder().encode(text);
const entries: readonly Entry[] = [
  { path: 'trivet-1/trivet', bytes: bytesOf('#!/bin/sh\necho hello\n'.repeat(100)), mode: 0o755 },
  { path: 'trivet-1/LICENSE', bytes: bytesOf('MIT'), mode: 0o644 },
  { path: 'trivet-1/empty', bytes: new Uint8Array(), mode: 0o644 },
];

function infoOf(path: string) {
  const info = statSync(path);
  const size = info.isDirectory() ? 'folder' : info.size;
  return [(info.mode & 0o777).toString(8), size, info.mtime.toISOString()];
}

test('tar: what was put in comes out, with modes, times and owner, in order', async () => {
  const folder = temporaryDirectory('tar');
  const more: readonly Entry[] = [
    ...entries,
    { path: 'trivet-1/data', mode: 0o700, owner: 65_532 },
    { path: 'trivet-1/link', mode: 0o777, link: 'trivet' },
  ];
  const tar = await tarOf(more, time);
  await Bun.write(join(folder, 'a.tar.gz'), gzip(tar));
  await run(['tar', '-xzf', 'a.tar.gz'], { cwd: folder });
  const found = ['LICENSE', 'data', 'empty', 'trivet'].map((name) => [
    name,
    ...infoOf(join(folder, 'trivet-1', name)),
  ]);
  expect(found).toEqual([
    ['LICENSE', '644', 3, time.toISOString()],
    ['data', '700', 'folder', time.toISOString()],
    ['empty', '644', 0, time.toISOString()],
    ['trivet', '755', 2_100, time.toISOString()],
  ]);
  expect(readlinkSync(join(folder, 'trivet-1', 'link'))).toBe('trivet');
  const owners = (await unpackTar(tar)).map(({ header: { name, uid, gid, uname } }) => [
    name,
    uid,
    gid,
    uname,
  ]);
  expect(owners).toEqual([
    ['trivet-1/LICENSE', 0, 0, ''],
    ['trivet-1/data/', 65_532, 65_532, ''],
    ['trivet-1/empty', 0, 0, ''],
    ['trivet-1/link', 0, 0, ''],
    ['trivet-1/trivet', 0, 0, ''],
  ]);
});

test('zip: what was put in comes out, with modes and times', async () => {
  const folder = temporaryDirectory('zip');
  const archive = join(folder, 'a.zip');
  await Bun.write(archive, zipOf(entries, time));
  if (Bun.which('unzip')) {
    mkdirSync(join(folder, 'out'));
    await run(['unzip', '-q', archive, '-d', join(folder, 'out')]);
    expect(await Bun.file(join(folder, 'out', 'trivet-1', 'trivet')).text()).toBe(
      '#!/bin/sh\necho hello\n'.repeat(100),
    );
    expect(statSync(join(folder, 'out', 'trivet-1', 'trivet')).mode & 0o777).toBe(0o755);
  }
  const script =
    'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), [(i.filename, i.file_size, i.date_time, oct(i.external_attr >> 16)) for i in z.infolist()])';
  if (Bun.which('python3'))
    expect((await run(['python3', '-c', script, archive])).trim()).toBe(
      "None [('trivet-1/LICENSE', 3, (2026, 11, 22, 10, 20, 30), '0o100644'), ('trivet-1/empty', 0, (2026, 11, 22, 10, 20, 30), '0o100644'), ('trivet-1/trivet', 2100, (2026, 11, 22, 10, 20, 30), '0o100755')]",
    );
});

test('the order of the files makes no difference, and no clock does', async () => {
  const turned = entries.toReversed();
  expect(zipOf(turned, time)).toEqual(zipOf(entries, time));
  expect(gzip(await tarOf(turned, time))).toEqual(gzip(await tarOf(entries, time)));
  const header = gzip(bytesOf('x')).subarray(0, 10);
  // RFC 1952: flags 0 (no name), then four bytes of time.
  expect([...header.subarray(3, 8)]).toEqual([0, 0, 0, 0, 0]);
});
