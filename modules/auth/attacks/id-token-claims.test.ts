import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { startIdentityProvider, type TestIdentityProvider } from '../../../test/identity-provider.ts';
import { startAttacked, type Attacked } from '../testing/attacked-server.ts';
import { forge, rsaPair } from '../testing/forged-tokens.ts';
import { startKeyServer } from '../testing/key-server.ts';

// Starting real servers takes its time on a busy machine.
setDefaultTimeout(60_000);

const rsa = rsaPair('rsa-1');

const server = await startKeyServer();
for (const name of ['one', 'two']) server.publish(name, [rsa.jwk]);
const attacked = await startAttacked({
  one: { issuer: server.issuer('one'), audiences: ['app', 'web'] },
  two: { issuer: server.issuer('two') },
});
afterAll(() => Promise.all([attacked.end(), server.stop()]));

/** A token of provider `one` with a valid signature and any claims. */
const signed = (change: object, issuer = 'one') =>
  forge({ alg: 'RS256', kid: rsa.kid }, attacked.claims(server.issuer(issuer), change), {
    with: 'RS256',
    key: rsa.privateKey,
  });

/** The same with one claim as JSON text that no object of ours would make. */
const signedText = (claim: string, text: string) => {
  const claims = JSON.stringify(attacked.claims(server.issuer('one'), { [claim]: 'REPLACED' }));
  return forge({ alg: 'RS256', kid: rsa.kid }, claims.replace('"REPLACED"', text), {
    with: 'RS256',
    key: rsa.privateKey,
  });
};

type Row = readonly [string, (now: number) => object, string | null];

const refusedOrNot = async (claims: object, cause: string | null) => {
  if (cause === null) await attacked.acceptsIdToken('one', signed(claims));
  else await attacked.refusesIdToken('one', signed(claims), cause);
};

describe('times, at the tolerance of 60 s and a second either side', () => {
  const cases: readonly Row[] = [
    ['exp 61 s ago', (now) => ({ exp: now - 61 }), 'exp'],
    ['exp 60 s ago', (now) => ({ exp: now - 60 }), 'exp'],
    ['exp 59 s ago', (now) => ({ exp: now - 59 }), null],
    ['exp 59.5 s ago', (now) => ({ exp: now - 59.5 }), null],
    ['exp now', (now) => ({ exp: now }), null],
    ['exp in a minute', (now) => ({ exp: now + 60 }), null],
    ['exp as milliseconds', (now) => ({ exp: now * 1000 }), null],
    ['nbf in 59 s', (now) => ({ nbf: now + 59 }), null],
    ['nbf in 60 s', (now) => ({ nbf: now + 60 }), null],
    ['nbf in 60.5 s', (now) => ({ nbf: now + 60.5 }), 'nbf'],
    ['nbf in 61 s', (now) => ({ nbf: now + 61 }), 'nbf'],
    ['nbf long ago', () => ({ nbf: 0 }), null],
    ['nbf as milliseconds', (now) => ({ nbf: now * 1000 }), 'nbf'],
    ['iat in 59 s', (now) => ({ iat: now + 59 }), null],
    ['iat in 60 s', (now) => ({ iat: now + 60 }), null],
    ['iat in 61 s', (now) => ({ iat: now + 61 }), 'iat'],
    ['iat 61 s ago', (now) => ({ iat: now - 61 }), null],
    ['iat as milliseconds', (now) => ({ iat: now * 1000 }), 'iat'],
  ];
  test.each(cases)('%s', async (_title, make, cause) => refusedOrNot(make(attacked.seconds()), cause));
});

describe('times that are no times', () => {
  const values: ReadonlyArray<readonly [string, (now: number) => unknown]> = [
    ['a text', (now) => String(now + 30)],
    ['a text with an exponent', () => '1e308'],
    ['NaN as text', () => 'NaN'],
    ['Infinity as text', () => 'Infinity'],
    ['a date', (now) => new Date(now * 1000).toISOString()],
    ['negative', () => -1],
    ['the smallest number', () => -Number.MAX_VALUE],
    ['1e308', () => 1e308],
    ['2^53', () => 2 ** 53],
    ['null', () => null],
    ['true', () => true],
    ['a list', (now) => [now + 30]],
    ['an empty list', () => []],
    ['an object', (now) => ({ valueOf: now + 30 })],
  ];
  test.each(values)('%s', async (_title, make) => {
    for (const claim of ['exp', 'nbf', 'iat'])
      await attacked.refusesIdToken('one', signed({ [claim]: make(attacked.seconds()) }), claim);
  });
  test.each(['1e999', '-1e999'])('%s, which JSON reads as infinite', async (text) => {
    for (const claim of ['exp', 'nbf', 'iat'])
      await attacked.refusesIdToken('one', signedText(claim, text), claim);
  });
  test.each(['NaN', 'Infinity', '0x7fffffff', '01', '1_000', '.5', '5.', '+1'])(
    '%s, which is no JSON',
    async (text) => {
      for (const claim of ['exp', 'nbf', 'iat'])
        await attacked.refusesIdToken('one', signedText(claim, text), 'malformed');
    },
  );
  test('missing', async () => {
    await attacked.refusesIdToken('one', signed({ exp: undefined }), 'exp');
    await attacked.refusesIdToken('one', signed({ iat: undefined }), 'iat');
    await attacked.acceptsIdToken('one', signed({ nbf: undefined }));
  });
});

describe('for whom it was made', () => {
  const cases: readonly Row[] = [
    ['ours', () => ({ aud: 'app' }), null],
    ['ours in a list', () => ({ aud: ['web'] }), null],
    ['another client', () => ({ aud: 'other' }), 'aud'],
    ['another client in a list', () => ({ aud: ['other'] }), 'aud'],
    ['missing', () => ({ aud: undefined }), 'aud'],
    ['null', () => ({ aud: null }), 'aud'],
    ['an empty text', () => ({ aud: '' }), 'aud'],
    ['an empty list', () => ({ aud: [] }), 'aud'],
    ['a number', () => ({ aud: 1 }), 'aud'],
    ['an object', () => ({ aud: { 0: 'app', length: 1 } }), 'aud'],
    ['a list in a list', () => ({ aud: [['app']] }), 'aud'],
    ['ours and a number', () => ({ aud: ['app', 1], azp: 'app' }), 'aud'],
    ['ours with a space', () => ({ aud: 'app ' }), 'aud'],
    ['ours in capitals', () => ({ aud: 'APP' }), 'aud'],
    ['two in one text', () => ({ aud: 'app web' }), 'aud'],
    ['all', () => ({ aud: '*' }), 'aud'],
    ['__proto__', () => ({ aud: '__proto__' }), 'aud'],
    ['ours among others, azp ours', () => ({ aud: ['other', 'app'], azp: 'app' }), null],
    ['ours among others, azp another of ours', () => ({ aud: ['other', 'app'], azp: 'web' }), null],
    ['ours among others, no azp', () => ({ aud: ['other', 'app'] }), 'azp'],
    ['ours among others, azp the other', () => ({ aud: ['other', 'app'], azp: 'other' }), 'azp'],
    ['ours, azp another', () => ({ azp: 'other' }), 'azp'],
    ['azp empty', () => ({ azp: '' }), 'azp'],
    ['azp a number', () => ({ azp: 1 }), 'azp'],
    ['azp null', () => ({ azp: null }), 'azp'],
    ['azp a list', () => ({ azp: ['app'] }), 'azp'],
    ['azp an object', () => ({ azp: { toString: 'app' } }), 'azp'],
  ];
  test.each(cases)('%s', async (_title, make, cause) => refusedOrNot(make(0), cause));
});

describe('who made it', () => {
  const cases: ReadonlyArray<readonly [string, (issuer: string) => unknown]> = [
    ['somebody else', () => 'https://evil.example'],
    ['another provider of ours', () => server.issuer('two')],
    ['a trailing slash', (issuer) => `${issuer}/`],
    ['a query', (issuer) => `${issuer}?`],
    ['a fragment', (issuer) => `${issuer}#`],
    ['in capitals', (issuer) => issuer.toUpperCase()],
    ['another name of the same host', (issuer) => issuer.replace('127.0.0.1', 'localhost')],
    ['the scheme left out', (issuer) => issuer.replace('http://', '')],
    ['a longer path', (issuer) => `${issuer}x`],
    ['with a space', (issuer) => ` ${issuer}`],
    ['with U+0000', (issuer) => `${issuer}\u0000`],
    ['a list', (issuer) => [issuer]],
    ['an object', (issuer) => ({ toString: issuer })],
    ['a number', () => 1],
    ['empty', () => ''],
    ['null', () => null],
    ['missing', () => undefined],
  ];
  test.each(cases)('%s', async (_title, make) =>
    attacked.refusesIdToken('one', signed({ iss: make(server.issuer('one')) }), 'iss'),
  );
});

describe('whom it is about', () => {
  const cases: readonly Row[] = [
    ['missing', () => ({ sub: undefined }), 'sub'],
    ['null', () => ({ sub: null }), 'sub'],
    ['empty', () => ({ sub: '' }), 'sub'],
    ['a number', () => ({ sub: 1 }), 'sub'],
    ['true', () => ({ sub: true }), 'sub'],
    ['a list', () => ({ sub: ['somebody'] }), 'sub'],
    ['an object', () => ({ sub: { toString: 'somebody' } }), 'sub'],
    ['256 characters', () => ({ sub: 's'.repeat(256) }), 'sub'],
    ['300 characters', () => ({ sub: 's'.repeat(300) }), 'sub'],
    ['U+0000', () => ({ sub: 'somebody\u0000else' }), 'sub'],
    ['U+0000 alone', () => ({ sub: '\u0000' }), 'sub'],
    ['half a surrogate pair', () => ({ sub: 'a\ud800b' }), 'sub'],
    ['255 characters', () => ({ sub: 's'.repeat(255) }), null],
    ['__proto__', () => ({ sub: '__proto__' }), null],
    ['SQL', () => ({ sub: "x'); DROP TABLE auth_users; --" }), null],
    ['a nonce that is no text', () => ({ nonce: { a: 1 } }), 'nonce'],
    ['a nonce of 513 characters', () => ({ nonce: 'n'.repeat(513) }), 'nonce'],
  ];
  test.each(cases)('%s', async (_title, make, cause) => refusedOrNot(make(0), cause));

  test('a profile that cannot be stored is left out, and signs nobody else in', async () => {
    const profile = { sub: 'odd-profile', email: 'a\u0000@b.co', name: '\ud800', picture: 'p'.repeat(3000) };
    const { body } = await attacked.acceptsIdToken('one', signed(profile));
    const { email, name, picture } = decodeJwt(String(body['idToken']));
    expect({ email, name, picture }).toEqual({ email: undefined, name: undefined, picture: undefined });
  });
});

describe('two people stay two', () => {
  const user = async (provider: string, claims: object) => {
    const { body } = await attacked.acceptsIdToken(provider, signed(claims, provider));
    return decodeJwt(String(body['accessToken'])).sub ?? '';
  };
  const cases: ReadonlyArray<readonly [string, object, object]> = [
    ['the same sub', { sub: 'shared-subject' }, { sub: 'shared-subject' }],
    [
      'the same e-mail address, both verified',
      { sub: 'one', email: 'ceo@victim.example', email_verified: true },
      { sub: 'two', email: 'ceo@victim.example', email_verified: true },
    ],
    [
      'all the same',
      { sub: 'same', email: 'ceo@victim.example', email_verified: true, name: 'Boss' },
      { sub: 'same', email: 'ceo@victim.example', email_verified: true, name: 'Boss' },
    ],
  ];
  test.each(cases)('%s from two providers', async (_title, one, two) => {
    const first = await user('one', one);
    expect(await user('two', two)).not.toBe(first);
    expect(await user('one', one)).toBe(first);
  });
  const spellings = [
    'Somebody',
    'somebody',
    'somebody ',
    'ſomebody',
    'so\u0301mebody',
    'sómebody',
    '1',
    '01',
  ];
  test('subjects that only look alike', async () => {
    const all = [];
    for (const sub of spellings) all.push(await user('one', { sub }));
    expect(new Set(all).size).toBe(spellings.length);
  });
  test('the address of the owner, or of a local user, gives nothing of theirs', async () => {
    const { body } = await attacked.acceptsIdToken(
      'one',
      signed({ sub: 'owner', email: 'owner', email_verified: true, roles: ['admin'], role: 'admin' }),
    );
    const listed = await attacked.trivet.post('/api/tools/get-orgs-list', {}, String(body['accessToken']));
    expect(listed.body).toMatchObject({ total: 0 });
  });
});

describe('a token of one real provider is none of another', () => {
  let a: TestIdentityProvider;
  let b: TestIdentityProvider;
  let both: Attacked;
  beforeAll(async () => {
    [a, b] = await Promise.all([startIdentityProvider(), startIdentityProvider()]);
    both = await startAttacked({
      a: { issuer: a.issuer, audiences: [a.clientId] },
      b: { issuer: b.issuer, audiences: [b.clientId] },
    });
    // Real providers know no other time than the present.
    both.clock.set(Date.now());
  });
  afterAll(() => Promise.all([both.end(), a.stop(), b.stop()]));
  test('posted as the other one’s', async () => {
    const { idToken } = await a.signIn('ann@example.org');
    await both.acceptsIdToken('a', idToken);
    await both.refusesIdToken('b', idToken, 'iss');
    await both.refusesIdToken('dev', idToken, 'alg');
    const asked = b.requests.length;
    await both.refusesIdToken('b', idToken, 'iss');
    // A token that is not for this server costs the provider no request.
    expect(b.requests.length).toBe(asked);
  });
});
