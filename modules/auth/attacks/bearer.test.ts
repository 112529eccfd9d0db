import { afterAll, describe, expect, test } from 'bun:test';
import { since, startAttacked, stored } from '../testing/attacked-server.ts';
import { rawGet } from '../testing/raw-http.ts';

const attacked = await startAttacked({});
const token = (await attacked.trivet.signIn('bearer@example.org')).accessToken;
attacked.presented(token);
afterAll(() => attacked.end());

const verifyPath = '/v1/auth/token/verify';
const ask = (path: string, lines: readonly string[]) => rawGet(attacked.trivet.origin, path, lines);

describe('a header that is exactly one bearer token', () => {
  const accepted: ReadonlyArray<readonly [string, (live: string) => readonly string[]]> = [
    ['the usual one', (live) => [`Authorization: Bearer ${live}`]],
    ['the scheme in lower case (RFC 9110 §11.1)', (live) => [`Authorization: bearer ${live}`]],
    ['the scheme in capitals', (live) => [`Authorization: BEARER ${live}`]],
    ['the name of the header in capitals', (live) => [`AUTHORIZATION: Bearer ${live}`]],
    [
      'white space around the value, which is not part of it',
      (live) => [`Authorization: \t Bearer ${live} \t`],
    ],
  ];
  test.each(accepted)('%s', async (_title, lines) => {
    expect(await ask(verifyPath, lines(token))).toMatchObject({
      status: 200,
      body: '{"isAuthTokenValid":true}',
    });
    expect((await ask('/api/tools', lines(token))).status).toBe(200);
  });
});

describe('any other header', () => {
  const refused: ReadonlyArray<readonly [string, (live: string) => readonly string[]]> = [
    ['none', () => []],
    ['empty', () => ['Authorization:']],
    ['only space', () => ['Authorization:    ']],
    ['the scheme alone', () => ['Authorization: Bearer']],
    ['the scheme and a space', () => ['Authorization: Bearer ']],
    ['two spaces', (live) => [`Authorization: Bearer  ${live}`]],
    ['a tab', (live) => [`Authorization: Bearer\t${live}`]],
    ['no space', (live) => [`Authorization: Bearer${live}`]],
    ['a colon', (live) => [`Authorization: Bearer: ${live}`]],
    ['a comma', (live) => [`Authorization: Bearer,${live}`]],
    ['no scheme', (live) => [`Authorization: ${live}`]],
    ['another scheme', (live) => [`Authorization: Basic ${live}`]],
    ['the scheme DPoP', (live) => [`Authorization: DPoP ${live}`]],
    ['the scheme twice', (live) => [`Authorization: Bearer Bearer ${live}`]],
    ['in quotes', (live) => [`Authorization: Bearer "${live}"`]],
    ['a parameter', (live) => [`Authorization: Bearer token=${live}`]],
    ['a parameter behind', (live) => [`Authorization: Bearer ${live}, realm="x"`]],
    ['a list, the live one first', (live) => [`Authorization: Bearer ${live}, Bearer x`]],
    ['a list, the live one last', (live) => [`Authorization: Bearer x, Bearer ${live}`]],
    ['a list of the same', (live) => [`Authorization: Bearer ${live},${live}`]],
    [
      'two headers, the live one first',
      (live) => [`Authorization: Bearer ${live}`, 'Authorization: Bearer x'],
    ],
    [
      'two headers, the live one last',
      (live) => ['Authorization: Bearer x', `Authorization: Bearer ${live}`],
    ],
    ['two headers of the same', (live) => [`Authorization: Bearer ${live}`, `Authorization: Bearer ${live}`]],
    ['two headers, one empty', (live) => ['Authorization:', `Authorization: Bearer ${live}`]],
    [
      'two headers, spelled differently',
      (live) => [`authorization: Bearer ${live}`, 'AUTHORIZATION: Basic eA=='],
    ],
    ['padding', (live) => [`Authorization: Bearer ${live}==`]],
    ['a character more', (live) => [`Authorization: Bearer ${live}A`]],
    ['a character less', (live) => [`Authorization: Bearer ${live.slice(0, -1)}`]],
    ['a word behind', (live) => [`Authorization: Bearer ${live} x`]],
    ['bytes beyond ASCII', (live) => [`Authorization: Bearer ${live}\u00e9`]],
    ['a no-break space', (live) => [`Authorization: Bearer\u00a0${live}`]],
    ['UTF-8 of a wide letter', () => ['Authorization: Bearer \u00ef\u00bc\u00a1.AAAA.AAAA']],
    ['bytes that are no UTF-8', () => ['Authorization: Bearer \u00ff\u00fe\u0080']],
    ['undefined undefined', () => ['Authorization: undefined undefined']],
    ['Bearer undefined', () => ['Authorization: Bearer undefined']],
    ['Bearer null', () => ['Authorization: Bearer null']],
    ['Bearer [object Object]', () => ['Authorization: Bearer [object Object]']],
    ['SQL', () => ["Authorization: Bearer ' OR 1=1 --"]],
    ['a prefix of personal tokens alone', () => ['Authorization: Bearer trv_']],
    ['a made-up personal token', () => [`Authorization: Bearer trv_${'A'.repeat(43)}`]],
    ['a wildcard of SQL', () => ['Authorization: Bearer trv_%']],
    ['a thousand dots', () => [`Authorization: Bearer ${'.'.repeat(1000)}`]],
    ['12 KB', () => [`Authorization: Bearer ${'A'.repeat(12_000)}`]],
    ['the token in a cookie instead', (live) => [`Cookie: accessToken=${live}`]],
    [
      'the token in another header',
      (live) => [`X-Authorization: Bearer ${live}`, `Proxy-Authorization: Bearer ${live}`],
    ],
  ];
  const isRefused = async (lines: readonly string[], query = '') => {
    const before = await stored(attacked.trivet);
    const verified = await ask(`${verifyPath}${query}`, lines);
    expect({ status: verified.status, body: verified.body }).toEqual({
      status: 200,
      body: '{"isAuthTokenValid":false}',
    });
    const tools = await ask(`/api/tools${query}`, lines);
    expect(tools.status).toBe(401);
    expect(tools.headers).toMatch(/^www-authenticate: Bearer/im);
    expect(JSON.parse(tools.body)).toMatchObject({ error: { code: 'UNAUTHENTICATED' } });
    expect(await since(attacked.trivet, before)).toEqual({ changed: [], recorded: [] });
    attacked.answered(verified.body + tools.body);
  };
  test.each(refused)('%s: not valid, and no fault of ours', async (_title, make) => isRefused(make(token)));
  test('the token in the query instead (RFC 6750 §2.3)', async () =>
    isRefused([], `?access_token=${token}&token=${token}`));

  test('20 KB is more than the server reads of all headers: refused before anything else, and it goes on', async () => {
    for (const path of [verifyPath, '/api/tools']) {
      const answer = await ask(path, [`Authorization: Bearer ${'A'.repeat(20_000)}`]);
      expect(answer).toMatchObject({ status: 431 });
    }
    expect((await ask(verifyPath, [`Authorization: Bearer ${token}`])).body).toBe(
      '{"isAuthTokenValid":true}',
    );
  });
  const broken: ReadonlyArray<readonly [string, readonly string[]]> = [
    ['U+0000 in the value', ['Authorization: Bearer \u0000']],
    ['a line break that begins another header', ['Authorization: Bearer x\nX-Other: y']],
    ['a folded line', ['Authorization: Bearer', ' x']],
    ['a space before the colon', ['Authorization : Bearer x']],
  ];
  test.each(broken)('%s: never valid, never a 500', async (_title, lines) => {
    const answer = await ask(verifyPath, lines);
    expect([200, 400, 401]).toContain(answer.status);
    expect(answer.body).not.toContain('true');
  });
});
