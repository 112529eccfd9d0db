import { expect, test } from 'bun:test';
import { join } from 'node:path';

const main = join(import.meta.dir, '../../main.ts');
/** In an empty directory and without a database or network: the command needs neither. */
const run = (...words: string[]) => {
  const { stdout, stderr, exitCode } = Bun.spawnSync(
    [process.execPath, '--no-env-file', main, 'cta', 'bucket', ...words],
    {
      env: { PATH: process.env['PATH'] },
    },
  );
  return { out: stdout.toString().trim(), error: stderr.toString(), exitCode };
};

test('prints the bucket of a user, which sha256sum confirms', () => {
  // printf 'spring:42' | sha256sum begins with 1e4b8212; 508265490 modulo 10,000 is 4978.
  expect(Number.parseInt('1e4b8212', 16) % 10_000).toBe(4978);
  expect(run('--seed', 'spring', '--user', '42')).toMatchObject({ out: '4978', exitCode: 0 });
  expect(JSON.parse(run('--seed', 'spring', '--user', '042', '--json').out)).toEqual({
    seed: 'spring',
    userId: '42',
    bucket: 4978,
  });
});

test('without a seed or a user it says what to give', () => {
  const { error, exitCode } = run('--user', '42');
  expect(exitCode).toBeGreaterThan(0);
  expect(error).toContain('--seed');
});
