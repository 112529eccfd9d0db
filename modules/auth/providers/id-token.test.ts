import { describe, expect, test } from 'bun:test';
import { invalidClaim, partsOfName, type IdTokenCause } from './id-token.ts';

const provider = { issuer: 'https://issuer.example', audiences: ['app', 'web'], requireNonce: false };
const now = 1_700_000_000;
const tolerance = 60;
const good = { iss: provider.issuer, aud: 'app', sub: 'person', iat: now - 10, exp: now + 300 };

describe('the first claim of an ID token that is wrong', () => {
  const cases: ReadonlyArray<readonly [string, object, IdTokenCause | null]> = [
    ['nothing', {}, null],
    ['iss of somebody else', { iss: 'https://evil.example' }, 'iss'],
    ['iss with a trailing slash', { iss: `${provider.issuer}/` }, 'iss'],
    ['iss missing', { iss: undefined }, 'iss'],
    ['aud of another client', { aud: 'other' }, 'aud'],
    ['aud missing', { aud: undefined }, 'aud'],
    ['aud empty', { aud: [] }, 'aud'],
    ['aud a number', { aud: 1 }, 'aud'],
    ['aud with an object', { aud: ['app', {}], azp: 'app' }, 'aud'],
    ['aud a list of one', { aud: ['web'] }, null],
    ['several aud without azp', { aud: ['app', 'other'] }, 'azp'],
    ['several aud with our azp', { aud: ['app', 'other'], azp: 'app' }, null],
    ['azp of another client', { azp: 'other' }, 'azp'],
    ['azp an object', { azp: {} }, 'azp'],
    ['sub missing', { sub: undefined }, 'sub'],
    ['sub a number', { sub: 7 }, 'sub'],
    ['sub an object', { sub: {} }, 'sub'],
    ['sub empty', { sub: '' }, 'sub'],
    ['sub of 255 characters', { sub: 'x'.repeat(255) }, null],
    ['sub of 300 characters', { sub: 'x'.repeat(300) }, 'sub'],
    ['sub with U+0000', { sub: 'a\u0000b' }, 'sub'],
    ['exp at the tolerance', { exp: now - tolerance + 1 }, null],
    ['exp one second beyond', { exp: now - tolerance }, 'exp'],
    ['exp missing', { exp: undefined }, 'exp'],
    ['exp a text', { exp: String(now + 300) }, 'exp'],
    ['exp 1e308', { exp: 1e308 }, 'exp'],
    ['exp a float in the future', { exp: now + 0.5 }, null],
    ['nbf at the tolerance', { nbf: now + tolerance }, null],
    ['nbf one second beyond', { nbf: now + tolerance + 1 }, 'nbf'],
    ['nbf a text', { nbf: '0' }, 'nbf'],
    ['iat at the tolerance', { iat: now + tolerance }, null],
    ['iat from the future', { iat: now + tolerance + 1 }, 'iat'],
    ['iat missing', { iat: undefined }, 'iat'],
    ['iat negative', { iat: -1 }, 'iat'],
    ['nonce an object', { nonce: {} }, 'nonce'],
  ];
  test.each(cases)('%s', (_title, change, expected) => {
    expect(invalidClaim({ ...good, ...change }, provider, now, tolerance)).toBe(expected);
  });
  test('a nonce that is required', () => {
    const strict = { ...provider, requireNonce: true };
    expect(invalidClaim(good, strict, now, tolerance)).toBe('nonce');
    expect(invalidClaim({ ...good, nonce: 'n' }, strict, now, tolerance)).toBeNull();
  });
});

describe('a name that the provider does not divide', () => {
  const cases: ReadonlyArray<readonly [string | null, string | null, string | null]> = [
    ['Ada Lovelace', 'Ada', 'Lovelace'],
    ['Ada', 'Ada', null],
    ['Ana María de la Cruz', 'Ana María de la', 'Cruz'],
    ['  Ada   Lovelace ', 'Ada', 'Lovelace'],
    ['王小明', '王小明', null],
    ['Ada\u00a0Lovelace', 'Ada', 'Lovelace'],
    ['   ', null, null],
    ['', null, null],
    [null, null, null],
  ];
  test.each(cases)('%p', (name, given, family) => expect(partsOfName(name)).toEqual([given, family]));
});
