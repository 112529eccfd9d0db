import { afterAll, expect, test } from 'bun:test';
import { mintDevIdToken } from '../../modules/auth/providers/dev-provider.ts';
import { startCtaKernel } from '../../modules/cta/testing/cta-kernel.ts';
import { stillClock } from '../../test/kernel.ts';
import { memoryStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { createTrivet } from '../trivet/trivet.ts';

/* A server with --auth-envelope wraps the success bodies of Area A; docs/operations.md, Settings. */
const clock = stillClock();
const server = await startCtaKernel(clock, { guests: 'true', 'auth-envelope': 'true' });
afterAll(() => server.stop());

const identity = async (email: string) => ({
  provider: 'dev',
  idToken: await mintDevIdToken(server.kernel.host, email, crypto.randomUUID()),
});

test('everything of sign-in works under an envelope, and errors keep their code', async () => {
  const time = testClock(clock.now());
  const { auth, cta } = createTrivet({
    url: server.origin,
    storage: memoryStorage(),
    now: time.now,
    later: time.later,
    lifecycle: () => () => {},
  });
  const guest = await auth.signInAsGuest();
  expect(guest.isGuest).toBe(true);
  const linked = await auth.link(await identity('ann@example.org'));
  expect(linked).toMatchObject({ userId: guest.userId, email: 'ann@example.org' });
  const [own] = await auth.identities();
  expect(own).toMatchObject({ provider: 'dev' });
  expect(await auth.unlink(own?.identityId ?? '').catch((error: unknown) => error)).toMatchObject({
    code: 'LAST_IDENTITY',
  });
  expect(await auth.sessions()).toHaveLength(1);
  const first = await auth.accessToken();
  time.advance(3_600_000);
  expect(await auth.accessToken()).not.toBe(first);
  await cta.launch();
  expect(cta.pending()).toBe(0);
  await auth.signOut();
  const forged = auth.signIn({ provider: 'dev', idToken: 'x.y.z' }).catch((error: unknown) => error);
  expect(await forged).toMatchObject({ code: 'INVALID_ID_TOKEN' });
  expect(await auth.signIn(await identity('bob@example.org'))).toMatchObject({ email: 'bob@example.org' });
});
