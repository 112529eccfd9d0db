import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import { createPersonalToken } from '../personal-tokens/personal-token-store.ts';
import { unlimitedScope } from '../personal-tokens/token-scope.ts';
import { mintDevIdToken } from '../providers/dev-provider.ts';
import { since, startAttacked, stored, type Attacked } from '../testing/attacked-server.ts';
import {
  ecPair,
  encoded,
  forge,
  publicForms,
  respelled,
  rsaPair,
  type Pair,
  type Part,
} from '../testing/forged-tokens.ts';
import { json, startKeyServer } from '../testing/key-server.ts';

// Starting real servers takes its time on a busy machine.
setDefaultTimeout(60_000);

/** Every kind of token: those of a user, and those of another user. */
interface Held {
  readonly access: string;
  readonly id: string;
  readonly refresh: string;
  readonly personal: string;
  readonly provider: string;
}

const rsa = rsaPair('rsa-1');
const stranger = { ES256: ecPair('stranger'), RS256: rsaPair('stranger') };

const server = await startKeyServer();
const attacker = await startKeyServer();
server.publish('one', [rsa.jwk]);
afterAll(() => Promise.all([server.stop(), attacker.stop()]));

const providerToken = (attacked: Attacked, sub: string) =>
  forge({ alg: 'RS256', kid: rsa.kid }, attacked.claims(server.issuer('one'), { sub }), {
    with: 'RS256',
    key: rsa.privateKey,
  });

/** Signs a user in and creates a personal access token for them. */
async function hold(attacked: Attacked, sub: string): Promise<Held> {
  const provider = providerToken(attacked, sub);
  const { body } = await attacked.acceptsIdToken('one', provider);
  const [access, id, refresh] = ['accessToken', 'idToken', 'refreshToken'].map((name) => String(body[name]));
  const { host } = attacked.trivet.kernel;
  const { token: personal } = await host.db.tx((q) =>
    createPersonalToken(host, q, {
      userId: 1,
      name: 'ci',
      scope: unlimitedScope,
      expiresAt: null,
      madeWith: 'machine',
    }),
  );
  attacked.presented(personal);
  return { access: String(access), id: String(id), refresh: String(refresh), personal, provider };
}

/** Asserts that an attempt leaves everything as it was. */
async function changesNothing(attacked: Attacked, attempt: () => Promise<void>) {
  const before = await stored(attacked.trivet);
  await attempt();
  expect(await since(attacked.trivet, before)).toEqual({ changed: [], recorded: [] });
}

const notLive = { status: 200, body: { isAuthTokenValid: false } };
describe.each(['ES256', 'RS256'] as const)('with our tokens signed by %s', (algorithm) => {
  let attacked: Attacked;
  let held: Held;
  let ours: Pair;
  beforeAll(async () => {
    attacked = await startAttacked(
      { one: { issuer: server.issuer('one') }, two: { issuer: server.issuer('two') } },
      { 'signing-algorithm': algorithm },
    );
    held = await hold(attacked, 'holder-of-all-kinds');
    const response = await attacked.trivet.fetch('/.well-known/jwks.json');
    const [jwk] = ((await response.json()) as { keys: Array<Record<string, string>> }).keys;
    const publicKey = createPublicKey({ key: jwk ?? {}, format: 'jwk' });
    // The private half never leaves the server; a stranger's takes its place where one is needed.
    ours = {
      kid: String(jwk?.['kid']),
      publicKey,
      privateKey: stranger[algorithm].privateKey,
      jwk: jwk ?? {},
    };
  });
  afterAll(() => attacked.end());

  const isNotLive = (token: string) =>
    changesNothing(attacked, async () => {
      expect(await attacked.verify(token)).toEqual(notLive);
      expect(await attacked.tools(token)).toBe(401);
    });
  const parts = () => {
    const [head = '', payload = '', signature = ''] = held.access.split('.');
    return { head, payload, signature };
  };
  const payload = (change: object = {}) => ({
    ...(JSON.parse(Buffer.from(parts().payload, 'base64url').toString()) as object),
    ...change,
  });
  const header = (change: object = {}) => ({ alg: algorithm, kid: ours.kid, typ: 'at+jwt', ...change });
  const byStranger = (head: Part, claims: Part = payload()) =>
    forge(head, claims, { with: algorithm, key: stranger[algorithm].privateKey });

  test('the controls: each kind is good in its own place', async () => {
    expect(decodeProtectedHeader(held.access).alg).toBe(algorithm);
    expect(await attacked.verify(held.access)).toEqual({ status: 200, body: { isAuthTokenValid: true } });
    expect(await attacked.tools(held.access)).toBe(200);
    expect(await attacked.tools(held.personal)).toBe(200);
    const other = await hold(attacked, 'somebody-else-entirely');
    expect((await attacked.refresh(other.refresh)).status).toBe(200);
  });

  describe('one kind in the place of another', () => {
    test.each(['id', 'refresh', 'provider'] as const)('%s token as a bearer', (kind) =>
      isNotLive(held[kind]),
    );
    test('a personal token for verify, which is about access tokens', () =>
      changesNothing(attacked, async () => expect(await attacked.verify(held.personal)).toEqual(notLive)));

    const asRefresh: ReadonlyArray<readonly [Exclude<keyof Held, 'refresh'>, string]> = [
      ['access', 'wrong_type'],
      ['id', 'wrong_type'],
      ['provider', 'wrong_type'],
      ['personal', 'malformed'],
    ];
    test.each(asRefresh)('%s token as a refresh token', async (kind, cause) => {
      expect(await attacked.outcome(() => attacked.refresh(held[kind]))).toEqual({
        status: 401,
        code: 'INVALID_REFRESH_TOKEN',
        cause,
        changed: [],
        recorded: [],
      });
    });

    const asIdToken: ReadonlyArray<readonly [Exclude<keyof Held, 'provider'>, string, string]> = [
      ['access', 'one', 'typ'],
      ['access', 'dev', 'typ'],
      ['id', 'one', 'iss'],
      ['id', 'two', 'iss'],
      ['id', 'dev', 'alg'],
      ['refresh', 'one', 'typ'],
      ['refresh', 'dev', 'typ'],
      ['personal', 'one', 'malformed'],
      ['personal', 'dev', 'malformed'],
    ];
    test.each(asIdToken)('%s token as ID token of %s', (kind, provider, cause) =>
      attacked.refusesIdToken(provider, held[kind], cause),
    );
  });

  describe('a bearer that we did not sign', () => {
    test.each(['none', 'None', 'NONE', 'nOnE', '', null, undefined, 0])('alg %p', async (alg) => {
      const head = encoded(header({ alg }));
      for (const signature of ['', 'AAAA', parts().signature])
        await isNotLive(`${head}.${parts().payload}.${signature}`);
    });

    test('HS* with every form of our published key as its secret', async () => {
      for (const [, key] of [...publicForms(ours), ['nothing', ''] as const]) {
        for (const alg of ['HS256', 'HS384', 'HS512']) {
          await isNotLive(forge(header({ alg }), payload(), { with: alg, key }));
          await isNotLive(forge(header(), payload(), { with: alg, key }));
        }
      }
    });

    const others: ReadonlyArray<readonly [string, string, () => KeyObject]> = [
      ['ES256', 'ES256', () => stranger.ES256.privateKey],
      ['RS256', 'RS256', () => stranger.RS256.privateKey],
      ['PS256', 'PS256', () => stranger.RS256.privateKey],
      ['RS512', 'RS512', () => stranger.RS256.privateKey],
    ];
    test.each(others)('%s by a stranger, under our kid', (alg, how, key) =>
      isNotLive(forge(header({ alg }), payload(), { with: how, key: key() })),
    );

    const kids: readonly unknown[] = [
      '../../../../dev/null',
      "' UNION SELECT 'x' --",
      'k'.repeat(8_000),
      '__proto__',
      'constructor',
      '',
      'stranger',
      7,
      null,
      undefined,
      {},
    ];
    test.each(kids)('kid %p', (kid) => isNotLive(byStranger(header({ kid }))));

    test('keys that the token brings, or says where to find', async () => {
      const keys = `${attacker.issuer('evil')}/keys`;
      const own = stranger[algorithm];
      attacker.serves('evil', json({ keys: [own.jwk, { ...own.jwk, kid: ours.kid }] }));
      const x5c = [own.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')];
      for (const kid of [own.kid, ours.kid, undefined]) {
        await isNotLive(byStranger(header({ kid, jku: keys })));
        await isNotLive(byStranger(header({ kid, x5u: keys })));
        await isNotLive(byStranger(header({ kid, jwk: own.jwk })));
        await isNotLive(byStranger(header({ kid, x5c })));
        const iss = attacker.issuer('evil');
        await isNotLive(byStranger(header({ kid, jku: keys, jwk: own.jwk }), payload({ iss })));
      }
      expect(attacker.hits('evil')).toBe(0);
    });

    test('another payload, header or signature under the same other two', async () => {
      const { head, payload: claims, signature } = parts();
      for (const change of [{ sub: '1' }, { exp: 9_999_999_999 }, { sid: 'x' }, { aud: 'x' }, { iss: 'x' }])
        await isNotLive(`${head}.${encoded(payload(change))}.${signature}`);
      await isNotLive(`${encoded(header({ crit: ['x'] }))}.${claims}.${signature}`);
      await isNotLive(`${head}.${claims}.${signature.slice(0, -4)}`);
      await isNotLive(
        `${head}.${claims}.${Buffer.alloc(algorithm === 'ES256' ? 64 : 256).toString('base64url')}`,
      );
      await isNotLive(held.id.replace(/^[^.]+/, head));
    });

    test('another spelling of a live one', async () => {
      const { head, payload: claims, signature } = parts();
      // 64 and 256 bytes both leave bits to spare.
      await isNotLive(`${head}.${claims}.${respelled(signature)}`);
      for (const other of [`${held.access}=`, `${held.access}==`, `${held.access}.`, `.${held.access}`])
        await isNotLive(other);
    });
  });

  describe('a live token is over', () => {
    test('once its session is: the next verify says so', async () => {
      const leaving = await hold(attacked, 'somebody-who-signs-out');
      await attacked.trivet.post('/v1/auth/token/revoke', { token: leaving.refresh });
      await isNotLive(leaving.access);
      expect(await attacked.verify(held.access)).toEqual({ status: 200, body: { isAuthTokenValid: true } });
    });
    test('at the second of its exp, not later', async () => {
      const start = attacked.clock.now();
      attacked.clock.set(start + 899_000);
      expect(await attacked.verify(held.access)).toEqual({ status: 200, body: { isAuthTokenValid: true } });
      attacked.clock.set(start + 900_000);
      await isNotLive(held.access);
      attacked.clock.set(start);
    });
    test('under another name of the same server: the issuer is part of it', async () => {
      const { kernel, origin } = attacked.trivet;
      kernel.listening('https://another.example');
      await isNotLive(held.access);
      kernel.listening(origin);
      expect(await attacked.verify(held.access)).toEqual({ status: 200, body: { isAuthTokenValid: true } });
    });
    test('when it comes from the future: a clock that was set back', async () => {
      const start = attacked.clock.now();
      attacked.clock.set(start - 61_000);
      await isNotLive(held.access);
      attacked.clock.set(start);
    });
  });
});

describe('another installation', () => {
  let here: Attacked;
  let there: Attacked;
  beforeAll(async () => {
    // The same name and the same provider: only the keys tell them apart.
    const settings = { 'public-url': 'https://trivet.example' };
    const configured = { one: { issuer: server.issuer('one') } };
    [here, there] = await Promise.all([
      startAttacked(configured, settings),
      startAttacked(configured, settings),
    ]);
    for (const { trivet } of [here, there]) trivet.kernel.listening('https://trivet.example');
  });
  afterAll(() => Promise.all([here.end(), there.end()]));
  test('has no token that is good here', async () => {
    const foreign = await hold(there, 'person-of-both');
    const own = await hold(here, 'person-of-both');
    for (const token of Object.values(foreign)) here.presented(token);
    await changesNothing(here, async () => {
      for (const kind of ['access', 'id', 'refresh', 'personal'] as const) {
        expect(await here.verify(foreign[kind])).toEqual(notLive);
        expect(await here.tools(foreign[kind])).toBe(401);
      }
      expect(await here.refresh(foreign.refresh)).toMatchObject({
        status: 401,
        body: { error: { code: 'INVALID_REFRESH_TOKEN', cause: 'signature' } },
      });
    });
    expect(await here.verify(own.access)).toEqual({ status: 200, body: { isAuthTokenValid: true } });
    expect(await there.verify(foreign.access)).toEqual({ status: 200, body: { isAuthTokenValid: true } });
  });
  test('its dev provider vouches for nobody here', async () => {
    const foreign = await mintDevIdToken(there.trivet.kernel.host, 'owner@example.org');
    await here.refusesIdToken('dev', foreign, 'signature');
    await there.acceptsIdToken('dev', foreign);
  });
});
