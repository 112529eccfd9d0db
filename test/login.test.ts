import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { consentAs, openBrowser } from '../modules/auth/testing/browser.ts';
import {
  cleanEnvironment,
  compiled,
  createToken,
  runTrivet,
  serveTrivet,
  type Running,
} from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * trivet login, logout and whoami as processes, against the executable with --dev; a browser with a cookie jar acts as the person.
 *
 * Mutation note: seen to fail when the file is written without a mode, when loginToken does not take the lock, and when the listener does
 * not compare the state.
 */
let server: Running;
let data: string;
beforeAll(async () => {
  data = temporaryDirectory('login');
  // Without a grace window, reusing a refresh token ends the session at once.
  const strict = ['--rotation-grace', '0', '--rate-oauth', '0', '--rate-user-codes', '0'];
  server = await serveTrivet(compiled, ['--dev', '--data', data, ...strict]);
}, 60_000);
afterAll(() => server.stop());

interface Place {
  readonly env: Record<string, string>;
  readonly file: string;
}

/** The configuration directory of a user. */
function newUser(): Place {
  const home = temporaryDirectory('user');
  return { env: { XDG_CONFIG_HOME: home, HOME: home }, file: join(home, 'trivet', 'logins.json') };
}

const run = (user: Place, ...words: readonly string[]) => runTrivet(compiled, words, { env: user.env });
const url = () => ['--url', server.origin];

/** Starts a login and waits for the text that it shows to the person. */
async function startLogin(user: Place, pattern: RegExp, ...more: readonly string[]) {
  const child = Bun.spawn([...compiled.command, 'login', ...url(), ...more], {
    env: cleanEnvironment(user.env),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let stderr = '';
  const shown = await new Promise<string>((resolve, reject) => {
    void (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of child.stderr) {
        stderr += decoder.decode(chunk, { stream: true });
        const found = pattern.exec(stderr)?.[1];
        if (found !== undefined) resolve(found);
      }
      reject(new Error(`it ended before it showed anything: ${stderr}`));
    })();
  });
  const finished = async () => {
    const stdout = await new Response(child.stdout).text();
    return { exitCode: await child.exited, stdout, stderr };
  };
  return { shown, finished };
}

const address = /(http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\S+)/;

async function login(user: Place, email: string, ...more: readonly string[]) {
  const { shown, finished } = await startLogin(user, address, ...more);
  const browser = openBrowser();
  const page = await consentAs(browser, await browser.go(shown), email);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('You are signed in')]);
  return finished();
}

const storedIn = (user: Place) =>
  (JSON.parse(readFileSync(user.file, 'utf8')) as { servers: Record<string, Record<string, unknown>> })
    .servers;

const change = (user: Place, changed: Record<string, unknown>) => {
  const servers = storedIn(user);
  const entry = { ...servers[server.origin], ...changed };
  writeFileSync(user.file, JSON.stringify({ servers: { ...servers, [server.origin]: entry } }));
};

test('a person signs in by browser; commands with --url use it until the person signs out', async () => {
  const user = newUser();
  const { exitCode, stdout, stderr } = await login(user, 'ann@example.org');
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(/^Signed in at http\S+ as ann@example\.org \(user \d+\)\./),
  ]);
  const stored = storedIn(user)[server.origin];
  for (const secret of [stored?.['accessToken'], stored?.['refreshToken']]) {
    expect(String(secret).length).toBeGreaterThan(50);
    expect(`${stdout}${stderr}`).not.toContain(String(secret));
  }
  expect([statSync(user.file).mode & 0o777, statSync(join(user.file, '..')).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
  expect(readdirSync(join(user.file, '..'))).toEqual(['logins.json']);

  const called = await run(user, 'call', 'get-orgs-list', ...url(), '--json');
  expect([called.exitCode, JSON.parse(called.stdout)]).toEqual([0, expect.objectContaining({ total: 0 })]);
  expect((await run(user, 'tools', ...url())).stdout).toContain('get-orgs-list');
  const who = await run(user, 'whoami', '--json');
  expect(JSON.parse(who.stdout)).toMatchObject({
    server: server.origin,
    email: 'ann@example.org',
    organizations: [],
  });
  expect((await run(user, 'whoami')).stdout).toContain('member of no organization');

  const out = await run(user, 'logout');
  expect([out.exitCode, out.stdout]).toEqual([0, `Signed out at ${server.origin}.\n`]);
  expect(storedIn(user)).toEqual({});
  const live = await fetch(`${server.origin}/v1/auth/token/verify`, {
    headers: { authorization: `Bearer ${String(stored?.['accessToken'])}` },
  });
  expect(await live.json()).toEqual({ isAuthTokenValid: false });
  const after = await run(user, 'call', 'get-orgs-list', ...url());
  expect([after.exitCode, after.stderr]).toEqual([
    3,
    expect.stringContaining(`trivet login --url ${server.origin}`),
  ]);
}, 60_000);

test('--mcp --url, and results of pipelines, use it too', async () => {
  const user = newUser();
  await login(user, 'ann@example.org');
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const mcp = await runTrivet(compiled, ['--mcp', ...url()], {
    env: user.env,
    stdin: `${JSON.stringify(message)}\n`,
  });
  expect(mcp.stdout).toContain('get-orgs-list');
  const results = await run(user, 'results', join(data, 'none.xml'), '--project', '1', ...url());
  expect(results.stderr).not.toContain('needs a token');
}, 60_000);

test('with --device a code is entered on another device', async () => {
  const user = newUser();
  const { shown, finished } = await startLogin(user, /enter the code (\S+)/, '--device', '--json');
  const browser = openBrowser();
  const page = await browser.go(`${server.origin}/oauth/device`);
  const asked = await browser.submit(page, { user_code: shown });
  expect(asked.text).toContain('The command line of Trivet');
  await consentAs(browser, asked, 'bob@example.org');
  const { exitCode, stdout } = await finished();
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ email: 'bob@example.org' })]);
  expect((await run(user, 'whoami', ...url())).stdout).toContain('bob@example.org');
}, 60_000);

describe('a sign-in that ends', () => {
  test('is renewed once by many processes at the same time, and the session goes on', async () => {
    const user = newUser();
    await login(user, 'ann@example.org');
    const before = storedIn(user)[server.origin];
    change(user, { expiresAt: 0 });
    const all = await Promise.all(Array.from({ length: 8 }, () => run(user, 'whoami', ...url())));
    expect(all.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(all.map(() => [0, '']));
    const after = storedIn(user)[server.origin];
    expect(after?.['refreshToken']).not.toBe(before?.['refreshToken']);
    expect(statSync(user.file).mode & 0o777).toBe(0o600);
    change(user, { expiresAt: 0 });
    expect((await run(user, 'call', 'get-orgs-list', ...url())).exitCode).toBe(0);
  }, 60_000);

  test('cannot be renewed after it was revoked: the person is told to sign in again', async () => {
    const user = newUser();
    await login(user, 'ann@example.org');
    const { accessToken } = storedIn(user)[server.origin] ?? {};
    const headers = { authorization: `Bearer ${String(accessToken)}` };
    await fetch(`${server.origin}/v1/auth/sessions`, { method: 'DELETE', headers });
    change(user, { expiresAt: 0 });
    const { exitCode, stderr } = await run(user, 'call', 'get-orgs-list', ...url());
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('trivet login --url')]);
    expect(storedIn(user)).toEqual({});
  }, 60_000);

  test('and whose lock a killed process left is renewed after a while', async () => {
    const user = newUser();
    await login(user, 'ann@example.org');
    change(user, { expiresAt: 0 });
    const lock = `${user.file}.lock`;
    writeFileSync(lock, '');
    const { utimesSync } = await import('node:fs');
    utimesSync(lock, 1, 1);
    expect((await run(user, 'whoami', ...url())).exitCode).toBe(0);
  }, 60_000);
});

describe('what is refused', () => {
  test('a person who does not agree', async () => {
    const { shown, finished } = await startLogin(newUser(), address);
    const browser = openBrowser();
    await browser.submit(await browser.go(shown), { choice: 'cancel' });
    const { exitCode, stderr } = await finished();
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('not completed')]);
  }, 60_000);

  test('a stranger at the port of the login: it goes on waiting', async () => {
    const user = newUser();
    const { shown, finished } = await startLogin(user, address);
    const back = new URL(shown).searchParams.get('redirect_uri') ?? '';
    for (const query of ['', '?code=x', '?code=x&state=y', '?error=access_denied&state='])
      expect((await fetch(`${back}${query}`)).status).toBe(404);
    const browser = openBrowser();
    await consentAs(browser, await browser.go(shown), 'ann@example.org');
    expect((await finished()).exitCode).toBe(0);
  }, 60_000);

  test('a file that others can read', async () => {
    const user = newUser();
    await login(user, 'ann@example.org');
    chmodSync(user.file, 0o644);
    for (const words of [['whoami'], ['call', 'get-orgs-list', ...url()], ['logout']]) {
      const { exitCode, stderr } = await run(user, ...words);
      expect([words[0], exitCode, stderr]).toEqual([words[0], 2, expect.stringContaining('chmod 600')]);
    }
  }, 60_000);

  test('a damaged file, without its text', async () => {
    const user = newUser();
    await login(user, 'ann@example.org');
    writeFileSync(user.file, '{"servers":{"secret');
    const { exitCode, stderr } = await run(user, 'whoami');
    expect([exitCode, stderr.includes('is damaged'), stderr.includes('secret')]).toEqual([2, true, false]);
  }, 60_000);

  const cases: ReadonlyArray<readonly [string, readonly string[], number, RegExp]> = [
    [
      'plain http to another machine',
      ['login', '--url', 'http://trivet.example'],
      2,
      /must be reached with https/,
    ],
    ['a server that is not there', ['login', '--url', 'http://127.0.0.1:1'], 4, /cannot be reached/],
    ['nobody is signed in', ['whoami'], 3, /signed in nowhere/],
    ['nobody is signed in there', ['logout', '--url', 'http://127.0.0.1:1'], 3, /not signed in at/],
    ['a word too many', ['login', 'http://127.0.0.1:1'], 64, /not expected here/],
  ];
  test.each(cases)('%s', async (_title, words, exitCode, message) => {
    const answer = await run(newUser(), ...words);
    expect([answer.exitCode, answer.stderr]).toEqual([exitCode, expect.stringMatching(message)]);
  });

  test('a server that is no Trivet', async () => {
    const other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('<html>', { status: 404 }),
    });
    const { exitCode, stderr } = await run(newUser(), 'login', '--url', `http://127.0.0.1:${other.port}`);
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('offers no sign-in')]);
    await other.stop(true);
  });

  /** @see Finding: the redirect of a proxy to https was "cannot be reached", and a page "The server failed to answer". */
  test('a server that sends on, and one that shows a page', async () => {
    const other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url: asked }) =>
        asked.includes('/page/')
          ? new Response('<html>')
          : Response.redirect('https://trivet.example/.well-known', 301),
    });
    const at = `http://127.0.0.1:${other.port}`;
    const user = newUser();
    const whoami = async (place: string) =>
      await runTrivet(compiled, ['whoami', '--url', place], { env: { ...user.env, TRIVET_TOKEN: 'trv_x' } });
    const answers = [await run(user, 'login', '--url', at), await whoami(at), await whoami(`${at}/page`)];
    const redirected = expect.stringMatching(
      /sends on to https:\/\/trivet\.example\.\n.*--url https:/,
    ) as string;
    expect(answers.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
      [4, redirected],
      [4, redirected],
      [4, expect.stringMatching(/is not Trivet\.\n/) as string],
    ]);
    await other.stop(true);
  }, 60_000);
});

test('TRIVET_TOKEN is stronger than a sign-in', async () => {
  const user = newUser();
  await login(user, 'ann@example.org');
  const token = await createToken(compiled, ['--data', data], 'owner@example.org');
  const env = { ...user.env, TRIVET_TOKEN: token };
  const who = await runTrivet(compiled, ['whoami', ...url(), '--json'], { env });
  expect(JSON.parse(who.stdout)).toMatchObject({
    email: 'owner@example.org',
    organizations: [{ role: 'admin' }],
  });
  const called = await runTrivet(compiled, ['call', 'get-orgs-list', ...url(), '--json'], { env });
  expect(JSON.parse(called.stdout)).toMatchObject({ total: 1 });
}, 60_000);

describe('a server of somebody else gets no token of the real one', () => {
  const metadata = (place: string, named: Record<string, string>) => ({
    issuer: place,
    authorization_endpoint: `${place}/oauth/authorize`,
    token_endpoint: `${place}/oauth/token`,
    device_authorization_endpoint: `${place}/oauth/device_authorization`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    ...named,
  });
  const attacks: ReadonlyArray<readonly [string, (own: string, real: string) => readonly [string, object]]> =
    [
      ['that names the real server as its issuer', (own, real) => [real, metadata(own, {})]],
      ...(['authorization_endpoint', 'token_endpoint', 'device_authorization_endpoint'] as const).map(
        (endpoint) =>
          [
            `that names the ${endpoint} of the real server`,
            (own: string, real: string) => [own, metadata(own, { [endpoint]: `${real}/oauth/any` })] as const,
          ] as const,
      ),
    ];
  test.each(attacks)('%s', async (_, answer) => {
    const tokens: string[] = [];
    const attacker = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url: asked, headers }) => {
        const { pathname, origin } = new URL(asked);
        const token = headers.get('authorization');
        if (token !== null) tokens.push(token);
        const [issuer, document] = answer(origin, server.origin);
        return Response.json(
          pathname.endsWith('/oauth-protected-resource')
            ? { resource: origin, authorization_servers: [issuer] }
            : document,
        );
      },
    });
    for (const more of [[], ['--device']]) {
      const { exitCode, stdout, stderr } = await run(
        newUser(),
        'login',
        '--url',
        attacker.url.origin,
        ...more,
      );
      expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
      expect(stderr).toContain(`names ${server.origin} for its sign-in`);
      expect(stderr).not.toContain('Open this address');
    }
    expect(tokens).toEqual([]);
    await attacker.stop(true);
  });

  test('that names something that is no address', async () => {
    const odd = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url: asked }) => {
        const { pathname, origin } = new URL(asked);
        return Response.json(
          pathname.endsWith('/oauth-protected-resource')
            ? { resource: origin, authorization_servers: [origin] }
            : metadata(origin, { token_endpoint: 'nowhere' }),
        );
      },
    });
    const { origin } = odd.url;
    const { exitCode, stderr } = await run(newUser(), 'login', '--url', origin);
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`The server at ${origin} names an invalid address for its sign-in`);
    expect(stderr).toContain(`Check that ${origin} is a Trivet server`);
    await odd.stop(true);
  });
});
