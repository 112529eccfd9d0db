import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startTestKernel } from '../../../test/kernel.ts';
import { integrityOf, pageScript, servedCases } from '../../../release/sdk/served-files.ts';

/*
 * Mutation note: seen to fail without the header for other origins, with one tag for all encodings, with the origin of --cors-origin in
 * place of the asterisk, and with a file that is not the one of the package.
 */
// The first request builds the files.
setDefaultTimeout(60_000);

const trivet = await startTestKernel({ settings: { 'cors-origin': 'https://app.example' } });
afterAll(() => trivet.stop());

/** As it comes over the wire. */
const encoded = (encoding: string, more: Record<string, string> = {}): RequestInit =>
  ({ headers: { 'accept-encoding': encoding, ...more }, decompress: false }) as RequestInit;
const bytesOf = async (path: string, init: RequestInit = encoded('identity')) =>
  (await trivet.fetch(path, init)).bytes();

const files = [
  ['/sdk/trivet.js', 'text/javascript; charset=utf-8'],
  ['/sdk/trivet.js.sri', 'text/plain; charset=utf-8'],
  ['/sdk/cases.json', 'application/json'],
] as const;

describe.each(files)('%s', (path, type) => {
  test('is for every origin, without credentials, and caches ask whether it changed', async () => {
    for (const origin of [undefined, 'https://app.example', 'https://elsewhere.example', 'null']) {
      const response = await trivet.fetch(path, {
        headers: { 'accept-encoding': 'gzip', ...(origin && { origin }) },
      });
      const headers = [
        'content-type',
        'access-control-allow-origin',
        'access-control-allow-credentials',
        'cross-origin-resource-policy',
        'cache-control',
        'vary',
        'x-content-type-options',
        'set-cookie',
      ];
      expect([origin, response.status, ...headers.map((name) => response.headers.get(name))]).toEqual([
        origin,
        200,
        type,
        '*',
        null,
        'cross-origin',
        'public, no-cache',
        'Accept-Encoding',
        'nosniff',
        null,
      ]);
    }
  });

  test('in each encoding it is the same file, with a tag of its own', async () => {
    const plain = await trivet.fetch(path, encoded('identity'));
    const br = await trivet.fetch(path, encoded('gzip, br'));
    const gzip = await trivet.fetch(path, encoded('gzip'));
    const encodings = [plain, br, gzip].map(({ headers }) => headers.get('content-encoding'));
    expect(encodings).toEqual([null, 'br', 'gzip']);
    const bytes = await plain.bytes();
    expect(brotliDecompressSync(await br.bytes())).toEqual(Buffer.from(bytes));
    expect(gunzipSync(await gzip.bytes())).toEqual(Buffer.from(bytes));
    expect(new Set([plain, br, gzip].map(({ headers }) => headers.get('etag'))).size).toBe(3);
  });

  test('HEAD says the same without the file', async () => {
    const [got, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => trivet.fetch(path, { method, ...encoded('gzip') })),
    );
    const headersOf = (response: Response | undefined) =>
      Object.fromEntries(
        [...(response?.headers ?? [])].filter(([name]) => !['date', 'x-request-id'].includes(name)),
      );
    expect(head?.status).toBe(200);
    expect(headersOf(head)).toEqual(headersOf(got));
    expect((await head?.bytes())?.length).toBe(0);
  });

  test('what a cache has is not sent again', async () => {
    const tag = (await trivet.fetch(path, encoded('br'))).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    const asked = async (header: string) => {
      const response = await trivet.fetch(path, encoded('br', { 'if-none-match': header }));
      const { headers } = response;
      return [
        response.status,
        (await response.bytes()).length > 0,
        headers.get('etag'),
        headers.get('access-control-allow-origin'),
      ];
    };
    expect(await asked(tag)).toEqual([304, false, tag, '*']);
    expect(await asked(`W/${tag}, "x"`)).toEqual([304, false, tag, '*']);
    expect(await asked('"x"')).toEqual([200, true, tag, '*']);
  });
});

test('the script is that of the package, and its integrity is what a page writes', async () => {
  const script = await bytesOf('/sdk/trivet.js');
  expect(integrityOf(script)).toBe(integrityOf(await pageScript()));
  const line = new TextDecoder().decode(await bytesOf('/sdk/trivet.js.sri'));
  expect(line).toMatch(/^sha384-[\w+/]{64}\n$/);
  expect(line.trim()).toBe(integrityOf(script));
});

test('the cases are those that docs/sdk-cases.md describes', async () => {
  expect(new TextDecoder().decode(await bytesOf('/sdk/cases.json'))).toBe(servedCases());
});

test('nothing else is there, and no other route became open', async () => {
  const origin = { headers: { origin: 'https://elsewhere.example' } };
  for (const path of [
    '/sdk/',
    '/sdk',
    '/sdk/other.js',
    '/sdk/sdk.pack',
    '/sdk/..%2fpackage.json',
    '/schemas/cta-rule.json',
    '/healthz',
  ])
    expect([path, (await trivet.fetch(path, origin)).headers.get('access-control-allow-origin')]).toEqual([
      path,
      null,
    ]);
  expect((await trivet.fetch('/sdk/other.js')).status).toBe(404);
  // An origin that the operator allowed still reads the others, and caches keep its answers apart.
  const allowed = await trivet.fetch('/schemas/cta-rule.json', {
    headers: { origin: 'https://app.example' },
  });
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
  expect(allowed.headers.get('vary')).toContain('Origin');
});
