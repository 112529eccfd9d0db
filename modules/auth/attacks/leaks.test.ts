import { describe, expect, test } from 'bun:test';
import { encoded } from '../testing/forged-tokens.ts';
import { leaked, longestPiece, secretsIn } from '../testing/leaks.ts';

// The check at the end of every file here is only useful if it detects leaks, which this test shows.
const token = `${encoded({ alg: 'RS256', kid: 'a-key-of-somebody' })}.${encoded({
  iss: 'https://issuer.example',
  sub: 'somebody@example.org',
})}.${Buffer.from('a signature that is long enough').toString('base64url')}`;
const [header = '', payload = '', signature = ''] = token.split('.');

describe('a piece of a token in a text is found', () => {
  const texts: ReadonlyArray<readonly [string, string]> = [
    ['all of it', `{"event":"x","token":"${token}"}`],
    ['the header', header],
    ['the payload', `x${payload}x`],
    ['the signature', signature],
    ['13 characters of the header', `…${header.slice(3, 3 + longestPiece + 1)}…`],
    ['13 characters of the payload', payload.slice(-longestPiece - 1)],
    ['13 characters of the signature', signature.slice(5, 5 + longestPiece + 1)],
    ['the subject', '{"cause":"unknown somebody@example.org"}'],
    ['the kid', 'no key a-key-of-somebody'],
  ];
  test.each(texts)('%s', (_title, text) => {
    expect(leaked(secretsIn(token), ['nothing here', text])).not.toBeNull();
  });
});

describe('and nothing else is', () => {
  const texts: ReadonlyArray<readonly [string, string]> = [
    ['nothing', ''],
    ['12 characters', payload.slice(0, longestPiece)],
    ['12 and 12 others', `${payload.slice(0, longestPiece)}-${signature.slice(0, longestPiece)}`],
    ['the issuer, which is configured', 'https://issuer.example'],
    ['a line of the log', '{"event":"sign_in_failed","provider":"one","cause":"signature"}'],
  ];
  test.each(texts)('%s', (_title, text) => expect(leaked(secretsIn(token), [text])).toBeNull());
});

test('what is no token is taken as it is', () => {
  expect(leaked(secretsIn('trv_0123456789abcdef'), ['trv_0123456789'])).toBe('trv_012345678');
  expect(leaked(secretsIn('x'), ['x'])).toBeNull();
});
