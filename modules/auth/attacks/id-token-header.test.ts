import { afterAll, describe, expect, test } from 'bun:test';
import type { KeyObject } from 'node:crypto';
import { startAttacked } from '../testing/attacked-server.ts';
import {
  derEcdsa,
  ecPair,
  edPair,
  encoded,
  forge,
  publicForms,
  rsaPair,
  signatureOf,
  type Part,
} from '../testing/forged-tokens.ts';
import { json, startKeyServer } from '../testing/key-server.ts';

const rsa = rsaPair('rsa-1');
const otherRsa = rsaPair('rsa-2');
const ec = ecPair('ec-1');
const ec384 = ecPair('ec-384', 'P-384');
const ec521 = ecPair('ec-521', 'P-521');
const ed = edPair('ed-1');
const stranger = rsaPair('stranger');
const strangerEc = ecPair('stranger-ec');

const server = await startKeyServer();
const attacker = await startKeyServer();
server.publish(
  'one',
  [rsa, ec, ec384, ec521, ed].map(({ jwk }) => jwk),
);
server.publish('two', [rsa.jwk, otherRsa.jwk]);
attacker.serves('evil', json({ keys: [stranger.jwk, { ...stranger.jwk, kid: rsa.kid }] }));
const attacked = await startAttacked({
  one: { issuer: server.issuer('one') },
  strict: { issuer: server.issuer('one'), algorithms: ['RS256'] },
  wide: {
    issuer: server.issuer('one'),
    algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
  },
  two: { issuer: server.issuer('two') },
});
afterAll(() => Promise.all([attacked.end(), server.stop(), attacker.stop()]));

const claims = (change: object = {}, issuer = 'one') => attacked.claims(server.issuer(issuer), change);
const good = { alg: 'RS256', kid: rsa.kid, typ: 'JWT' };
const signed = (header: Part, payload: Part = claims()) =>
  forge(header, payload, { with: 'RS256', key: rsa.privateKey });

test('the control: the token that all of these are made from signs in', async () => {
  await attacked.acceptsIdToken('one', signed(good));
});

describe('no signature is no signature, however it is spelled', () => {
  const spellings: readonly unknown[] = [
    'none',
    'None',
    'NONE',
    'nOnE',
    ' none',
    'none\u0000',
    '',
    undefined,
    null,
    0,
    true,
    {},
    ['RS256'],
    'rs256',
    'RS256 ',
  ];
  test.each(spellings.map((alg) => [alg] as const))('alg %p', async (alg) => {
    const header = { alg, kid: rsa.kid, typ: 'JWT' };
    const input = `${encoded(header)}.${encoded(claims())}`;
    await attacked.refusesIdToken('one', `${input}.`, 'malformed');
    await attacked.refusesIdToken('one', `${input}.AAAA`, 'alg');
    await attacked.refusesIdToken('one', signed(header), 'alg');
    await attacked.refusesIdToken('strict', signed(header), 'alg');
  });
});

describe('a public key is no secret: HS* signed with what everybody can read', () => {
  const secrets: ReadonlyArray<readonly [string, string | Uint8Array]> = [
    ...publicForms(rsa),
    ...publicForms(ec).map(([form, secret]) => [`EC ${form}`, secret] as const),
    ['nothing', ''],
    ['the client id', 'app'],
  ];
  test.each(secrets)('%s', async (_form, key) => {
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      for (const kid of [rsa.kid, ec.kid, undefined]) {
        const token = forge({ alg, kid, typ: 'JWT' }, claims(), { with: alg, key });
        await attacked.refusesIdToken('one', token, 'alg');
      }
      // The header says RSA and the signature is an HMAC.
      await attacked.refusesIdToken('one', forge(good, claims(), { with: alg, key }), 'signature');
    }
  });
});

describe('a real signature by an algorithm that the provider is not allowed', () => {
  const others: ReadonlyArray<readonly [string, string, KeyObject]> = [
    ['RS384', rsa.kid, rsa.privateKey],
    ['RS512', rsa.kid, rsa.privateKey],
    ['PS256', rsa.kid, rsa.privateKey],
    ['PS384', rsa.kid, rsa.privateKey],
    ['PS512', rsa.kid, rsa.privateKey],
    ['ES384', ec384.kid, ec384.privateKey],
    ['ES512', ec521.kid, ec521.privateKey],
    ['EdDSA', ed.kid, ed.privateKey],
  ];
  test.each(others)('%s', async (alg, kid, key) => {
    const token = forge({ alg, kid }, claims({ sub: `by-${alg}` }), { with: alg, key });
    await attacked.refusesIdToken('one', token, 'alg');
    await attacked.refusesIdToken('strict', token, 'alg');
    await attacked.acceptsIdToken('wide', token);
  });
  test('ES256 where only RS256 is', async () => {
    const token = forge({ alg: 'ES256', kid: ec.kid }, claims(), { with: 'ES256', key: ec.privateKey });
    await attacked.refusesIdToken('strict', token, 'alg');
    await attacked.acceptsIdToken('one', token);
  });
  test('ES256K is not among those that can be configured', async () => {
    const token = forge({ alg: 'ES256K', kid: ec.kid }, claims(), { with: 'ES256', key: ec.privateKey });
    await attacked.refusesIdToken('wide', token, 'alg');
  });
});

describe('one algorithm in the header, another in the signature', () => {
  const input = () => `${encoded(good)}.${encoded(claims())}`;
  const ecInput = () => `${encoded({ alg: 'ES256', kid: ec.kid })}.${encoded(claims())}`;
  const cases: ReadonlyArray<readonly [string, () => string, string]> = [
    ['PS256 as RS256', () => forge(good, claims(), { with: 'PS256', key: rsa.privateKey }), 'signature'],
    ['RS512 as RS256', () => forge(good, claims(), { with: 'RS512', key: rsa.privateKey }), 'signature'],
    [
      'a stranger’s RSA key under the provider’s kid',
      () => forge(good, claims(), { with: 'RS256', key: stranger.privateKey }),
      'signature',
    ],
    [
      'a stranger’s EC key under the provider’s kid',
      () => `${ecInput()}.${signatureOf(ecInput(), 'ES256', strangerEc.privateKey).toString('base64url')}`,
      'signature',
    ],
    [
      'an RSA key named for ES256',
      () => forge({ alg: 'ES256', kid: rsa.kid }, claims(), { with: 'RS256', key: rsa.privateKey }),
      'kid',
    ],
    [
      'an EC key named for RS256',
      () => forge({ alg: 'RS256', kid: ec.kid }, claims(), { with: 'ES256', key: ec.privateKey }),
      'kid',
    ],
    [
      'ES384 as ES256',
      () => forge({ alg: 'ES256', kid: ec384.kid }, claims(), { with: 'ES384', key: ec384.privateKey }),
      'kid',
    ],
    [
      'an ECDSA signature of zeros',
      () => `${ecInput()}.${Buffer.alloc(64).toString('base64url')}`,
      'signature',
    ],
    ['an ECDSA signature in DER', () => `${ecInput()}.${derEcdsa(ecInput(), ec.privateKey)}`, 'signature'],
    ['an RSA signature of zeros', () => `${input()}.${Buffer.alloc(256).toString('base64url')}`, 'signature'],
    [
      'the signature of another payload',
      () => `${input()}.${signed(good, claims({ sub: 'x' })).split('.')[2]}`,
      'signature',
    ],
    [
      'a signature with a byte more',
      () =>
        `${input()}.${Buffer.concat([signatureOf(input(), 'RS256', rsa.privateKey), Buffer.of(0)]).toString('base64url')}`,
      'signature',
    ],
    [
      'a signature with a byte less',
      () =>
        `${input()}.${signatureOf(input(), 'RS256', rsa.privateKey).subarray(0, 255).toString('base64url')}`,
      'signature',
    ],
  ];
  test.each(cases)('%s', async (_title, make, cause) => attacked.refusesIdToken('one', make(), cause));
});

describe('kid chooses among the provider’s keys and does nothing else', () => {
  const kids: ReadonlyArray<readonly [string, unknown]> = [
    ['a path to an empty file', '../../../../../../dev/null'],
    ['an absolute path', '/proc/self/environ'],
    ['SQL', "' UNION SELECT 'c2VjcmV0' --"],
    ['SQL that writes', "x'; DELETE FROM auth_users; --"],
    ['a command', 'rsa-1; curl http://127.0.0.1/'],
    ['a URL', 'http://169.254.169.254/latest/meta-data'],
    ['another case', 'RSA-1'],
    ['with a space', 'rsa-1 '],
    ['with U+0000', 'rsa-1\u0000'],
    ['the kid of nobody', 'rsa-2'],
    ['empty', ''],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['toString', 'toString'],
    ['10 KB', 'k'.repeat(10_000)],
    ['a number', 1],
    ['null', null],
    ['a list with the right one', ['rsa-1']],
    ['an object', { toString: 'rsa-1' }],
    ['true', true],
  ];
  test.each(kids)('%s', async (_title, kid) => {
    for (const provider of ['one', 'strict'])
      await attacked.refusesIdToken(provider, signed({ alg: 'RS256', kid }), 'kid');
  });
  test('one that cannot be a kid costs the provider no request; one that could does, once', async () => {
    attacked.clock.advance(10_000);
    const asked = server.hits('one');
    for (const kid of ['k'.repeat(10_000), 1, null, {}])
      await attacked.refusesIdToken('strict', signed({ alg: 'RS256', kid }), 'kid');
    expect(server.hits('one') - asked).toBe(0);
    await attacked.refusesIdToken('strict', signed({ alg: 'RS256', kid: 'k'.repeat(512) }), 'kid');
    await attacked.refusesIdToken('strict', signed({ alg: 'RS256', kid: 'k'.repeat(511) }), 'kid');
    expect(server.hits('one') - asked).toBe(2);
  });
  test('without kid: the one key that fits; refused where two do', async () => {
    await attacked.acceptsIdToken('one', signed({ alg: 'RS256' }));
    await attacked.refusesIdToken('two', signed({ alg: 'RS256' }, claims({}, 'two')), 'kid');
    await attacked.acceptsIdToken('two', signed(good, claims({}, 'two')));
  });
});

describe('a token does not bring its own key', () => {
  const evil = () => `${attacker.issuer('evil')}/keys`;
  const der = () => stranger.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const brought: ReadonlyArray<readonly [string, () => object]> = [
    ['jku', () => ({ jku: evil() })],
    ['x5u', () => ({ x5u: evil() })],
    ['jwk', () => ({ jwk: stranger.jwk })],
    ['jwk under the provider’s kid', () => ({ jwk: { ...stranger.jwk, kid: rsa.kid } })],
    ['x5c', () => ({ x5c: [der()] })],
    ['x5t', () => ({ x5t: 'AAAA', 'x5t#S256': 'AAAA' })],
    ['all of them', () => ({ jku: evil(), x5u: evil(), jwk: stranger.jwk, x5c: [der()] })],
  ];
  test.each(brought)('%s', async (_title, make) => {
    const token = (kid: string | undefined) =>
      forge({ alg: 'RS256', kid, ...make() }, claims(), { with: 'RS256', key: stranger.privateKey });
    await attacked.refusesIdToken('one', token(stranger.kid), 'kid');
    await attacked.refusesIdToken('one', token(rsa.kid), 'signature');
    await attacked.refusesIdToken('one', token(undefined), 'signature');
    expect(attacker.hits('evil')).toBe(0);
    // The same header on a token that the provider signed is not read, so the token is accepted.
    await attacked.acceptsIdToken('one', signed({ ...good, ...make() }));
    expect(attacker.hits('evil')).toBe(0);
  });
  test('the counter counts', async () => {
    await fetch(evil());
    expect(attacker.hits('evil')).toBe(1);
  });
});

describe('what must be understood is not', () => {
  const headers: readonly object[] = [
    { crit: ['exp'] },
    { crit: ['x'], x: 1 },
    { crit: ['b64'], b64: false },
    { crit: [] },
    { crit: '' },
    { crit: null },
    { crit: {} },
    { crit: ['b64'], b64: true },
    { b64: false },
    { b64: true },
    { b64: null },
  ];
  test.each(headers)('%j', async (change) =>
    attacked.refusesIdToken('one', signed({ ...good, ...change }), 'crit'),
  );
});

describe('a token made for another purpose says so in typ (RFC 8725 §3.11)', () => {
  test.each([
    'at+jwt',
    'application/at+jwt',
    'AT+JWT',
    'logout+jwt',
    'secevent+jwt',
    'rt+jwt',
    'dpop+jwt',
    7,
    null,
    {},
  ])('typ %j', async (typ) => attacked.refusesIdToken('one', signed({ ...good, typ }), 'typ'));
  test('a logout token without a type has events (RFC 8417)', async () => {
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    await attacked.refusesIdToken('one', signed(good, claims({ events })), 'typ');
  });
  test.each(['JWT', 'jwt', 'application/jwt', undefined])('typ %p is one of an ID token', async (typ) => {
    await attacked.acceptsIdToken('one', signed({ ...good, typ }));
  });
});
