import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SignJWT } from 'jose';
import { stillClock } from '../../../test/kernel.ts';
import { deltaPath, freshUser, launchPath, startCtaKernel, type CtaKernel } from '../testing/cta-kernel.ts';

const clock = stillClock();

const statusOf = async (trivet: CtaKernel, path: string, authorization: string, more: object = {}) => {
  const headers = { authorization, api_version: '1', 'auth-userid': freshUser(), ...more };
  const method = path.startsWith('/cta/nudge') ? 'GET' : 'POST';
  const response = await trivet.fetch(path, { method, headers });
  const body = (await response.json()) as { data?: unknown; error?: { code: string; cause?: string } };
  return [response.status, body.error?.code ?? body.data] as const;
};

describe('personal access tokens and previews', () => {
  let trivet: CtaKernel;
  beforeAll(async () => {
    trivet = await startCtaKernel(clock);
    await trivet.call('create-nudge-preview', { id: 'p', template: 't' });
    await trivet.call('create-organization', { orgName: 'Second' });
  });
  afterAll(() => trivet.stop());

  const shown = { id: 'p', template: 't', tenantId: 'default', ttl: 3600 };
  test.each<[string, string[], number, unknown]>([
    ['a token for everything', [], 200, shown],
    ['a token for CTAs', ['cta'], 200, shown],
    ['a token that only reads', ['cta', 'read-only'], 200, shown],
    ['a token that only reads CTAs', ['cta:read'], 200, shown],
    ['a token for another toolset', ['testmgmt'], 403, 'FORBIDDEN'],
    ['a token for the organization', ['cta', 'org:1'], 200, shown],
    ['a token for another organization', ['cta', 'org:2'], 200, null],
  ])('%s', async (_what, scopes, status, answer) => {
    const { token } = await trivet.call('create-access-token', {
      name: 'x',
      ...(scopes.length > 0 && { scopes }),
    });
    expect(await statusOf(trivet, '/cta/nudge/preview/p', `Bearer ${String(token)}`)).toEqual([
      status,
      answer,
    ]);
  });

  test("an app user's own session sees what anybody sees", async () => {
    const { accessToken } = await trivet.signIn('user@example.org');
    expect(await statusOf(trivet, '/cta/nudge/preview/p', `Bearer ${accessToken}`)).toEqual([200, shown]);
  });
});

describe('an Authorization that is not ours', () => {
  const foreign = async (claims: Record<string, unknown> = {}) =>
    `Bearer ${await new SignJWT({ sub: '7', iss: 'https://elsewhere.example', ...claims })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: 'theirs' })
      .sign(new Uint8Array(32))}`;
  const others: ReadonlyArray<readonly [string, () => Promise<string>]> = [
    ['a JWT of somebody else', () => foreign()],
    ['an opaque token', () => Promise.resolve('Bearer 0123456789abcdef')],
    ['a token without a scheme', () => Promise.resolve('0123456789abcdef')],
    ['another scheme', () => Promise.resolve('Basic YTpi')],
    ['what apps send before they have one', () => Promise.resolve('undefined undefined')],
  ];
  const paths = [launchPath, deltaPath, '/cta/nudge/preview/p'];

  test.each(others)('%s is refused unless the setting says otherwise', async (_what, authorization) => {
    const strict = await startCtaKernel(clock);
    for (const path of paths) {
      expect(await statusOf(strict, path, await authorization())).toEqual([401, 'UNAUTHENTICATED']);
    }
    await strict.stop();
    const lenient = await startCtaKernel(clock, { 'cta-ignore-foreign-token': 'true', 'rate-cta': '3' });
    const statuses: unknown[] = [];
    for (const path of [...paths, launchPath]) {
      statuses.push((await statusOf(lenient, path, await authorization()))[0]);
    }
    // It counts as a request without a token.
    expect(statuses).toEqual([200, 200, 200, 429]);
    await lenient.stop();
  });

  test('one of ours that does not hold is 401 all the same, and none authenticates', async () => {
    const lenient = await startCtaKernel(clock, { 'cta-ignore-foreign-token': 'true' });
    const { accessToken, idToken, refreshToken } = await lenient.signIn('ann@example.org');
    const { sub } = JSON.parse(atob(accessToken.split('.')[1] ?? '')) as { sub: string };
    const { token, tokenId } = await lenient.call('create-access-token', { name: 'x' });
    await lenient.call('revoke-access-token', { tokenId });
    const [header = '', payload = '', signature = ''] = accessToken.split('.');
    const refused = {
      'another signature': `${header}.${payload}.${[...signature].reverse().join('')}`.slice(0, -1) + 'A',
      'an ID token': idToken,
      'a refresh token': refreshToken,
      'a revoked personal token': String(token),
      'no personal token': 'trv_nothing',
      'our issuer under another key': (await foreign({ iss: lenient.kernel.host.origin(), sub })).slice(7),
    };
    for (const [what, bearer] of Object.entries(refused)) {
      for (const path of paths) {
        const [status] = await statusOf(lenient, path, `Bearer ${bearer}`, { 'auth-userid': sub });
        expect([what, path, status]).toEqual([what, path, 401]);
      }
    }
    expect((await statusOf(lenient, launchPath, `Bearer ${accessToken}`, { 'auth-userid': sub }))[0]).toBe(
      200,
    );
    // A user other than the token's is refused; the token is not treated as a foreign one.
    expect((await statusOf(lenient, launchPath, `Bearer ${accessToken}`))[0]).toBe(403);
    clock.advance(3_600_000);
    expect((await statusOf(lenient, launchPath, `Bearer ${accessToken}`, { 'auth-userid': sub }))[0]).toBe(
      401,
    );
    await lenient.stop();
  });

  test('where a token is required, a foreign one is none', async () => {
    const required = await startCtaKernel(clock, {
      'cta-ignore-foreign-token': 'true',
      'cta-require-token': 'true',
    });
    for (const path of paths) {
      expect(await statusOf(required, path, await foreign())).toEqual([401, 'UNAUTHENTICATED']);
    }
    await required.stop();
  });
});
