import { expect, test } from 'bun:test';
import { memoryStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { testServer } from '../testing/test-server.ts';
import { createCta, type Action } from './cta.ts';

/* What happens when the app goes out of sight and comes back. */
const rule = (delay: number) => ({
  stateTransition: { open: { '0': [{ transitionTo: '1' }] }, more: { '1': [{ transitionTo: '2' }] } },
  stateToAction: { '1': 'a', '2': 'a' },
  contextParams: ['text'],
  actions: [{ actionId: 'a', type: 'POPUP', template: {}, config: { triggerDelay: delay } }],
});
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

async function app(delay = 0) {
  const clock = testClock(1_800_000_000_000);
  const server = testServer([{ ctaId: '7', rule: rule(delay) }], [], clock.now);
  const requests: Array<{ readonly what: string; readonly keepalive: boolean }> = [];
  const zones: Array<string | null> = [];
  const shown: Action[] = [];
  let see: (visible: boolean) => void = () => {};
  const cta = createCta({
    url: 'http://trivet.test',
    storage: memoryStorage(),
    fetch: (input, init) => {
      requests.push({
        what: input.includes('delta') ? 'delta' : 'launch',
        keepalive: init.keepalive === true,
      });
      zones.push(new Headers(init.headers).get('tz'));
      return server(input, init);
    },
    now: clock.now,
    random: () => 0.5,
    later: clock.later,
    lifecycle: (listener) => {
      see = listener;
      return () => {};
    },
    onError: () => {},
  });
  cta.on('action', (action) => shown.push(action));
  cta.setUser('1');
  await cta.launch();
  requests.length = 0;
  return { cta, clock, requests, zones, shown, see: (visible: boolean) => see(visible) };
}

test.each([
  [0, []],
  [14 * 60_000, []],
  [15 * 60_000, ['launch']],
  [86_400_000, ['launch']],
])('out of sight for %d ms: %p', async (away, expected) => {
  const { clock, requests, see } = await app();
  see(false);
  clock.advance(away);
  see(true);
  await settle();
  expect(requests.map(({ what }) => what)).toEqual(expected);
});

/** @see The zone of the first launch was sent for as long as the app ran, so quiet hours stayed those of home. */
test('a launch has the time zone in which the device is now', async () => {
  const before = process.env['TZ'];
  try {
    process.env['TZ'] = 'Europe/Rome';
    const { cta, zones } = await app();
    process.env['TZ'] = 'Asia/Tokyo';
    await cta.launch();
    expect(zones).toEqual(['Europe/Rome', 'Asia/Tokyo']);
  } finally {
    process.env['TZ'] = before ?? 'UTC';
  }
});

test('what is unsent goes out when the app goes out of sight, with keepalive', async () => {
  const { cta, requests, see } = await app();
  cta.track('open', { text: 'x' });
  expect(requests).toEqual([]);
  see(false);
  await settle();
  expect(requests).toEqual([{ what: 'delta', keepalive: true }]);
  expect(cta.pending()).toBe(0);
});

test('more than a page may send at its end waits for the next launch', async () => {
  const { cta, requests, see } = await app();
  cta.track('open', { text: 'x'.repeat(60_000) });
  see(false);
  await settle();
  expect(requests).toEqual([]);
  expect(cta.pending()).toBe(1);
  await cta.launch();
  expect(requests.map(({ what }) => what)).toEqual(['delta', 'launch']);
  expect(cta.pending()).toBe(0);
});

test('an action appears when its delay is over, and says how long it was; a launch cancels what waits', async () => {
  const { cta, clock, shown } = await app(3_000);
  cta.track('open', { text: 'x' });
  clock.advance(2_999);
  expect(shown).toEqual([]);
  clock.advance(1);
  expect(shown).toMatchObject([{ ctaId: '7', actionId: 'a', delay: 3_000, context: { text: 'x' } }]);
  cta.track('more');
  await cta.launch();
  clock.advance(60_000);
  expect(shown).toHaveLength(1);
});

test('changes within a moment are one request', async () => {
  const { cta, clock, requests } = await app();
  cta.track('open', { text: 'x' });
  clock.advance(200);
  cta.track('more');
  clock.advance(49);
  expect(requests).toEqual([]);
  clock.advance(1);
  await settle();
  expect(requests).toEqual([{ what: 'delta', keepalive: false }]);
});

test('nothing is touched before the first use, and disposing stops everything', async () => {
  const touched: string[] = [];
  const spy = (name: string) => () => {
    touched.push(name);
    return undefined as never;
  };
  const idle = createCta({
    url: 'http://trivet.test',
    storage: { get: spy('get'), set: spy('set'), remove: spy('remove') },
    fetch: spy('fetch'),
    now: spy('now'),
    random: spy('random'),
    later: spy('later'),
    lifecycle: spy('lifecycle'),
  });
  idle.on('action', () => {});
  expect(touched).toEqual([]);

  const { cta, clock, requests } = await app();
  cta.track('open', { text: 'x' });
  cta.dispose();
  clock.advance(600_000);
  await settle();
  expect(requests).toEqual([]);
});
