import { expect, test } from 'bun:test';
import { memoryStorage, type TrivetStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { testServer } from '../testing/test-server.ts';
import { createCta } from './cta.ts';

/* A device that many people use one after the other: the rules of all of them filled the storage of the app. */
const rule = {
  stateTransition: { open: { '0': [{ transitionTo: '1' }] } },
  stateToAction: { '1': 'a' },
  actions: [{ actionId: 'a', type: 'POPUP', template: { html: 'x'.repeat(1000) } }],
  frequency: { lifeSpan: { limit: 1 } },
};

/** @param isAsync the storage answers late, as that of React Native. */
function device(isAsync: boolean) {
  const clock = testClock(1_800_000_000_000);
  const server = testServer([{ ctaId: '7', rule }], [], clock.now);
  const values = new Map<string, string>();
  const late = <T>(value: T) => (isAsync ? Promise.resolve(value) : value);
  const storage: TrivetStorage = {
    ...memoryStorage(),
    get: (key) => late(values.get(key) ?? null),
    set: (key, value) => late(values.set(key, value)),
    remove: (key) => late(values.delete(key)),
  };
  const state = { isOffline: false };
  const shown: string[] = [];
  const start = () => {
    const cta = createCta({
      url: 'http://trivet.test',
      storage,
      fetch: async (...request) => {
        if (state.isOffline) throw new TypeError('offline');
        return server(...request);
      },
      now: clock.now,
      later: clock.later,
      lifecycle: () => () => {},
      onError: () => {},
    });
    cta.on('action', ({ ctaId }) => shown.push(ctaId));
    return cta;
  };
  const withRules = () =>
    [...values.keys()].flatMap((key) => /^trivet:default:(.+):rules$/.exec(key)?.[1] ?? []);
  return { start, state, shown, withRules, clock };
}
const users = Array.from({ length: 20 }, (_, at) => String(at + 1));

test.each([false, true])('the rules of the last five who left stay (a promise: %p)', async (isAsync) => {
  const { start, withRules } = device(isAsync);
  for (const user of users) {
    const cta = start();
    cta.setUser(user);
    await cta.launch();
    cta.setUser(null);
    await Bun.sleep(isAsync ? 1 : 0);
    cta.dispose();
  }
  expect(withRules()).toEqual(['16', '17', '18', '19', '20']);
});

test('the rules of the user who is there stay, and of somebody who comes again and again', async () => {
  const { start, withRules } = device(false);
  const cta = start();
  for (const user of users) {
    cta.setUser('1');
    await cta.launch();
    cta.setUser(user);
    await cta.launch();
  }
  expect(withRules()).toEqual(['1', '16', '17', '18', '19', '20']);
  // The end of the app is no departure.
  cta.dispose();
  expect(withRules()).toHaveLength(6);
});

test('two who take turns without network go on as they were', async () => {
  const { start, state, shown, clock } = device(false);
  const cta = start();
  for (const user of ['1', '2']) {
    cta.setUser(user);
    await cta.launch();
  }
  state.isOffline = true;
  for (const user of ['1', '2', '1', '2']) {
    cta.setUser(user);
    await cta.launch();
    cta.track('open');
    clock.advance(1);
  }
  expect(shown).toEqual(['7', '7']);
});

test('who comes back after many others is no first launch: limits count on', async () => {
  const { start, shown, clock } = device(false);
  const cta = start();
  for (const user of [...users, '1']) {
    cta.setUser(user);
    await cta.launch();
    cta.track('open');
    await cta.flush();
    clock.advance(1);
  }
  expect(shown).toHaveLength(users.length);
});
