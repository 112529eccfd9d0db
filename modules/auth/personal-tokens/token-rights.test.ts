import { afterAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { setRole } from '../people/member-store.ts';
import { mintDevIdToken } from '../providers/dev-provider.ts';
import { accessTokens } from '../base/schema.ts';
import { createPersonalToken, madeOnMachine } from './personal-token-store.ts';
import { parseScopes } from './token-scope.ts';

/*
 * What a personal access token may, and how it ends. Mutation note: seen to fail without requireAdminGrant, without the look at the
 * audience, without the ten minutes, and when ending everything leaves the tokens.
 */
const clock = stillClock();
const trivet = await startTestKernel({ clock });
afterAll(() => trivet.stop());

const tool = (name: string, input: object, token: string) => trivet.post(`/api/tools/${name}`, input, token);
const minute = 60_000;
let people = 0;

interface Person {
  readonly userId: number;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Signs a new user in as a member. */
async function person(role: 'admin' | 'member' | null, resources: readonly string[] = []): Promise<Person> {
  const answer = await trivet.post('/v1/auth/social/authenticate', {
    responseType: 'token',
    grantType: 'id_token',
    identifier: await mintDevIdToken(trivet.kernel.host, `p${(people += 1)}@example.org`),
    idProvider: 'dev',
    resources,
  });
  const { accessToken, refreshToken } = answer.body as unknown as Person;
  const userId = Number(decodeJwt(accessToken).sub);
  if (role) await trivet.kernel.host.db.tx((q) => setRole(q, 1, userId, role, clock.now()));
  return { userId, accessToken, refreshToken };
}

/** A token of a user, created by their session or by the owner of the data directory. */
async function tokenOf(by: Person, scopes: readonly string[], maker: 'session' | 'machine' = 'session') {
  if (maker === 'session') {
    const { status, body } = await tool('create-access-token', { name: 'x', scopes }, by.accessToken);
    expect([scopes, status]).toEqual([scopes, 200]);
    return String(body['token']);
  }
  const { host } = trivet.kernel;
  const scope = parseScopes(scopes, host.toolsets);
  if ('mistake' in scope) throw new Error(scope.mistake);
  const given = { userId: by.userId, name: 'x', scope, expiresAt: null, madeWith: madeOnMachine };
  return (await host.db.tx((q) => createPersonalToken(host, q, given))).token;
}

const works = async (token: string) => (await tool('get-orgs-list', {}, token)).status === 200;

test('the toolsets of a scope are those of the loaded modules', async () => {
  expect(trivet.kernel.host.toolsets).toEqual([
    'auth',
    'cta',
    'testmgmt',
    'extra',
    'results',
    'insights',
    'server',
  ]);
  const { accessToken } = await person('admin');
  expect(
    (await tool('create-access-token', { name: 'x', scopes: ['testmgmt', 'readonly'] }, accessToken)).body,
  ).toMatchObject({
    error: {
      code: 'INVALID_REQUEST',
      cause: 'scopes',
      message: expect.stringContaining('Did you mean "read-only"?') as string,
    },
  });
});

test('a scope that reads one toolset writes nothing there, and another one in full', async () => {
  const token = await tokenOf(await person('admin'), ['testmgmt:read', 'cta']);
  expect((await tool('get-projects', { orgId: 1 }, token)).status).toBe(200);
  expect((await tool('create-project', { orgId: 1, projectName: 'x' }, token)).body).toMatchObject({
    error: { code: 'READ_ONLY', cause: 'toolset' },
  });
  expect((await tool('set-cta-kill-switch', { killed: false }, token)).status).not.toBe(403);
  expect((await tool('list-sessions', {}, token)).status).toBe(403);
});

test('userinfo of a token for one project names its organization alone', async () => {
  const admin = await person('admin');
  const { body } = await tool('create-organization', { orgName: 'Elsewhere' }, admin.accessToken);
  const about = async (token: string) => {
    const answer = await trivet.fetch('/oauth/userinfo', { headers: { authorization: `Bearer ${token}` } });
    const { organizations } = (await answer.json()) as { organizations: Array<{ orgId: number }> };
    return organizations.map(({ orgId }) => orgId);
  };
  const make = async (orgId: number) =>
    Number((await tool('create-project', { orgId, projectName: 'p' }, admin.accessToken)).body['projectId']);
  const [here, there] = [await make(1), await make(Number(body['orgId']))];
  expect(await about(await tokenOf(admin, ['testmgmt']))).toEqual([1, Number(body['orgId'])]);
  expect(await about(await tokenOf(admin, [`project:${here}`]))).toEqual([1]);
  expect(await about(await tokenOf(admin, [`project:${there}`]))).toEqual([Number(body['orgId'])]);
  expect(await about(await tokenOf(admin, ['project:9999']))).toEqual([]);
});

test('a token for one project sees nothing of another, and a server that does not know projects allows it nothing', async () => {
  const admin = await person('admin');
  const make = async (projectName: string) =>
    Number((await tool('create-project', { orgId: 1, projectName }, admin.accessToken)).body['projectId']);
  const [shop, other] = [await make('Shop of the token'), await make('Another shop')];
  for (const projectId of [shop, other])
    expect((await tool('create-test', { projectId, testName: 't' }, admin.accessToken)).status).toBe(200);
  for (const maker of ['session', 'machine'] as const) {
    const token = await tokenOf(admin, [`project:${shop}`], maker);
    const answer = async (name: string, input: object) => (await tool(name, input, token)).body;
    expect(await answer('get-projects', { orgId: 1 })).toMatchObject({
      total: 1,
      projects: [{ projectId: shop }],
    });
    expect(await answer('create-test', { projectId: shop, testName: maker })).toMatchObject({
      projectId: shop,
    });
    expect(await answer('get-runs', { projectId: other })).toMatchObject({
      error: { code: 'PROJECT_NOT_FOUND' },
    });
    const upload = { runKey: 'b', create: true, files: [{ name: 'r.xml', content: '<testsuite/>' }] };
    for (const project of [other, 'Another shop'])
      expect(await answer('ingest-results', { ...upload, project: String(project) })).toMatchObject({
        error: { code: 'PROJECT_NOT_FOUND' },
      });
    const { activities } = await answer('list-activity', { limit: 50 });
    const seen = (activities as Array<{ projectId: number }>).map(({ projectId }) => projectId);
    expect([...new Set(seen)]).toEqual([shop]);
    expect(await answer('create-project', { orgId: 1, projectName: 'x' })).toMatchObject({
      error: { code: 'FORBIDDEN', cause: 'scopes' },
    });
    for (const [name, input] of [
      ['list-ctas', {}],
      ['list-members', { orgId: 1 }],
      ['list-sessions', {}],
    ] as const)
      expect(await answer(name, input)).toMatchObject({ error: { code: 'FORBIDDEN', cause: 'toolset' } });
  }
  const { tokens } = (await tool('list-access-tokens', {}, admin.accessToken)).body;
  const scopes = ['testmgmt', 'extra', 'results', 'insights', `project:${shop}`];
  expect(tokens).toMatchObject([{ scopes }, { scopes }]);
  const rows = await trivet.kernel.host.db.q
    .select()
    .from(accessTokens)
    .where(eq(accessTokens.userId, admin.userId));
  expect(rows.map(({ toolsets, readToolsets }) => ({ toolsets, readToolsets }))).toEqual([
    { toolsets: [], readToolsets: null },
    { toolsets: [], readToolsets: null },
  ]);
});

describe('who raises whom', () => {
  const made: ReadonlyArray<readonly [string, readonly string[], 'session' | 'machine', boolean]> = [
    ['the session itself', [], 'session', true],
    ['a token of scope auth', ['auth'], 'session', false],
    ['a token of scope auth, made on the machine', ['auth'], 'machine', false],
    ['a token without the scope admin', ['auth'], 'session', false],
    ['a token without scopes, made on the machine', [], 'machine', true],
    ['a token of scope auth and admin', ['auth', 'admin'], 'session', true],
    ['a token of scope admin', ['admin'], 'session', true],
    ['a token of one organization', ['org:1'], 'machine', false],
  ];
  test.each(made)('%s', async (name, scopes, maker, raises) => {
    const admin = await person('admin');
    const credential =
      name === 'the session itself' ? admin.accessToken : await tokenOf(admin, scopes, maker);
    const member = await person('member');
    const outcome = async (call: string, input: object) => {
      const { status, body } = await tool(call, input, credential);
      return [status, (body['error'] as { cause?: string } | undefined)?.cause];
    };
    const raised = raises ? [200, undefined] : [403, 'scopes'];
    for (const role of ['admin', 'member', 'reader'])
      expect([role, await outcome('invite-user', { orgId: 1, role })]).toEqual([role, raised]);
    const set = (role: string) => outcome('set-user-role', { orgId: 1, userId: member.userId, role });
    expect(await set('admin')).toEqual(raised);
    expect(await set('reader')).toEqual(raised);
    expect(await set('none')).toEqual(raised);
    expect(await set('member')).toEqual(raises ? [404, undefined] : raised);
    const other = await person('member');
    expect(await outcome('remove-member', { orgId: 1, userId: other.userId })).toEqual(raised);
    const third = await person('member');
    expect(await outcome('revoke-session', { userId: third.userId })).toEqual(raised);
    expect(await works(third.accessToken)).toBe(!raises);
    const status = (word: string) => outcome('set-user-status', { userId: member.userId, status: word });
    expect(await status('disabled')).toEqual(raised);
    expect(await status('active')).toEqual(raised);
    const invited = await tool('invite-user', { orgId: 1, role: 'admin' }, admin.accessToken);
    expect(await outcome('accept-invitation', { code: invited.body['code'] })).toEqual(raised);
    if (credential !== admin.accessToken)
      expect((await tool('create-access-token', { name: 'more' }, credential)).status).toBe(403);
  });

  test('what a token carries ends with the role of its user', async () => {
    const admin = await person('admin');
    const token = await tokenOf(admin, ['auth', 'admin']);
    await trivet.kernel.host.db.tx((q) => setRole(q, 1, admin.userId, 'member', clock.now()));
    expect((await tool('invite-user', { orgId: 1 }, token)).status).toBe(403);
  });

  const publishers: ReadonlyArray<readonly ['admin' | 'member', 'session' | 'machine', readonly string[]]> = [
    ['admin', 'session', ['cta:publish']],
    // Otherwise a member could grant themselves the role.
    ['member', 'session', []],
    ['member', 'machine', ['cta:publish']],
  ];
  test.each(publishers)('cta:publish of %s, made by %s', async (role, maker, grants) => {
    const token = await tokenOf(await person(role), ['cta:publish'], maker);
    const actor = await trivet.kernel.identity.authenticate(trivet.kernel.host, token);
    expect(actor).toMatchObject({ toolsets: ['cta'], grants: [...grants] });
  });
});

describe('who makes a token', () => {
  const cases: ReadonlyArray<readonly [string, () => readonly string[], number, number, string | undefined]> =
    [
      ['at once', () => [], 0, 200, undefined],
      ['after ten minutes', () => [], 10 * minute, 200, undefined],
      ['later', () => [], 10 * minute + 1, 403, 'recent_sign_in'],
      ['for this server by name', () => [trivet.origin], 0, 200, undefined],
      ['for the resource /mcp', () => [`${trivet.origin}/mcp`], 0, 200, undefined],
      ['for a foreign service', () => ['https://api.example'], 0, 401, undefined],
      ['for this server and a foreign one', () => [trivet.origin, 'https://api.example'], 0, 403, 'audience'],
    ];
  test.each(cases)('a session %s', async (_, resources, laterMs, status, cause) => {
    const { accessToken } = await person('admin', resources());
    clock.advance(laterMs);
    const answer = await tool('create-access-token', { name: 'x', scopes: ['auth'] }, accessToken);
    expect([answer.status, (answer.body['error'] as { cause?: string } | undefined)?.cause]).toEqual([
      status,
      cause,
    ]);
  });
});

test.each([
  ['nothing is said', {}],
  ['nothing is ticked', { scopes: [] }],
])('a session makes no token where %s: it would have been allowed everything', async (_, said) => {
  const { accessToken } = await person('admin');
  expect(await tool('create-access-token', { name: 'x', ...said }, accessToken)).toMatchObject({
    status: 400,
    body: { error: { code: 'INVALID_REQUEST', cause: 'scopes', tip: expect.stringContaining('testmgmt') } },
  });
});

describe('a token for a foreign audience', () => {
  test('is no credential for tools and /mcp, and stays one for its own session', async () => {
    const { accessToken } = await person('admin', ['https://api.example']);
    const authorization = `Bearer ${accessToken}`;
    const status = async (path: string, init: RequestInit = {}) =>
      (await trivet.fetch(path, { ...init, headers: { authorization, ...init.headers } })).status;
    const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const list = { method: 'POST', headers: json, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' };
    expect(await status('/mcp', list)).toBe(401);
    expect(await status('/api/tools')).toBe(401);
    expect(await status('/api/tools/get-orgs-list', { method: 'POST', headers: json, body: '{}' })).toBe(401);
    expect(await status('/v1/auth/sessions')).toBe(200);
    const verify = await trivet.fetch('/v1/auth/token/verify', { headers: { authorization } });
    expect(await verify.json()).toEqual({ isAuthTokenValid: true });
    const ours = await person('admin', [`${trivet.origin}/mcp`]);
    const headers = { ...json, authorization: `Bearer ${ours.accessToken}` };
    expect((await trivet.fetch('/mcp', { ...list, headers })).status).toBe(200);
  });
});

/** Uses a refresh token and its successor: from then on, the first one is a reuse. */
async function useTwice(refreshToken: string): Promise<void> {
  const { body } = await trivet.post('/v1/auth/token/refresh', { refreshToken });
  await trivet.post('/v1/auth/token/refresh', { refreshToken: body['refreshToken'] });
}

describe('ending everything of a user ends their tokens', () => {
  const ends: ReadonlyArray<
    readonly [string, (who: Person) => Promise<unknown>, { session: boolean; machine: boolean }]
  > = [
    [
      'revoke-session',
      (who) => tool('revoke-session', {}, who.accessToken),
      { session: false, machine: false },
    ],
    [
      'DELETE /v1/auth/sessions',
      (who) =>
        trivet.fetch('/v1/auth/sessions', {
          method: 'DELETE',
          headers: { authorization: `Bearer ${who.accessToken}` },
        }),
      { session: false, machine: false },
    ],
    [
      'a refresh token that is used again',
      async (who) => {
        await useTwice(who.refreshToken);
        const again = await trivet.post('/v1/auth/token/refresh', { refreshToken: who.refreshToken });
        expect(again.body).toMatchObject({ error: { cause: 'reused' } });
      },
      { session: false, machine: true },
    ],
    [
      'disabling, also after enabling again',
      async (who) => {
        const admin = await person('admin');
        for (const status of ['disabled', 'active'])
          expect(
            (await tool('set-user-status', { userId: who.userId, status }, admin.accessToken)).status,
          ).toBe(200);
      },
      { session: false, machine: false },
    ],
    [
      'one session alone ends none',
      (who) =>
        tool('revoke-session', { sessionId: String(decodeJwt(who.accessToken)['sid']) }, who.accessToken),
      { session: true, machine: true },
    ],
  ];
  test.each(ends)('%s', async (_, end, left) => {
    const who = await person('member');
    const session = await tokenOf(who, ['testmgmt']);
    const machine = await tokenOf(who, ['testmgmt'], 'machine');
    expect([await works(session), await works(machine)]).toEqual([true, true]);
    await end(who);
    expect({ session: await works(session), machine: await works(machine) }).toEqual(left);
  });

  test('a token of version 0.1 counts as made by a session for whoever signs in', async () => {
    const who = await person('admin');
    const token = await tokenOf(who, ['auth']);
    await trivet.kernel.host.db.tx(
      async (q) =>
        void (await q
          .update(accessTokens)
          .set({ madeWith: null })
          .where(eq(accessTokens.userId, who.userId))),
    );
    expect((await tool('invite-user', { orgId: 1 }, token)).status).toBe(403);
    await useTwice(who.refreshToken);
    await trivet.post('/v1/auth/token/refresh', { refreshToken: who.refreshToken });
    expect(await works(token)).toBe(false);
  });
});
