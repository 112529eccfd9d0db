import { expect, test } from 'bun:test';
import { startTestKernel, stillClock } from '../../test/kernel.ts';
import { removeExpired } from './expiry.ts';
import { sessions, usedIdTokens } from './schema.ts';

const day = 86_400_000;

test('sessions go 30 days after their end, used ID tokens when they expire; thousands in batches', async () => {
  const clock = stillClock();
  const trivet = await startTestKernel({ clock });
  const { host } = trivet.kernel;
  const over = await trivet.signIn('ann@example.org');
  clock.advance(60 * day);
  const live = await trivet.signIn('ann@example.org');
  const [first] = await host.db.q.select().from(sessions).limit(1);
  if (!first) throw new Error('no session');
  const old = Array.from({ length: 2_345 }, (_, i) => ({
    ...first,
    id: `old-${i}`,
    expiresAt: clock.now() - 31 * day,
  }));
  for (let i = 0; i < old.length; i += 100)
    await host.db.tx(async (q) => void (await q.insert(sessions).values(old.slice(i, i + 100))));
  await host.db.tx(
    async (q) =>
      void (await q.insert(usedIdTokens).values([
        { hash: 'a', expiresAt: clock.now() - 1 },
        { hash: 'b', expiresAt: clock.now() },
      ])),
  );

  expect(await removeExpired(host)).toEqual({ sessions: 2_345, idTokens: 1 });
  expect((await host.db.q.select().from(sessions)).length).toBe(2);
  clock.advance(61 * day);
  expect(await removeExpired(host)).toEqual({ sessions: 1, idTokens: 1 });
  const refreshed = await trivet.post('/v1/auth/token/refresh', { refreshToken: over.refreshToken });
  expect(refreshed).toMatchObject({ status: 401, body: { error: { cause: 'revoked' } } });
  expect((await host.db.q.select().from(sessions)).map(({ userId }) => userId)).toEqual([first.userId]);
  expect(live.accessToken).not.toBe(over.accessToken);
  await trivet.stop();
});
