import { afterAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from 'jose';
import { countRows } from '../../../core/db/query/columns.ts';
import { startIdentityProvider } from '../../../test/identity-provider.ts';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { mintDevIdToken } from '../providers/dev-provider.ts';
import { audit, sessions, users } from '../base/schema.ts';
import { authenticatePath, signInBody as body } from '../testing/sign-in-request.ts';

const clock = stillClock(Date.now());

const provider = await startIdentityProvider();
const config = join(temporaryDirectory('auth'), 'trivet.toml');
writeFileSync(
  config,
  `[providers.real]\nissuer = "${provider.issuer}"\naudiences = ["${provider.clientId}"]\n` +
    `[providers.strict]\nissuer = "${provider.issuer}"\naudiences = ["${provider.clientId}"]\nallowedDomains = ["example.com"]\n`,
);

const trivet = await startTestKernel({ clock, settings: { config } });
afterAll(() => Promise.all([trivet.stop(), provider.stop()]));

async function stored() {
  const { q } = trivet.kernel.host.db;
  const counts: number[] = [];
  for (const table of [users, sessions]) {
    const [row] = await q.select({ n: countRows() }).from(table);
    counts.push(row?.n ?? -1);
  }
  return { counts, events: await q.select().from(audit).orderBy(audit.id) };
}

/** The state after a refusal: as before, and for a rejected ID token one row with the cause. */
async function expectRefused(before: Awaited<ReturnType<typeof stored>>, failure: object | null) {
  const after = await stored();
  expect(after.counts).toEqual(before.counts);
  expect(after.events.slice(before.events.length)).toMatchObject(failure ? [failure] : []);
}

const verify = async (token?: string) => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await trivet.fetch('/v1/auth/token/verify', { headers });
  return { status: response.status, body: await response.json() };
};

describe('signing in with an ID token of a real OpenID provider', () => {
  test('answers all five fields, and each token says what it must', async () => {
    const { idToken } = await provider.signIn('ann@example.org', { nonce: 'n-7' });
    const { status, headers, body: answer } = await trivet.post(authenticatePath, body(idToken));
    expect(status).toBe(200);
    expect(Object.keys(answer).sort()).toEqual([
      'accessToken',
      'expiresIn',
      'idToken',
      'refreshToken',
      'tokenType',
    ]);
    expect(answer).toMatchObject({ expiresIn: 900, tokenType: 'Bearer' });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).toBeTruthy();

    const keys = createRemoteJWKSet(new URL(`${trivet.origin}/.well-known/jwks.json`));
    const access = await jwtVerify(String(answer['accessToken']), keys, {
      issuer: trivet.origin,
      audience: 'api',
      typ: 'at+jwt',
      currentDate: new Date(clock.now()),
    });
    expect(access.protectedHeader.alg).toBe('ES256');
    expect(Object.keys(access.payload).sort()).toEqual(
      [
        'aud',
        'client_id',
        'email',
        'email_verified',
        'exp',
        'iat',
        'idp',
        'iss',
        'jti',
        'name',
        'sid',
        'sub',
      ].sort(),
    );
    const id = decodeJwt(String(answer['idToken']));
    expect(id).toMatchObject({
      iss: trivet.origin,
      aud: provider.clientId,
      sub: access.payload.sub,
      sid: access.payload['sid'],
      nonce: 'n-7',
      email: 'ann@example.org',
      given_name: 'Test',
      firstName: 'Test',
      lastName: 'Person',
    });
    expect(decodeProtectedHeader(String(answer['refreshToken']))).toEqual({ alg: 'HS256', typ: 'rt+jwt' });
    expect(await verify(String(answer['accessToken']))).toEqual({
      status: 200,
      body: { isAuthTokenValid: true },
    });
  });

  test('the same person is the same user; the same address from another provider is not', async () => {
    const first = await trivet.post(
      authenticatePath,
      body((await provider.signIn('bob@example.org')).idToken),
    );
    const again = await trivet.post(
      authenticatePath,
      body((await provider.signIn('bob@example.org')).idToken),
    );
    const dev = await trivet.signIn('bob@example.org');
    const sub = (answer: Record<string, unknown>) => decodeJwt(String(answer['accessToken'])).sub;
    expect(sub(again.body)).toBe(sub(first.body) ?? '');
    expect(sub(dev)).not.toBe(sub(first.body) ?? '');
  });

  test('without resources the audience is the issuer', async () => {
    const { accessToken } = await trivet.signIn('carl@example.org');
    expect(decodeJwt(accessToken).aud).toBe(trivet.origin);
  });

  test('a domain that is not allowed is 403, and nothing is stored', async () => {
    const { idToken } = await provider.signIn('eve@example.org');
    const before = await stored();
    const answer = await trivet.post(authenticatePath, body(idToken, { idProvider: 'strict' }));
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ error: { code: 'ACCESS_DENIED', cause: 'domain' } });
    await expectRefused(before, {
      event: 'sign_in_failed',
      provider: 'strict',
      cause: 'domain',
      userId: null,
    });
  });
});

describe('a refused sign-in names its cause and stores nothing', () => {
  const huge = 'x'.repeat(17 * 1024);
  const cases: ReadonlyArray<
    readonly [string, (idToken: string) => unknown, number, string, string | undefined]
  > = [
    ['not JSON', () => '{', 400, 'INVALID_JSON', undefined],
    ['a list', () => [], 400, 'INVALID_REQUEST', 'body'],
    ['null', () => 'null', 400, 'INVALID_REQUEST', 'body'],
    ['no responseType', (t) => body(t, { responseType: undefined }), 400, 'INVALID_REQUEST', 'responseType'],
    ['empty grantType', (t) => body(t, { grantType: '' }), 400, 'INVALID_REQUEST', 'grantType'],
    ['identifier a number', () => body('', { identifier: 7 }), 400, 'INVALID_REQUEST', 'identifier'],
    ['idProvider in capitals', (t) => body(t, { idProvider: 'Real' }), 400, 'INVALID_REQUEST', 'idProvider'],
    [
      'idProvider __proto__',
      (t) => body(t, { idProvider: '__proto__' }),
      400,
      'INVALID_REQUEST',
      'idProvider',
    ],
    ['resources a text', (t) => body(t, { resources: 'api' }), 400, 'INVALID_REQUEST', 'resources'],
    ['33 resources', (t) => body(t, { resources: Array(33).fill('a') }), 400, 'INVALID_REQUEST', 'resources'],
    ['an empty resource', (t) => body(t, { resources: [''] }), 400, 'INVALID_REQUEST', 'resources'],
    [
      'a resource with U+0000',
      (t) => body(t, { resources: ['a\u0000'] }),
      400,
      'INVALID_REQUEST',
      'resources',
    ],
    [
      'responseType code',
      (t) => body(t, { responseType: 'code' }),
      400,
      'UNSUPPORTED_RESPONSE_TYPE',
      undefined,
    ],
    [
      'grantType password',
      (t) => body(t, { grantType: 'password' }),
      400,
      'UNSUPPORTED_GRANT_TYPE',
      undefined,
    ],
    ['an unknown provider', (t) => body(t, { idProvider: 'nobody' }), 400, 'UNKNOWN_ID_PROVIDER', undefined],
    ['an identifier over 16 KiB', () => body(huge), 413, 'PAYLOAD_TOO_LARGE', undefined],
    ['a body over 64 KiB', () => body(huge.repeat(4)), 413, 'PAYLOAD_TOO_LARGE', undefined],
    ['no token at all', () => body('hello'), 401, 'INVALID_ID_TOKEN', 'malformed'],
    ['a cut signature', (t) => body(t.slice(0, -22)), 401, 'INVALID_ID_TOKEN', 'signature'],
    ["another provider's token", (t) => body(t, { idProvider: 'dev' }), 401, 'INVALID_ID_TOKEN', 'alg'],
  ];
  test.each(cases)('%s', async (_title, make, status, code, cause) => {
    const { idToken } = await provider.signIn('dora@example.org');
    const before = await stored();
    const answer = await trivet.post(authenticatePath, make(idToken));
    const error = answer.body['error'] as Record<string, unknown>;
    expect({ status: answer.status, code: error['code'], cause: error['cause'] }).toEqual({
      status,
      code,
      cause,
    });
    expect(Object.keys(error).every((key) => ['code', 'message', 'cause'].includes(key))).toBe(true);
    expect(JSON.stringify(answer.body)).not.toContain(idToken.slice(0, 40));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.has('www-authenticate')).toBe(status === 401);
    const failure = { event: 'sign_in_failed', cause: cause ?? null, address: '127.0.0.1', sessionId: null };
    await expectRefused(before, status === 401 ? failure : null);
  });

  test('a wrong media type is 415', async () => {
    const response = await trivet.fetch(authenticatePath, { method: 'POST', body: 'a=b' });
    expect(response.status).toBe(415);
  });

  test('a key the provider does not have: one request to it, then a wait', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const forged = (kid: string) =>
      new SignJWT({})
        .setProtectedHeader({ alg: 'RS256', kid })
        .setIssuer(provider.issuer)
        .setAudience(provider.clientId)
        .setSubject('mallory')
        .setIssuedAt(clock.now() / 1000)
        .setExpirationTime(clock.now() / 1000 + 300)
        .sign(privateKey);
    clock.advance(60_000);
    const before = provider.requests.length;
    for (let i = 0; i < 50; i++) {
      const answer = await trivet.post(authenticatePath, body(await forged(`made-up-${i}`)));
      expect(answer.body).toMatchObject({ error: { code: 'INVALID_ID_TOKEN', cause: 'kid' } });
    }
    expect(provider.requests.length - before).toBe(2); // discovery and keys, once
  });

  test('an ID token that is over', async () => {
    const identifier = await mintDevIdToken(trivet.kernel.host, 'late@example.org');
    clock.advance(3600_000 + 61_000);
    const answer = await trivet.post(authenticatePath, body(identifier, { idProvider: 'dev' }));
    expect(answer.body).toMatchObject({ error: { code: 'INVALID_ID_TOKEN', cause: 'exp' } });
  });
});

describe('verify is true for a live access token of ours and false for everything else', () => {
  test('the wrong kinds of token, odd headers, none', async () => {
    const { accessToken, idToken, refreshToken } = await trivet.signIn('fred@example.org');
    const [header, payload, signature = ''] = accessToken.split('.');
    const wrong = [
      undefined,
      idToken,
      refreshToken,
      'x',
      'undefined undefined',
      `${accessToken}x`,
      `${header}.${payload}.`,
      // Not the end of it: that is "AA" already in one of 256.
      `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    ];
    for (const token of wrong)
      expect(await verify(token)).toEqual({ status: 200, body: { isAuthTokenValid: false } });
    for (const authorization of [
      `Bearer  ${accessToken}`,
      `bearer,${accessToken}`,
      `Basic ${accessToken}`,
      accessToken,
    ]) {
      const response = await trivet.fetch('/v1/auth/token/verify', { headers: { authorization } });
      expect(await response.json()).toEqual({ isAuthTokenValid: false });
    }
    expect((await verify(accessToken)).body).toEqual({ isAuthTokenValid: true });
    clock.advance(900_000);
    expect((await verify(accessToken)).body).toEqual({ isAuthTokenValid: false });
  });
});

test('no log line of this suite holds a token or a part of one', () => {
  expect(trivet.logged.join('')).not.toMatch(/eyJ|trv_/);
});
