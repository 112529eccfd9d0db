import { describe, expect, test } from 'bun:test';
import { foreignTokenParts, tokenParts } from './compact-jws.ts';

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

describe('two members of one name: which of them counts is anyone’s guess, so neither does', () => {
  const text = (json: string) => Buffer.from(json).toString('base64url');
  const repeated: ReadonlyArray<readonly [string, string]> = [
    ['at the top', '{"sub":"1","sub":"2"}'],
    ['the same value twice', '{"sub":"1","sub":"1"}'],
    ['apart', '{"sub":"1","iss":"x","aud":["a"],"sub":"2"}'],
    ['spelled with an escape', '{"sub":"1","\\u0073ub":"2"}'],
    ['with space around', '{ "sub" : "1" ,\n "sub" : "2" }'],
    ['inside an object', '{"sub":"1","address":{"a":1,"a":2}}'],
    ['inside an object in a list', '{"sub":"1","list":[1,{"a":[],"a":{}}]}'],
    ['after an object that has ended', '{"sub":"1","address":{"x":1},"sub":"2"}'],
    ['__proto__', '{"sub":"1","__proto__":{},"__proto__":{}}'],
    ['the empty name', '{"":"1","":"2"}'],
    ['after a text that ends in a backslash', '{"sub":"\\\\","sub":"2"}'],
  ];
  test.each(repeated)('%s, in the payload and in the header', (_title, json) => {
    expect(foreignTokenParts(`${header}.${text(json)}.${signature}`)).toBeNull();
    expect(foreignTokenParts(`${text(json)}.${payload}.${signature}`)).toBeNull();
    // The fixture is a token otherwise.
    expect(tokenParts(`${header}.${text(json)}.${signature}`)).not.toBeNull();
  });

  const single: ReadonlyArray<readonly [string, string]> = [
    ['one name in several objects', '{"a":{"x":1},"b":{"x":1},"x":{"a":{}}}'],
    ['a name as a value', '{"sub":"sub","iss":"sub"}'],
    ['text that looks like a member', '{"a":"\\"a\\":1","b":"{\\"a\\":1,"}'],
    ['names that differ in case', '{"sub":"1","Sub":"2"}'],
    ['objects in a list', '{"list":[{"x":1},{"x":1},["x","x"]]}'],
  ];
  test.each(single)('%s is none', (_title, json) => {
    expect(foreignTokenParts(`${header}.${text(json)}.${signature}`)).toEqual({
      header: { alg: 'ES256' },
      payload: JSON.parse(json) as never,
    });
  });
});
