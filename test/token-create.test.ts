import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { compiled, runTrivet, serveTrivet, type Running } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/* `trivet token create`: scopes, roles, and people with the same address. */
const data = temporaryDirectory('token-create');
let running: Running;
let bobId: number;

const create = (...words: string[]) =>
  runTrivet(compiled, ['token', 'create', '--name', 'ci', '--json', '--data', data, ...words]);
const tool = async (name: string, input: object, token: string) => {
  const response = await fetch(`${running.origin}/api/tools/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

beforeAll(async () => {
  running = await serveTrivet(compiled, ['--dev', '--data', data]);
  const minted = await runTrivet(compiled, ['dev', 'id-token', '--email', 'bob@example.org', '--data', data]);
  const response = await fetch(`${running.origin}/v1/auth/social/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      responseType: 'token',
      grantType: 'id_token',
      identifier: minted.stdout.trim(),
      idProvider: 'dev',
      resources: [],
    }),
  });
  const { accessToken } = (await response.json()) as { accessToken: string };
  bobId = Number((JSON.parse(atob(accessToken.split('.')[1] ?? '')) as { sub: string }).sub);
});
afterAll(() => running.stop());

describe('scopes and roles', () => {
  const cases: ReadonlyArray<readonly [string, readonly string[], string, boolean]> = [
    ['neither', [], 'admin', true],
    ['a scope', ['--scopes', 'testmgmt'], 'member', false],
    ['a scope and a role', ['--scopes', 'testmgmt', '--role', 'reader'], 'reader', false],
    ['a scope and the role admin', ['--scopes', 'testmgmt', '--role', 'admin'], 'admin', false],
    ['a role', ['--role', 'member'], 'member', false],
  ];
  test.each(cases)('%s', async (name, words, role, noted) => {
    const { stdout, stderr, exitCode } = await create(
      '--email',
      `${name.replaceAll(' ', '-')}@example.org`,
      ...words,
    );
    expect({ exitCode, role: (JSON.parse(stdout) as { role: string }).role }).toEqual({ exitCode: 0, role });
    expect(/--role member --scopes testmgmt/.test(stderr)).toBe(noted);
  });

  test('who exists keeps the role, and it says so', async () => {
    const email = 'twice@example.org';
    await create('--email', email, '--role', 'member');
    const { stdout, stderr } = await create('--email', email);
    expect((JSON.parse(stdout) as { role: string }).role).toBe('member');
    expect(stderr).toContain('the token may do what a member may');
    expect((await create('--email', email, '--role', 'admin')).stderr).toBe('');
  });

  test('a typing mistake makes no token, and names what is known', async () => {
    const { exitCode, stdout, stderr } = await create(
      '--email',
      'typo@example.org',
      '--scopes',
      'testmgmt,readonly',
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(
      /no scope "readonly"\. Did you mean "read-only"\? Known: auth, auth:read, .*org:ID/,
    );
    const { stdout: listed } = await runTrivet(compiled, ['token', 'list', '--json', '--data', data]);
    expect(listed).not.toContain('typo@example.org');
  });
});

describe('an address of somebody who signs in', () => {
  test.each(['bob@example.org', 'BOB@example.org'])('%s is refused, with the choices', async (email) => {
    const { exitCode, stdout, stderr } = await create('--email', email);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`--user-id ${bobId} (signs in with dev)`);
  });

  test('by number it is that person, who ends it with everything else', async () => {
    const made = await create('--user-id', String(bobId), '--role', 'member', '--scopes', 'testmgmt');
    expect(made.exitCode).toBe(0);
    const { token, userId } = JSON.parse(made.stdout) as { token: string; userId: number };
    expect(userId).toBe(bobId);
    expect((await tool('get-orgs-list', {}, token)).status).toBe(200);
    const owner = JSON.parse((await create('--email', 'boss@example.org')).stdout) as { token: string };
    expect((await tool('set-user-status', { userId, status: 'disabled' }, owner.token)).status).toBe(200);
    expect((await tool('get-orgs-list', {}, token)).status).toBe(401);
    expect((await create('--user-id', String(bobId))).stderr).toContain('disabled');
  });

  test('a number that is nobody, or of another address, is refused', async () => {
    expect((await create('--user-id', '9999')).exitCode).not.toBe(0);
    expect((await create('--user-id', '1', '--email', 'x@example.org')).stderr).toContain(
      'does not have the address',
    );
    expect((await create()).stderr).toContain('--email is required');
  });
});
