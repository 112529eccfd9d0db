import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { ServerResponse } from 'node:http';
import { eq } from 'drizzle-orm';
import type { JWK } from 'jose';
import { UsageError } from '../../../core/base/errors.ts';
import { startTestKernel, type TestAnswer } from '../../../test/kernel.ts';
import { rejectionOf } from '../../../test/rejection.ts';
import { providerKeys } from '../base/schema.ts';
import { configFile, startAttacked } from '../testing/attacked-server.ts';
import { ecPair, forge, rsaPair, type Pair } from '../testing/forged-tokens.ts';
import { json, startKeyServer } from '../testing/key-server.ts';

// Starting real servers takes its time on a busy machine.
setDefaultTimeout(60_000);

const [rsa, next, other] = [rsaPair('rsa'), rsaPair('next'), rsaPair('other')];
const weak = rsaPair('weak', 1024);
const ec = ecPair('ec');
const privateJwk = (pair: Pair) => ({ ...(pair.privateKey.export({ format: 'jwk' }) as JWK), kid: pair.kid });

interface Named {
  readonly kid?: string | undefined;
  readonly alg?: string;
}

/** The keys of a set, the presented token, and the cause of its rejection; null when it signs in. */
type SetCase = readonly [string, readonly unknown[], Pair, Named, string | null];
const secret = Buffer.alloc(32, 7);
const oct = { kty: 'oct', k: secret.toString('base64url'), kid: 'oct', alg: 'HS256', use: 'sig' };

const sets: readonly SetCase[] = [
  ['the control', [rsa.jwk], rsa, {}, null],
  ['an RSA key of 1024 bits', [weak.jwk, rsa.jwk], weak, {}, 'kid'],
  ['a good key beside one of 1024 bits', [weak.jwk, rsa.jwk], rsa, {}, null],
  ['a private key published by mistake', [privateJwk(other), rsa.jwk], other, {}, 'kid'],
  ['a good key beside a private one', [privateJwk(other), rsa.jwk], rsa, { kid: undefined }, null],
  ['a private EC key', [privateJwk(ec), rsa.jwk], ec, { alg: 'ES256' }, 'kid'],
  ['a symmetric key by its kid', [oct, rsa.jwk], rsa, { kid: 'oct' }, 'kid'],
  ['a symmetric key under the kid of an RSA key', [{ ...oct, kid: 'rsa' }, rsa.jwk], rsa, {}, null],
  ['two keys of one kid', [rsa.jwk, { ...other.jwk, kid: 'rsa' }], rsa, {}, 'kid'],
  ['two keys of one kid, the other first', [{ ...other.jwk, kid: 'rsa' }, rsa.jwk], rsa, {}, 'kid'],
  ['one kid for an RSA and an EC key', [rsa.jwk, { ...ec.jwk, kid: 'rsa' }], rsa, {}, null],
  ['a key for encryption', [{ ...rsa.jwk, use: 'enc' }], rsa, {}, 'kid'],
  ['a key for another algorithm', [{ ...rsa.jwk, alg: 'RS512' }], rsa, {}, 'kid'],
  ['a key for RSA-OAEP', [{ ...rsa.jwk, alg: 'RSA-OAEP' }], rsa, {}, 'kid'],
  ['a key without kid for a token with one', [{ ...rsa.jwk, kid: undefined }], rsa, {}, 'kid'],
  ['a key whose kid is a number', [{ ...rsa.jwk, kid: 7 }], rsa, { kid: '7' }, 'kid'],
  ['a key without modulus', [{ ...rsa.jwk, n: undefined }], rsa, {}, 'kid'],
  ['a key whose modulus is no base64url', [{ ...rsa.jwk, n: '***' }], rsa, {}, 'kid'],
  ['a key of another curve under this kid', [{ ...ec.jwk, crv: 'P-384' }], ec, { alg: 'ES256' }, 'kid'],
  ['a point that is not on the curve', [{ ...ec.jwk, y: ec.jwk.x }], ec, { alg: 'ES256' }, 'kid'],
  ['an unknown kty', [{ ...rsa.jwk, kty: 'XYZ' }], rsa, {}, 'kid'],
  ['no keys', [], rsa, {}, 'kid'],
  ['things that are no keys', [null, 7, 'rsa', [], [rsa.jwk], {}], rsa, {}, 'kid'],
  ['a key among things that are none', [null, 7, 'rsa', [], {}, rsa.jwk], rsa, {}, null],
  ['__proto__ as a key', [JSON.parse(`{"__proto__":${JSON.stringify(rsa.jwk)}}`)], rsa, {}, 'kid'],
];

/** What discovery may name as the place of the keys. `reach` stands for an address that would answer with good keys. */
const places: ReadonlyArray<readonly [string, (reach: string) => unknown]> = [
  ['plain http elsewhere', () => 'http://192.0.2.1/keys'],
  ['the metadata service of a cloud', () => 'http://169.254.169.254/latest/meta-data'],
  ['a private network', () => 'http://10.0.0.1/keys'],
  ['this machine under another number', (reach) => reach.replace('127.0.0.1', '0.0.0.0')],
  ['this machine as IPv6 of IPv4', (reach) => reach.replace('127.0.0.1', '[::ffff:127.0.0.1]')],
  ['a name that begins like this machine', () => 'http://127.0.0.1.example/keys'],
  ['credentials', (reach) => reach.replace('//', '//user:password@')],
  ['a user name', (reach) => reach.replace('//', '//user@')],
  ['another host behind an @', (reach) => reach.replace('//127.0.0.1', '//127.0.0.1@192.0.2.1')],
  ['a file', () => 'file:///etc/passwd'],
  ['a file of this test', () => `file://${import.meta.path}`],
  ['ftp', (reach) => reach.replace('http:', 'ftp:')],
  ['data', () => `data:application/json,${encodeURIComponent(JSON.stringify({ keys: [rsa.jwk] }))}`],
  ['blob', (reach) => `blob:${reach}`],
  ['javascript', () => 'javascript:fetch(1)'],
  ['a path', () => '/target/keys'],
  ['an address without scheme', (reach) => reach.replace('http:', '')],
  ['a line break', (reach) => `${reach}\nX: y`.replace('http://', 'ht\ntp://u@')],
  ['nothing', () => ''],
  ['a number', () => 7],
  ['a list', (reach) => [reach]],
  ['missing', () => undefined],
];

const setName = (index: number) => `set-${index}`;
const placeName = (index: number) => `place-${index}`;
const statuses = [301, 302, 303, 307, 308];
const others = ['fetched', 'rotates', 'cheap', 'held', 'stranger', 'slash', 'nobody'];

const server = await startKeyServer();
const target = await startKeyServer();
target.publish('target', [rsa.jwk]);
sets.forEach(([, keys], index) => {
  server.publish(setName(index), []);
  server.serves(setName(index), json({ keys }));
});
const reach = `${target.issuer('target')}/keys`;
places.forEach(([, place], index) => server.publish(placeName(index), [], { jwks_uri: place(reach) }));
for (const status of statuses) {
  const away = (path: string) => (_request: unknown, response: ServerResponse) =>
    void response.writeHead(status, { location: `${target.issuer('target')}${path}` }).end();
  server.publish(`discovery-${status}`, [rsa.jwk]);
  server.discovers(`discovery-${status}`, away('/.well-known/openid-configuration'));
  server.publish(`keys-${status}`, [rsa.jwk]);
  server.serves(`keys-${status}`, away('/keys'));
}
for (const name of ['fetched', 'rotates', 'cheap', 'held']) server.publish(name, [rsa.jwk]);
server.publish('stranger', [rsa.jwk], { issuer: server.issuer('fetched') });
server.publish('slash', [rsa.jwk], { issuer: `${server.issuer('slash')}/` });
server.publish('nobody', [rsa.jwk], { issuer: undefined });
const names = [
  ...sets.map((_set, index) => setName(index)),
  ...places.map((_place, index) => placeName(index)),
  ...statuses.flatMap((status) => [`discovery-${status}`, `keys-${status}`]),
  ...others,
];
const attacked = await startAttacked(
  Object.fromEntries(names.map((name) => [name, { issuer: server.issuer(name) }])),
);
afterAll(() => Promise.all([attacked.end(), server.stop(), target.stop()]));

const token = (name: string, by: Pair, { alg = 'RS256', ...named }: Named = {}, change: object = {}) => {
  const header = { alg, kid: 'kid' in named ? named.kid : by.kid };
  return forge(header, attacked.claims(server.issuer(name), change), { with: alg, key: by.privateKey });
};

describe('a key set of which not everything is a key', () => {
  test.each(sets.map((set, index) => [set[0], index, set] as const))('%s', async (_title, index, set) => {
    const [, , by, named, cause] = set;
    const name = setName(index);
    if (cause === null) await attacked.acceptsIdToken(name, token(name, by, named));
    else await attacked.refusesIdToken(name, token(name, by, named), cause);
  });
  test('HS256 with a symmetric key that the provider publishes', async () => {
    const name = setName(sets.findIndex(([title]) => title === 'a symmetric key by its kid'));
    const claims = attacked.claims(server.issuer(name));
    const forged = forge({ alg: 'HS256', kid: 'oct' }, claims, { with: 'HS256', key: secret });
    await attacked.refusesIdToken(name, forged, 'alg');
  });
  test('what is kept for an outage holds no secret of the provider', async () => {
    const { q } = attacked.trivet.kernel.host.db;
    for (const title of ['a private key published by mistake', 'a symmetric key by its kid']) {
      const issuer = server.issuer(setName(sets.findIndex(([one]) => one === title)));
      const [kept] = await q.select().from(providerKeys).where(eq(providerKeys.issuer, issuer));
      expect(kept?.keys).toEqual([{ ...rsa.jwk }]);
    }
  });
});

/** Asserts that the provider counts as down, and that nothing is stored. */
async function isUnavailable(name: string) {
  let answer: TestAnswer | undefined;
  const outcome = await attacked.outcome(
    async () => (answer = await attacked.signIn(name, token(name, rsa))),
  );
  expect(outcome).toEqual({
    status: 503,
    code: 'ID_PROVIDER_UNAVAILABLE',
    cause: undefined,
    changed: [],
    recorded: [],
  });
  expect(answer?.headers.get('retry-after')).toBe('10');
}

describe('where the keys are said to be', () => {
  test.each(places.map(([title], index) => [title, index] as const))(
    '%s: not fetched',
    async (_title, index) => {
      await isUnavailable(placeName(index));
      expect(target.hits('target')).toBe(0);
    },
  );
  test.each(statuses)('a redirect (%d) is not followed, neither of discovery nor of keys', async (status) => {
    await isUnavailable(`discovery-${status}`);
    await isUnavailable(`keys-${status}`);
    expect(server.hits(`keys-${status}`)).toBe(2);
    expect(target.hits('target')).toBe(0);
  });
  test.each(['stranger', 'slash', 'nobody'])('a discovery document of another issuer (%s)', async (name) => {
    await isUnavailable(name);
    // Its keys are not even asked for.
    expect(server.hits(name)).toBe(1);
  });
  test('the target answers who asks', async () => {
    await fetch(`${target.issuer('target')}/keys`);
    expect(target.hits('target')).toBe(1);
  });
});

describe('how often a provider is asked', () => {
  test('1,000 made-up kids: once in 10 s', async () => {
    await attacked.acceptsIdToken('fetched', token('fetched', rsa));
    const present = async (from: number, count: number) => {
      const made = Array.from({ length: count }, (_, i) =>
        token('fetched', other, { kid: `made-up-${from + i}` }),
      );
      const answers = await Promise.all(made.map((one) => attacked.signIn('fetched', one)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    };
    const asked = server.hits('fetched');
    for (let from = 0; from < 500; from += 100) await present(from, 100);
    expect(server.hits('fetched') - asked).toBe(0);
    attacked.clock.advance(9_999);
    await present(500, 10);
    expect(server.hits('fetched') - asked).toBe(0);
    attacked.clock.advance(1);
    // Discovery and keys, by the first of them.
    for (let from = 510; from < 1000; from += 70) await present(from, 70);
    expect(server.hits('fetched') - asked).toBe(2);
    await attacked.acceptsIdToken('fetched', token('fetched', rsa));
  });

  test('a token that is refused anyway costs no request at all', async () => {
    for (const [cause, one] of [
      ['alg', token('cheap', rsa, { alg: 'RS512' })],
      ['iss', token('fetched', rsa)],
      ['aud', token('cheap', rsa, {}, { aud: 'other' })],
      ['exp', token('cheap', rsa, {}, { exp: 1 })],
      ['malformed', 'x'],
    ] as const)
      await attacked.refusesIdToken('cheap', one, cause);
    expect(server.hits('cheap')).toBe(0);
  });

  test('the provider turns its keys: 20 sign-ins at once, one request, and the old key is over', async () => {
    await attacked.acceptsIdToken('rotates', token('rotates', rsa));
    server.publish('rotates', [next.jwk]);
    // Until a token names a new kid, the old set is used, for 10 minutes at most.
    await attacked.acceptsIdToken('rotates', token('rotates', rsa));
    attacked.clock.advance(10_000);
    const asked = server.hits('rotates');
    const tokens = Array.from({ length: 20 }, (_, i) => token('rotates', next, {}, { sub: `at-once-${i}` }));
    const answers = await Promise.all(tokens.map((one) => attacked.signIn('rotates', one)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
    expect(server.hits('rotates') - asked).toBe(2);
    await attacked.refusesIdToken('rotates', token('rotates', rsa), 'kid');
  });

  test('a withdrawn key is over after 10 minutes, without anybody showing a new one', async () => {
    server.publish('rotates', [other.jwk]);
    attacked.clock.advance(600_001);
    await attacked.refusesIdToken('rotates', token('rotates', next), 'kid');
    await attacked.acceptsIdToken('rotates', token('rotates', other));
  });

  test('turned while they are being fetched: what was fetched counts, the rest after 10 s', async () => {
    let release: (() => void) | undefined;
    const asked = new Promise<void>((arrived) => {
      server.serves('held', (request, response) => {
        release = () => json({ keys: [rsa.jwk] })(request, response);
        arrived();
      });
    });
    const before = Array.from({ length: 10 }, (_, i) =>
      attacked.signIn('held', token('held', i % 2 === 0 ? rsa : next, {}, { sub: `held-${i % 2}` })),
    );
    await asked;
    server.publish('held', [next.jwk]);
    release?.();
    const answers = await Promise.all(before);
    expect(answers.map(({ status }) => status)).toEqual(before.map((_one, i) => (i % 2 === 0 ? 200 : 401)));
    expect(server.hits('held')).toBe(2);
    attacked.clock.advance(10_000);
    await attacked.acceptsIdToken('held', token('held', next));
    await attacked.refusesIdToken('held', token('held', rsa), 'kid');
  });
});

describe('an issuer that could not be trusted is refused at start', () => {
  test.each([
    'http://issuer.example',
    'http://10.0.0.1:8080',
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://127.0.0.1@issuer.example',
    'https://user:password@issuer.example',
    'http://0.0.0.0',
    'http://[::ffff:7f00:1]',
    'ftp://127.0.0.1',
    'file:///etc/passwd',
    'https://',
    'issuer.example',
    '',
  ])('%p', async (issuer) => {
    const config = configFile({ one: { issuer } });
    expect(await rejectionOf(startTestKernel({ settings: { config } }))).toBeInstanceOf(UsageError);
  });
});
