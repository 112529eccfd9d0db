import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { startAttacked } from '../testing/attacked-server.ts';
import { ecPair, forge, rsaPair } from '../testing/forged-tokens.ts';
import { startKeyServer } from '../testing/key-server.ts';

// Starting real servers takes its time on a busy machine.
setDefaultTimeout(60_000);

/* OpenID Connect Back-Channel Logout 1.0 §2.6: what ends no session, and what does. */

const [rsa, ec] = [rsaPair('rsa-1'), ecPair('ec-1')];
const server = await startKeyServer();
for (const name of ['one', 'two']) server.publish(name, [rsa.jwk, ec.jwk]);
const attacked = await startAttacked(
  {
    one: { issuer: server.issuer('one'), audiences: ['app', 'web'], algorithms: ['RS256'] },
    two: { issuer: server.issuer('two') },
  },
  { 'rate-failures': '0' },
);
afterAll(() => Promise.all([attacked.end(), server.stop()]));

const event = 'http://schemas.openid.net/event/backchannel-logout';
let jtis = 0;

function signed(change: object = {}, { header = {}, alg = 'RS256', pair = rsa } = {}) {
  const now = attacked.seconds();
  const claims = { iss: server.issuer('one'), aud: 'app', iat: now, exp: now + 120, jti: `j${jtis++}` };
  const who = { sid: 'session-there', events: { [event]: {} } };
  const all = { ...claims, ...who, ...change };
  return forge({ alg, kid: pair.kid, typ: 'logout+jwt', ...header }, all, {
    with: alg,
    key: pair.privateKey,
  });
}

/** Sends a form. @returns status, error word and the cause in its description. */
async function logout(
  token: string | undefined,
  body = new URLSearchParams({ [token === undefined ? 'other' : 'logout_token']: token ?? 'x' }),
) {
  if (token !== undefined) attacked.presented(token);
  const response = await attacked.trivet.fetch('/oauth/backchannel-logout', { method: 'POST', body });
  const text = await response.text();
  attacked.answered(text);
  const answer = JSON.parse(text) as { error?: string; error_description?: string };
  expect(response.headers.get('cache-control')).toBe('no-store');
  return [response.status, answer.error, /\((\w+)\)/.exec(answer.error_description ?? '')?.[1]];
}

let accessToken = '';
async function signIn(claims: object = { sid: 'session-there' }, provider = 'one') {
  const idToken = forge({ alg: 'RS256', kid: rsa.kid }, attacked.claims(server.issuer(provider), claims), {
    with: 'RS256',
    key: rsa.privateKey,
  });
  accessToken = String((await attacked.acceptsIdToken(provider, idToken)).body['accessToken']);
}
const isLive = async () => (await attacked.verify(accessToken)).body;
const live = { isAuthTokenValid: true };

const refused: ReadonlyArray<readonly [string, (now: number) => string, string]> = [
  ['no token at all', () => 'x', 'malformed'],
  [
    'an ID token',
    (now) => signed({ events: undefined, nonce: 'n', exp: now + 300 }, { header: { typ: 'JWT' } }),
    'events',
  ],
  ['an access token', () => signed({}, { header: { typ: 'at+jwt' } }), 'typ'],
  [
    'unsigned',
    () =>
      `${signed().split('.').slice(0, 2).join('.')}.eA`.replace(
        /^[^.]+/,
        btoa('{"alg":"none"}').replaceAll('=', ''),
      ),
    'alg',
  ],
  [
    'HS256 with the public key',
    () =>
      forge(
        { alg: 'HS256', kid: rsa.kid },
        { iss: server.issuer('one'), aud: 'app' },
        { with: 'HS256', key: JSON.stringify(rsa.jwk) },
      ),
    'alg',
  ],
  [
    'an algorithm that the provider has and the settings have not',
    () => signed({}, { alg: 'ES256', pair: ec }),
    'alg',
  ],
  ['a key that the provider does not have', () => signed({}, { pair: rsaPair('rsa-1') }), 'signature'],
  ['a kid that it does not have', () => signed({}, { header: { kid: 'other' } }), 'kid'],
  ['critical extensions', () => signed({}, { header: { crit: ['exp'] } }), 'crit'],
  ['another issuer', () => signed({ iss: 'https://evil.example' }), 'iss'],
  ['no issuer', () => signed({ iss: undefined }), 'iss'],
  ['another audience', () => signed({ aud: 'other' }), 'aud'],
  ['no audience', () => signed({ aud: undefined }), 'aud'],
  ['an audience that is no text', () => signed({ aud: ['app', 1] }), 'aud'],
  ['no iat', () => signed({ iat: undefined }), 'iat'],
  ['an iat ahead', (now) => signed({ iat: now + 61 }), 'iat'],
  ['no exp', () => signed({ exp: undefined }), 'exp'],
  ['expired', (now) => signed({ exp: now - 60 }), 'exp'],
  ['valid for years', (now) => signed({ exp: now + 90_000 }), 'exp'],
  ['no jti', () => signed({ jti: undefined }), 'jti'],
  ['a jti that is no text', () => signed({ jti: 7 }), 'jti'],
  ['a long jti', () => signed({ jti: 'x'.repeat(256) }), 'jti'],
  ['no events', () => signed({ events: undefined }), 'events'],
  ['another event', () => signed({ events: { 'https://evil.example': {} } }), 'events'],
  ['an event that is no object', () => signed({ events: { [event]: true } }), 'events'],
  ['a list of events', () => signed({ events: [event] }), 'events'],
  ['a nonce', () => signed({ nonce: 'n' }), 'nonce'],
  ['a nonce that is null', () => signed({ nonce: null }), 'nonce'],
  ['nobody', () => signed({ sid: undefined }), 'sub'],
  ['a sub that is no text', () => signed({ sub: ['a'] }), 'sub'],
  ['a sid that is no text', () => signed({ sid: { a: 1 } }), 'sid'],
  ['an empty sid', () => signed({ sid: '' }), 'sid'],
];
test('nothing but a good logout token ends a session', async () => {
  await signIn();
  for (const [title, make, cause] of refused)
    expect([title, ...(await logout(make(attacked.seconds())))]).toEqual([
      title,
      400,
      'invalid_request',
      cause,
    ]);
  expect(await isLive()).toEqual(live);
  expect((await logout(undefined)).slice(0, 2)).toEqual([400, 'invalid_request']);
  const twice = new URLSearchParams([
    ['logout_token', signed()],
    ['logout_token', signed()],
  ]);
  expect((await logout('twice', twice)).slice(0, 2)).toEqual([400, 'invalid_request']);
  expect(await isLive()).toEqual(live);
});

const ends: ReadonlyArray<readonly [string, object, object, boolean]> = [
  ['its session', {}, { sid: 'session-there' }, true],
  ['another session', { sid: 'another' }, { sid: 'session-there' }, false],
  ['the person and the session', { sub: 'somebody-of-the-attack-suite' }, { sid: 'session-there' }, true],
  [
    'the person and another session',
    { sub: 'somebody-of-the-attack-suite', sid: 'another' },
    { sid: 'session-there' },
    false,
  ],
  ['the person and a session, where none is known', { sub: 'somebody-of-the-attack-suite' }, {}, true],
  ['the person', { sub: 'somebody-of-the-attack-suite', sid: undefined }, { sid: 'session-there' }, true],
  ['another person', { sub: 'another', sid: undefined }, { sid: 'session-there' }, false],
  ['a session, where none is known', {}, {}, false],
  ['for the other client', { aud: ['web'] }, { sid: 'session-there' }, true],
];
test.each(ends)('it ends %s', async (_title, change, signedIn, isOver) => {
  await signIn(signedIn);
  expect(await logout(signed(change))).toEqual([200, undefined, undefined]);
  expect(await isLive()).toEqual({ isAuthTokenValid: !isOver });
});

test('a provider ends nothing of another one, though both have the same keys and name the same session', async () => {
  await signIn({ sid: 'session-there' }, 'two');
  for (const change of [{}, { sub: 'somebody-of-the-attack-suite' }])
    expect((await logout(signed(change)))[0]).toBe(200);
  expect(await isLive()).toEqual(live);
  expect(decodeJwt(accessToken).sub).toBeString();
});

test('a token works once', async () => {
  const token = signed();
  expect((await logout(token))[0]).toBe(200);
  await signIn();
  expect(await logout(token)).toEqual([400, 'invalid_request', 'replayed']);
  const claims = { jti: 'j0-again' };
  expect((await logout(signed(claims)))[0]).toBe(200);
  await signIn();
  expect(await logout(signed(claims))).toEqual([400, 'invalid_request', 'replayed']);
  expect(await isLive()).toEqual(live);
});

test('many wrong ones from one address are stopped before their body is read', async () => {
  const limited = await startAttacked(
    { one: { issuer: server.issuer('one') } },
    { 'rate-failures': '3', 'rate-logout': '5' },
  );
  const send = async () =>
    (
      await limited.trivet.fetch('/oauth/backchannel-logout', {
        method: 'POST',
        body: new URLSearchParams({ logout_token: 'x' }),
      })
    ).status;
  const statuses = [await send(), await send(), await send(), await send()];
  expect(statuses).toEqual([400, 400, 400, 429]);
  limited.presented('nothing.of.this-test-is-a-secret');
  await limited.end();
});
