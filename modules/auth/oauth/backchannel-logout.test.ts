import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { startIdentityProvider, type TestIdentityProvider } from '../../../test/identity-provider.ts';
import { startTestKernel, type TestKernel } from '../../../test/kernel.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { audit, sessions } from '../base/schema.ts';
import { authenticatePath, signInBody } from '../testing/sign-in-request.ts';

/* A real OpenID provider ends sessions by back-channel logout (docs/contract.md, Sign-in by browser). */

let provider: TestIdentityProvider;
/** Two processes over one database; the provider tells the first one. */
let told: TestKernel;
let other: TestKernel;

beforeAll(async () => {
  provider = await startIdentityProvider();
  const config = join(temporaryDirectory('logout'), 'trivet.toml');
  writeFileSync(
    config,
    `[providers.real]\nissuer = "${provider.issuer}"\naudiences = ["${provider.clientId}"]\n`,
  );
  told = await startTestKernel({ settings: { config } });
  other = await startTestKernel({ settings: { config }, again: told });
  await provider.tellsSignOuts(`${told.origin}/oauth/backchannel-logout`);
});
afterAll(() => Promise.all([other.stop(), told.stop(), provider.stop()]));

async function signIn(email: string, on: TestKernel = other) {
  const { idToken, signOut } = await provider.signIn(email);
  const { status, body } = await on.post(authenticatePath, signInBody(idToken));
  expect(status).toBe(200);
  return {
    idToken,
    signOut,
    accessToken: String(body['accessToken']),
    refreshToken: String(body['refreshToken']),
  };
}

const isLive = async (token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  const response = await other.fetch('/v1/auth/token/verify', { headers });
  return ((await response.json()) as { isAuthTokenValid: boolean }).isAuthTokenValid;
};

test('a sign-out at the provider ends that session at once in every process, and no other', async () => {
  const [phone, laptop, colleague] = [
    await signIn('ann@example.org'),
    await signIn('ann@example.org'),
    await signIn('bob@example.org'),
  ];
  expect(decodeJwt(phone.idToken)['sid']).toBeString();
  const started = performance.now();
  await phone.signOut();
  expect([await isLive(phone.accessToken), performance.now() - started < 1_000]).toEqual([false, true]);
  expect([await isLive(laptop.accessToken), await isLive(colleague.accessToken)]).toEqual([true, true]);
  const refused = await other.post('/v1/auth/token/refresh', { refreshToken: phone.refreshToken });
  expect([refused.status, refused.body['error']]).toEqual([
    401,
    expect.objectContaining({ cause: 'revoked' }),
  ]);
  const { q } = told.kernel.host.db;
  const rows = await q.select().from(audit).where(eq(audit.event, 'session_revoked'));
  expect(rows).toEqual([
    expect.objectContaining({
      userId: Number(decodeJwt(phone.accessToken).sub),
      provider: 'real',
      cause: 'provider_logout',
      sessionId: decodeJwt(phone.accessToken)['sid'],
    }),
  ]);
});

test('a session of before, which knows no session of the provider, ends with any of that person', async () => {
  const [before, now] = [await signIn('cy@example.org'), await signIn('cy@example.org')];
  const sid = String(decodeJwt(before.accessToken)['sid']);
  await told.kernel.host.db.write((q) =>
    q.update(sessions).set({ providerSid: null }).where(eq(sessions.id, sid)),
  );
  await now.signOut();
  expect([await isLive(before.accessToken), await isLive(now.accessToken)]).toEqual([false, false]);
});

test('a provider that names only the person ends every session of that person', async () => {
  await provider.tellsSignOuts(`${told.origin}/oauth/backchannel-logout`, 'byPerson');
  const [phone, laptop, colleague] = [
    await signIn('dan@example.org'),
    await signIn('dan@example.org'),
    await signIn('eve@example.org'),
  ];
  await phone.signOut();
  expect([await isLive(phone.accessToken), await isLive(laptop.accessToken)]).toEqual([false, false]);
  expect(await isLive(colleague.accessToken)).toBe(true);
});
