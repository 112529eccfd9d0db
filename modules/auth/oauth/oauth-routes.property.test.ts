import { afterAll, beforeAll, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { startTestKernel, type TestKernel } from '../../../test/kernel.ts';
import { newProof, openBrowser } from '../testing/browser.ts';

/*
 * Any parameters at every path of /oauth: no 5xx, no redirect but to a registered address or to this server, and nothing that was sent
 * stands in a page as HTML.
 *
 * Mutation note: seen to fail when isRegistered compares the beginning of an address, and when pages do not escape.
 */
const web = 'https://client.example/callback';
const mark = `"'><fuzz onload=1>`;

let trivet: TestKernel;
let client: string;
beforeAll(async () => {
  trivet = await startTestKernel({ settings: { 'rate-oauth': '0', 'rate-user-codes': '0' } });
  const { body } = await trivet.post('/oauth/register', { client_name: mark, redirect_uris: [web] });
  client = String(body['client_id']);
});
afterAll(() => trivet.stop());

const names = [
  // More often: what leads somewhere, and what is shown.
  ...Array.from({ length: 6 }, () => 'redirect_uri'),
  ...Array.from({ length: 6 }, () => 'state'),
  'client_id',
  'response_type',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'resource',
  'grant_type',
  'code',
  'code_verifier',
  'refresh_token',
  'device_code',
  'token',
  'user_code',
  'request',
  'choice',
  'email',
  'error',
  'iss',
];

const value = fc.oneof(
  { weight: 6, arbitrary: fc.nat(12).map((nth) => known()[nth] ?? 'x') },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 3, arbitrary: fc.constantFrom(mark, `${web}${mark}`, '\u0000', 'x'.repeat(3_000), '__proto__') },
);

const known = () => [
  client,
  'trivet-cli',
  web,
  `${web}/..`,
  `${web}.evil.example`,
  'http://127.0.0.1:1/callback',
  'code',
  newProof().challenge,
  'S256',
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
  `${trivet.origin}/mcp`,
];

/** A good question for a person, with some parameters replaced, added or given twice. */
const parameters = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 6 }), fc.boolean())
  .map(([good, more, twice]) => {
    const all = new URLSearchParams();
    if (good) {
      all.set('client_id', client);
      all.set('redirect_uri', web);
      all.set('response_type', 'code');
      all.set('code_challenge', newProof().challenge);
      all.set('code_challenge_method', 'S256');
    }
    for (const [name, text] of more) {
      if (twice) all.append(name, text.toWellFormed());
      else all.set(name, text.toWellFormed());
    }
    return all;
  });

const requests = fc.tuple(
  fc.constantFrom(
    ...Array.from({ length: 8 }, () => 'authorize'),
    'continue',
    'callback',
    'dev',
    'dev',
    'device',
    'link',
    'token',
    'revoke',
    'device_authorization',
    'register',
    'userinfo',
  ),
  fc.constantFrom('GET', 'GET', 'POST'),
  parameters,
);

test('whatever is sent', async () => {
  const seen = new Set<string>();
  const browser = openBrowser();
  const { headers } = await browser.go(`${trivet.origin}/oauth/device`);
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  await fc.assert(
    fc.asyncProperty(requests, async ([path, method, given]) => {
      const isGet = method === 'GET';
      const response = await trivet.fetch(`/oauth/${path}${isGet ? `?${given}` : ''}`, {
        method,
        redirect: 'manual',
        headers: { cookie },
        ...(isGet ? {} : { body: given }),
      });
      const text = await response.text();
      seen.add(`${method} ${path} ${response.status}`);
      expect(response.status).toBeLessThan(500);
      expect(text).not.toMatch(/<fuzz/i);
      const location = response.headers.get('location');
      if (location !== null) {
        const isOurs =
          /^(?:\/oauth\/callback\?|http:\/\/127\.0\.0\.1:(?:1\/callback\?|\d+\/oauth\/dev\?))/.test(location);
        expect([location, isOurs || location.startsWith(`${web}?`)]).toEqual([location, true]);
      }
    }),
    { numRuns: 2_500, endOnFailure: true },
  );
  for (const one of [
    'GET authorize 200',
    'GET authorize 303',
    'GET authorize 400',
    'GET authorize 401',
    'POST token 400',
  ])
    expect(seen).toContain(one);
}, 60_000);
