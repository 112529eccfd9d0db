import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setupLines } from '../modules/auth/people/setup-code.ts';
import { removeExpired } from '../modules/auth/sessions/expiry.ts';
import { compiled, runTrivet, serveTrivet } from './executable.ts';
import { startTestKernel, stillClock } from './kernel.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';

/* The output for operators: the log, and the first lines of a new installation. */
const mode = (path: string) => statSync(path).mode & 0o777;

describe('the log', () => {
  test('a failed sign-in names provider, cause and address', async () => {
    const trivet = await startTestKernel();
    const body = {
      responseType: 'token',
      grantType: 'id_token',
      identifier: 'x.y.z',
      idProvider: 'dev',
      resources: [],
    };
    expect((await trivet.post('/v1/auth/social/authenticate', body)).status).toBe(401);
    const line = trivet.logged.map((one) => JSON.parse(one) as Record<string, unknown>);
    expect(line.find(({ event }) => event === 'sign_in_failed')).toMatchObject({
      level: 'warn',
      provider: 'dev',
      cause: 'malformed',
      address: '127.0.0.1',
    });
    await trivet.stop();
  });

  test('debug tells each request and each operation, without tokens, bodies and addresses', async () => {
    const trivet = await startTestKernel();
    const { accessToken } = await trivet.signIn('ann@example.org');
    const headers = { 'x-request-id': 'mine-1' };
    await trivet.post('/api/tools/get-orgs-list', {}, accessToken, headers);
    await trivet.post('/api/tools/create-project', { orgId: 1, projectName: 'secret plan' }, accessToken);
    await trivet.fetch('/v1/auth/sessions/AbC123?x=secret', { method: 'DELETE' });
    await trivet.fetch('/ann@example.org/secret%20x');
    const lines = trivet.logged.map((one) => JSON.parse(one) as Record<string, unknown>);
    const of = (name: string) => lines.filter(({ event }) => event === name);
    expect(of('request').slice(1)).toMatchObject([
      { level: 'debug', method: 'POST', route: '/api/tools/get-orgs-list', status: 200, requestId: 'mine-1' },
      { method: 'POST', route: '/api/tools/create-project', status: 403 },
      { method: 'DELETE', route: '/v1/auth/sessions/*', status: 401 },
      { method: 'GET', route: '/*/*', status: 404 },
    ]);
    expect(of('operation')).toMatchObject([
      { level: 'debug', operation: 'get-orgs-list', surface: 'http', code: 'ok' },
      { operation: 'create-project', surface: 'http', code: 'FORBIDDEN' },
    ]);
    for (const { ms } of [...of('request'), ...of('operation')]) expect(ms).toBeNumber();
    expect(trivet.logged.join('')).not.toMatch(/secret|example\.org|eyJ/);
    await trivet.stop();
  });

  /** Libraries name their errors after their class, and a minified class is called "a". */
  test('the executable keeps the names of classes', async () => {
    const data = temporaryDirectory('names');
    await runTrivet(compiled, ['keys', 'rotate', '--data', data]);
    const file = new Database(join(data, 'trivet.db'));
    file.run(`UPDATE auth_signing_keys SET public_jwk = '{"kty":"none that is known"}'`);
    file.close();
    const { exitCode, stderr } = await runTrivet(compiled, ['serve', '--port', '0', '--data', data]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('"error":"JOSENotSupported"');
    expect(stderr).toContain('at importJWK (');
  });
});

describe('the link of the first start', () => {
  test('is no part of a log: a file that only the owner can read has it, until it is redeemed', async () => {
    const data = temporaryDirectory('setup');
    const path = join(data, 'setup-code');
    const first = await serveTrivet(compiled, ['--data', data, '--dev']);
    const link = readFileSync(path, 'utf8').trim();
    const [page, code = ''] = link.split('#');
    expect([page, code]).toEqual([`${first.origin}/oauth/link`, expect.stringMatching(/^[\w-]{24}$/)]);
    expect(mode(path)).toBe(0o600);
    expect(first.stderr()).toContain(path);
    expect(first.stderr()).not.toContain(code);
    await first.stop();

    const second = await serveTrivet(compiled, ['--data', data, '--dev']);
    expect(second.stderr()).toContain(`has not been used: ${path}`);
    const token = await runTrivet(compiled, [
      'token',
      'create',
      '--email',
      'a@b.co',
      '--name',
      'x',
      '--data',
      data,
    ]);
    const redeemed = await fetch(`${second.origin}/api/tools/accept-invitation`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.stdout.trim()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    expect(redeemed.status).toBe(200);
    expect(existsSync(path)).toBe(false);
    await second.stop();
    const third = await serveTrivet(compiled, ['--data', data, '--dev']);
    expect(third.stderr()).not.toContain('setup-code');
    await third.stop();
  });

  test('goes with its file when it has ended; a terminal shows it and gets no file', async () => {
    const clock = stillClock();
    const trivet = await startTestKernel({ clock });
    const { host } = trivet.kernel;
    const path = join(trivet.directory, 'setup-code');
    await setupLines(host, false);
    expect(existsSync(path)).toBe(true);
    clock.advance(30 * 60_000 - 1);
    await removeExpired(host);
    expect(existsSync(path)).toBe(true);
    clock.advance(1);
    await removeExpired(host);
    expect(existsSync(path)).toBe(false);
    expect((await setupLines(host, true)).join('\n')).toMatch(
      /\(works once, for 30 minutes; a later start makes another\):\nhttp:\/\/127\.0\.0\.1:\d+\/oauth\/link#[\w-]{24}\n/,
    );
    expect(existsSync(path)).toBe(false);
    expect((await setupLines(host, true))[0]).toBe('The link of an earlier start was not used.');
    await trivet.stop();
  });

  test('a server without a directory of its own says how to make an administrator', async () => {
    const database = join(temporaryDirectory('url'), "the database's url");
    writeFileSync(database, await (await startPostgres()).createDatabase(), { mode: 0o600 });
    const env = {
      TRIVET_DATABASE_FILE: database,
      TRIVET_MASTER_KEY: Buffer.alloc(32, 'k').toString('base64'),
    };
    const data = join(temporaryDirectory('none'), 'not-there');
    let command = '';
    for (let round = 0; round < 2; round++) {
      const running = await serveTrivet(compiled, ['--data', data], { env });
      const [, shown = ''] = /run on this machine: trivet (token create [^"]+)/.exec(running.stderr()) ?? [];
      command = JSON.parse(`"${shown}"`) as string;
      expect(command).toContain('--email you@example.org');
      expect(running.stderr()).not.toContain('/oauth/link');
      await running.stop();
    }
    expect(existsSync(data)).toBe(false);
    // As a person does: pasted into a shell, anywhere, without the environment of the server.
    const cwd = temporaryDirectory('elsewhere');
    const pasted = Bun.spawnSync(['sh', '-c', `${compiled.command.join(' ')} ${command}`], { cwd });
    expect([pasted.exitCode, pasted.exitCode === 0 ? '' : pasted.stderr.toString()]).toEqual([0, '']);
    expect(readdirSync(cwd)).toEqual([]);
    const settled = await serveTrivet(compiled, ['--data', data], { env });
    expect(settled.stderr()).not.toContain('token create');
    await settled.stop();
  }, 60_000);
});
