import { expect, test } from 'bun:test';
import type { Trouble } from '../base/environment.ts';
import { memoryStorage, type TrivetStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { testServer } from '../testing/test-server.ts';
import { createTrivet, type Action } from '../trivet/trivet.ts';

const rule = {
  stateTransition: { open: { '0': [{ transitionTo: '1' }] }, close: { '1': [{ transitionTo: '2' }] } },
  stateToAction: { '1': 'a' },
  resetStates: ['2'],
  actions: [{ actionId: 'a', type: 'POPUP', template: { text: 'hello' } }],
};
const rules = [{ ctaId: '7', rule }];
type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/** A device, and what its app was told. */
function device(options: { fetch?: Fetch; storage?: TrivetStorage; userId?: string; start?: number } = {}) {
  const clock = testClock(options.start ?? 1_800_000_000_000);
  const errors: Trouble[] = [];
  const shown: Action[] = [];
  const requests: Array<{ readonly path: string; readonly userId: string; readonly body: string }> = [];
  const server = options.fetch ?? testServer(rules, [], clock.now);
  const storage = options.storage ?? memoryStorage();
  const trivet = createTrivet({
    url: 'http://trivet.test',
    storage,
    fetch: (input, init) => {
      const userId = new Headers(init.headers).get('auth-userid') ?? '';
      requests.push({ path: new URL(input).pathname, userId, body: String(init.body) });
      return server(input, init);
    },
    now: clock.now,
    random: () => 0.5,
    later: clock.later,
    lifecycle: () => () => {},
    onError: (trouble) => errors.push(trouble),
  });
  trivet.cta.on('action', (action) => shown.push(action));
  trivet.cta.setUser(options.userId ?? '1');
  const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
  return { trivet, clock, errors, shown, storage, requests, settle };
}
const answering =
  (status: number, body: object | string, headers: Record<string, string> = {}): Fetch =>
  () =>
    Promise.resolve(
      new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }),
    );
const offline: Fetch = () => Promise.reject(new TypeError('offline'));

test.each<[string, Fetch, string]>([
  ['no network', offline, 'UNREACHABLE'],
  ['a wrong URL', answering(200, '<!doctype html>'), 'UNEXPECTED_ANSWER'],
  [
    'a server that is away',
    answering(503, { error: { code: 'SHUTTING_DOWN', message: 'Later.' } }),
    'SHUTTING_DOWN',
  ],
  [
    'a tenant that is refused',
    answering(400, { error: { code: 'INVALID_REQUEST', message: 'The tenant is unknown.' } }),
    'INVALID_REQUEST',
  ],
])('%s: the stored rules apply, and onError says it once', async (_, fetch, code) => {
  const first = device();
  await first.trivet.cta.launch();
  const later = device({ fetch, storage: first.storage });
  await later.trivet.cta.launch();
  await later.trivet.cta.launch();
  expect(later.trivet.cta.track('open').map(({ kind }) => kind)).toEqual(['transition', 'action']);
  expect(later.shown).toHaveLength(1);
  expect(later.errors.filter((error) => error.code === code)).toHaveLength(1);
  expect(later.errors[0]?.message).toMatch(/^[A-Z].*\.$/);
});

test('a change that cannot be sent waits in storage, and the next process sends it', async () => {
  const first = device();
  await first.trivet.cta.launch();
  const away = device({ fetch: offline, storage: first.storage });
  away.trivet.cta.track('open');
  await away.trivet.cta.flush();
  expect(away.trivet.cta.pending()).toBe(1);
  away.trivet.dispose();
  const back = device({ storage: first.storage });
  expect(back.trivet.cta.pending()).toBe(1);
  await back.trivet.cta.launch();
  expect(back.trivet.cta.pending()).toBe(0);
  expect(back.requests.map(({ path }) => path)).toEqual([
    '/cta/state-machines/snapshot/delta/',
    '/cta/active/state-machines/',
  ]);
});

const ofTrivet = { error: { code: 'INVALID_REQUEST', message: 'ctas is no list.' } };
test.each<[number, object, number, string]>([
  [400, ofTrivet, 0, 'DELTA_REFUSED'],
  [413, ofTrivet, 0, 'DELTA_REFUSED'],
  // A proxy whose server is away.
  [400, {}, 1, 'UNEXPECTED_ANSWER'],
])('a delta that gets %d and %j is thrown away, or waits, and told', async (status, body, pending, code) => {
  const server = testServer(rules, [], () => 0);
  const known = device({
    fetch: (input, init) =>
      input.endsWith('delta/') ? answering(status, body)(input, init) : server(input, init),
  });
  await known.trivet.cta.launch();
  known.trivet.cta.track('open');
  await known.trivet.cta.flush();
  expect(known.trivet.cta.pending()).toBe(pending);
  expect(known.errors.map((error) => error.code)).toEqual([code]);
});

test.each<[string, number, object, Record<string, string>, number]>([
  ['503', 503, {}, {}, 1_000],
  ['429 with Retry-After', 429, {}, { 'retry-after': '7' }, 7_000],
  ['503 with a date', 503, {}, { 'retry-after': new Date(1_800_000_007_000).toUTCString() }, 6_750],
  ['503 with a date of another clock', 503, {}, { 'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT' }, 60_000],
  ['200 of another server', 200, { data: false }, {}, 1_000],
])('after %s it is tried again when it may be', async (_, status, body, headers, wait) => {
  let isBroken = true;
  const server = testServer(rules, [], () => 0);
  const known = device({
    fetch: (input, init) =>
      input.endsWith('delta/') && isBroken
        ? answering(status, body, headers)(input, init)
        : server(input, init),
  });
  await known.trivet.cta.launch();
  known.trivet.cta.track('open');
  known.clock.advance(250);
  await known.settle();
  isBroken = false;
  known.clock.advance(wait - 1);
  await known.settle();
  expect(known.trivet.cta.pending()).toBe(1);
  known.clock.advance(1);
  await known.settle();
  expect(known.trivet.cta.pending()).toBe(0);
});

const broken: TrivetStorage = {
  get: () => {
    throw new Error('private mode');
  },
  set: () => {
    throw new Error('quota');
  },
  remove: () => {
    throw new Error('private mode');
  },
};
const rejecting: TrivetStorage = {
  get: () => Promise.reject(new Error('private mode')),
  set: () => Promise.reject(new Error('quota')),
  remove: () => Promise.reject(new Error('private mode')),
};
test.each([
  ['throws', broken],
  ['rejects', rejecting],
])('a storage that %s: memory takes its place, told once', async (_, storage) => {
  const known = device({ storage });
  await known.trivet.cta.launch();
  known.trivet.cta.track('open');
  known.trivet.cta.track('close');
  await known.trivet.cta.flush();
  expect(known.shown).toHaveLength(1);
  expect(known.trivet.cta.pending()).toBe(0);
  expect(known.errors.map(({ code }) => code)).toEqual(['STORAGE_FAILED']);
});

test.each(['{', 'null', '[]', '{"ctas":7}', '"text"', '{"ctas":{"7":null},"tags":{},"unsent":["7"]}'])(
  'corrupt storage %s: the next launch replaces it, and nothing throws',
  async (text) => {
    const storage = memoryStorage();
    for (const what of ['rules', 'state']) storage.set(`trivet:default:1:${what}`, text);
    const known = device({ storage });
    expect(() => known.trivet.cta.track('open')).not.toThrow();
    await known.trivet.cta.launch();
    await known.trivet.cta.flush();
    expect(known.trivet.cta.track('close')).toBeArray();
    expect(known.shown.length).toBe(1);
  },
);

test('an asynchronous storage: events before it was read are played in their order', async () => {
  const inner = memoryStorage();
  const slow = <T>(work: () => T | Promise<T>): Promise<T> => Bun.sleep(2).then(work);
  const storage: TrivetStorage = {
    get: (key) => slow(() => inner.get(key)),
    set: (key, value) => slow(() => inner.set(key, value)),
    remove: (key) => slow(() => inner.remove(key)),
  };
  const first = device({ storage });
  await first.trivet.cta.launch();
  await Bun.sleep(20);
  const next = device({ storage });
  expect(next.trivet.cta.track('open')).toEqual([]);
  await Bun.sleep(20);
  expect(next.shown).toHaveLength(1);
  await Bun.sleep(30);
  expect(await storage.get('trivet:default:1:state')).toContain('"unsent":["7"]');
});

test('events before the first launch wait for its rules', async () => {
  const known = device();
  expect(known.trivet.cta.track('open')).toEqual([]);
  await known.trivet.cta.launch();
  expect(known.shown).toHaveLength(1);
});

test('a clock that jumps back loses no transition, and does not stop sending', async () => {
  const first = device({ start: 1_900_000_000_000 });
  await first.trivet.cta.launch();
  first.trivet.cta.track('open');
  const now = device({ storage: first.storage, start: 1_800_000_000_000 });
  now.trivet.cta.track('close');
  await now.trivet.cta.flush();
  const { ctas } = JSON.parse(String(now.requests.at(-1)?.body)) as {
    ctas: Array<{ activeStateMachines: Record<string, { reset: boolean; lastTransitionAt: number }> }>;
  };
  expect(ctas[0]?.activeStateMachines['7']).toMatchObject({
    reset: true,
    lastTransitionAt: 1_900_000_000_001,
  });
});

test('a listener that throws stops neither the others nor the event', async () => {
  const known = device();
  const heard: string[] = [];
  known.trivet.cta.on('action', () => {
    throw new Error('of the app');
  });
  const remove = known.trivet.cta.on('action', ({ actionId }) => heard.push(actionId));
  await known.trivet.cta.launch();
  expect(known.trivet.cta.track('open')).toHaveLength(2);
  expect(heard).toEqual(['a']);
  expect(known.errors.map(({ code }) => code)).toEqual(['LISTENER_FAILED']);
  remove();
});

const newer = [
  ['no object', null],
  ['parts missing', {}],
  [
    'parts of other types',
    { stateTransition: { open: 7 }, actions: 'none', groupByConfig: [], frequency: 3 },
  ],
  [
    'an unknown filter',
    {
      ...rule,
      stateTransition: { open: { '0': [{ transitionTo: '1', filters: { operator: 'XOR', filter: 7 } }] } },
    },
  ],
  [
    'an unknown property type',
    {
      ...rule,
      stateTransition: {
        open: {
          '0': [
            {
              transitionTo: '1',
              filters: {
                operator: 'AND',
                filter: [{ propertyName: 'p', propertyType: 'semver', comparisonType: '~' }],
              },
            },
          ],
        },
      },
    },
  ],
  [
    'an unknown function',
    {
      ...rule,
      stateTransition: {
        open: {
          '0': [
            {
              transitionTo: '1',
              filters: {
                operator: 'AND',
                filter: [
                  {
                    propertyName: 'p',
                    propertyType: 'number',
                    comparisonType: '=',
                    comparisonValue: 1,
                    functions: { operator: '^' },
                  },
                ],
              },
            },
          ],
        },
      },
    },
  ],
] as const;
test.each(newer)('a rule of a newer server (%s) stops only itself', async (_, unknown) => {
  const server = testServer([{ ctaId: '3', rule: unknown as unknown as object }, ...rules], [], () => 0);
  const known = device({ fetch: server });
  await known.trivet.cta.launch();
  known.trivet.cta.track('open', { p: '1' });
  expect(known.shown.map(({ ctaId }) => ctaId)).toEqual(['7']);
});

test.each<[string, unknown]>([
  ['no object', 7],
  [
    'a circle',
    (() => {
      const circle: { self?: object } = {};
      circle.self = circle;
      return { circle };
    })(),
  ],
  ['a function, a symbol, undefined and a bigint', { f: () => 1, s: Symbol('s'), u: undefined, b: 10n }],
  [
    'a getter that throws',
    {
      get p() {
        throw new Error('of the app');
      },
    },
  ],
  ['names of Object.prototype', { constructor: 1, toString: 2, ['__proto__']: 3 }],
])('properties that are %s: nothing throws', async (_, properties) => {
  const known = device();
  await known.trivet.cta.launch();
  expect(() => known.trivet.cta.track('open', properties as never)).not.toThrow();
  expect(known.shown).toHaveLength(1);
});

test.each(['constructor', '__proto__', 'toString', ''])('an event named %p is harmless', async (name) => {
  const known = device();
  await known.trivet.cta.launch();
  expect(known.trivet.cta.track(name)).toEqual([]);
});

test('another user gets neither the state nor the unsent changes of the one before', async () => {
  const server = testServer(rules, [], () => 0);
  let isAway = false;
  const known = device({ fetch: (input, init) => (isAway ? offline(input, init) : server(input, init)) });
  await known.trivet.cta.launch();
  isAway = true;
  known.trivet.cta.track('open');
  known.trivet.cta.setUser(2);
  await known.settle();
  expect(known.trivet.cta.pending()).toBe(0);
  isAway = false;
  await known.trivet.cta.launch();
  known.trivet.cta.track('open');
  await known.trivet.cta.flush();
  known.trivet.cta.setUser('1');
  expect(known.trivet.cta.pending()).toBe(1);
  await known.trivet.cta.flush();
  expect(known.trivet.cta.pending()).toBe(0);
  const sent = known.requests.filter(({ path }) => path.includes('delta'));
  expect(sent.at(-1)?.userId).toBe('1');
  for (const { userId, body } of sent) expect([userId, body.includes('"7"')]).toEqual([userId, true]);
});

test.each([null, 'seven', 1.5, '', {}])(
  'user %p: no exception, and nobody else is touched',
  async (userId) => {
    const known = device();
    await known.trivet.cta.launch();
    known.trivet.cta.setUser(userId as never);
    if (userId === null) expect(known.trivet.cta.track('open')).toEqual([]);
    else expect(known.errors.map(({ code }) => code)).toEqual(['INVALID_USER']);
  },
);

/** @see sdk/README.md, INVALID_USER: a number beyond 64 bits was taken, and the server refused each of its requests. */
test.each([
  ['9223372036854775807', true],
  ['9223372036854775808', false],
  ['9999999999999999999', false],
  ['-9223372036854775808', true],
  ['-9223372036854775809', false],
  ['0', true],
  ['-1', true],
  [Number.MAX_SAFE_INTEGER, true],
  [1e19, false],
])('a user is a whole number of 64 bits: %p is %p', async (userId, isOne) => {
  const known = device();
  await known.trivet.cta.launch();
  known.trivet.cta.setUser(userId);
  await known.trivet.cta.launch();
  expect(known.errors.map(({ code }) => code)).toEqual(isOne ? [] : ['INVALID_USER']);
  expect(known.requests.at(-1)?.userId).toBe(isOne ? String(userId) : '1');
});

test('ctas: [] clears the rules, null keeps them', async () => {
  let answer: unknown;
  const server = testServer(rules, [], () => 0);
  const known = device({
    fetch: (input, init) =>
      answer === undefined ? server(input, init) : answering(200, { data: answer })(input, init),
  });
  await known.trivet.cta.launch();
  answer = { ctas: null, behaviourTags: null };
  await known.trivet.cta.launch();
  expect(known.trivet.cta.explain('open')).toHaveLength(2);
  answer = { ctas: [], behaviourTags: [] };
  await known.trivet.cta.launch();
  expect(known.trivet.cta.explain('open')).toEqual([]);
});

test('explain changes nothing', async () => {
  const known = device();
  await known.trivet.cta.launch();
  const before = JSON.stringify(await known.storage.get('trivet:default:1:state'));
  expect(known.trivet.cta.explain('open').map(({ kind }) => kind)).toEqual(['transition', 'action']);
  expect(known.trivet.cta.explain('open').map(({ kind }) => kind)).toEqual(['transition', 'action']);
  expect(known.shown).toEqual([]);
  expect(known.trivet.cta.pending()).toBe(0);
  expect(JSON.stringify(await known.storage.get('trivet:default:1:state'))).toBe(before);
});

test('a preview link that comes before the launch is shown after it, and counts nothing', async () => {
  const server = testServer(rules, [], () => 0);
  const known = device({
    fetch: (input, init) =>
      input.includes('/cta/nudge/preview/')
        ? answering(200, {
            data: { id: 'welcome 1', template: '{"text":"hi"}', tenantId: 'default', ttl: null },
          })(input, init)
        : server(input, init),
  });
  expect(known.trivet.cta.handleUrl('https://shop.example/home')).toBe(false);
  expect(known.trivet.cta.handleUrl('shop://open?x=1&trivet-preview=welcome%201')).toBe(true);
  expect(known.shown).toEqual([]);
  await known.trivet.cta.launch();
  expect(known.shown).toMatchObject([
    { preview: true, actionId: 'welcome 1', template: { text: 'hi' }, delay: 0 },
  ]);
  expect(known.requests.at(-1)?.path).toBe('/cta/nudge/preview/welcome%201');
  expect(known.trivet.cta.pending()).toBe(0);
  expect(await known.trivet.cta.preview('http://trivet.test/cta/nudge/preview/welcome%201')).toMatchObject({
    id: 'welcome 1',
  });
});
