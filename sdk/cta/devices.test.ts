import { afterAll, expect, test } from 'bun:test';
import { stillClock } from '../../test/kernel.ts';
import { freshTenant, startCtaKernel } from '../../modules/cta/testing/cta-kernel.ts';
import { memoryStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { createCta } from './cta.ts';

/*
 * Three devices of one user, offline and online, killed at random, against a real server: in the end it knows what one device would have
 * told it that saw every event.
 */
const clock = stillClock(Date.UTC(2026, 5, 1));
const server = await startCtaKernel(clock);
afterAll(() => server.stop());

const rule = {
  stateTransition: {
    open: { '0': [{ transitionTo: '1' }] },
    next: { '1': [{ transitionTo: '2' }], '2': [{ transitionTo: '1' }] },
    close: { '1': [{ transitionTo: '3' }], '2': [{ transitionTo: '3' }] },
  },
  stateToAction: { '1': 'a' },
  resetStates: ['3'],
  contextParams: ['page'],
  groupByConfig: { groupByKeys: ['g'] },
  actions: [{ actionId: 'a', type: 'TOOLTIP', template: {} }],
};

test('10,000 events on three devices that are offline and killed at random', async () => {
  const tenantId = freshTenant();
  const ctaIds = [
    await server.makeCta({ tenantId, rule }),
    await server.makeCta({ tenantId, rule: { ...rule, priority: 1 } }),
  ];
  await server.call('create-behaviour-tag', {
    tenantId,
    behaviourTagName: 'promo',
    exposureRule: { window: { limit: 100_000, unit: 'days', value: 1 } },
  });
  await server.call('link-behaviour-tag', { behaviourTagName: 'promo', ctaIds });
  for (const ctaId of ctaIds) await server.call('set-cta-status', { ctaId, status: 'LIVE' });

  let seed = 11;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const sentBy = new Map<string, Set<string>>();
  const time = testClock(clock.now());
  const open = (userId: string, storage: ReturnType<typeof memoryStorage>, network: { fails: boolean }) => {
    const cta = createCta({
      url: server.origin,
      tenantId,
      storage,
      fetch: async (input, init) => {
        if (network.fails && random() < 0.5) throw new TypeError('offline');
        const known = sentBy.get(userId) ?? new Set();
        sentBy.set(userId, known.add(new Headers(init.headers).get('auth-userid') ?? ''));
        const answer = await fetch(input, init);
        if (network.fails) throw new TypeError('the answer is lost');
        return answer;
      },
      now: time.now,
      random: () => 0.5,
      later: time.later,
      lifecycle: () => () => {},
      onError: () => {},
    });
    cta.setUser(userId);
    return cta;
  };
  const devices = [0, 1, 2].map(() => {
    const storage = memoryStorage();
    const network = { fails: false };
    return { storage, network, cta: open('501', storage, network) };
  });
  const witness = open('502', memoryStorage(), { fails: false });
  await Promise.all([...devices.map(({ cta }) => cta.launch()), witness.launch()]);

  const names = ['open', 'open', 'next', 'next', 'close'] as const;
  for (let event = 0; event < 10_000; event++) {
    clock.advance(1 + Math.floor(random() * 400));
    time.advance(clock.now() - time.now());
    const index = Math.floor(random() * devices.length);
    const device = devices[index];
    if (!device) continue;
    const name = names[Math.floor(random() * names.length)] ?? 'open';
    const properties = { g: `${index}-${Math.floor(random() * 4)}`, page: event };
    device.cta.track(name, properties);
    witness.track(name, properties);
    if (random() < 0.02) device.network.fails = !device.network.fails;
    if (random() < 0.01) {
      device.cta.dispose();
      device.cta = open('501', device.storage, device.network);
    }
    if (random() < 0.01) await device.cta.launch();
    if (event % 50 === 0) await Bun.sleep(1);
  }
  for (const { network, cta } of devices) {
    network.fails = false;
    await cta.flush();
    await cta.flush();
    expect(cta.pending()).toBe(0);
  }
  await witness.flush();
  await witness.flush();
  expect([...sentBy].map(([user, ids]) => [user, [...ids]])).toEqual([
    ['501', ['501']],
    ['502', ['502']],
  ]);

  const known = async (userId: string) => {
    const { body } = await server.post('/cta/active/state-machines/', {}, undefined, {
      'auth-userid': userId,
      'x-tenant-id': tenantId,
      api_version: '1',
    });
    // A machine that never moved is not stored: a device that was killed makes it anew, and it is younger.
    return JSON.stringify((body as { data: object }).data).replace(/"createdAt":\d+/g, '"createdAt":0');
  };
  const [three, one] = [await known('501'), await known('502')];
  expect(JSON.parse(three)).toEqual(JSON.parse(one));
  // It is worth something only if there was something to lose.
  expect(one.length).toBeGreaterThan(10_000);
}, 120_000);
