import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToken, compiled, runTrivet, serveTrivet } from './executable.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';

describe('a storage that cannot be used is said so', () => {
  const cases: ReadonlyArray<readonly [string, () => string[], number, RegExp]> = [
    [
      'a data directory that is a file',
      () => {
        const file = join(temporaryDirectory('storage'), 'file');
        writeFileSync(file, '');
        return ['--data', file];
      },
      2,
      /cannot be used as a data directory/,
    ],
    [
      'a database that is none',
      () => {
        const data = temporaryDirectory('storage');
        writeFileSync(
          join(data, 'trivet.db'),
          'this is not a database, but it is long enough to look at'.repeat(100),
        );
        return ['--data', data];
      },
      4,
      /STORAGE_FAILED.*sqlite_notadb/,
    ],
    [
      'a database that is a directory',
      () => {
        const data = temporaryDirectory('storage');
        mkdirSync(join(data, 'trivet.db'));
        return ['--data', data];
      },
      4,
      /STORAGE_FAILED/,
    ],
    [
      'a PostgreSQL that is not there',
      () => ['--database', 'postgres://x@127.0.0.1:1/x'],
      4,
      /STORAGE_FAILED.*econnrefused/,
    ],
  ];
  test.each(cases)('%s', async (_title, make, exitCode, message) => {
    const answer = await runTrivet(compiled, ['call', 'get-orgs-list', ...make()]);
    expect({ exitCode: answer.exitCode, stdout: answer.stdout }).toEqual({ exitCode, stdout: '' });
    expect(answer.stderr).toMatch(message);
    /** @see Finding: a log line preceded the error, which scripts expect as the only line on stderr. */
    expect(JSON.parse(answer.stderr)).toHaveProperty('error');
  });

  test.each([
    [['serve', '--port', '0', '--data']],
    [['migrate', '--data']],
    [['promote', '--data']],
    [['restore', 'archive', '--data']],
  ])('a data directory that is a file: trivet %p', async (words) => {
    const data = temporaryDirectory('storage');
    const file = join(data, 'file');
    writeFileSync(file, '');
    const backup = join(data, 'archive');
    await runTrivet(compiled, ['migrate', '--data', join(data, 'd')]);
    await runTrivet(compiled, ['backup', backup, '--data', join(data, 'd')]);
    const { exitCode, stderr } = await runTrivet(compiled, [...words, file], { cwd: data });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^trivet: .*(?:it is a file|is no standby)/) as string,
    ]);
  });

  // The server goes on, as with every backup that cannot be made.
  test('a directory for backups that is a file', async () => {
    const data = temporaryDirectory('storage');
    const file = join(data, 'file');
    writeFileSync(file, '');
    const server = await serveTrivet(compiled, [
      '--data',
      join(data, 'd'),
      '--backup-every',
      '1',
      '--backup-dir',
      file,
    ]);
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
    await server.stop();
  });

  // Root may write anywhere, so there is nothing to refuse.
  test.if(process.getuid?.() !== 0)('a data directory that cannot be written', async () => {
    const data = temporaryDirectory('storage');
    chmodSync(data, 0o500);
    const answer = await runTrivet(compiled, ['call', 'get-orgs-list', '--data', data]);
    expect(answer.exitCode).toBe(2);
  });
});

test('a PostgreSQL that goes away is 503, and the server goes on', async () => {
  const before = process.env['TRIVET_TEST_POSTGRES'];
  delete process.env['TRIVET_TEST_POSTGRES'];
  const postgres = await startPostgres();
  if (before !== undefined) process.env['TRIVET_TEST_POSTGRES'] = before;
  const shared = ['--database', await postgres.createDatabase(), '--data', temporaryDirectory('storage')];
  const server = await serveTrivet(compiled, shared);
  const token = await createToken(compiled, shared);
  const ask = () =>
    fetch(`${server.origin}/api/tools/get-orgs-list`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
  expect((await ask()).status).toBe(200);
  await postgres.stop();
  const refused = await ask();
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: { code: 'STORAGE_FAILED' } });
  expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
  await server.stop();
}, 60_000);
