import { afterAll, expect, test } from 'bun:test';
import { freshTenant, startCtaKernel } from '../../modules/cta/testing/cta-kernel.ts';
import { stillClock } from '../../test/kernel.ts';
import { memoryStorage, type TrivetStorage } from '../base/storage.ts';
import { createTrivet, type Trivet } from './trivet.ts';

/* The start of an app whose user is signed in already. A storage that answers late, as AsyncStorage, must lose nothing. */
const clock = stillClock();
const server = await startCtaKernel(clock, { guests: 'true' });
afterAll(() => server.stop());

const rule = {
  stateTransition: { open: { '0': [{ transitionTo: '1' }] } },
  stateToAction: { '1': 'hello' },
  actions: [{ actionId: 'hello', type: 'POPUP', template: {} }],
};

function lateStorage(): TrivetStorage {
  const { get, set, remove } = memoryStorage();
  return {
    get: (key) => Bun.sleep(5).then(() => get(key)),
    set: (key, value) => Bun.sleep(5).then(() => set(key, value)),
    remove: (key) => Bun.sleep(5).then(() => remove(key)),
  };
}

const open = ({ cta }: Trivet) => {
  cta.track('open');
  cta.measure('custom', {}, { name: 'opened' });
};

type Start = (app: Trivet) => Promise<unknown>;
const afterLaunch: Start = (app) => app.cta.launch().then(() => open(app));
const duringLaunch: Start = (app) => Promise.all([app.cta.launch(), open(app)]);
const beforeLaunch: Start = (app) => {
  open(app);
  return app.cta.launch();
};

test.each<[title: string, makeStorage: () => TrivetStorage, start: Start]>([
  ['after the launch, from a storage that answers at once', memoryStorage, afterLaunch],
  ['during the launch, from a storage that answers at once', memoryStorage, duringLaunch],
  ['before the launch, from a storage that answers at once', memoryStorage, beforeLaunch],
  ['after the launch, from one that answers late', lateStorage, afterLaunch],
  ['during the launch, from one that answers late', lateStorage, duringLaunch],
  ['before the launch, from one that answers late', lateStorage, beforeLaunch],
])('what happens %s', async (_, makeStorage, start) => {
  const tenantId = freshTenant();
  await server.makeCta({ tenantId, rule }, 'LIVE');
  const storage = makeStorage();
  const events: string[] = [];
  const make = () =>
    createTrivet({
      url: server.origin,
      tenantId,
      storage,
      fetch: (input, init) => {
        if (input.endsWith('/cta/events/')) events.push(String(init.body));
        return fetch(input, init);
      },
      now: clock.now,
      lifecycle: () => () => {},
      onError: () => {},
    });
  const first = make();
  await first.auth.signInAsGuest();
  await Bun.sleep(20);
  first.dispose();

  const app = make();
  const shown: string[] = [];
  app.cta.on('action', ({ actionId }) => shown.push(actionId));
  await start(app);
  await app.cta.flush();
  expect([shown, events.length, events.join('').includes('"opened"')]).toEqual([['hello'], 1, true]);
  app.dispose();
});

/** @see React mounts a component twice in its StrictMode: the client of the first mount went on, with its own listeners and timers. */
test('a client that was disposed of before its storage answered does nothing more', async () => {
  const storage = lateStorage();
  const requests: string[] = [];
  let listeners = 0;
  const make = () =>
    createTrivet({
      url: server.origin,
      storage,
      fetch: (input, init) => {
        requests.push(input);
        return fetch(input, init);
      },
      lifecycle: () => {
        listeners++;
        return () => listeners--;
      },
      onError: () => {},
    });
  const first = make();
  await first.auth.signInAsGuest();
  await Bun.sleep(20);
  first.dispose();
  requests.length = 0;

  const app = make();
  const launched = app.cta.launch();
  open(app);
  app.dispose();
  await launched;
  await Bun.sleep(50);
  app.cta.track('open');
  await app.cta.launch();
  expect([requests, listeners]).toEqual([[], 0]);
});
