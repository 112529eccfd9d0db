import { afterAll, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { keepEventsBounded } from '../events/event-upkeep.ts';
import { deltaPath, eventsPath, startCtaKernel } from '../testing/cta-kernel.ts';
import { readEventUsage } from './event-usage-store.ts';

/*
 * The quota of a tenant is compared with a sum that nobody ever computes anew, so what is added for an event must be subtracted again,
 * whatever became of the event.
 */
const clock = stillClock();
const trivet = await startCtaKernel(clock);
const { host } = trivet.kernel;
afterAll(() => trivet.stop());
const ctaId = await trivet.makeCta({}, 'LIVE');

const report = async (user: string): Promise<void> => {
  const cta = { ctaId, activeStateMachines: {}, actionDoneAt: [clock.now()], resetAt: [clock.now()] };
  await trivet.send(user, { path: deltaPath, body: { ctas: [cta] } });
  const events = [
    { id: 'click', type: 'click', ctaId, element: 'ein großer Knopf', value: 'x'.repeat(200) },
    { id: 'bought', type: 'custom', name: 'bought', value: 35 },
  ];
  await trivet.send(user, { path: eventsPath, body: { events } });
};
const usage = async () => {
  await keepEventsBounded(host);
  return readEventUsage(host.db.q, 'default');
};

/** @see What an erased user's app had said stayed in the sum for ever, and so did events that two merged users both had sent. */
test.each([
  ['nothing happens to it', () => Promise.resolve()],
  ['its user is erased', () => trivet.call('purge-cta-user', { userId: '1001' })],
  [
    'its user becomes one who has sent it, too',
    () => host.db.tx((q) => host.tellMerged(q, { fromUserId: 1_001, intoUserId: 1_002, at: clock.now() })),
  ],
])('an event takes no room when it is gone: %s', async (_, happens) => {
  await report('1001');
  await report('1002');
  const before = await usage();
  expect(before.events).toBe(8);
  expect(before.bytes).toBeGreaterThan(8 * 200);
  await happens();
  clock.advance(91 * 86_400_000);
  expect(await usage()).toEqual({ events: 0, bytes: 0, dropped: 0 });
});

/** @see Each kill in the middle of a deletion left as much of the quota taken as had been deleted until then, for ever. */
test('what was deleted takes no room after a kill, either', async () => {
  await report('1003');
  expect((await usage()).events).toBe(4);
  clock.advance(91 * 86_400_000);
  const killed = { ...host, db: { ...host.db, write: () => Promise.reject(new Error('killed')) } };
  await keepEventsBounded(killed).catch(() => {});
  expect(await usage()).toEqual({ events: 0, bytes: 0, dropped: 0 });
});
