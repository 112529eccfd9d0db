import { describe, expect, test } from 'bun:test';
import { tokenParts } from './token-form.ts';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = part({ alg: 'ES256' });
const payload = part({ sub: '1' });
// 64 bytes of signature end in a character of which only the upper 4 bits count.
const signature = Buffer.alloc(64, 0xff).toString('base64url');
const other = `${signature.slice(0, -1)}x`;

describe('only one spelling of a token is one', () => {
  test('the fixture: both spellings decode to the same bytes', () => {
    expect(Buffer.from(other, 'base64url').equals(Buffer.from(signature, 'base64url'))).toBe(true);
    expect(other).not.toBe(signature);
  });
  const refused: ReadonlyArray<readonly [string, string]> = [
    ['another spelling of the signature', `${header}.${payload}.${other}`],
    ['padding', `${header}.${payload}.${signature}==`],
    ['plain base64', `${header}.${payload}.${signature.replace(/_/g, '/')}`],
    ['two parts', `${header}.${payload}`],
    ['four parts', `${header}.${payload}.${signature}.${signature}`],
    ['an empty signature', `${header}.${payload}.`],
    ['an empty header', `.${payload}.${signature}`],
    ['a header that is no object', `${part([])}.${payload}.${signature}`],
    ['a payload that is null', `${header}.${part(null)}.${signature}`],
    ['a payload that is no JSON', `${header}.${Buffer.from('{').toString('base64url')}.${signature}`],
    [
      'a payload that is no UTF-8',
      `${header}.${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}.${signature}`,
    ],
    ['a line break', `${header}.${payload}.${signature}\n`],
    ['more than 16 KiB', `${header}.${part({ sub: 'x'.repeat(17_000) })}.${signature}`],
    ['nothing', ''],
  ];
  test.each(refused)('refuses %s', (_title, token) => expect(tokenParts(token)).toBeNull());
  test('reads the canonical one', () => {
    expect(tokenParts(`${header}.${payload}.${signature}`)).toEqual({
      header: { alg: 'ES256' },
      payload: { sub: '1' },
    });
  });
});
