import { afterAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { rejectionOf, settled } from '../../../test/rejection.ts';
import { toolsOf } from '../../../test/tools.ts';
import { users } from '../base/schema.ts';
import { configFile } from '../testing/attacked-server.ts';
import { ecPair, forge } from '../testing/forged-tokens.ts';
import { startGuestWorld } from '../testing/guest-world.ts';
import { startKeyServer } from '../testing/key-server.ts';

const keys = await startKeyServer();
const pair = ecPair('k');
keys.publish('p', [pair.jwk]);
const config = configFile({ p: { issuer: keys.issuer('p') } });
await Bun.write(
  config,
  `${await Bun.file(config).text()}copyClaims = ["groups", "plan", "long", "absent"]\n`,
);
const world = await startGuestWorld({ config });
const { clock } = world;
const tools = await toolsOf(world);
afterAll(() => Promise.all([world.stop(), keys.stop()]));

const call = (tool: string, input: object) => tools.call(tool as never, input as never);
const setClaims = (userId: number, claims: object) => call('set-user-claims', { userId, claims });
const refreshed = async (refreshToken: string) => {
  const { body } = await world.refresh(refreshToken);
  return decodeJwt(String(body['accessToken']));
};
const userinfo = async (token: string) => (await world.asked('GET', '/oauth/userinfo', token)).body;

describe('claims of a user', () => {
  test('are in the next tokens, at their top level, and in userinfo', async () => {
    const person = await world.person('ann@example.org');
    const claims = { plan: 'pro', limits: { seats: 5 }, 'https://example.org/tags': ['a'] };
    expect(await setClaims(person.userId, claims)).toEqual({ userId: person.userId, claims });
    expect(person.claims['plan']).toBeUndefined();
    expect(await refreshed(person.refreshToken)).toMatchObject(claims);
    const again = await world.person('ann@example.org');
    for (const token of [again.accessToken, again.idToken]) expect(decodeJwt(token)).toMatchObject(claims);
    expect(await userinfo(person.accessToken)).toMatchObject({ sub: String(person.userId), ...claims });
    expect(await call('get-account', { userId: person.userId })).toMatchObject({ claims, isGuest: false });
    await setClaims(person.userId, { plan: 'free' });
    expect(await refreshed(again.refreshToken)).not.toHaveProperty('limits');
    await setClaims(person.userId, {});
    expect((await world.person('ann@example.org')).claims).not.toHaveProperty('plan');
  });

  test('come along when an account becomes part of another; its own go before', async () => {
    const [kept, duplicate] = [await world.person('kim@example.org'), await world.person('kim2@example.org')];
    await setClaims(kept.userId, { plan: 'free' });
    await setClaims(duplicate.userId, { plan: 'pro', seats: 5 });
    await call('merge-users', { userId: kept.userId, duplicateId: duplicate.userId });
    const claims = { plan: 'free', seats: 5 };
    expect(await call('get-account', { userId: kept.userId })).toMatchObject({ claims });
    expect((await world.person('kim2@example.org')).claims).toMatchObject({
      sub: String(kept.userId),
      ...claims,
    });
  });

  const refused: ReadonlyArray<readonly [string, object, string]> = [
    ['sub', { sub: '1' }, 'claims.sub is reserved'],
    ['one of many', { plan: 'pro', is_guest: false }, 'claims.is_guest is reserved'],
    ['an e-mail address', { email: 'root@example.org' }, 'claims.email is reserved'],
    ['a name that is none', { 'a b': 1 }, 'claims.a b: a name'],
    ['too much', { a: 'x'.repeat(1_000) }, 'at most 1000'],
  ];
  test.each(refused)('%s is refused, and nothing is stored', async (_, claims, message) => {
    const person = await world.person('bob@example.org');
    expect(await rejectionOf(setClaims(person.userId, claims))).toMatchObject({
      code: 'INVALID_REQUEST',
      causeWord: 'claims',
      message: expect.stringContaining(message),
    });
    expect(await call('get-account', { userId: person.userId })).toMatchObject({ claims: {} });
  });

  test('what is no object is refused', async () => {
    for (const claims of ['x', ['a'], 1, null])
      expect(await rejectionOf(setClaims(1, claims as never))).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  test('a guest has them, and keeps them', async () => {
    const guest = await world.guest();
    await setClaims(guest.userId, { plan: 'trial' });
    const linked = await world.link(guest.accessToken, 'gus@example.org');
    expect(linked.claims).toMatchObject({ plan: 'trial' });
  });

  test('only administrators of the installation set and see them', async () => {
    const person = await world.person('carl@example.org');
    for (const tool of ['set-user-claims', 'get-account']) {
      const input = { userId: person.userId, ...(tool === 'set-user-claims' ? { claims: {} } : {}) };
      expect((await world.post(`/api/tools/${tool}`, input, person.accessToken)).status).toBe(403);
      const elsewhere = { ...tools.owner, roles: new Map([[2, 'admin' as const]]) };
      const refusal = await tools.refusal(tool, input, elsewhere);
      expect(refusal).toMatchObject({ code: 'USER_NOT_FOUND' });
    }
    const narrow = { ...tools.owner, grants: [] };
    const refusal = await tools.refusal('set-user-claims', { userId: person.userId, claims: {} }, narrow);
    expect(refusal).toMatchObject({ code: 'FORBIDDEN', causeWord: 'scopes' });
  });

  test('they go with an erased user', async () => {
    const person = await world.person('dora@example.org');
    await setClaims(person.userId, { plan: 'secret-plan' });
    await call('erase-user', { userId: person.userId });
    const rows = await world.kernel.host.db.q.select().from(users);
    expect(JSON.stringify(rows)).not.toContain('secret-plan');
  });
});

describe('an account', () => {
  test('names its identities, and says who is a guest', async () => {
    const guest = await world.guest();
    expect(await call('get-account', { userId: guest.userId })).toMatchObject({
      isGuest: true,
      identities: [],
    });
    await world.link(guest.accessToken, 'hal@example.org');
    expect(await call('get-account', { userId: guest.userId })).toMatchObject({
      isGuest: false,
      identities: [{ provider: 'dev', subject: 'hal@example.org' }],
    });
    expect(await rejectionOf(call('get-account', { userId: 999_999 }))).toMatchObject({
      code: 'USER_NOT_FOUND',
    });
  });
});

describe('copyClaims', () => {
  const idToken = (claims: object) => {
    const seconds = Math.floor(clock.now() / 1000);
    const payload = {
      iss: keys.issuer('p'),
      aud: 'app',
      sub: 's',
      iat: seconds,
      exp: seconds + 600,
      ...claims,
    };
    return forge({ alg: 'ES256', kid: 'k' }, payload, { with: 'ES256', key: pair.privateKey });
  };
  const signIn = async (claims: object) => {
    const { status, body } = await world.post('/v1/auth/social/authenticate', {
      responseType: 'token',
      grantType: 'id_token',
      identifier: idToken(claims),
      idProvider: 'p',
      resources: [],
    });
    expect(status).toBe(200);
    return body;
  };

  test('the named ones of each sign-in are in its tokens, and those of an administrator go before them', async () => {
    const body = await signIn({ groups: ['a', 'b'], plan: 'free', other: 1, long: 'x'.repeat(2_000) });
    const claims = decodeJwt(String(body['accessToken']));
    expect(claims).toMatchObject({ groups: ['a', 'b'], plan: 'free' });
    expect(claims).not.toHaveProperty('other');
    expect(claims).not.toHaveProperty('long');
    expect(decodeJwt(String(body['idToken']))).toMatchObject({ groups: ['a', 'b'] });
    await setClaims(Number(claims.sub), { plan: 'pro' });
    expect(await refreshed(String(body['refreshToken']))).toMatchObject({ groups: ['a', 'b'], plan: 'pro' });
    expect(await userinfo(String(body['accessToken']))).toMatchObject({ groups: ['a', 'b'], plan: 'pro' });
    const again = await signIn({});
    expect(decodeJwt(String(again['accessToken']))).not.toHaveProperty('groups');
  });

  test('a link copies them, too', async () => {
    const guest = await world.guest();
    const linked = await world.asked('POST', '/v1/auth/link', guest.accessToken, {
      idProvider: 'p',
      identifier: idToken({ sub: 'another', groups: ['c'] }),
    });
    expect(decodeJwt(String(linked.body['accessToken']))).toMatchObject({ groups: ['c'] });
  });

  const names = JSON.stringify(Array.from({ length: 21 }, (_, n) => `c${n}`));
  test.each([
    ['["groups", "sub"]', /copyClaims: "sub" is a claim that Trivet decides about/],
    [names, /copyClaims/],
    ['[]', /copyClaims/],
  ])('%s stops the start', async (copied, message) => {
    const text = `[providers.p]\nissuer = "https://p.example"\naudiences = ["app"]\ncopyClaims = ${copied}\n`;
    expect(await settled(startGuestWorldWith(text))).toThrow(message);
  });
});

async function startGuestWorldWith(text: string) {
  const path = configFile({});
  await Bun.write(path, text);
  return startGuestWorld({ config: path });
}
