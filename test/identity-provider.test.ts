import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { startIdentityProvider, type TestIdentityProvider } from './identity-provider.ts';

let provider: TestIdentityProvider;
beforeAll(async () => void (provider = await startIdentityProvider()));
afterAll(() => provider.stop());

test('a real provider issues an ID token through the authorization-code flow', async () => {
  const { idToken } = await provider.signIn('someone@example.org', { nonce: 'n-1' });
  const keys = createRemoteJWKSet(new URL(`${provider.issuer}/jwks`));
  const { payload } = await jwtVerify(idToken, keys, {
    issuer: provider.issuer,
    audience: provider.clientId,
  });
  expect(payload).toMatchObject({
    sub: 'someone@example.org',
    email: 'someone@example.org',
    email_verified: true,
    given_name: 'Test',
    nonce: 'n-1',
  });
});
