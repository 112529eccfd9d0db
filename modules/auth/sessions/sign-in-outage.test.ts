import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startIdentityProvider } from '../../../test/identity-provider.ts';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { authenticatePath, signInBody as body } from '../testing/sign-in-request.ts';

test('a server without any provider fails closed', async () => {
  const closed = await startTestKernel({ settings: { dev: 'false' } });
  const answer = await closed.post(authenticatePath, body('x'));
  expect(answer).toMatchObject({ status: 503, body: { error: { code: 'AUTH_NOT_CONFIGURED' } } });
  await closed.stop();
});

test('after a restart during the provider’s outage people still sign in', async () => {
  const still = stillClock(Date.now());
  const config = join(temporaryDirectory('auth'), 'trivet.toml');
  const away = await startIdentityProvider();
  writeFileSync(config, `[providers.away]\nissuer = "${away.issuer}"\naudiences = ["${away.clientId}"]\n`);
  const before = await startTestKernel({ settings: { config }, clock: still });
  const { idToken } = await away.signIn('n@example.org');
  const asked = body(idToken, { idProvider: 'away' });
  expect((await before.post(authenticatePath, asked)).status).toBe(200);
  await before.stop();
  await away.stop();

  const after = await startTestKernel({ settings: { config }, clock: still, again: before });
  expect((await after.post(authenticatePath, asked)).status).toBe(200);
  await after.stop();
});

test('a provider that cannot be reached is 503', async () => {
  const config = join(temporaryDirectory('auth'), 'trivet.toml');
  const gone = await startIdentityProvider();
  const { idToken } = await gone.signIn('m@example.org');
  await gone.stop();
  writeFileSync(config, `[providers.gone]\nissuer = "${gone.issuer}"\naudiences = ["${gone.clientId}"]\n`);
  const server = await startTestKernel({ settings: { config } });
  const answer = await server.post(authenticatePath, body(idToken, { idProvider: 'gone' }));
  expect(answer).toMatchObject({ status: 503, body: { error: { code: 'ID_PROVIDER_UNAVAILABLE' } } });
  expect(answer.headers.get('retry-after')).toBe('10');
  await server.stop();
});
