import { afterAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { startTestKernel } from '../../../test/kernel.ts';
import { rejectionOf } from '../../../test/rejection.ts';
import { sessions, users } from '../base/schema.ts';
import { errorOf, startGuestWorld } from '../testing/guest-world.ts';
import { tokenOwner } from '../people/token-owner.ts';
import { removeExpired } from '../sessions/expiry.ts';
import { pageOfSessions } from '../sessions/session-store.ts';
import { removeUnusedGuests } from './guest-expiry.ts';

const day = 86_400_000;
const world = await startGuestWorld();
const { clock, kernel, post, fetch } = world;
afterAll(() => world.stop());

const counted = async () => [
  (await kernel.host.db.q.select().from(users)).length,
  (await kernel.host.db.q.select().from(sessions)).length,
];

/** @see The idle time of other sessions counted for those of guests as well, where it is the longer one. */
test('the session of a guest is live for the time that guests are kept', async () => {
  const guest = await world.guest();
  const userId = Number(decodeJwt(guest.accessToken).sub);
  const idle = { 'refresh-idle': 30 * 86_400, 'guest-keep': 10 * 86_400 };
  const live = async (days: number) => {
    const at = { now: clock.now() + days * day, idle };
    return (await pageOfSessions(kernel.host.db.q, userId, at, { limit: 5, offset: 0 })).total;
  };
  expect([await live(9), await live(11)]).toEqual([1, 0]);
});

describe('a guest', () => {
  test('gets the tokens of a sign-in, which say that nobody signed in', async () => {
    const { status, body, headers } = await post('/v1/auth/guest', { resources: ['api'] });
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(
      ['accessToken', 'expiresIn', 'idToken', 'isGuest', 'refreshToken', 'tokenType'].toSorted(),
    );
    expect(body).toMatchObject({ isGuest: true, tokenType: 'Bearer', expiresIn: 900 });
    expect(headers.get('cache-control')).toBe('no-store');
    const access = decodeJwt(String(body['accessToken']));
    expect(access).toMatchObject({ aud: ['api'], idp: 'guest', amr: ['guest'], is_guest: true });
    expect(decodeJwt(String(body['idToken']))).toMatchObject({
      sub: access.sub ?? '',
      amr: ['guest'],
      is_guest: true,
    });
    const verified = await fetch('/v1/auth/token/verify', {
      headers: { authorization: `Bearer ${String(body['accessToken'])}` },
    });
    expect(await verified.json()).toEqual({ isAuthTokenValid: true });
  });

  test('is another one each time, whatever the installation says of itself', async () => {
    const body = { resources: [], installId: 'install-1' };
    const [one, two] = [await world.guest(body), await world.guest(body)];
    expect(one.userId).not.toBe(two.userId);
  });

  const bad: ReadonlyArray<readonly [string, unknown, number, string]> = [
    ['no JSON', '{', 400, 'INVALID_JSON'],
    ['a list', [], 400, 'INVALID_REQUEST body'],
    ['no resources', {}, 400, 'INVALID_REQUEST resources'],
    ['resources that are no texts', { resources: [1] }, 400, 'INVALID_REQUEST resources'],
    ['an empty installId', { resources: [], installId: '' }, 400, 'INVALID_REQUEST installId'],
    ['a number as installId', { resources: [], installId: 7 }, 400, 'INVALID_REQUEST installId'],
    ['a long installId', { resources: [], installId: 'x'.repeat(129) }, 400, 'INVALID_REQUEST installId'],
    ['a large body', { resources: [], pad: 'x'.repeat(20_000) }, 413, 'PAYLOAD_TOO_LARGE'],
  ];
  test.each(bad)('is not made of %s, and nothing is stored', async (_, body, status, error) => {
    const before = await counted();
    const answer = await post('/v1/auth/guest', body);
    expect([answer.status, errorOf(answer)]).toEqual([status, error]);
    expect(await counted()).toEqual(before);
  });

  test('goes on for as long as it is used, and goes when it was not for --guest-keep', async () => {
    const guest = await world.guest();
    const left = await world.guest();
    let { refreshToken } = guest;
    // 120 days, longer than --refresh-absolute, with pauses longer than --refresh-idle.
    for (let i = 0; i < 3; i++) {
      clock.advance(40 * day);
      const answer = await world.refresh(refreshToken);
      expect(answer.status).toBe(200);
      refreshToken = String(answer.body['refreshToken']);
      expect(decodeJwt(String(answer.body['accessToken']))).toMatchObject({ is_guest: true });
    }
    expect(await removeUnusedGuests(kernel.host)).toBeGreaterThan(0);
    const ids = new Set((await kernel.host.db.q.select().from(users)).map(({ id }) => id));
    expect([ids.has(guest.userId), ids.has(left.userId)]).toEqual([true, false]);
    clock.advance(90 * day + 1);
    expect(errorOf(await world.refresh(refreshToken))).toBe('INVALID_REFRESH_TOKEN expired');
    expect(await removeUnusedGuests(kernel.host)).toBe(1);
    expect(errorOf(await world.refresh(refreshToken))).toBe('INVALID_REFRESH_TOKEN revoked');
  });

  test('goes also after a server was off for months', async () => {
    const guest = await world.guest();
    clock.advance(200 * day);
    // Whichever job comes first.
    await removeExpired(kernel.host);
    expect(await removeUnusedGuests(kernel.host)).toBeGreaterThan(0);
    const ids = (await kernel.host.db.q.select().from(users)).map(({ id }) => id);
    expect(ids).not.toContain(guest.userId);
    expect((await kernel.host.db.q.select().from(sessions)).map(({ userId }) => userId)).not.toContain(
      guest.userId,
    );
  });

  test('who became part of a user goes, too, and the user stays', async () => {
    const known = await world.person('stays@example.org');
    const guest = await world.guest();
    await world.link(guest.accessToken, 'stays@example.org', { onConflict: 'switch' });
    clock.advance(91 * day);
    await removeUnusedGuests(kernel.host);
    const ids = (await kernel.host.db.q.select().from(users)).map(({ id }) => id);
    expect(ids).not.toContain(guest.userId);
    expect(ids).toContain(known.userId);
    expect((await world.person('stays@example.org')).userId).toBe(known.userId);
  });

  test('gets no personal access token on the machine either', async () => {
    const { userId } = await world.guest();
    const made = kernel.host.db.tx((q) =>
      tokenOwner(q, { email: undefined, userId }, { role: 'member', newcomer: 'member' }, clock.now()),
    );
    expect(await rejectionOf(made)).toMatchObject({ code: 'CONFLICT' });
  });

  test('signs out with a token, and is no user of the people who sign in', async () => {
    const guest = await world.guest();
    const { status } = await post('/v1/auth/token/revoke', { token: guest.refreshToken });
    expect(status).toBe(200);
    expect((await world.asked('GET', '/v1/auth/identities', guest.accessToken)).status).toBe(401);
  });
});

test('no operation serves a guest, and the refusal says what to do', async () => {
  const { accessToken } = await world.guest();
  const outcomes = new Set<string>();
  for (const name of kernel.operations.keys()) {
    const answer = await post(`/api/tools/${name}`, {}, accessToken);
    outcomes.add(`${answer.status} ${errorOf(answer)}`);
  }
  expect([...outcomes]).toEqual(['403 FORBIDDEN guest']);
  const listed = await world.asked('GET', '/api/tools', accessToken);
  expect(listed.body).toMatchObject({ tools: [] });
  const accepted = await post('/api/tools/accept-invitation', { code: 'x' }, accessToken);
  expect(accepted.body).toMatchObject({ error: { tip: expect.stringContaining('/v1/auth/link') } });
  expect(errorOf(await world.asked('GET', '/v1/auth/sessions', accessToken))).toBe('FORBIDDEN guest');
});

test('over MCP a guest has no tool either', async () => {
  const { accessToken } = await world.guest();
  const rpc = async (method: string, params: object = {}) => {
    const response = await fetch('/mcp', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${accessToken}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return response.text();
  };
  expect(await rpc('tools/list')).toContain('"tools":[]');
  expect(await rpc('tools/call', { name: 'accept-invitation', arguments: { code: 'x' } })).toMatch(
    /guest|Unknown|no tool/i,
  );
});

test('a guest launches an app', async () => {
  const { accessToken, userId } = await world.guest();
  const launched = (id: number) =>
    fetch('/cta/active/state-machines/', {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'auth-userid': String(id), api_version: '1' },
    });
  expect((await launched(userId)).status).toBe(200);
  expect((await launched(userId + 1_000)).status).toBe(403);
});

test('without --guests there are none', async () => {
  const trivet = await startTestKernel({ clock });
  const answer = await trivet.post('/v1/auth/guest', { resources: [] });
  expect(answer.status).toBe(403);
  expect(answer.body).toMatchObject({
    error: { code: 'GUESTS_DISABLED', message: expect.stringContaining('--guests') },
  });
  await trivet.stop();
});

test('guests of one network are limited per hour, and fewer of one installation', async () => {
  const limited = await startGuestWorld({ 'rate-guest': '12', 'trusted-proxies': '1' });
  const guest = (address: string, installId?: string) =>
    limited.post('/v1/auth/guest', { resources: [], installId }, undefined, { 'x-forwarded-for': address });
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await guest('203.0.113.1', 'loop')).status);
  expect(statuses).toEqual([200, 200, 429]);
  for (let i = 0; i < 10; i++) expect((await guest('203.0.113.1')).status).toBe(200);
  limited.clock.advance(59 * 60_000);
  const refused = await guest('203.0.113.1');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect(refused.body).toMatchObject({ error: { message: 'More than 12 per hour (guest).' } });
  expect((await guest('203.0.113.2')).status).toBe(200);
  limited.clock.advance(60_000);
  expect((await guest('203.0.113.1', 'loop')).status).toBe(200);
  await limited.stop();
});

/** @see docs/client-api.md, POST /v1/auth/guest. The requests from one network, limited to 12, and how many of each end with what. */
const floods: ReadonlyArray<
  readonly [string, (n: number) => unknown, Readonly<Record<string, number>>, number]
> = [
  [
    'that forgets its guest at each start leaves the rest to its network',
    () => ({ resources: [], installId: 'loop' }),
    { '200': 2, guestInstall: 38 },
    10,
  ],
  [
    'that names another installation each time is stopped like any',
    (n) => ({ resources: [], installId: `install-${n}` }),
    { '200': 12, guest: 28 },
    0,
  ],
  ['that sends what is no request uses up nothing', () => ({}), { '400': 40 }, 12],
];
test.each(floods)('an app %s', async (_, bodyOf, expected, left) => {
  const limited = await startGuestWorld({ 'rate-guest': '12' });
  const ends: Record<string, number> = {};
  for (let n = 0; n < 40; n++) {
    const { status, body } = await limited.post('/v1/auth/guest', bodyOf(n));
    const end = status === 429 ? String((body['error'] as { cause?: string }).cause) : String(status);
    ends[end] = (ends[end] ?? 0) + 1;
  }
  expect(ends).toEqual(expected);
  let others = 0;
  while ((await limited.post('/v1/auth/guest', { resources: [] })).status === 200) others++;
  expect(others).toBe(left);
  // Once the network has none left, not even the body is looked at.
  expect((await limited.post('/v1/auth/guest', '{')).status).toBe(429);
  await limited.stop();
});
