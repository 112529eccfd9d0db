import { describe, expect, test } from 'bun:test';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { mintDevIdToken } from '../providers/dev-provider.ts';
import { audit } from '../base/schema.ts';

const clock = stillClock();

/** A kernel whose peer is a trusted proxy, so that a test can come from any address. */
async function limited(
  settings: Readonly<Record<string, string>>,
  work: (trivet: TestKernel) => Promise<void>,
) {
  const trivet = await startTestKernel({ clock, settings: { 'trusted-proxies': '1', ...settings } });
  await work(trivet);
  await trivet.stop();
}

const from = (address: string) => ({ 'x-forwarded-for': address });
const authenticate = (trivet: TestKernel, identifier: string, address: string) =>
  trivet.post(
    '/v1/auth/social/authenticate',
    { responseType: 'token', grantType: 'id_token', identifier, idProvider: 'dev', resources: [] },
    undefined,
    from(address),
  );
const wait = (seconds: number) => ({
  status: 429,
  body: {
    error: {
      code: 'RATE_LIMITED',
      message: expect.any(String) as string,
      cause: expect.any(String) as string,
    },
  },
  retryAfter: String(seconds),
});
const seen = ({ status, body, headers }: Awaited<ReturnType<TestKernel['post']>>) => ({
  status,
  body,
  retryAfter: headers.get('retry-after'),
});

describe('sign-ins of one network', () => {
  test('are limited, whatever their outcome; other networks are not', () =>
    limited({ 'rate-authenticate': '3' }, async (trivet) => {
      const idToken = await mintDevIdToken(trivet.kernel.host, 'ann@example.org');
      const remaining: unknown[] = [];
      for (let i = 0; i < 3; i++) {
        const { status, headers } = await authenticate(trivet, idToken, `2001:db8::${i}`);
        remaining.push([status, headers.get('ratelimit-remaining')]);
      }
      expect(remaining).toEqual([
        [200, '2'],
        [200, '1'],
        [200, '0'],
      ]);
      clock.advance(15_000);
      expect(seen(await authenticate(trivet, idToken, '2001:db8::4'))).toEqual(wait(45));
      expect((await authenticate(trivet, idToken, '2001:db8:0:1::4')).status).toBe(200);
      clock.advance(45_000);
      expect((await authenticate(trivet, idToken, '2001:db8::5')).status).toBe(200);
    }));

  test('failures are counted apart; while they are spent nothing is looked at and nothing recorded', () =>
    limited({ 'rate-failures': '2' }, async (trivet) => {
      const idToken = await mintDevIdToken(trivet.kernel.host, 'ann@example.org');
      const address = '203.0.113.7';
      for (const [identifier, status] of [
        [idToken, 200],
        ['x.y.z', 401],
        [idToken, 200],
        ['x.y.z', 401],
      ] as const)
        expect((await authenticate(trivet, identifier, address)).status).toBe(status);
      const rows = async () => (await trivet.kernel.host.db.q.select().from(audit)).length;
      const before = await rows();
      expect(seen(await authenticate(trivet, idToken, address))).toEqual(wait(60));
      expect(seen(await authenticate(trivet, 'x.y.z', address))).toEqual(wait(60));
      expect(await rows()).toBe(before);
      expect((await authenticate(trivet, idToken, '203.0.113.8')).status).toBe(200);
      // A request that was never a sign-in is not a failed one.
      for (let i = 0; i < 5; i++) expect((await authenticate(trivet, '', '203.0.113.9')).status).toBe(400);
      expect((await authenticate(trivet, idToken, '203.0.113.9')).status).toBe(200);
    }));

  test('a link counts as a sign-in, and a refused one as a failure', () =>
    limited({ 'rate-authenticate': '4', 'rate-failures': '1' }, async (trivet) => {
      const { accessToken } = await trivet.signIn('ann@example.org');
      const link = (identifier: string, address: string) =>
        trivet.post('/v1/auth/link', { idProvider: 'dev', identifier }, accessToken, from(address));
      expect((await link('x.y.z', '203.0.113.7')).status).toBe(401);
      expect(seen(await link('x.y.z', '203.0.113.7'))).toEqual(wait(60));
      const idToken = await mintDevIdToken(trivet.kernel.host, 'bea@example.org');
      for (let i = 0; i < 4; i++) expect((await link(idToken, '203.0.113.8')).status).toBe(200);
      expect(seen(await link(idToken, '203.0.113.8'))).toEqual(wait(60));
    }));

  test('without a trusted proxy the header changes nothing', () =>
    limited({ 'trusted-proxies': '0', 'rate-authenticate': '1' }, async (trivet) => {
      expect((await authenticate(trivet, 'x.y.z', '203.0.113.1')).status).toBe(403);
      expect((await authenticate(trivet, 'x.y.z', '203.0.113.2')).status).toBe(429);
    }));
});

test('refreshes of one session are limited; a forged token counts for nobody', () =>
  limited({ 'rate-refresh': '2' }, async (trivet) => {
    const [one, two] = [await trivet.signIn('a@b.co'), await trivet.signIn('a@b.co')];
    const refresh = (refreshToken: string) => trivet.post('/v1/auth/token/refresh', { refreshToken });
    const forged = `${one.refreshToken.slice(0, -8)}AAAAAAAA`;
    for (let i = 0; i < 5; i++) expect((await refresh(forged)).status).toBe(401);
    expect((await refresh(one.refreshToken)).status).toBe(200);
    expect((await refresh(one.refreshToken)).status).toBe(200);
    expect(seen(await refresh(one.refreshToken))).toEqual(wait(60));
    expect((await refresh(two.refreshToken)).status).toBe(200);
    clock.advance(60_000);
    expect((await refresh(one.refreshToken)).status).toBe(200);
  }));

test('verifications of one network are limited', () =>
  limited({ 'rate-verify': '1' }, async (trivet) => {
    const verify = (address: string) => trivet.fetch('/v1/auth/token/verify', { headers: from(address) });
    expect((await verify('203.0.113.1')).status).toBe(200);
    expect((await verify('203.0.113.1')).status).toBe(429);
    expect((await verify('203.0.113.2')).status).toBe(200);
  }));
