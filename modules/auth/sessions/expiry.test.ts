import { expect, test } from 'bun:test';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { audit, sessions, usedIdTokens } from '../base/schema.ts';
import { removeExpired } from './expiry.ts';

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

  expect(await removeExpired(host)).toEqual({
    sessions: 2_345,
    idTokens: 1,
    signIns: 0,
    invitedAddresses: 0,
    revocations: 0,
    audit: 0,
  });
  expect((await host.db.q.select().from(sessions)).length).toBe(2);
  clock.advance(61 * day);
  expect(await removeExpired(host)).toEqual({
    sessions: 1,
    idTokens: 1,
    signIns: 0,
    invitedAddresses: 0,
    revocations: 0,
    audit: 0,
  });
  const refreshed = await trivet.post('/v1/auth/token/refresh', { refreshToken: over.refreshToken });
  expect(refreshed).toMatchObject({ status: 401, body: { error: { cause: 'revoked' } } });
  expect((await host.db.q.select().from(sessions)).map(({ userId }) => userId)).toEqual([first.userId]);
  expect(live.accessToken).not.toBe(over.accessToken);
  await trivet.stop();
});

test('entries of the audit go when --audit-keep says so, after 400 days unless given, the oldest first', async () => {
  const clock = stillClock();
  const trivet = await startTestKernel({ clock, settings: { 'audit-keep': String((10 * day) / 1000) } });
  const { host } = trivet.kernel;
  const entries = async () => (await host.db.q.select().from(audit)).map(({ event }) => event);
  const old = Array.from({ length: 2_001 }, () => ({ at: clock.now(), event: 'refresh' }));
  for (let i = 0; i < old.length; i += 100)
    await host.db.tx(async (q) => void (await q.insert(audit).values(old.slice(i, i + 100))));
  clock.advance(5 * day);
  await trivet.signIn('ann@example.org');
  const before = (await entries()).length;
  expect((await removeExpired(host)).audit).toBe(0);
  clock.advance(5 * day);
  expect((await removeExpired(host)).audit).toBe(0);
  clock.advance(1);
  expect((await removeExpired(host)).audit).toBeGreaterThanOrEqual(2_001);
  const left = await entries();
  expect(left).toContain('sign_in');
  expect(left).not.toContain('refresh');
  expect(left.length).toBeLessThanOrEqual(before - 2_001);
  clock.advance(5 * day);
  await removeExpired(host);
  expect(await entries()).toEqual([]);
  await trivet.stop();

  const usual = await startTestKernel({ clock });
  const of = usual.kernel.host;
  await of.db.tx(async (q) => void (await q.insert(audit).values([{ at: clock.now(), event: 'refresh' }])));
  clock.advance(400 * day);
  expect((await removeExpired(of)).audit).toBe(0);
  clock.advance(1);
  expect((await removeExpired(of)).audit).toBe(1);
  await usual.stop();
});
