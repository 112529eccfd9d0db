import { afterAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { createPersonalToken } from '../personal-tokens/personal-token-store.ts';
import { unlimitedScope } from '../personal-tokens/token-scope.ts';
import { audit } from '../base/schema.ts';

const clock = stillClock();
const trivet = await startTestKernel({ clock });
afterAll(() => trivet.stop());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const isLive = async (token: string) =>
  (
    (await (await trivet.fetch('/v1/auth/token/verify', { headers: bearer(token) })).json()) as {
      isAuthTokenValid: boolean;
    }
  ).isAuthTokenValid;
const revoke = (token: unknown) => trivet.post('/v1/auth/token/revoke', { token });

describe('signing out by a token', () => {
  test.each(['accessToken', 'refreshToken'] as const)(
    'the %s ends its session, and twice is no fault',
    async (kind) => {
      const ending = await trivet.signIn('ann@example.org');
      const other = await trivet.signIn('ann@example.org');
      expect(await revoke(ending[kind])).toMatchObject({ status: 200, body: {} });
      expect(await revoke(ending[kind])).toMatchObject({ status: 200, body: {} });
      expect([await isLive(ending.accessToken), await isLive(other.accessToken)]).toEqual([false, true]);
      const { sid } = decodeJwt(ending.accessToken);
      const events = (await trivet.kernel.host.db.q.select().from(audit)).filter(
        ({ sessionId }) => sessionId === sid,
      );
      expect(events.map(({ event, cause }) => [event, cause]).toSorted()).toEqual([
        ['session_revoked', 'signed_out'],
        ['sign_in', null],
      ]);
    },
  );

  test('an ID token, one of somebody else and nonsense end nothing', async () => {
    const { accessToken, idToken } = await trivet.signIn('bob@example.org');
    const [header, payload] = accessToken.split('.');
    for (const token of [idToken, 'x', `${header}.${payload}.AAAA`])
      expect((await revoke(token)).status).toBe(200);
    expect(await isLive(accessToken)).toBe(true);
    for (const token of [undefined, 7, '', {}]) {
      expect(await revoke(token)).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_REQUEST', cause: 'token' } },
      });
    }
  });

  test('a personal access token ends itself', async () => {
    const { host } = trivet.kernel;
    const { token } = await host.db.tx((q) =>
      createPersonalToken(host, q, {
        userId: 1,
        name: 'x',
        scope: unlimitedScope,
        expiresAt: null,
        madeWith: 'machine',
      }),
    );
    const status = async () => (await trivet.fetch('/api/tools', { headers: bearer(token) })).status;
    expect(await status()).toBe(200);
    await revoke(token);
    expect(await status()).toBe(401);
  });
});

describe('/v1/auth/sessions', () => {
  const call = async (method: string, path: string, token: string) => {
    const response = await trivet.fetch(`/v1/auth/sessions${path}`, { method, headers: bearer(token) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  test('lists, ends one, ends all', async () => {
    const [one, two] = [await trivet.signIn('carl@example.org'), await trivet.signIn('carl@example.org')];
    expect((await call('GET', '?limit=1&offset=1', two.accessToken)).body).toMatchObject({
      total: 2,
      limit: 1,
      offset: 1,
    });
    expect(await call('GET', '?limit=many', two.accessToken)).toMatchObject({
      status: 400,
      body: { error: { cause: 'limit' } },
    });
    const sid = String(decodeJwt(one.accessToken)['sid']);
    expect((await call('DELETE', `/${sid}`, two.accessToken)).body).toEqual({ revoked: 1 });
    expect([await isLive(one.accessToken), await isLive(two.accessToken)]).toEqual([false, true]);
    expect(await call('DELETE', '/%20', two.accessToken)).toMatchObject({ status: 400 });
    expect((await call('DELETE', '', two.accessToken)).body).toEqual({ revoked: 1 });
    expect(await call('GET', '', two.accessToken)).toMatchObject({ status: 401 });
  });
});
