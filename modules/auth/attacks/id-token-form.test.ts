import { afterAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { startAttacked } from '../testing/attacked-server.ts';
import { encoded, forge, respelled, rsaPair, type Part } from '../testing/forged-tokens.ts';
import { startKeyServer } from '../testing/key-server.ts';

const rsa = rsaPair('rsa-1');

const server = await startKeyServer();
server.publish('one', [rsa.jwk]);
const attacked = await startAttacked({ one: { issuer: server.issuer('one') } });
afterAll(() => Promise.all([attacked.end(), server.stop()]));

const key = { with: 'RS256', key: rsa.privateKey };
const header = { alg: 'RS256', kid: rsa.kid };
const claims = (change: object = {}) => attacked.claims(server.issuer('one'), change);
const signed = (head: Part, payload: Part) => forge(head, payload, key);
const refuses = (token: string, cause = 'malformed') => attacked.refusesIdToken('one', token, cause);

/** The text of the claims with more members put in front or behind. */
const text = (value: unknown) => JSON.stringify(value);
const behind = (object: object, members: string) => `${text(object).slice(0, -1)},${members}}`;
const before = (object: object, members: string) => `{${members},${text(object).slice(1)}`;

/** A signed token of which each part has bits to spare in its last character. */
function withSpareBits(): [string, string, string] {
  for (let pad = ''; ; pad += 'x') {
    const parts = signed({ ...header, pad }, claims({ pad })).split('.');
    const [head = '', payload = '', signature = ''] = parts;
    if (parts.every((part) => part.length % 4 !== 0)) return [head, payload, signature];
  }
}

test('the control: the token that all of these are made from signs in', async () => {
  await attacked.acceptsIdToken('one', signed(header, claims()));
  await attacked.acceptsIdToken('one', withSpareBits().join('.'));
});

describe('one token has one spelling', () => {
  const spellings: ReadonlyArray<readonly [string, (part: string) => string]> = [
    ['padding', (part) => part.padEnd(part.length + 4 - (part.length % 4), '=')],
    ['too much padding', (part) => `${part}====`],
    ['spare bits that are not zero', respelled],
    ['a space behind', (part) => `${part} `],
    ['a space in front', (part) => ` ${part}`],
    ['a space inside', (part) => `${part.slice(0, 4)} ${part.slice(4)}`],
    ['a line break behind', (part) => `${part}\n`],
    ['a line break inside', (part) => `${part.slice(0, 4)}\r\n${part.slice(4)}`],
    ['a tab', (part) => `${part}\t`],
    ['U+0000', (part) => `${part}\u0000`],
    ['a no-break space', (part) => `${part}\u00a0`],
    ['a zero-width space', (part) => `\u200b${part}`],
    ['a wide letter', (part) => `${part.slice(0, -1)}Ａ`],
    ['percent encoding', (part) => `${part.slice(0, -1)}%41`],
    [
      'a fourth character too many',
      (part) => `${part}A`.padEnd(part.length + 1 + ((5 - ((part.length + 1) % 4)) % 4), 'A'),
    ],
    ['plain base64', (part) => `+/${part.slice(2)}`],
    ['a character of neither alphabet', (part) => `${part.slice(0, -1)}*`],
    ['nothing', () => ''],
  ];
  test.each(spellings)('%s, in each of the three parts', async (_title, change) => {
    const parts = withSpareBits();
    for (const at of [0, 1, 2])
      await refuses(parts.map((part, i) => (i === at ? change(part) : part)).join('.'));
  });
});

describe('three parts, not more and not fewer', () => {
  const cases: ReadonlyArray<readonly [string, (parts: readonly string[]) => string]> = [
    ['one', ([head]) => String(head)],
    ['two', ([head, payload]) => `${head}.${payload}`],
    ['two and a dot in front', ([head, payload]) => `.${head}.${payload}`],
    ['four', (parts) => `${parts.join('.')}.AAAA`],
    ['a dot behind', (parts) => `${parts.join('.')}.`],
    ['a dot in front', (parts) => `.${parts.join('.')}`],
    ['two dots', (parts) => parts.join('..')],
    ['two tokens', (parts) => `${parts.join('.')}.${parts.join('.')}`],
    ['five, like a JWE', ([head, payload, signature]) => `${head}.${payload}.${signature}.AAAA.AAAA`],
    [
      'a JWE',
      () =>
        [encoded({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: rsa.kid }), 'AAAA', 'AAAA', 'AAAA', 'AAAA'].join(
          '.',
        ),
    ],
    ['a JWE with the key given', () => `${encoded({ alg: 'dir', enc: 'A256GCM' })}..AAAA.AAAA.AAAA`],
    ['a thousand dots', () => '.'.repeat(1000)],
    ['a JWS as JSON', ([head, payload, signature]) => text({ protected: head, payload, signature })],
    ['a bearer header', (parts) => `Bearer ${parts.join('.')}`],
    ['in quotes', (parts) => `"${parts.join('.')}"`],
    ['a word', () => 'undefined'],
  ];
  test.each(cases)('%s', async (_title, make) => refuses(make(signed(header, claims()).split('.'))));
});

describe('two members of one name', () => {
  const cases: ReadonlyArray<readonly [string, () => string]> = [
    ['alg, the last one right', () => signed(before(header, '"alg":"none"'), claims())],
    ['alg, the first one right', () => signed(behind(header, '"alg":"none"'), claims())],
    ['alg twice the same', () => signed(behind(header, '"alg":"RS256"'), claims())],
    ['alg spelled with an escape', () => signed(before(header, '"\\u0061lg":"none"'), claims())],
    ['kid', () => signed(before(header, '"kid":"other"'), claims())],
    ['crit, the last one null', () => signed(behind(header, '"x":1,"x":2'), claims())],
    [
      'inside a member of the header',
      () => signed(behind(header, '"jwk":{"kty":"oct","kty":"RSA"}'), claims()),
    ],
    ['sub, the last one the victim', () => signed(header, behind(claims(), '"sub":"victim-of-the-attack"'))],
    ['sub, the first one the victim', () => signed(header, before(claims(), '"sub":"victim-of-the-attack"'))],
    ['sub twice the same', () => signed(header, behind(claims(), `"sub":${text(claims()['sub'])}`))],
    ['sub spelled with an escape', () => signed(header, behind(claims(), '"s\\u0075b":"victim"'))],
    ['iss', () => signed(header, before(claims(), '"iss":"https://evil.example"'))],
    ['aud', () => signed(header, before(claims(), '"aud":"other"'))],
    ['exp', () => signed(header, before(claims(), '"exp":1'))],
    [
      'email_verified',
      () => signed(header, behind(claims(), '"email_verified":false,"email_verified":true')),
    ],
    ['inside a claim', () => signed(header, behind(claims(), '"address":{"country":"a","country":"b"}'))],
    [
      'inside a list of a claim',
      () => signed(header, behind(claims(), '"groups":[{"id":1},{"id":2,"id":3}]')),
    ],
    ['__proto__', () => signed(header, behind(claims(), '"__proto__":{},"__proto__":{}'))],
  ];
  test.each(cases)('%s', async (_title, make) => refuses(make()));
  test('the same names in several objects are no such thing', async () => {
    const payload = behind(claims(), '"a":{"sub":"x"},"b":{"sub":"y"},"c":[{"sub":1},{"sub":1}]');
    await attacked.acceptsIdToken('one', signed(header, payload));
  });
});

describe('names that objects have from birth are members like any other', () => {
  const inherited =
    '"__proto__":{"alg":"RS256","sub":"victim","iss":"x"},"constructor":{"prototype":{"sub":"victim"}}';
  test('they are not read, and nothing is changed by them', async () => {
    const token = signed(behind(header, inherited), behind(claims({ sub: 'plain' }), inherited));
    const { body } = await attacked.acceptsIdToken('one', token);
    const again = await attacked.acceptsIdToken('one', signed(header, claims({ sub: 'plain' })));
    expect(decodeJwt(String(again.body['accessToken'])).sub).toBe(
      decodeJwt(String(body['accessToken'])).sub ?? 'another user',
    );
    expect(({} as Record<string, unknown>)['sub']).toBeUndefined();
    expect(({} as Record<string, unknown>)['alg']).toBeUndefined();
  });
  const cases: ReadonlyArray<readonly [string, () => string, string]> = [
    ['alg from __proto__', () => signed(`{"kid":"${rsa.kid}","__proto__":{"alg":"RS256"}}`, claims()), 'alg'],
    [
      'kid from __proto__ of another',
      () => signed('{"alg":"RS256","kid":"x","__proto__":{"kid":"rsa-1"}}', claims()),
      'kid',
    ],
    [
      'crit as __proto__',
      () => signed(behind(header, '"__proto__":{},"crit":["__proto__"]'), claims()),
      'crit',
    ],
    [
      'sub from __proto__',
      () => signed(header, behind(claims({ sub: undefined }), '"__proto__":{"sub":"victim"}')),
      'sub',
    ],
    [
      'iss from constructor',
      () =>
        signed(header, behind(claims({ iss: undefined }), `"constructor":{"iss":"${server.issuer('one')}"}`)),
      'iss',
    ],
    [
      'exp from __proto__',
      () => signed(header, behind(claims({ exp: undefined }), '"__proto__":{"exp":4102444800}')),
      'exp',
    ],
  ];
  test.each(cases)('%s', async (_title, make, cause) => refuses(make(), cause));
});

describe('a header or a payload that is not one JSON object in UTF-8', () => {
  const bytes = (...parts: Array<string | number[]>) =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));
  const spoil: ReadonlyArray<readonly [string, (json: string) => Part]> = [
    ['a byte order mark', (json) => bytes([0xef, 0xbb, 0xbf], json)],
    ['UTF-16', (json) => Buffer.from(`\ufeff${json}`, 'utf16le')],
    ['bytes that are no UTF-8', (json) => bytes(json.slice(0, -1), ',"x":"', [0xff], '"}')],
    ['an overlong quote', (json) => bytes(json.slice(0, -1), ',"x":"', [0xc0, 0xa2], '"}')],
    [
      'half a surrogate pair in UTF-8',
      (json) => bytes(json.slice(0, -1), ',"x":"', [0xed, 0xa0, 0x80], '"}'),
    ],
    ['a cut character', (json) => bytes(json.slice(0, -1), ',"x":"', [0xe2, 0x82], '"}')],
    ['a list', (json) => `[${json}]`],
    ['a text', (json) => text(json)],
    ['a number', () => '1'],
    ['null', () => 'null'],
    ['true', () => 'true'],
    ['more behind it', (json) => `${json}{}`],
    ['a comma too many', (json) => `${json.slice(0, -1)},}`],
    ['a comment', (json) => `${json.slice(0, -1)}/* */}`],
    ['single quotes', (json) => json.replaceAll('"', "'")],
    ['a raw line break in a text', (json) => `${json.slice(0, -1)},"x":"\n"}`],
    ['a text that never ends', (json) => `${json.slice(0, -1)},"${'\\"'.repeat(3000)}`],
    ['six thousand brackets', () => `{"x":${'['.repeat(6000)}`],
    ['cut off', (json) => json.slice(0, -1)],
    ['U+0000 behind it', (json) => `${json}\u0000`],
  ];
  test.each(spoil)('%s', async (_title, make) => {
    await refuses(signed(header, make(text(claims()))));
    await refuses(signed(make(text(header)), claims()));
  });
  test('deep nesting that is closed again is only data', async () => {
    const deep = `"x":${'['.repeat(2000)}${']'.repeat(2000)}`;
    await attacked.acceptsIdToken('one', signed(header, behind(claims(), deep)));
  });
});

describe('16 KiB', () => {
  /** A signed token of exactly this length. */
  const ofLength = (length: number): string => {
    for (const pad of ['', 'x', 'xx', 'xxx']) {
      const empty = signed({ ...header, pad }, claims({ pad: '' })).length;
      for (let size = Math.floor(((length - empty) * 3) / 4) - 4; size < length; size++) {
        const token = signed({ ...header, pad }, claims({ pad: 'x'.repeat(size) }));
        if (token.length === length) return token;
        if (token.length > length) break;
      }
    }
    throw new Error(`no token is ${length} characters long`);
  };
  test('is the longest token', async () => {
    await attacked.acceptsIdToken('one', ofLength(16 * 1024));
  });
  test('one character more is too large', async () => refuses(ofLength(16 * 1024 + 1), 'too large'));
});
