import { afterAll, describe, expect, test } from 'bun:test';
import { startTestKernel, stillClock } from '../../test/kernel.ts';
import { rejectionOf } from '../../test/rejection.ts';
import {
  ecPair,
  edPair,
  encoded,
  forge,
  publicForms,
  rsaPair,
  type Pair,
} from '../../modules/auth/testing/forged-tokens.ts';
import { rotateKeys } from '../../modules/auth/keys/key-ring.ts';
import { createVerifier, type VerifierError, type VerifierOptions } from './verifier.ts';

/*
 * Mutation note: seen to fail without the check of `typ`, of `alg` against the key, of canonical base64url and of each claim; with
 * `iat` unchecked; with two fetches at a time; and when an unknown kid fetches at every call.
 */
const url = 'https://trivet.example';
const seconds = Date.UTC(2026, 10, 23) / 1000;
const pairs = { ES256: ecPair('ec'), RS256: rsaPair('rsa'), EdDSA: edPair('ed') };
const published = Object.entries(pairs).map(([alg, { jwk }]) => ({ ...jwk, alg }));
const stranger = ecPair('ec');

const goodClaims = {
  iss: url,
  sub: '7',
  aud: [url],
  client_id: 'app',
  iat: seconds - 10,
  exp: seconds + 600,
  jti: 'j',
  sid: 's',
};
const header = { alg: 'ES256', kid: 'ec', typ: 'at+jwt' };
const signed = (change: object = {}, headerChange: object = {}, pair: Pair = pairs.ES256, alg = 'ES256') =>
  forge({ ...header, ...headerChange }, { ...goodClaims, ...change }, { with: alg, key: pair.privateKey });

/** A server that answers these keys; `down` takes it away. */
function keyServer(keys: readonly object[] = published) {
  const server = { hits: 0, down: false as boolean | 'page', keys };
  const fetch: NonNullable<VerifierOptions['fetch']> = async (from) => {
    expect(from).toBe(`${url}/.well-known/jwks.json`);
    server.hits++;
    if (server.down === 'page') return new Response('<h1>no</h1>', { status: 200 });
    if (server.down) throw new TypeError('fetch failed');
    return Response.json({ keys: server.keys });
  };
  return { server, fetch };
}

const answerOf = (token: unknown, options: Partial<VerifierOptions> = {}) =>
  createVerifier({ url, fetch: keyServer().fetch, now: () => seconds * 1000, ...options })
    .verify(token as string)
    .then(
      ({ sub }) => `user ${sub}`,
      ({ code, cause }: VerifierError) => (cause ? `${code} ${cause}` : code),
    );

describe('one token', () => {
  const signature = signed().split('.')[2] ?? '';
  const accepted: ReadonlyArray<readonly [string, unknown, Partial<VerifierOptions>?]> = [
    ['ES256', signed()],
    ['RS256', signed({}, { alg: 'RS256', kid: 'rsa' }, pairs.RS256, 'RS256')],
    ['EdDSA', signed({}, { alg: 'EdDSA', kid: 'ed' }, pairs.EdDSA, 'EdDSA')],
    ['a clock of the server that is a minute ahead', signed({ iat: seconds + 60 })],
    ['the last second', signed({ exp: seconds + 1 })],
    ['an expired one within the tolerance', signed({ exp: seconds - 20 }), { clockTolerance: 30 }],
    ['one of its audiences', signed({ aud: ['a', 'b'] }), { audience: ['x', 'b'] }],
    ['its only audience, as text', signed({ aud: 'a' }), { audience: 'a' }],
    [
      'an issuer with another address',
      signed({ iss: 'https://id.example' }),
      { issuer: 'https://id.example' },
    ],
    ['an address with a slash at its end', signed(), { url: `${url}/` }],
  ];
  test.each(accepted)('accepted: %s', async (...[, token, options]) =>
    expect(await answerOf(token, options)).toBe('user 7'),
  );

  const refused: ReadonlyArray<readonly [string, unknown, string, Partial<VerifierOptions>?]> = [
    ['nothing', undefined, 'form'],
    ['empty text', '', 'form'],
    ['two parts', signed().split('.').slice(0, 2).join('.'), 'form'],
    ['four parts', `${signed()}.x`, 'form'],
    ['padding', `${signed()}==`, 'form'],
    ['a line break', `${signed()}\n`, 'form'],
    [
      'another spelling of the signature',
      `${signed().slice(0, -1)}${signature.endsWith('A') ? 'B' : 'x'}`,
      'form',
    ],
    ['more than 16 KiB', signed({ name: 'x'.repeat(17_000) }), 'form'],
    ['claims that are a list', forge(header, [], { with: 'ES256', key: pairs.ES256.privateKey }), 'form'],
    ['an ID token', signed({}, { typ: 'JWT' }), 'type'],
    ['no type', signed({}, { typ: undefined }), 'type'],
    ['none', `${encoded({ ...header, alg: 'none' })}.${encoded(goodClaims)}.AA`, 'algorithm'],
    ['ES384', signed({}, { alg: 'ES384' }), 'algorithm'],
    ['a member of every object', signed({}, { alg: 'constructor' }), 'algorithm'],
    ['critical extensions', signed({}, { crit: ['b64'] }), 'algorithm'],
    ['the algorithm of another key', signed({}, { alg: 'RS256' }), 'key'],
    ['no key', signed({}, { kid: undefined }), 'key'],
    ['an unknown key', signed({}, { kid: 'other' }), 'key'],
    ['a key in the header', signed({}, { kid: 'other', jwk: stranger.jwk }, stranger), 'key'],
    ['the signature of a stranger', signed({}, {}, stranger), 'signature'],
    [
      'changed claims',
      `${signed().split('.')[0]}.${encoded({ ...goodClaims, sub: '8' })}.${signature}`,
      'signature',
    ],
    ['another issuer', signed({ iss: 'https://other.example' }), 'issuer'],
    ['our address, while the issuer is another', signed(), 'issuer', { issuer: 'https://id.example' }],
    ['another audience', signed(), 'audience', { audience: 'https://api.example' }],
    ['a list in the list of audiences', signed({ aud: [['a']] }), 'audience', { audience: 'a' }],
    ['from the future', signed({ iat: seconds + 61 }), 'not_yet'],
    ['not yet valid', signed({ nbf: seconds + 1 }), 'not_yet'],
    ['no end', signed({ exp: undefined }), 'claims'],
    ['an end that is text', signed({ exp: String(seconds + 9) }), 'claims'],
    ['no beginning', signed({ iat: undefined }), 'claims'],
    ['no user', signed({ sub: undefined }), 'claims'],
    ['a user that is a number', signed({ sub: 7 }), 'claims'],
    ['no session', signed({ sid: '' }), 'claims'],
  ];
  test.each(refused)('refused: %s', async (...[, token, cause, options]) =>
    expect(await answerOf(token, options)).toBe(`TOKEN_INVALID ${cause}`),
  );

  test.each(publicForms(pairs.RS256))(
    'refused: HS256 with the public key as secret (%s)',
    async (_form, key) => {
      for (const kid of ['rsa', 'ec', 'hs'])
        expect(
          await answerOf(forge({ ...header, alg: 'HS256', kid }, goodClaims, { with: 'HS256', key })),
        ).toBe('TOKEN_INVALID algorithm');
    },
  );

  test('expired is a code of its own, and only for a token that was good', async () => {
    expect(await answerOf(signed({ exp: seconds }))).toBe('TOKEN_EXPIRED');
    expect(await answerOf(signed({ exp: seconds }, {}, stranger))).toBe('TOKEN_INVALID signature');
  });

  test('all claims are given back, those of the administrator too', async () => {
    const verifier = createVerifier({ url, fetch: keyServer().fetch, now: () => seconds * 1000 });
    expect(await verifier.verify(signed({ plan: 'gold' }))).toEqual({ ...goodClaims, plan: 'gold' });
  });
});

describe('the keys', () => {
  const made = (keys?: readonly object[]) => {
    /** `wrong`: by how much somebody has set the clock of the machine. */
    const clock = { now: seconds * 1000, wrong: 0 };
    const { server, fetch } = keyServer(keys);
    const now = () => clock.now + clock.wrong;
    const { verify } = createVerifier({ url, fetch, now, uptime: () => clock.now, clockTolerance: 1e6 });
    const says = (token = signed()) =>
      verify(token).then(
        () => 'good',
        ({ code }: VerifierError) => code,
      );
    return { clock, server, says };
  };
  const minute = 60_000;

  test('are fetched at the first token, and then every five minutes', async () => {
    const { clock, server, says } = made();
    expect(server.hits).toBe(0);
    for (const [after, hits] of [
      [0, 1],
      [5 * minute - 1, 1],
      [1, 2],
      [5 * minute, 3],
    ] as const) {
      clock.now += after;
      expect([await says(), server.hits]).toEqual(['good', hits]);
    }
  });

  test('are fetched once for many tokens at a time', async () => {
    const { server, says } = made();
    await Promise.all(Array.from({ length: 100 }, () => says()));
    expect(server.hits).toBe(1);
  });

  test('serve for an hour while the server is away, then nothing is known', async () => {
    const { clock, server, says } = made();
    expect(await says()).toBe('good');
    server.down = true;
    clock.now += 60 * minute - 1;
    expect([await says(), await says(), server.hits]).toEqual(['good', 'good', 2]);
    clock.now += 1;
    expect(await says()).toBe('KEYS_UNAVAILABLE');
    server.down = 'page';
    clock.now += 5_000;
    expect([await says(), server.hits]).toEqual(['KEYS_UNAVAILABLE', 3]);
    server.down = false;
    clock.now += 5_000;
    expect([await says(), server.hits]).toEqual(['good', 4]);
  });

  /** @see sdk/README.md, trivet-sdk/node: after a clock was set back by an hour, tokens were refused for an hour. */
  test.each([-60 * minute, 60 * minute])('a clock that is set by %d ms changes nothing', async (jump) => {
    const { clock, server, says } = made(published.slice(1));
    const other = signed({ iat: seconds - 7_200 }, { alg: 'RS256', kid: 'rsa' }, pairs.RS256, 'RS256');
    server.down = true;
    expect(await says(other)).toBe('KEYS_UNAVAILABLE');
    clock.wrong = jump;
    server.down = false;
    expect([await says(other), server.hits]).toEqual(['KEYS_UNAVAILABLE', 1]);
    clock.now += 5_000;
    expect([await says(other), server.hits]).toEqual(['good', 2]);
    expect([await says(), server.hits]).toEqual(['TOKEN_INVALID', 3]);
    clock.wrong = 0;
    expect([await says(other), await says(), server.hits]).toEqual(['good', 'TOKEN_INVALID', 3]);
    clock.now += 5 * minute;
    server.down = true;
    clock.wrong = jump;
    expect([await says(other), server.hits]).toEqual(['good', 4]);
    clock.now += 55 * minute;
    expect([await says(other), server.hits]).toEqual(['KEYS_UNAVAILABLE', 5]);
  });

  test('a server that was never there: every token waits, none is called invalid', async () => {
    const { server, says } = made();
    server.down = true;
    expect([await says(), await says(), server.hits]).toEqual(['KEYS_UNAVAILABLE', 'KEYS_UNAVAILABLE', 1]);
  });

  test('an unknown kid asks once a minute, and finds a key that is new', async () => {
    const { clock, server, says } = made(published.slice(1));
    const unknown = signed();
    // The first call has just fetched.
    expect([await says(unknown), server.hits]).toEqual(['TOKEN_INVALID', 1]);
    for (let round = 0; round < 50; round++) await says(unknown);
    expect(server.hits).toBe(2);
    server.keys = published;
    clock.now += minute - 1;
    expect([await says(unknown), server.hits]).toEqual(['TOKEN_INVALID', 2]);
    clock.now += 1;
    expect([await says(unknown), server.hits]).toEqual(['good', 3]);
  });

  test('an unknown kid while the server is away is not called invalid', async () => {
    const { server, says } = made(published.slice(1));
    await says();
    server.down = true;
    expect(await says()).toBe('KEYS_UNAVAILABLE');
  });

  test('a key that the server dropped is refused at the next fetch', async () => {
    const { clock, server, says } = made();
    expect(await says()).toBe('good');
    server.keys = published.slice(1);
    clock.now += 5 * minute;
    expect(await says()).toBe('TOKEN_INVALID');
  });

  test('keys that are no keys refuse their tokens alone', async () => {
    const { says } = made(
      [null, 7, { kid: 'ec', alg: 'ES256', kty: 'EC', crv: 'P-256', x: 'x' }, published[1]].filter(
        Boolean,
      ) as object[],
    );
    expect(await says()).toBe('TOKEN_INVALID');
    expect(await says(signed({}, { alg: 'RS256', kid: 'rsa' }, pairs.RS256, 'RS256'))).toBe('good');
  });
});

describe('a server of ours', () => {
  const clock = stillClock();
  const running = Promise.all(
    ['ES256', 'RS256', 'EdDSA'].map((algorithm) =>
      startTestKernel({ clock, settings: { 'signing-algorithm': algorithm, 'access-ttl': '600' } }),
    ),
  );
  afterAll(async () => void (await Promise.all((await running).map((server) => server.stop()))));

  test('its access tokens are accepted, its other tokens are not', async () => {
    for (const server of await running) {
      const { verify } = createVerifier({ url: server.origin, now: clock.now });
      const { accessToken, idToken, refreshToken } = await server.signIn('ada@example.org');
      const claims = await verify(accessToken);
      expect(claims).toMatchObject({ iss: server.origin, aud: server.origin, email: 'ada@example.org' });
      expect(Number(claims.sub)).toBeGreaterThan(0);
      const causeOf = (token: string) =>
        verify(token).then(
          () => 'good',
          ({ cause }: VerifierError) => cause ?? '',
        );
      expect(await causeOf(idToken)).toBe('type');
      expect(['form', 'type', 'algorithm']).toContain(await causeOf(refreshToken));
    }
  });

  test('a key that is rotated at once is found, and an expired token is', async () => {
    const [server] = await running;
    if (!server) throw new Error('no server');
    const { verify } = createVerifier({ url: server.origin, now: clock.now });
    const before = await server.signIn('bob@example.org');
    await verify(before.accessToken);
    await rotateKeys(server.kernel.host, 'now');
    const after = await server.signIn('bob@example.org');
    expect(await verify(after.accessToken)).toMatchObject({ email: 'bob@example.org' });
    clock.advance(600_000);
    expect(await rejectionOf(verify(after.accessToken))).toMatchObject({ code: 'TOKEN_EXPIRED' });
  });
});
