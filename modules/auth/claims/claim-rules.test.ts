import { describe, expect, test } from 'bun:test';
import type { Claims } from '../base/schema.ts';
import { copiedClaims, extraClaims, joinedClaims, isReservedClaim, mistakeInClaims } from './claim-rules.ts';

const reserved =
  'iss sub aud exp nbf iat jti sid amr acr azp scope client_id typ is_guest email email_verified name given_name ' +
  'family_name picture firstName lastName profilePicture idp auth_time nonce active token_type organizations';

test.each(reserved.split(' '))('%s is ours', (name) => {
  expect(isReservedClaim(name)).toBe(true);
  expect(mistakeInClaims({ plan: 'pro', [name]: 'x' })).toStartWith(`claims.${name} is reserved`);
});

describe('what an administrator may set', () => {
  const cases: ReadonlyArray<readonly [string, Record<string, unknown>, RegExp | null]> = [
    ['nothing', {}, null],
    [
      'a word, a number, a list, an object',
      { plan: 'pro', level: 3, tags: ['a'], limits: { seats: 5 } },
      null,
    ],
    ['a name with a namespace', { 'https://example.org/roles': ['editor'] }, null],
    ['false and zero', { beta: false, count: 0 }, null],
    ['exactly as much as fits', { a: 'x'.repeat(1_000 - '{"a":""}'.length) }, null],
    ['a character more', { a: 'x'.repeat(1_001 - '{"a":""}'.length) }, /^claims: 1001 characters/],
    ['null', { plan: null }, /^claims\.plan is null/],
    ['an empty name', { '': 1 }, /^claims\.: a name/],
    ['a name that is none', { 'a b': 1 }, /^claims\.a b: a name/],
    ['a name of objects', JSON.parse('{"__proto__": 1}') as Record<string, unknown>, /__proto__: a name/],
    ['a long name', { ['a'.repeat(129)]: 1 }, /a name is at most 128/],
  ];
  test.each(cases)('%s', (_, claims, mistake) => {
    const found = mistakeInClaims(claims);
    if (mistake === null) expect(found).toBeNull();
    else expect(found ?? '').toMatch(mistake);
  });
});

describe('what is copied from an ID token', () => {
  const cases: ReadonlyArray<readonly [string, object, readonly string[], object | null]> = [
    ['nothing is asked', { groups: ['a'] }, [], null],
    ['nothing is there', {}, ['groups'], null],
    ['what is asked and there', { groups: ['a'], x: 1 }, ['groups', 'org'], { groups: ['a'] }],
    ['null is nothing', { groups: null }, ['groups'], null],
    ['what is too long is left out', { long: 'x'.repeat(1_000), org: 'o' }, ['long', 'org'], { org: 'o' }],
    ['inherited is not there', {}, ['toString'], null],
  ];
  test.each(cases)('%s', (_, payload, names, claims) => {
    expect(copiedClaims(payload as Record<string, unknown>, names)).toEqual(claims as never);
  });
});

test.each<[string, Claims | null, Claims | null, Claims | null]>([
  ['neither has any', null, null, null],
  ['only the other has some', null, { plan: 'pro' }, { plan: 'pro' }],
  ['its own go before', { plan: 'free' }, { plan: 'pro', seats: 5 }, { plan: 'free', seats: 5 }],
  [
    'what no longer fits is left out',
    { a: 'x'.repeat(980) },
    { b: 'y'.repeat(20), c: 1 },
    { a: 'x'.repeat(980), c: 1 },
  ],
])('the claims of two accounts that become one: %s', (_, own, other, joined) =>
  expect(joinedClaims(own, other)).toEqual(joined),
);

test('what an administrator set goes before what a provider says', () => {
  expect(extraClaims({ plan: 'free', org: 'o' }, { plan: 'pro' })).toEqual({ plan: 'pro', org: 'o' });
  expect(extraClaims(null, null)).toEqual({});
});
