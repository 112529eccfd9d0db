import { afterAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { eq } from 'drizzle-orm';
import { audit, identities, users } from '../base/schema.ts';
import { letterAddress } from '../letters/letter-address.ts';
import { deleteIdentitiesOf } from '../people/identity-store.ts';
import { writeUserStatus } from '../people/user-store.ts';
import { mintDevIdToken } from '../providers/dev-provider.ts';
import { startIdentityProvider } from '../../../test/identity-provider.ts';
import { stillClock } from '../../../test/kernel.ts';
import { errorOf, startGuestWorld } from '../testing/guest-world.ts';
import { configFile } from '../testing/attacked-server.ts';

const provider = await startIdentityProvider();
const config = configFile({ real: { issuer: provider.issuer, audiences: [provider.clientId] } });
await Bun.write(
  config,
  `${await Bun.file(config).text()}singleUse = true\nallowedDomains = ["example.org"]\n`,
);
// The provider has the time of this machine.
const world = await startGuestWorld({ config }, stillClock(Date.now()));
const { clock, kernel } = world;
const { q } = kernel.host.db;
afterAll(() => Promise.all([world.stop(), provider.stop()]));

const minute = 60_000;
let people = 0;
const freshAddress = () => `person-${++people}@example.org`;
const works = async (token: string) =>
  (
    (await (
      await world.fetch('/v1/auth/token/verify', { headers: { authorization: `Bearer ${token}` } })
    ).json()) as { isAuthTokenValid: boolean }
  ).isAuthTokenValid;
const rows = async () => ({
  users: (await q.select().from(users)).length,
  identities: (await q.select().from(identities)).length,
});

describe('a guest who links', () => {
  test('an unknown identity is the same user, in the same session, and no guest any more', async () => {
    const guest = await world.guest({ resources: ['api'] });
    const address = freshAddress();
    const linked = await world.link(guest.accessToken, address);
    expect(linked.status).toBe(200);
    expect(Object.keys(linked.body).toSorted()).toEqual(
      ['accessToken', 'expiresIn', 'idToken', 'refreshToken', 'tokenType'].toSorted(),
    );
    expect(linked.claims).toMatchObject({
      sub: guest.claims.sub ?? '',
      sid: guest.claims['sid'],
      idp: 'dev',
      aud: ['api'],
      email: address,
    });
    for (const token of [linked.accessToken, linked.idToken]) {
      const claims = decodeJwt(token);
      expect([claims['is_guest'], claims['amr']]).toEqual([undefined, undefined]);
    }
    expect(await works(guest.accessToken)).toBe(true);
    // The refresh token of before and that of the answer are of one session.
    expect((await world.refresh(guest.refreshToken)).status).toBe(200);
    const again = await world.person(address);
    expect(again.userId).toBe(guest.userId);
    expect(await world.identities(again.accessToken)).toMatchObject([{ provider: 'dev' }]);
  });

  test('after a lost answer gets the same one again', async () => {
    const guest = await world.guest();
    const address = freshAddress();
    await world.link(guest.accessToken, address);
    const before = await rows();
    const again = await world.link(guest.accessToken, address);
    expect([again.status, again.userId]).toEqual([200, guest.userId]);
    expect(await rows()).toEqual(before);
  });

  test('the identity of another user is refused, and changes nothing', async () => {
    const address = freshAddress();
    const known = await world.person(address);
    const guest = await world.guest();
    const before = await rows();
    const refused = await world.link(guest.accessToken, address);
    expect([refused.status, errorOf(refused)]).toEqual([409, 'IDENTITY_IN_USE']);
    expect([await rows(), await works(guest.accessToken)]).toEqual([before, true]);
    expect((await world.refresh(guest.refreshToken)).status).toBe(200);
    expect((await world.person(address)).userId).toBe(known.userId);
  });

  test('with "switch" goes on as that user, and the guest ends', async () => {
    const address = freshAddress();
    const known = await world.person(address);
    const guest = await world.guest({ resources: ['api'] });
    const switched = await world.link(guest.accessToken, address, { onConflict: 'switch' });
    expect([switched.status, switched.userId, switched.body['mergedFrom']]).toEqual([
      200,
      known.userId,
      String(guest.userId),
    ]);
    expect(switched.claims).toMatchObject({ aud: ['api'], idp: 'dev' });
    expect(switched.claims['is_guest']).toBeUndefined();
    expect(await works(guest.accessToken)).toBe(false);
    expect(errorOf(await world.refresh(guest.refreshToken))).toBe('INVALID_REFRESH_TOKEN revoked');
    expect(await works(known.accessToken)).toBe(true);
    const [entry] = (await q.select().from(audit).where(eq(audit.event, 'user_merged'))).slice(-1);
    expect(entry).toMatchObject({ userId: known.userId, cause: String(guest.userId) });
  });

  test('with "switch" and an unknown identity is promoted', async () => {
    const guest = await world.guest();
    const linked = await world.link(guest.accessToken, freshAddress(), { onConflict: 'switch' });
    expect([linked.status, linked.userId, linked.body['mergedFrom']]).toEqual([200, guest.userId, undefined]);
  });
});

describe('a user who links', () => {
  test('gets a second identity, and signs in with either', async () => {
    const [one, two] = [freshAddress(), freshAddress()];
    const person = await world.person(one);
    const linked = await world.link(person.accessToken, two);
    expect([linked.status, linked.userId]).toEqual([200, person.userId]);
    expect((await world.person(two)).userId).toBe(person.userId);
    const again = await world.person(one);
    expect(again.userId).toBe(person.userId);
    // The profile is that of the first one, whichever signs in.
    expect(again.claims['email']).toBe(one);
    expect((await world.person(two)).claims['email']).toBe(one);
    expect((await world.identities(again.accessToken)).length).toBe(2);
  });

  test('must have signed in within ten minutes', async () => {
    const person = await world.person(freshAddress());
    clock.advance(10 * minute + 1);
    const refused = await world.link(person.accessToken, freshAddress());
    expect([refused.status, errorOf(refused)]).toEqual([403, 'FORBIDDEN recent_sign_in']);
  });

  test('a guest who was promoted has just signed in', async () => {
    const guest = await world.guest();
    clock.advance(14 * minute);
    const { accessToken } = await world.link(guest.accessToken, freshAddress());
    expect((await world.link(accessToken, freshAddress())).status).toBe(200);
  });

  test('has at most ten', async () => {
    const person = await world.person(freshAddress());
    for (let i = 0; i < 9; i++)
      expect((await world.link(person.accessToken, freshAddress())).status).toBe(200);
    const refused = await world.link(person.accessToken, freshAddress());
    expect([refused.status, errorOf(refused)]).toEqual([409, 'TOO_MANY_IDENTITIES']);
  });

  test.each(['fail', 'switch'])('never takes the identity of another: %s', async (onConflict) => {
    const address = freshAddress();
    const other = await world.person(address);
    const person = await world.person(freshAddress());
    const refused = await world.link(person.accessToken, address, { onConflict });
    const cause = onConflict === 'switch' ? ' not_guest' : '';
    expect([refused.status, errorOf(refused)]).toEqual([409, `IDENTITY_IN_USE${cause}`]);
    expect((await world.person(address)).userId).toBe(other.userId);
  });

  test('never by the e-mail address: the same one of another provider is another identity', async () => {
    const address = freshAddress();
    const person = await world.person(address);
    const guest = await world.guest();
    const { idToken } = await provider.signIn(address);
    const body = { idProvider: 'real', identifier: idToken };
    const linked = await world.asked('POST', '/v1/auth/link', guest.accessToken, body);
    expect(linked.status).toBe(200);
    expect(Number(decodeJwt(String(linked.body['accessToken'])).sub)).toBe(guest.userId);
    expect(guest.userId).not.toBe(person.userId);
  });
});

describe('what a provider requires of a sign-in, it requires of a link', () => {
  const linkReal = (token: string, identifier: string, more: object = {}) =>
    world.asked('POST', '/v1/auth/link', token, { idProvider: 'real', identifier, ...more });

  test('its domains', async () => {
    const guest = await world.guest();
    const { idToken } = await provider.signIn('eve@example.com');
    const refused = await linkReal(guest.accessToken, idToken);
    expect([refused.status, errorOf(refused)]).toEqual([403, 'ACCESS_DENIED domain']);
  });

  test('a token that is used once; a refusal uses none', async () => {
    const address = freshAddress();
    const signIn = (identifier: string) =>
      world.post('/v1/auth/social/authenticate', {
        responseType: 'token',
        grantType: 'id_token',
        identifier,
        idProvider: 'real',
        resources: [],
      });
    await signIn((await provider.signIn(address, { nonce: 'first' })).idToken);
    const { idToken } = await provider.signIn(address);
    const guest = await world.guest();
    expect(errorOf(await linkReal(guest.accessToken, idToken))).toBe('IDENTITY_IN_USE');
    expect((await linkReal(guest.accessToken, idToken, { onConflict: 'switch' })).status).toBe(200);
    expect(errorOf(await signIn(idToken))).toBe('INVALID_ID_TOKEN replayed');
    const other = await world.guest();
    expect(errorOf(await linkReal(other.accessToken, idToken, { onConflict: 'switch' }))).toBe(
      'INVALID_ID_TOKEN replayed',
    );
  });

  test.each(['fail', 'switch'])('a user who is not disabled: %s', async (onConflict) => {
    const address = freshAddress();
    const person = await world.person(address);
    await kernel.host.db.tx((tx) => writeUserStatus(tx, person.userId, 'disabled'));
    const guest = await world.guest();
    const refused = await world.link(guest.accessToken, address, { onConflict });
    expect([refused.status, errorOf(refused)]).toEqual([403, 'ACCESS_DENIED disabled']);
    expect(await works(guest.accessToken)).toBe(true);
  });
});

const identifier = await mintDevIdToken(kernel.host, 'somebody@example.org');
describe('bad requests', () => {
  const cases: ReadonlyArray<readonly [string, unknown, number, string]> = [
    ['a list', [], 400, 'INVALID_REQUEST body'],
    ['no provider', { identifier }, 400, 'INVALID_REQUEST idProvider'],
    ['no token', { idProvider: 'dev' }, 400, 'INVALID_REQUEST identifier'],
    ['an unknown provider', { idProvider: 'other', identifier }, 400, 'UNKNOWN_ID_PROVIDER'],
    ['a provider that is no word', { idProvider: 'A B', identifier }, 400, 'INVALID_REQUEST idProvider'],
    [
      'an unknown onConflict',
      { idProvider: 'dev', identifier, onConflict: 'merge' },
      400,
      'INVALID_REQUEST onConflict',
    ],
    ['a forged token', { idProvider: 'dev', identifier: 'x.y.z' }, 401, 'INVALID_ID_TOKEN malformed'],
    ['a long token', { idProvider: 'dev', identifier: 'x'.repeat(17_000) }, 413, 'PAYLOAD_TOO_LARGE'],
  ];
  test.each(cases)('%s', async (_, body, status, error) => {
    const guest = await world.guest();
    const answer = await world.asked('POST', '/v1/auth/link', guest.accessToken, body as object);
    expect([answer.status, errorOf(answer)]).toEqual([status, error]);
  });

  const paths = [
    ['POST', '/v1/auth/link'],
    ['GET', '/v1/auth/identities'],
    ['DELETE', '/v1/auth/identities/1'],
  ] as const;
  test.each(paths)('%s %s needs a session of its own user', async (method, path) => {
    expect((await world.fetch(path, { method })).status).toBe(401);
    const body = { idProvider: 'dev', identifier };
    const given = method === 'POST' ? body : undefined;
    expect((await world.asked(method, path, 'trv_nothing', given)).status).toBe(401);
    const person = await world.person(freshAddress());
    const made = await world.post(
      '/api/tools/create-access-token',
      { name: 'x', scopes: ['auth'] },
      person.accessToken,
    );
    const refused = await world.asked(method, path, String(made.body['token']), given);
    expect([refused.status, errorOf(refused)]).toEqual([403, 'FORBIDDEN token']);
  });
});

describe('an identity is removed', () => {
  const remove = (token: string, identityId: unknown) =>
    world.asked('DELETE', `/v1/auth/identities/${String(identityId)}`, token);

  test('the last one stays; an unknown one and that of another are not found', async () => {
    const person = await world.person(freshAddress());
    const [own] = await world.identities(person.accessToken);
    expect(errorOf(await remove(person.accessToken, own?.identityId))).toBe('LAST_IDENTITY');
    const other = await world.person(freshAddress());
    for (const id of [own?.identityId, 0, 'x', '1e3', 99_999_999])
      expect(errorOf(await remove(other.accessToken, id))).toBe('IDENTITY_NOT_FOUND');
  });

  test.each([0, 1])('number %p of two: whoever has it has no way in any more', async (index) => {
    const addresses = [freshAddress(), freshAddress()];
    const person = await world.person(addresses[0] ?? '');
    await world.link(person.accessToken, addresses[1] ?? '');
    const sessions = [await world.person(addresses[0] ?? ''), await world.person(addresses[1] ?? '')];
    const kept = await world.person(addresses[1 - index] ?? '');
    const all = await world.identities(kept.accessToken);
    const removed = await remove(kept.accessToken, all[index]?.identityId);
    expect(removed.status).toBe(200);
    expect(await works(sessions[index]?.accessToken ?? '')).toBe(false);
    expect(await works(sessions[1 - index]?.accessToken ?? '')).toBe(true);
    // It may sign in again, as a new user.
    const again = await world.person(addresses[index] ?? '');
    expect(again.userId).not.toBe(person.userId);
    const left = await world.person(addresses[1 - index] ?? '');
    expect(left.userId).toBe(person.userId);
    expect(left.claims['email']).toBe(addresses[1 - index] ?? '');
  });

  test('a token that it made goes with it, also after its session has ended; those of the other one stay', async () => {
    const addresses = [freshAddress(), freshAddress()] as const;
    const first = await world.person(addresses[0]);
    await world.link(first.accessToken, addresses[1]);
    // The session that made a user knows no identity: it counts for all of its provider.
    await world.post('/v1/auth/token/revoke', { token: first.accessToken });
    const tokens: string[] = [];
    for (const address of addresses) {
      const { accessToken } = await world.person(address);
      const asked = { name: 'x', scopes: ['auth'] };
      const made = await world.post('/api/tools/create-access-token', asked, accessToken);
      tokens.push(String(made.body['token']));
      await world.post('/v1/auth/token/revoke', { token: accessToken });
    }
    const worksAt = async (at: number) =>
      (await world.post('/api/tools/list-sessions', {}, tokens[at] ?? '')).status === 200;
    const kept = await world.person(addresses[0]);
    const [, second] = await world.identities(kept.accessToken);
    expect(await remove(kept.accessToken, second?.identityId)).toMatchObject({ body: { sessionsEnded: 0 } });
    expect([await worksAt(0), await worksAt(1)]).toEqual([true, false]);
  });

  test('whose profile the user showed: its address is no verified one of theirs any more, until the next sign-in', async () => {
    const addresses = [freshAddress(), freshAddress()] as const;
    await world.link((await world.person(addresses[0])).accessToken, addresses[1]);
    const kept = await world.person(addresses[1]);
    const about = async () => (await world.asked('GET', '/oauth/userinfo', kept.accessToken)).body;
    expect(await about()).toMatchObject({ email: addresses[0], email_verified: true });
    const [shown] = await world.identities(kept.accessToken);
    expect((await remove(kept.accessToken, shown?.identityId)).status).toBe(200);
    expect(await about()).toMatchObject({ email: addresses[0], email_verified: false });
    expect(await kernel.host.db.tx((tx) => letterAddress(tx, kept.userId))).toBeNull();
    await world.person(addresses[1]);
    expect(await about()).toMatchObject({ email: addresses[1], email_verified: true });
  });

  test('within ten minutes of the sign-in', async () => {
    const person = await world.person(freshAddress());
    await world.link(person.accessToken, freshAddress());
    const [own] = await world.identities(person.accessToken);
    clock.advance(10 * minute + 1);
    expect(errorOf(await remove(person.accessToken, own?.identityId))).toBe('FORBIDDEN recent_sign_in');
  });
});

test('ten links of one identity at once make one user of it', async () => {
  const address = freshAddress();
  const guests = [];
  for (let i = 0; i < 10; i++) guests.push(await world.guest());
  const answers = await Promise.all(guests.map(({ accessToken }) => world.link(accessToken, address)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)] as number[]);
  const winner = answers.find(({ status }) => status === 200);
  expect((await world.person(address)).userId).toBe(winner?.userId ?? 0);
});

test('the identity of a user whom a server of the version before has stored is found', async () => {
  const address = freshAddress();
  const person = await world.person(address);
  await kernel.host.db.tx((tx) => deleteIdentitiesOf(tx, person.userId));
  expect((await world.person(address)).userId).toBe(person.userId);
  expect(await world.identities((await world.person(address)).accessToken)).toHaveLength(1);
});
