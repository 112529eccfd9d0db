import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { generateKeyPair, SignJWT } from 'jose';
import { writeUserStatus } from '../people/user-store.ts';
import { createPersonalToken, madeOnMachine } from '../personal-tokens/personal-token-store.ts';
import { parseScopes } from '../personal-tokens/token-scope.ts';
import { removeExpired } from '../sessions/expiry.ts';
import { endAllSessions, noteRestore } from '../sessions/restore-store.ts';
import { errorOf, startGuestWorld, type Signed } from '../testing/guest-world.ts';
import { settled } from '../../../test/rejection.ts';
import { toolsOf } from '../../../test/tools.ts';

const world = await startGuestWorld();
const { clock, kernel } = world;
const { host } = kernel;
const tools = await toolsOf(world);
let service = '';
afterAll(() => world.stop());

const tokenOf = (words: readonly string[], userId = 1) =>
  host.db.tx(async (q) => {
    const scope = parseScopes(words, host.toolsets);
    if ('mistake' in scope) throw new Error(scope.mistake);
    const given = { userId, name: 'x', scope, expiresAt: null, madeWith: madeOnMachine };
    return (await createPersonalToken(host, q, given)).token;
  });
beforeAll(async () => {
  service = await tokenOf(['introspect']);
});

async function introspected(token: string, as = service, more: Record<string, string> = {}) {
  const response = await world.fetch('/oauth/introspect', {
    method: 'POST',
    headers: { authorization: `Bearer ${as}` },
    body: new URLSearchParams({ token, ...more }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('POST /oauth/introspect', () => {
  test('says what a live access token says', async () => {
    const person = await world.person('ann@example.org');
    const { status, body } = await introspected(person.accessToken, service, {
      token_type_hint: 'access_token',
    });
    expect(status).toBe(200);
    expect(body).toEqual({ ...person.claims, active: true, token_type: 'Bearer' });
    const guest = await world.guest();
    expect((await introspected(guest.accessToken)).body).toMatchObject({
      active: true,
      sub: String(guest.userId),
      is_guest: true,
      amr: ['guest'],
    });
  });

  const dead: ReadonlyArray<readonly [string, (person: Signed) => Promise<string> | string]> = [
    ['nonsense', () => 'x.y.z'],
    ['an ID token', ({ idToken }) => idToken],
    ['a refresh token', ({ refreshToken }) => refreshToken],
    ['a personal access token', () => service],
    [
      'one of somebody else',
      async ({ claims }) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256', kid: 'x', typ: 'at+jwt' })
          .sign((await generateKeyPair('ES256')).privateKey),
    ],
    [
      'one of a session that ended',
      async ({ accessToken, refreshToken }) => {
        await world.post('/v1/auth/token/revoke', { token: refreshToken });
        return accessToken;
      },
    ],
    [
      'one of a disabled user',
      async ({ accessToken, userId }) => {
        await host.db.tx((q) => writeUserStatus(q, userId, 'disabled'));
        return accessToken;
      },
    ],
    [
      'one that expired',
      ({ accessToken }) => {
        clock.advance(901_000);
        return accessToken;
      },
    ],
  ];
  test.each(dead)('%s is not active, and nothing more is said', async (_, make) => {
    const person = await world.person(`${crypto.randomUUID()}@example.org`);
    expect(await introspected(await make(person))).toEqual({ status: 200, body: { active: false } });
  });

  test('answers nobody but a token that was made for it', async () => {
    const person = await world.person('carl@example.org');
    expect((await introspected(person.accessToken, person.accessToken)).status).toBe(403);
    expect((await introspected(person.accessToken, 'trv_nothing')).status).toBe(401);
    for (const scopes of [[], ['auth'], ['metrics'], ['admin']])
      expect((await introspected(person.accessToken, await tokenOf(scopes))).status).toBe(403);
    const made = await world.post(
      '/api/tools/create-access-token',
      { name: 'x', scopes: ['introspect'] },
      person.accessToken,
    );
    expect([made.status, errorOf(made)]).toEqual([403, 'FORBIDDEN scopes']);
    // It is for this alone.
    const listed = await world.asked('GET', '/api/tools', service);
    expect(listed.body).toMatchObject({ tools: [] });
  });

  test('a request without a token, or with two, says so as OAuth does', async () => {
    const headers = { authorization: `Bearer ${service}` };
    for (const body of ['', 'token=a&token=b']) {
      const response = await world.fetch('/oauth/introspect', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body,
      });
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
        400,
        'invalid_request',
      ]);
    }
    const json = await world.asked('POST', '/oauth/introspect', service, { token: 'x' });
    expect(json.status).toBe(415);
  });

  test('the metadata names it', async () => {
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
      expect(await (await world.fetch(path)).json()).toMatchObject({
        introspection_endpoint: `${world.origin}/oauth/introspect`,
        introspection_endpoint_auth_methods_supported: ['Bearer'],
      });
  });
});

interface Feed {
  readonly items: ReadonlyArray<{ sid: string; sub: string; at: string; reason: string }>;
  readonly cursor: string;
}
const feed = async (query: string) => {
  const { status, body } = await world.asked('GET', `/v1/auth/revocations${query}`, service);
  expect(status).toBe(200);
  return body as unknown as Feed;
};
const now = async () => (await feed('')).cursor;

describe('GET /v1/auth/revocations', () => {
  const sid = ({ claims }: Signed) => String(claims['sid']);
  type End = (person: Signed) => Promise<unknown>;
  const asOwner = (tool: string, input: object) => tools.call(tool as never, input as never);
  const ends: ReadonlyArray<readonly [string, string, End]> = [
    [
      'a token is revoked',
      'signed_out',
      ({ refreshToken }) => world.post('/v1/auth/token/revoke', { token: refreshToken }),
    ],
    [
      'one session ends',
      'revoked',
      (person) => world.asked('DELETE', `/v1/auth/sessions/${sid(person)}`, person.accessToken),
    ],
    [
      'sign-out everywhere',
      'revoked',
      ({ accessToken }) => world.asked('DELETE', '/v1/auth/sessions', accessToken),
    ],
    ['an administrator ends them', 'revoked', ({ userId }) => asOwner('revoke-session', { userId })],
    [
      'a refresh token is used again',
      'refresh_reuse',
      async ({ refreshToken }) => {
        const { body } = await world.refresh(refreshToken);
        await world.refresh(String(body['refreshToken']));
        await world.refresh(refreshToken);
      },
    ],
    [
      'the user is disabled',
      'user_disabled',
      ({ userId }) => asOwner('set-user-status', { userId, status: 'disabled' }),
    ],
    ['the user is erased', 'erased', ({ userId }) => asOwner('erase-user', { userId })],
    [
      'the user is merged',
      'merged',
      async ({ userId }) =>
        asOwner('merge-users', {
          userId: (await world.person('kept@example.org')).userId,
          duplicateId: userId,
        }),
    ],
    [
      'the membership ends',
      'left',
      async ({ userId, accessToken }) => {
        const { code } = await asOwner('invite-user', { orgId: 1 });
        await world.post('/api/tools/accept-invitation', { code }, accessToken);
        await asOwner('remove-member', { orgId: 1, userId });
      },
    ],
  ];
  test.each(ends)('%s', async (_, reason, end) => {
    const after = await now();
    const person = await world.person(`${crypto.randomUUID()}@example.org`);
    await end(person);
    const { items, cursor } = await feed(`?after=${after}`);
    expect(items.filter((item) => item.sid === sid(person))).toEqual([
      { sid: sid(person), sub: String(person.userId), at: new Date(clock.now()).toISOString(), reason },
    ]);
    expect((await feed(`?after=${cursor}`)).items).toEqual([]);
    expect((await feed('')).items.map((item) => item.sid)).toContain(sid(person));
  });

  /** @see docs/contract.md, 3.10: what the feed lists has ended, so it is listed once. */
  test('a session of a user who was disabled does not come back when they are enabled', async () => {
    const after = await now();
    const person = await world.person('back@example.org');
    const status = (to: string) => asOwner('set-user-status', { userId: person.userId, status: to });
    await status('disabled');
    // docs/contract.md, 3.3
    const disabled = await world.refresh(person.refreshToken);
    expect([disabled.status, errorOf(disabled)]).toEqual([403, 'ACCESS_DENIED disabled']);
    await status('disabled');
    await status('active');
    const refreshed = await world.refresh(person.refreshToken);
    expect([refreshed.status, errorOf(refreshed)]).toEqual([401, 'INVALID_REFRESH_TOKEN revoked']);
    expect((await introspected(person.accessToken)).body['active']).toBe(false);
    await world.post('/v1/auth/token/revoke', { token: person.refreshToken });
    const again = await world.person('back@example.org');
    expect((await world.refresh(again.refreshToken)).status).toBe(200);
    expect((await feed(`?after=${after}`)).items).toMatchObject([
      { sid: sid(person), reason: 'user_disabled' },
    ]);
    // Who is erased while they are disabled is no user any more: an app must not wait for them.
    await status('disabled');
    await asOwner('erase-user', { userId: person.userId });
    const erased = await world.refresh(again.refreshToken);
    expect([erased.status, errorOf(erased)]).toEqual([401, 'INVALID_REFRESH_TOKEN revoked']);
  });

  test('a guest who becomes part of a user', async () => {
    await world.person('known@example.org');
    const after = await now();
    const guest = await world.guest();
    await world.link(guest.accessToken, 'known@example.org', { onConflict: 'switch' });
    expect((await feed(`?after=${after}`)).items).toMatchObject([
      { sub: String(guest.userId), reason: 'merged' },
    ]);
  });

  test('an end that is rolled back is none', async () => {
    const person = await world.person('dora@example.org');
    const after = await now();
    const failing = host.db.tx(async (q) => {
      await endAllSessions(q, clock.now());
      throw new Error('later');
    });
    expect(await settled(failing)).toThrow('later');
    expect((await feed(`?after=${after}`)).items).toEqual([]);
    expect((await introspected(person.accessToken)).body['active']).toBe(true);
  });

  test('many at once come in pages, each once', async () => {
    const after = await now();
    const person = await world.person('many@example.org');
    for (let i = 0; i < 40; i++) await world.person('many@example.org');
    await Promise.all([
      asOwner('revoke-session', { userId: person.userId }),
      ...Array.from({ length: 20 }, () => feed(`?after=${after}`)),
    ]);
    const seen: string[] = [];
    for (let cursor = after; ;) {
      const page = await feed(`?after=${cursor}`);
      if (page.items.length === 0) break;
      seen.push(...page.items.map((item) => item.sid));
      ({ cursor } = page);
    }
    expect([seen.length, new Set(seen).size]).toEqual([41, 41]);
  });

  test('waits for the next one, and answers without when the time is over', async () => {
    const after = await now();
    const person = await world.person('wait@example.org');
    let answered = false;
    const waiting = feed(`?after=${after}&wait=25`).then((page) => {
      answered = true;
      return page;
    });
    await Bun.sleep(50);
    expect(answered).toBe(false);
    await world.post('/v1/auth/token/revoke', { token: person.refreshToken });
    const advance = setInterval(() => clock.advance(500), 10);
    expect((await waiting).items).toMatchObject([{ sid: sid(person) }]);
    const later = await now();
    expect(await feed(`?after=${later}&wait=3`)).toEqual({ items: [], cursor: later });
    clearInterval(advance);
  });

  /** @see A request that waited was answered for half a minute after its token was revoked. */
  test('answers nobody whose token has ended while the request waited', async () => {
    const after = await now();
    const token = await tokenOf(['introspect']);
    const person = await world.person('ended@example.org');
    const waiting = world.asked('GET', `/v1/auth/revocations?after=${after}&wait=25`, token);
    await Bun.sleep(50);
    await world.post('/v1/auth/token/revoke', { token });
    await world.post('/v1/auth/token/revoke', { token: person.refreshToken });
    const advance = setInterval(() => clock.advance(500), 10);
    const { status } = await waiting;
    clearInterval(advance);
    expect(status).toBe(401);
  });

  test('after a restore everything comes again', async () => {
    const after = await now();
    const person = await world.person('back@example.org');
    await world.post('/v1/auth/token/revoke', { token: person.refreshToken });
    const { cursor } = await feed(`?after=${after}`);
    await host.db.tx((q) => noteRestore(q, clock.now()));
    const again = await feed(`?after=${cursor}`);
    expect(again.items.map((item) => item.sid)).toContain(sid(person));
    expect((await feed(`?after=${again.cursor}`)).items).toEqual([]);
  });

  const bad = [
    '?after=x',
    '?after=1',
    '?after=1.x',
    '?after=-1.2',
    '?wait=x',
    '?wait=31',
    '?wait=-1',
    '?wait=1.5',
  ];
  test.each(bad)('%s is refused', async (query) => {
    const answer = await world.asked('GET', `/v1/auth/revocations${query}`, service);
    expect([answer.status, errorOf(answer)]).toEqual([
      400,
      `INVALID_REQUEST ${query.includes('after') ? 'after' : 'wait'}`,
    ]);
  });

  test('answers nobody but a token that was made for it', async () => {
    const person = await world.person('erin@example.org');
    for (const [token, status] of [
      [person.accessToken, 403],
      [await tokenOf(['auth', 'admin']), 403],
      ['trv_nothing', 401],
    ] as const)
      expect((await world.asked('GET', '/v1/auth/revocations', token)).status).toBe(status);
  });

  test('is kept as long as an access token lives at most, and a margin', async () => {
    const person = await world.person('old@example.org');
    await world.post('/v1/auth/token/revoke', { token: person.refreshToken });
    const cursor = await now();
    clock.advance(25 * 3_600_000);
    await removeExpired(host);
    expect((await feed('')).items.map((item) => item.sid)).toContain(sid(person));
    clock.advance(1);
    await removeExpired(host);
    expect((await feed('')).items).toEqual([]);
    expect(await feed(`?after=${cursor}`)).toEqual({ items: [], cursor });
  });

  test('a session that has expired has ended already, and is not revoked', async () => {
    const person = await world.person('late@example.org');
    clock.advance(90 * 86_400_000);
    const again = await world.person('late@example.org');
    const before = await now();
    await world.post('/v1/auth/token/revoke', { token: person.refreshToken });
    const ended = await world.asked('DELETE', `/v1/auth/sessions/${sid(person)}`, again.accessToken);
    expect(ended.body).toEqual({ revoked: 0 });
    expect((await feed(`?after=${before}`)).items).toEqual([]);
    expect(await asOwner('list-audit', { event: 'session_revoked', userId: person.userId })).toMatchObject({
      total: 0,
    });
  });
});

test('a request that waits ends when the server stops', async () => {
  const other = await startGuestWorld({}, clock);
  const token = await other.kernel.host.db.tx(async (q) => {
    const scope = parseScopes(['introspect'], host.toolsets);
    if ('mistake' in scope) throw new Error(scope.mistake);
    const given = { userId: 1, name: 'x', scope, expiresAt: null, madeWith: madeOnMachine };
    return (await createPersonalToken(other.kernel.host, q, given)).token;
  });
  const waiting = other.asked('GET', '/v1/auth/revocations?wait=30', token);
  await Bun.sleep(100);
  const began = performance.now();
  await other.stop();
  expect((await waiting).body).toMatchObject({ items: [] });
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('whatever ends sessions tells the feed', () => {
  const root = join(import.meta.dir, '..');
  const silent = [...new Glob('**/*.ts').scanSync(root)].filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return !file.endsWith('.test.ts') && /revokedReason: (?!null|text)/.test(text) && !/noteEnd/.test(text);
  });
  expect(silent).toEqual([]);
});
