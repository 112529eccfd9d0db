import { expect, test } from 'bun:test';
import { locked, readLockfile, requireIntegrity, sha512Of } from './lockfile.ts';
import { targets } from './target.ts';

/*
 * Mutation note: seen to fail when requireIntegrity returns for every archive, and when a target is added whose package the
 * lockfile lacks.
 */
const bytes = new TextEncoder().encode('an archive');
const integrity = `sha512-${new Bun.CryptoHasher('sha512').update(bytes).digest('base64')}`;

test('an archive is taken only if it is the one of the lockfile', () => {
  expect(requireIntegrity('x', bytes, integrity)).toBeUndefined();
  const others = [bytes.slice(1), new Uint8Array(), Uint8Array.from([...bytes, 0])];
  for (const other of others)
    expect(() => requireIntegrity('x', other, integrity)).toThrow(/The archive of x is not the one/);
  const weaker = `sha1-${new Bun.CryptoHasher('sha1').update(bytes).digest('base64')}`;
  expect(() => requireIntegrity('x', bytes, weaker)).toThrow(/is not the one/);
});

test('the hash of every runtime is in the lockfile, of the Bun that builds', async () => {
  const lockfile = await readLockfile();
  for (const { runtime } of targets) {
    const { version, integrity } = locked(lockfile, `node_modules/${runtime}`);
    expect([runtime, version, sha512Of(integrity).length]).toEqual([runtime, Bun.version, 128]);
  }
});

test('a package that the lockfile lacks, or whose hash it lacks, is refused', () => {
  for (const lockfile of [{}, { 'node_modules/x': { version: '1.0.0' } }])
    expect(() => locked(lockfile, 'node_modules/x')).toThrow(/no integrity for node_modules\/x/);
});
