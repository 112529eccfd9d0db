import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { TestAnswer } from '../../../test/kernel.ts';
import { since, startAttacked, stored, type Attacked, type Stored } from '../testing/attacked-server.ts';
import { forge, rsaPair } from '../testing/forged-tokens.ts';
import { json, startKeyServer, type Behaviour, type KeyServer } from '../testing/key-server.ts';

// Starting real servers takes its time on a busy machine.
setDefaultTimeout(60_000);

const rsa = rsaPair('rsa');
const limit = 256 * 1024;
const asJson = { 'content-type': 'application/json' };

const answers =
  (status: number, headers: Record<string, string>, body: string | Uint8Array = ''): Behaviour =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

/** A byte every 50 ms, for ever. */
const drips: Behaviour = (_request, response) => {
  response.writeHead(200, asJson);
  const timer = setInterval(() => void response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
};

const hangs: Behaviour = () => {};
const begins: Behaviour = (_request, response) => void response.writeHead(200, asJson).write('{"keys":[');
const resets: Behaviour = (_request, response) => void response.socket?.destroy();
const writesMuch = (_request: unknown, response: ServerResponse) => {
  response.writeHead(200, asJson);
  for (let sent = 0; sent <= limit; sent += 16 * 1024) response.write(' '.repeat(16 * 1024));
  response.end(JSON.stringify({ keys: [rsa.jwk] }));
};

/** Responses that are neither a key set nor a discovery document; the last column: whether they take the whole time limit. */
const bad: ReadonlyArray<readonly [string, Behaviour, boolean]> = [
  ['never answers', hangs, true],
  ['begins and never goes on', begins, true],
  ['slow drip', drips, true],
  ['hangs up', resets, false],
  ['500', json({ keys: [rsa.jwk] }, 500), false],
  ['404', json({ keys: [rsa.jwk] }, 404), false],
  ['401', json({ keys: [rsa.jwk] }, 401), false],
  ['204', answers(204, {}), false],
  ['304', answers(304, {}), false],
  ['HTML', answers(200, { 'content-type': 'text/html' }, '<!doctype html><title>Sign in</title>'), false],
  ['nothing', answers(200, asJson), false],
  ['half of it', json('{"keys":[{"kty":"RSA"'), false],
  ['null', json('null'), false],
  ['a list', json([rsa.jwk]), false],
  ['a text', json('"keys"'), false],
  ['no keys member', json({}), false],
  ['keys as an object', json({ keys: { 0: rsa.jwk, length: 1 } }), false],
  ['keys as null', json({ keys: null }), false],
  ['brackets without end', json('['.repeat(200_000)), false],
  ['too much, announced', json(JSON.stringify({ keys: [rsa.jwk], pad: 'x'.repeat(limit) })), false],
  ['too much, in chunks', writesMuch, false],
  [
    'too much once it is unpacked',
    answers(200, { ...asJson, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(20_000_000, 32))),
    false,
  ],
  [
    'an encoding that it is not in',
    answers(200, { ...asJson, 'content-encoding': 'gzip' }, '{"keys":[]}'),
    false,
  ],
];

interface Got {
  readonly answer: TestAnswer;
  readonly ms: number;
}

let server: KeyServer;
let attacked: Attacked;
let before: Stored;

/** The first responses, requested concurrently: several take their full 3 s. */
const got = new Map<string, Got>();
let meanwhile = 0;

const token = (name: string, at = attacked) =>
  forge({ alg: 'RS256', kid: rsa.kid }, at.claims(server.issuer(name)), {
    with: 'RS256',
    key: rsa.privateKey,
  });

beforeAll(async () => {
  server = await startKeyServer();
  const names: string[] = ['healthy', 'exact', 'cold', 'turned', 'away'];
  server.publish('healthy', [rsa.jwk]);
  const exact = JSON.stringify({ keys: [rsa.jwk], pad: '' });
  server.publish('exact', []);
  server.serves('exact', json(exact.replace('"pad":""', `"pad":"${'x'.repeat(limit - exact.length)}"`)));
  server.discovers('cold', json({}, 500));
  bad.forEach(([, behaviour], index) => {
    server.publish(`discovery-${index}`, [rsa.jwk]);
    server.discovers(`discovery-${index}`, behaviour);
    server.publish(`keys-${index}`, [rsa.jwk]);
    server.serves(`keys-${index}`, behaviour);
    names.push(`discovery-${index}`, `keys-${index}`);
  });
  const providers = Object.fromEntries(names.map((name) => [name, { issuer: server.issuer(name) }]));
  attacked = await startAttacked({
    ...providers,
    refused: { issuer: `http://127.0.0.1:${await closedPort()}` },
  });
  before = await stored(attacked.trivet);
  const ask = async (name: string, presented = token(name)) => {
    const start = performance.now();
    got.set(name, { answer: await attacked.signIn(name, presented), ms: performance.now() - start });
  };
  const refused = forge({ alg: 'RS256', kid: rsa.kid }, attacked.claims(refusedIssuer()), {
    with: 'RS256',
    key: rsa.privateKey,
  });
  const all = bad.flatMap((_one, index) => [ask(`discovery-${index}`), ask(`keys-${index}`)]);
  await Promise.race([Promise.all(all), Bun.sleep(100)]);
  const start = performance.now();
  expect(await attacked.verify('x')).toMatchObject({ status: 200 });
  meanwhile = performance.now() - start;
  await Promise.all([...all, ask('refused', refused)]);
});
afterAll(() => Promise.all([attacked.end(), server.stop()]));

let closed = 0;
const refusedIssuer = () => `http://127.0.0.1:${closed}`;

/** A port on which no server listens any more. */
async function closedPort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => void probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  closed = address !== null && typeof address === 'object' ? address.port : 0;
  await new Promise<void>((resolve) => void probe.close(() => resolve()));
  return closed;
}

const unavailable = { status: 503, body: { error: { code: 'ID_PROVIDER_UNAVAILABLE' } } };

describe('a provider that has never answered as it should', () => {
  test.each(bad.map(([title, , slow], index) => [title, index, slow] as const))(
    '%s',
    (_title, index, slow) => {
      for (const name of [`discovery-${index}`, `keys-${index}`]) {
        const { answer, ms = Infinity } = got.get(name) ?? {};
        expect({ name, ...answer }).toMatchObject({ name, ...unavailable });
        expect(answer?.headers.get('retry-after')).toBe('10');
        expect(Object.keys(answer?.body['error'] ?? {}).toSorted()).toEqual(['code', 'message']);
        // The limit is 3 s; whatever is not slow is found out well before.
        expect(ms).toBeLessThan(slow ? 5_900 : 2_900);
        if (slow) expect(ms).toBeGreaterThan(2_900);
      }
    },
  );
  test('cannot be reached', () => {
    expect(got.get('refused')?.answer).toMatchObject(unavailable);
  });
  test('nothing was stored, and everybody else was served meanwhile', async () => {
    expect(await since(attacked.trivet, before)).toEqual({ changed: [], recorded: [] });
    expect(meanwhile).toBeLessThan(1_000);
    await attacked.acceptsIdToken('healthy', token('healthy'));
  });
  test('256 KiB are not too much', async () => {
    await attacked.acceptsIdToken('exact', token('exact'));
  });
  test('the log says what is wrong, not what was answered', () => {
    const lines = attacked.trivet.logged.filter((line) => line.includes('jwks_unavailable'));
    expect(lines.length).toBe(bad.length * 2 + 1);
    expect(lines.join('')).not.toMatch(/doctype|kty|password/);
  });
  test('is asked again after 10 s, and only then', async () => {
    const status = async () => (await attacked.signIn('cold', token('cold'))).status;
    expect(await status()).toBe(503);
    server.publish('cold', [rsa.jwk]);
    attacked.clock.advance(9_999);
    const asked = server.hits('cold');
    expect([await status(), await status()]).toEqual([503, 503]);
    expect(server.hits('cold')).toBe(asked);
    attacked.clock.advance(1);
    await attacked.acceptsIdToken('cold', token('cold'));
  });
});

describe('a provider that goes down', () => {
  const minute = 60_000;
  const day = 24 * 60 * minute;
  test.each([0, 2, 4, 7, 10, 13, 15])(
    'its last keys count for 24 h (fault %d), and no longer',
    async (index) => {
      const name = `keys-${index}`;
      const [, behaviour, slow] = bad[index] ?? [];
      // Each wait for a slow one would cost the suite 3 s; they are in the table above.
      if (!behaviour || slow) return;
      server.publish(name, [rsa.jwk]);
      attacked.clock.advance(10_000);
      await attacked.acceptsIdToken(name, token(name));
      const fetchedAt = attacked.clock.now();
      server.serves(name, behaviour);
      for (const age of [10 * minute + 1, 60 * minute, day]) {
        attacked.clock.set(fetchedAt + age);
        await attacked.acceptsIdToken(name, token(name));
      }
      attacked.clock.set(fetchedAt + day + 1);
      expect(await attacked.signIn(name, token(name))).toMatchObject(unavailable);
      server.publish(name, [rsa.jwk]);
      attacked.clock.advance(10_000);
      await attacked.acceptsIdToken(name, token(name));
    },
  );

  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
  const unusable: ReadonlyArray<readonly [string, readonly object[]]> = [
    ['no key', []],
    ['no keys but other things', [{}, { kty: 'RSA' }, { kty: 7 }, []]],
    ['a symmetric key', [{ kty: 'oct', k: 'AAAA', kid: rsa.kid }]],
    ['a key for encryption', [{ ...rsa.jwk, use: 'enc' }]],
    ['a key of another algorithm', [{ ...ec, kid: rsa.kid }]],
    ['a key that is too short', [{ ...weak, kid: rsa.kid }]],
  ];
  test.each(unusable)(
    'or answers 200 with %s: its last keys count on, also after a restart',
    async (what, keys) => {
      const name = `wiped-${what.replaceAll(' ', '-')}`;
      server.publish(name, [rsa.jwk]);
      const providers = { [name]: { issuer: server.issuer(name), algorithms: ['RS256'] } };
      const first = await startAttacked(providers);
      await first.acceptsIdToken(name, token(name, first));
      server.publish(name, keys);
      first.clock.advance(10 * minute + 1);
      await first.acceptsIdToken(name, token(name, first));
      first.clock.advance(10_000);
      const forged = forge({ alg: 'RS256', kid: 'made-up' }, first.claims(server.issuer(name)), {
        with: 'RS256',
        key: rsa.privateKey,
      });
      await first.refusesIdToken(name, forged, 'kid');
      await first.acceptsIdToken(name, token(name, first));
      expect(first.trivet.logged.join('')).toContain('the provider answered no usable key');
      await first.end();
      const second = await startAttacked(providers, {}, first.trivet, first.clock);
      await second.acceptsIdToken(name, token(name, second));
      server.publish(name, [rsa.jwk]);
      second.clock.advance(day);
      await second.acceptsIdToken(name, token(name, second));
      await second.end();
    },
  );

  test('a restart meanwhile changes nothing: 24 h from the last answer, then 503', async () => {
    const providers = { healthy: { issuer: server.issuer('healthy') } };
    const first = await startAttacked(providers);
    await first.acceptsIdToken('healthy', token('healthy', first));
    const fetchedAt = first.clock.now();
    await first.end();
    server.discovers('healthy', json({}, 500));
    const second = await startAttacked(providers, {}, first.trivet, first.clock);
    second.clock.set(fetchedAt + day);
    await second.acceptsIdToken('healthy', token('healthy', second));
    const forged = forge({ alg: 'RS256', kid: 'made-up' }, second.claims(server.issuer('healthy')), {
      with: 'RS256',
      key: rsa.privateKey,
    });
    await second.refusesIdToken('healthy', forged, 'kid');
    second.clock.advance(1);
    expect(await second.signIn('healthy', token('healthy', second))).toMatchObject(unavailable);
    await second.end();
  });
});

/** @see After a step back of an hour an attempt of "the future" kept the keys from being fetched for an hour. */
describe('a clock that was set back by an hour locks nobody out', () => {
  const hour = 3_600_000;
  test('of a provider with a new key', async () => {
    const fresh = rsaPair('fresh');
    server.publish('turned', [rsa.jwk]);
    await attacked.acceptsIdToken('turned', token('turned'));
    server.publish('turned', [fresh.jwk]);
    attacked.clock.advance(-hour);
    const claims = attacked.claims(server.issuer('turned'));
    const signed = forge({ alg: 'RS256', kid: fresh.kid }, claims, { with: 'RS256', key: fresh.privateKey });
    await attacked.acceptsIdToken('turned', signed);
    attacked.clock.advance(hour);
  });
  test('of a provider that is back', async () => {
    server.publish('away', [rsa.jwk]);
    server.serves('away', json({}, 500));
    expect((await attacked.signIn('away', token('away'))).status).toBe(503);
    server.publish('away', [rsa.jwk]);
    attacked.clock.advance(-hour);
    await attacked.acceptsIdToken('away', token('away'));
    attacked.clock.advance(hour);
  });
});
