import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { audit, oauthRequests, sessions, users } from '../base/schema.ts';
import { removeExpired } from '../sessions/expiry.ts';
import {
  newCode,
  newProof,
  oauthTokens,
  openBrowser,
  authorizeUrl,
  postForm,
  registered,
} from '../testing/browser.ts';
import { leaked } from '../testing/leaks.ts';

/*
 * Codes and refresh tokens at /oauth/token: who presents them, with what proof, when and how often.
 *
 * Mutation note: seen to fail when a wrong verifier uses up the code, when moveRequest does not compare the status, and when the
 * client of a refresh token is not compared.
 */
const clock = stillClock(Date.now());
const web = 'https://client.example/callback';

let trivet: TestKernel;
let client: string;
beforeAll(async () => {
  trivet = await startTestKernel({ clock, settings: { 'rate-oauth': '0' } });
  client = await registered(trivet, web);
});
afterAll(() => trivet.stop());
beforeEach(() => clock.advance(120_000));

const token = async (body: Readonly<Record<string, string>>, at: TestKernel = trivet) => {
  const response = await postForm(at, '/oauth/token', body);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const invalidGrant = { status: 400, body: { error: 'invalid_grant', error_description: expect.any(String) } };
const isLive = async (accessToken: string) => {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (
    (await (await trivet.fetch('/v1/auth/token/verify', { headers })).json()) as { isAuthTokenValid: boolean }
  ).isAuthTokenValid;
};

describe('a code', () => {
  const wrong: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
    ['another verifier', { code_verifier: newProof().verifier }],
    ['the challenge as verifier', { code_verifier: 'x'.repeat(43) }],
    ['another client', { client_id: 'trivet-clx' }],
    ['a redirect address with another port', { redirect_uri: 'http://127.0.0.1:2/callback' }],
    ['another redirect address', { redirect_uri: web }],
    ['another code', { code: 'x'.repeat(43) }],
  ];
  test.each(wrong)('with %s: invalid_grant, and the code survives', async (_title, change) => {
    const { request } = await newCode(trivet);
    expect(await token({ ...request, ...change })).toEqual(invalidGrant);
    expect((await token(request)).status).toBe(200);
  });

  const missing = ['code_verifier', 'client_id', 'redirect_uri', 'code', 'grant_type'] as const;
  test.each(missing)('without %s: invalid_request, and the code survives', async (name) => {
    const { request } = await newCode(trivet);
    const { [name]: _, ...rest } = request;
    expect((await token(rest as Record<string, string>)).body['error']).toBe('invalid_request');
    expect((await token(request)).status).toBe(200);
  });

  test('twenty times at once at two servers: one success, and the session ends', async () => {
    const { request } = await newCode(trivet);
    const second = await startTestKernel({ clock, again: trivet, settings: { 'rate-oauth': '0' } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, number) => token(request, number % 2 === 0 ? trivet : second)),
    );
    await second.stop();
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    expect(
      answers.filter(({ status }) => status !== 200).every(({ body }) => body['error'] === 'invalid_grant'),
    ).toBe(true);
    expect(await isLive(String(good[0]?.body['access_token']))).toBe(false);
    const again = {
      grant_type: 'refresh_token',
      client_id: 'trivet-cli',
      refresh_token: String(good[0]?.body['refresh_token']),
    };
    expect(await token(again)).toEqual(invalidGrant);
    const rows = await trivet.kernel.host.db.q.select().from(audit);
    expect(rows.at(-1)).toMatchObject({ event: 'session_revoked', cause: 'code_reuse' });
  });

  test('lives for 60 seconds', async () => {
    const [early, late] = [await newCode(trivet), await newCode(trivet)];
    clock.advance(59_999);
    expect((await token(early.request)).status).toBe(200);
    clock.advance(1);
    expect(await token(late.request)).toEqual(invalidGrant);
  });

  test('that nobody redeems leaves no session', async () => {
    await newCode(trivet, 'unused@example.org');
    clock.advance(2 * 3_600_000);
    await removeExpired(trivet.kernel.host);
    expect(await trivet.kernel.host.db.q.select().from(oauthRequests)).toEqual([]);
    const rows = await trivet.kernel.host.db.q.select().from(sessions);
    expect(rows.filter(({ revokedReason }) => revokedReason === 'not_redeemed').length).toBeGreaterThan(0);
  });

  test('of a user who is disabled meanwhile, or who signed out everywhere', async () => {
    const disabled = await newCode(trivet, 'disabled@example.org');
    const signedOut = await newCode(trivet, 'out@example.org');
    const { accessToken } = await trivet.signIn('out@example.org');
    const everywhere = await trivet.fetch('/v1/auth/sessions', {
      method: 'DELETE',
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(everywhere.status).toBe(200);
    expect(await token(signedOut.request)).toEqual(invalidGrant);
    const { host, identity, operations } = trivet.kernel;
    const { run } = await import('../../../core/tools/operation.ts');
    const operation = operations.get('set-user-status');
    if (!operation) throw new Error('no operation');
    const people = await host.db.q.select().from(users);
    const userId = people.find(({ email }) => email === 'disabled@example.org')?.id ?? 0;
    const actor = await identity.local(host, undefined);
    const context = { actor, surface: 'cli', signal: new AbortController().signal } as const;
    await run(host, operation, { userId, status: 'disabled' }, context);
    expect(await token(disabled.request)).toEqual(invalidGrant);
  });
});

describe('a refresh token', () => {
  const refreshWith = (refreshToken: string, more: Readonly<Record<string, string>> = {}) =>
    token({ grant_type: 'refresh_token', client_id: 'trivet-cli', refresh_token: refreshToken, ...more });

  test('of another client, an access token, and one of a sign-in without client', async () => {
    const { access_token: access, refresh_token: refresh } = await oauthTokens(trivet);
    expect(await refreshWith(refresh, { client_id: client })).toEqual(invalidGrant);
    expect(await refreshWith(access)).toEqual(invalidGrant);
    expect(await refreshWith('x.y.z')).toEqual(invalidGrant);
    expect(await refreshWith((await trivet.signIn('ann@example.org')).refreshToken)).toEqual(invalidGrant);
    expect((await refreshWith(refresh)).status).toBe(200);
  });

  test('again: the same successor; once that was used the session ends', async () => {
    const { refresh_token: first } = await oauthTokens(trivet);
    const second = await refreshWith(first);
    expect((await refreshWith(first)).body['refresh_token']).toBe(second.body['refresh_token']);
    clock.advance(31_000);
    expect((await refreshWith(first)).body['refresh_token']).toBe(second.body['refresh_token']);
    const third = await refreshWith(String(second.body['refresh_token']));
    expect(third.status).toBe(200);
    expect(await refreshWith(first)).toEqual(invalidGrant);
    expect(await refreshWith(String(third.body['refresh_token']))).toEqual(invalidGrant);
  });

  test('asks for no more than the person agreed to', async () => {
    const { refresh_token: refresh, scope } = await oauthTokens(trivet, undefined, {
      scope: 'testmgmt:read',
    });
    expect(scope).toBe('testmgmt:read');
    for (const wider of ['testmgmt', 'testmgmt:read cta', 'admin', 'all']) {
      const answer = await refreshWith(refresh, { scope: wider });
      expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_scope']);
    }
    expect((await refreshWith(refresh, { scope: 'testmgmt:read openid' })).body['scope']).toBe(
      'testmgmt:read',
    );
  });
});

describe('for whom a token is', () => {
  const listTools = (accessToken: string) =>
    trivet.fetch('/mcp', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${accessToken}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });

  test('a foreign resource is refused where the code is redeemed, too', async () => {
    const { request } = await newCode(trivet);
    const answer = await token({ ...request, resource: 'https://other.example/mcp' });
    expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_target']);
    expect((await token({ ...request, resource: `${trivet.origin}/mcp` })).status).toBe(200);
  });

  test('/mcp takes this server and /mcp, and no other audience', async () => {
    for (const resource of [undefined, trivet.origin, `${trivet.origin}/mcp`]) {
      const { access_token: accessToken } = await oauthTokens(trivet, undefined, { resource });
      expect([resource, (await listTools(accessToken)).status]).toEqual([resource, 200]);
    }
    const { mintDevIdToken } = await import('../providers/dev-provider.ts');
    const foreign = await trivet.post('/v1/auth/social/authenticate', {
      responseType: 'token',
      grantType: 'id_token',
      identifier: await mintDevIdToken(trivet.kernel.host, 'ann@example.org'),
      idProvider: 'dev',
      resources: ['https://other.example'],
    });
    const refused = await listTools(String(foreign.body['accessToken']));
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${trivet.origin}/.well-known/oauth-protected-resource/mcp", scope="testmgmt", error="invalid_token"`,
    );
  });

  test('a token in the address is not read', async () => {
    const { access_token: accessToken, refresh_token: refresh } = await oauthTokens(trivet);
    for (const name of ['access_token', 'token', 'authorization']) {
      const response = await trivet.fetch(`/mcp?${name}=${accessToken}`, { method: 'POST', body: '{}' });
      expect([name, response.status]).toEqual([name, 401]);
    }
    const query = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'trivet-cli',
      refresh_token: refresh,
    });
    const answer = await postForm(trivet, `/oauth/token?${query}`, { scope: 'all' });
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([
      400,
      'invalid_request',
    ]);
  });

  test('a client that a person let do a part does that part, and makes no access token', async () => {
    const admin = await oauthTokens(trivet, 'limited@example.org', { scope: 'auth' });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${admin.access_token}` };
    const listed = (await (await trivet.fetch('/api/tools', { headers })).json()) as {
      tools: Array<{ toolset: string }>;
    };
    expect([...new Set(listed.tools.map(({ toolset }) => toolset))]).toEqual(['auth']);
    const made = await trivet.post('/api/tools/create-access-token', { name: 'x' }, admin.access_token);
    expect(made).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN', cause: 'scopes' } } });
    const reads = await oauthTokens(trivet, 'limited@example.org', { scope: 'auth:read' });
    expect(await trivet.post('/api/tools/revoke-session', {}, reads.access_token)).toMatchObject({
      status: 403,
      body: { error: { code: 'READ_ONLY' } },
    });
    const whole = await oauthTokens(trivet, 'limited@example.org', { scope: 'all' });
    expect(
      (
        await trivet.post(
          '/api/tools/create-access-token',
          { name: 'x', scopes: ['auth'] },
          whole.access_token,
        )
      ).status,
    ).toBe(200);
  });
});

test('no code, token, state or verifier is in the log, in a Referer to others or in the audit log', async () => {
  const state = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url');
  const { browser, request, left } = await newCode(trivet, 'logged@example.org', { state });
  const { body } = await token(request);
  const secrets = [
    state,
    request.code,
    request.code_verifier,
    String(body['access_token']),
    String(body['refresh_token']),
    ...browser.sent.flatMap(({ url }) => [...new URL(url).searchParams].map(([, value]) => value)),
  ].filter((secret) => secret.length > 20 && !secret.startsWith('http'));
  expect(left?.searchParams.get('state')).toBe(state);
  const rows = await trivet.kernel.host.db.q.select().from(audit);
  expect(leaked(secrets, [...trivet.logged, ...rows.map((row) => JSON.stringify(row))])).toBeNull();
  expect(
    browser.sent.every(
      ({ url, referer }) => referer === null || new URL(referer).origin === new URL(url).origin,
    ),
  ).toBe(true);
  const stored = JSON.stringify(await trivet.kernel.host.db.q.select().from(oauthRequests));
  expect(leaked([request.code, request.code_verifier], [stored])).toBeNull();
});

test('a forged Host changes no address in the metadata', async () => {
  const paths = ['oauth-protected-resource/mcp', 'oauth-authorization-server', 'openid-configuration'];
  for (const path of paths) {
    const own = await (await trivet.fetch(`/.well-known/${path}`)).text();
    expect(own).toContain(trivet.origin);
    const forged = await trivet.fetch(`/.well-known/${path}`, { headers: { host: 'evil.example' } });
    expect([path, forged.status]).toEqual([path, 403]);
  }
  const allowed = await startTestKernel({ settings: { 'allowed-hosts': 'other.example' } });
  for (const path of paths) {
    const text = await (
      await allowed.fetch(`/.well-known/${path}`, { headers: { host: 'other.example' } })
    ).text();
    expect([path, text.includes('other.example'), text.includes(allowed.origin)]).toEqual([
      path,
      false,
      true,
    ]);
  }
  const url = new URL(authorizeUrl(allowed, newProof().challenge));
  expect((await openBrowser().go(url.href, { host: 'evil.example' })).status).toBe(403);
  await allowed.stop();
});
