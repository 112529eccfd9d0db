import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestKernel, type TestKernel } from '../../../test/kernel.ts';
import { mintDevIdToken } from '../providers/dev-provider.ts';

/*
 * `--dev` signs anybody in who reaches this machine. A tunnel or a proxy on this machine reaches it too, with a request of a stranger.
 */
let trivet: TestKernel;
let idToken: string;
beforeAll(async () => {
  trivet = await startTestKernel({ settings: { 'rate-oauth': '0' } });
  idToken = await mintDevIdToken(trivet.kernel.host, 'owner@example.org');
});
afterAll(() => trivet.stop());

const signIn = (headers: Record<string, string>) =>
  trivet.post(
    '/v1/auth/social/authenticate',
    { responseType: 'token', grantType: 'id_token', identifier: idToken, idProvider: 'dev', resources: [] },
    undefined,
    headers,
  );

test('a request of this machine is signed in', async () => expect((await signIn({})).status).toBe(200));

test.each([
  'forwarded',
  'via',
  'x-forwarded-for',
  'X-Forwarded-Host',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
])('a request that a proxy has passed on is refused by its header %s', async (name) => {
  const { status, body } = await signIn({ [name]: '203.0.113.7' });
  expect([status, body]).toEqual([
    403,
    { error: { code: 'ACCESS_DENIED', message: expect.any(String) as string, cause: 'forwarded' } },
  ]);
  const page = await trivet.fetch('/oauth/dev?state=x', { headers: { [name]: '203.0.113.7' } });
  expect([page.status, (await page.text()).includes('<form')]).toEqual([403, false]);
});
