import { expect, test } from 'bun:test';
import { memoryStorage, type TrivetStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { createCta } from './cta.ts';

/* A first launch begins histories anew, also those of the server, so it must be one: the device has stored nothing. */
const rule = {
  stateTransition: { open: { '0': [{ transitionTo: '1' }] }, close: { '1': [{ transitionTo: '2' }] } },
  stateToAction: { '1': 'a' },
  resetStates: ['2'],
  resetCTAonFirstLaunch: true,
  actions: [{ actionId: 'a', type: 'POPUP', template: {} }],
};
const machine = { currentState: '1', lastTransitionAt: 5, createdAt: 5 };
const known = {
  ctaId: '7',
  rule,
  activeStateMachines: { '7': machine },
  resetAt: [1, 2, 3],
  actionDoneAt: [1],
};

async function bodiesOf(storage: TrivetStorage): Promise<readonly string[]> {
  const clock = testClock(1_800_000_000_000);
  const bodies: string[] = [];
  const cta = createCta({
    url: 'http://trivet.test',
    storage,
    fetch: (input, init) => {
      if (input.includes('delta')) bodies.push(String(init.body));
      const data = input.includes('delta') ? true : { ctas: [known], behaviourTags: [] };
      return Promise.resolve(new Response(JSON.stringify({ data })));
    },
    now: clock.now,
    later: clock.later,
    lifecycle: () => () => {},
    onError: () => {},
  });
  cta.setUser('1');
  await cta.launch();
  await cta.flush();
  return bodies;
}
const withStored = (
  rules: string,
  state = '{"version":2,"ctas":{},"tags":{},"unsent":[]}',
): TrivetStorage => {
  const storage = memoryStorage();
  storage.set('trivet:default:1:rules', rules);
  storage.set('trivet:default:1:state', state);
  return storage;
};
const locked = (): never => {
  throw new Error('The device is locked.');
};

/** @see A device that was locked as the app began ended what its user had begun, and no limit counted what they had seen. */
test.each([
  ['nothing is stored', memoryStorage(), true],
  ['the storage cannot be read', { get: locked, set: locked, remove: locked }, false],
  ['the storage cannot be read, asynchronously', { ...memoryStorage(), get: async () => locked() }, false],
  ['the stored rules cannot be read', withStored('{"ctas":[{"cta'), false],
  ['nothing that is stored can be read', withStored('{"ctas":[{"cta', '{"ver'), false],
  ['an earlier launch is stored', withStored('{"ctas":[],"tags":[]}'), false],
])('a launch when %s', async (_, storage, isFirst) => {
  const bodies = await bodiesOf(storage);
  expect(bodies.some((body) => body.includes('"reset":true'))).toBe(isFirst);
});
