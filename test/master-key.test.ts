import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, runTrivet, serveTrivet } from './executable.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * A server with a master key other than that of its database refuses to start, and says how to continue. Mutation note: seen to fail when
 * the fingerprint is not compared, and when a missing key is made anew.
 */
const keyOf = (letter: string) => Buffer.alloc(32, letter).toString('base64');
const fileOf = (content: string, mode = 0o600) => {
  const path = join(temporaryDirectory('key'), 'key');
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
};

interface Sources {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
}

/** Starts a server, signs a user in (which creates a signing key) and stops it. @returns the status, or the message of the refusal. */
async function start(data: string, { args = [], env = {} }: Sources = {}): Promise<number | string> {
  const where = ['--data', data, ...args];
  let server;
  try {
    server = await serveTrivet(compiled, [...where, '--dev'], { env });
  } catch (error) {
    return (error as Error).message;
  }
  const minted = await runTrivet(compiled, ['dev', 'id-token', '--email', 'a@b.co', ...where], { env });
  const response = await fetch(`${server.origin}/v1/auth/social/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      responseType: 'token',
      grantType: 'id_token',
      idProvider: 'dev',
      identifier: minted.stdout.trim(),
      resources: [],
    }),
  });
  const ready = await fetch(`${server.origin}/readyz`);
  expect(ready.status).toBe(200);
  await server.stop();
  return response.status;
}
const withKey = (key: string) => ({ env: { TRIVET_MASTER_KEY: key } });
const refused = expect.stringMatching(
  /is not the one that this database was made with.*--master-key-file.*keys rotate --drop/s,
) as string;
const missing = expect.stringMatching(
  /a master key that this process does not have.*copy master\.key/s,
) as string;

describe('the wrong master key', () => {
  test('a server refuses to start, changes nothing, and starts with the right one', async () => {
    const data = temporaryDirectory('keys');
    expect(await start(data, withKey(keyOf('a')))).toBe(200);
    expect(await start(data, withKey(keyOf('b')))).toEqual(refused);
    expect(await start(data)).toEqual(missing);
    expect(existsSync(join(data, 'master.key'))).toBe(false);
    expect(await start(data, withKey(keyOf('a')))).toBe(200);
  });

  const needing: readonly string[] = ['dev id-token --email a@b.co', 'keys rotate', 'keys rotate --now'];
  test.each(needing)('trivet %s refuses as well', async (line) => {
    const data = temporaryDirectory('keys');
    expect(await start(data, withKey(keyOf('a')))).toBe(200);
    const words = [...line.split(' '), '--data', data];
    const { exitCode, stderr } = await runTrivet(compiled, words, withKey(keyOf('b')));
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: refused });
  });

  test('master.key that is gone, or of another directory', async () => {
    const data = temporaryDirectory('keys');
    expect(await start(data)).toBe(200);
    const path = join(data, 'master.key');
    const key = readFileSync(path, 'utf8');
    rmSync(path);
    expect(await start(data)).toEqual(missing);
    writeFileSync(path, keyOf('z'), { mode: 0o600 });
    expect(await start(data)).toEqual(refused);
    writeFileSync(path, key, { mode: 0o600 });
    expect(await start(data)).toBe(200);
  });

  test('a lost key is replaced by dropping what it wrapped', async () => {
    const data = temporaryDirectory('keys');
    expect(await start(data, withKey(keyOf('a')))).toBe(200);
    const run = (...words: string[]) =>
      runTrivet(compiled, [...words, '--data', data, '--json'], withKey(keyOf('b')));
    const { keys } = JSON.parse((await run('keys', 'list')).stdout) as { keys: Array<{ kid: string }> };
    for (const { kid } of keys) expect((await run('keys', 'rotate', '--drop', kid)).exitCode).toBe(0);
    expect(await start(data, withKey(keyOf('b')))).toBe(200);
    expect(await start(data, withKey(keyOf('a')))).toEqual(refused);
  });

  test('a database of version 0.1 takes the key that opens it, and no other', async () => {
    const data = temporaryDirectory('keys');
    expect(await start(data, withKey(keyOf('a')))).toBe(200);
    const file = new Database(join(data, 'trivet.db'));
    file.run('DELETE FROM auth_master_key_checks');
    file.close();
    expect(await start(data, withKey(keyOf('b')))).toContain('does not open the signing key');
    expect(await start(data, withKey(keyOf('a')))).toBe(200);
    expect(await start(data, withKey(keyOf('b')))).toEqual(refused);
  });
});

describe('a malformed one', () => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    ['too short', Buffer.alloc(16, 'a').toString('base64')],
    ['hexadecimal', Buffer.alloc(32, 'a').toString('hex')],
    ['with a comment', `${keyOf('a')} # ours`],
    ['empty file', ' '],
    ['a sentence', 'correct horse battery staple'],
  ];
  test.each(cases)('%s', async (_, key) => {
    const data = temporaryDirectory('keys');
    const path = fileOf(key);
    expect(await start(data, { args: ['--master-key-file', path] })).toMatch(
      /openssl rand -base64 32|must be a text that is not empty/,
    );
  });
});

describe('a file that others can read', () => {
  test.each([0o644, 0o604, 0o620, 0o666])('%p is refused with the remedy', async (mode) => {
    const path = fileOf(keyOf('a'), mode);
    const data = temporaryDirectory('keys');
    for (const sources of [{ args: ['--master-key-file', path] }, { env: { TRIVET_MASTER_KEY_FILE: path } }])
      expect(await start(data, sources)).toContain(`chmod 600 ${path}`);
  });

  test.each([0o600, 0o400, 0o440])('%p is taken: container platforms let a group read it', async (mode) => {
    expect(
      await start(temporaryDirectory('keys'), { args: ['--master-key-file', fileOf(keyOf('a'), mode)] }),
    ).toBe(200);
  });

  test('master.key itself', async () => {
    const data = temporaryDirectory('keys');
    expect(await start(data)).toBe(200);
    const path = join(data, 'master.key');
    chmodSync(path, 0o644);
    expect(await start(data)).toContain(`chmod 600 ${path}`);
  });
});

test('on PostgreSQL a second process needs the key of the first one', async () => {
  const env = { TRIVET_DATABASE: await (await startPostgres()).createDatabase() };
  const [first, second] = [temporaryDirectory('first'), temporaryDirectory('second')];
  expect(await start(first, { env })).toBe(200);
  expect(await start(second, { env })).toEqual(missing);
  expect(existsSync(join(second, 'master.key'))).toBe(false);
  writeFileSync(join(second, 'master.key'), keyOf('q'), { mode: 0o600 });
  expect(await start(second, { env })).toEqual(refused);
  writeFileSync(join(second, 'master.key'), readFileSync(join(first, 'master.key'), 'utf8'), { mode: 0o600 });
  expect(await start(second, { env })).toBe(200);
}, 60_000);
