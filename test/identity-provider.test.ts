import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { startIdentityProvider, type TestIdentityProvider } from './identity-provider.ts';
import { settled } from './rejection.ts';

let provider: TestIdentityProvider;
beforeAll(async () => void (provider = await startIdentityProvider()));
afterAll(() => provider.stop());

test('a real provider issues an ID token through the authorization-code flow', async () => {
  const { idToken } = await provider.signIn('someone@example.org', { nonce: 'n-1' });
  const discovery = await fetch(`${provider.issuer}/.well-known/openid-configuration`);
  const { jwks_uri: jwksUri } = (await discovery.json()) as { jwks_uri: string };
  const keys = createRemoteJWKSet(new URL(jwksUri));
  const { payload } = await jwtVerify(idToken, keys, {
    issuer: provider.issuer,
    audience: provider.clientId,
  });
  expect(payload).toMatchObject({
    sub: 'someone@example.org',
    email: 'someone@example.org',
    email_verified: true,
    name: 'Test Person',
    given_name: 'Test',
    family_name: 'Person',
    nonce: 'n-1',
  });
});

test('claims of one person can differ, and ES256 signs as well', async () => {
  const other = await startIdentityProvider({ algorithm: 'ES256', claims: ['hd'] });
  const claims = { email_verified: false, hd: 'example.org' };
  const { idToken } = await other.signIn('unverified@example.org', { claims });
  const { payload, protectedHeader } = await jwtVerify(
    idToken,
    createRemoteJWKSet(new URL(`${other.issuer}/jwks`)),
  );
  expect(protectedHeader.alg).toBe('ES256');
  expect(payload).toMatchObject({ sub: 'unverified@example.org', ...claims });
  await other.stop();
});

test('after a rotation new tokens carry new keys, and the old keys are gone', async () => {
  const { idToken: before } = await provider.signIn('someone@example.org');
  await provider.rotateKeys();
  const { idToken: after } = await provider.signIn('someone@example.org');
  expect(decodeProtectedHeader(after).kid).not.toBe(decodeProtectedHeader(before).kid);
  const keys = createRemoteJWKSet(new URL(`${provider.issuer}/jwks`));
  expect((await jwtVerify(after, keys)).payload.sub).toBe('someone@example.org');
  expect(await settled(jwtVerify(before, keys))).toThrow();
  expect(provider.requests).toContain('/token');
});
