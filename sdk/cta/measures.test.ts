import { expect, test } from 'bun:test';
import { memoryStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { createCta, type Action } from './cta.ts';

/* What an app measures of an action is what the server can count. */
const rule = {
  stateTransition: { open: { '0': [{ transitionTo: '1' }] }, close: { '1': [{ transitionTo: '2' }] } },
  stateToAction: { '1': 'a' },
  resetStates: ['2'],
  actions: [{ actionId: 'a', type: 'POPUP', template: {} }],
};
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

interface Sent {
  readonly path: string;
  readonly headers: Headers;
  readonly events: ReadonlyArray<Readonly<Record<string, unknown>>>;
  /** Of a delta. */
  readonly ctas: ReadonlyArray<{
    readonly activeStateMachines: Readonly<Record<string, object>>;
    readonly actionDoneAt?: readonly number[];
  }>;
}

async function app(launched: object = {}, storage = memoryStorage()) {
  const clock = testClock(1_800_000_000_000);
  const sent: Sent[] = [];
  const network = { works: true, takesState: true, maxBytes: 256 * 1024, dropped: 0, page: '', status: 200 };
  const troubles: string[] = [];
  const cta = createCta({
    url: 'http://trivet.test',
    storage,
    fetch: async (input, init) => {
      await settle();
      if (!network.works) throw new TypeError('offline');
      if (!network.takesState && input.includes('/delta/')) return new Response('{}', { status: 503 });
      if (input.includes('/events/') && Buffer.byteLength(String(init.body)) > network.maxBytes)
        return new Response('{"error":{"code":"PAYLOAD_TOO_LARGE","message":"m"}}', { status: 413 });
      if (network.page) return new Response(network.page, { status: network.status });
      const { events = [], ctas: states = [] } = JSON.parse(String(init.body)) as Partial<Sent>;
      sent.push({
        path: input.replace('http://trivet.test', ''),
        headers: new Headers(init.headers),
        events,
        ctas: states,
      });
      const ctas = [{ ctaId: '7', rule, ...launched }];
      const data = input.includes('delta') ? true : { ctas, behaviourTags: [], dropped: network.dropped };
      return new Response(JSON.stringify({ data }));
    },
    now: clock.now,
    random: () => 0.5,
    later: clock.later,
    lifecycle: () => () => {},
    onError: ({ code }) => troubles.push(code),
  });
  const shown: Action[] = [];
  cta.on('action', (action) => {
    shown.push(action);
    cta.measure('impression', action);
  });
  cta.setUser('1');
  await cta.launch();
  return { cta, clock, network, sent, shown, troubles };
}
const eventsOf = (sent: readonly Sent[]) => sent.flatMap(({ events }) => events);

test('a launch names the time zone of the device, for quiet hours', async () => {
  const { sent } = await app();
  expect(sent[0]?.headers.get('tz')).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
});

test('a measure names the arm in which the person is', async () => {
  const { cta, sent } = await app({ variant: 'free-delivery' });
  cta.track('open');
  await cta.flush();
  expect(eventsOf(sent)).toMatchObject([{ type: 'impression', ctaId: '7', variant: 'free-delivery' }]);
});

test('without an experiment a measure names no arm', async () => {
  const { cta, sent } = await app();
  cta.track('open');
  await cta.flush();
  expect(eventsOf(sent)[0]).not.toHaveProperty('variant');
});

// The server counts an impression of the same state again only if it knows that the CTA acted or ended meanwhile.
test('the state goes out before the measures, also after a time without network', async () => {
  const { cta, clock, network, sent, shown } = await app();
  sent.length = 0;
  network.works = false;
  cta.track('open');
  clock.advance(2_000);
  await settle();
  cta.track('close');
  clock.advance(2_000);
  await settle();
  cta.track('open');
  expect(shown.length).toBe(2);
  await Bun.sleep(30);
  network.works = true;
  await cta.flush();
  expect(sent.map(({ path }) => path)).toEqual(['/cta/state-machines/snapshot/delta/', '/cta/events/']);
  expect(eventsOf(sent).length).toBe(2);
});

/** The impressions that were sent before the action that they are of. */
function early(sent: readonly Sent[]): readonly unknown[] {
  const told = new Set<unknown>();
  return sent.flatMap(({ ctas, events }) => {
    for (const { actionDoneAt = [] } of ctas) for (const at of actionDoneAt) told.add(at);
    return events.map(({ at }) => at).filter((at) => !told.has(at));
  });
}

/** @see Impressions were taken for repeated ones, and lost. */
test('a measure does not overtake a state that the server cannot take now', async () => {
  const { cta, clock, network, sent } = await app();
  network.takesState = false;
  cta.track('open');
  await cta.flush();
  expect(eventsOf(sent)).toEqual([]);
  network.takesState = true;
  clock.advance(1_000);
  await Bun.sleep(30);
  expect([eventsOf(sent).length, early(sent)]).toEqual([1, []]);
});

test('a measure does not overtake its state in an app that never pauses', async () => {
  const { cta, clock, sent } = await app();
  for (let step = 0; step < 60; step++) {
    cta.track(step % 2 === 0 ? 'open' : 'close');
    clock.advance(60);
    await Bun.sleep(2);
  }
  clock.advance(1_000);
  await Bun.sleep(30);
  await cta.flush();
  expect([eventsOf(sent).length, early(sent)]).toEqual([30, []]);
});

test('a goal may name no CTA', async () => {
  const { cta, sent } = await app();
  cta.measure('custom', {}, { name: 'bought', value: 35 });
  await cta.flush();
  const [goal] = eventsOf(sent);
  expect(goal).toMatchObject({ type: 'custom', name: 'bought', value: 35 });
  expect(goal).not.toHaveProperty('ctaId');
});

// The funnel, and a goal on a state: a state that ends the CTA is reached, too.
test('the end of a CTA names the state in which it ended, also after the process', async () => {
  const storage = memoryStorage();
  const first = await app({}, storage);
  first.cta.track('open');
  await first.cta.flush();
  first.network.works = false;
  first.clock.advance(1_000);
  first.cta.track('close');
  first.cta.dispose();
  const { sent } = await app({}, storage);
  const machines = sent.flatMap(({ ctas }) => ctas.map(({ activeStateMachines }) => activeStateMachines));
  expect(machines).toMatchObject([{ '7': { currentState: '2', reset: true } }]);
});

/** @see Each measure and each change put off the sending of those before: 500 measures waited, and the oldest were dropped. */
test('what goes on without a pause is sent meanwhile', async () => {
  const { cta, clock, sent } = await app();
  sent.length = 0;
  for (let step = 0; step < 20; step++) {
    cta.track(step % 2 === 0 ? 'open' : 'close');
    cta.measure('custom', {}, { name: 'scrolled' });
    clock.advance(200);
    await Bun.sleep(12);
  }
  const paths = sent.map(({ path }) => path);
  expect(paths).toContain('/cta/state-machines/snapshot/delta/');
  expect(paths).toContain('/cta/events/');
});

/** @see docs/client-api.md, POST /cta/events/: events are kept until the response is 200, and what is dropped is reported. */
const clicks = (count: number, element: string) => Array.from({ length: count }, (_, n) => `${n} ${element}`);
const server = 256 * 1024;
const queues: ReadonlyArray<
  readonly [
    what: string,
    elements: readonly string[],
    arrive: number,
    troubles: readonly string[],
    maxBytes: number,
  ]
> = [
  ['400 clicks of 256 characters of three bytes', clicks(400, '购'.repeat(250)), 400, [], server],
  ['500 of one byte', clicks(500, 'x'.repeat(250)), 500, [], server],
  [
    'one that is far too long, among others',
    [...clicks(3, 'a'), 'x'.repeat(300_000), ...clicks(3, 'b')],
    7,
    [],
    server,
  ],
  ['more than are kept: the newest', clicks(510, 'c'), 500, ['MEASURES_DROPPED'], server],
  ['a proxy that takes less than the server', clicks(20, 'd'), 20, [], 1_000],
  ['a proxy that takes none of them', clicks(3, 'e'), 0, ['MEASURES_DROPPED'], 10],
];
test.each(queues)('after a time without network: %s', async (_, elements, arrive, expected, maxBytes) => {
  const { cta, network, sent, troubles } = await app();
  network.works = false;
  network.maxBytes = maxBytes;
  for (const element of elements) cta.measure('click', { ctaId: '7' }, { element });
  await cta.flush();
  network.works = true;
  await cta.flush();
  const arrived = eventsOf(sent).map(({ element }) => String(element));
  expect([arrived.length, new Set(arrived).size]).toEqual([
    arrive,
    new Set(elements.slice(-arrive)).size * Math.sign(arrive),
  ]);
  expect(Math.max(0, ...arrived.map((element) => element.length))).toBeLessThanOrEqual(256);
  expect([...new Set(troubles)]).toEqual([...expected]);
});

/** @see sdk/README.md: what cannot be sent waits. The page in which a network asks for a sign-in, or a proxy for patience, has status 200, too. */
test.each([
  [200, '<!doctype html>'],
  [200, '{"data":{"accepted":1,"dro'],
  [200, '{}'],
  // A proxy whose server is away.
  [404, 'default backend - 404'],
  [400, '<!doctype html>'],
])('an answer %d of another server has taken nothing: %s', async (status, page) => {
  const { cta, clock, network, sent, troubles } = await app();
  Object.assign(network, { page, status });
  cta.measure('click', { ctaId: '7' });
  await cta.flush();
  network.page = '';
  clock.advance(1_000);
  await Bun.sleep(30);
  expect([eventsOf(sent).length, troubles]).toEqual([1, []]);
});

test.each([400, 404])('what the server refuses with %d is thrown away, and reported', async (status) => {
  const { cta, clock, network, sent, troubles } = await app();
  Object.assign(network, { page: '{"error":{"code":"NOT_FOUND","message":"m"}}', status });
  cta.measure('click', { ctaId: '7' });
  await cta.flush();
  network.page = '';
  clock.advance(1_000);
  await Bun.sleep(30);
  expect([eventsOf(sent).length, troubles]).toEqual([0, ['MEASURES_DROPPED']]);
});

/** @see A device whose clock was 40 days late lost all its measures, and nobody was told. */
test('what the server cannot count is reported, and not sent again', async () => {
  const { cta, network, sent, troubles } = await app();
  network.dropped = 1;
  cta.measure('click', { ctaId: '7' });
  await cta.flush();
  await cta.flush();
  expect([eventsOf(sent).length, troubles]).toEqual([1, ['MEASURES_DROPPED']]);
});

test('what an earlier version has stored is sent, too long as it is', async () => {
  const storage = memoryStorage();
  const at = 1_799_999_999_000;
  const stored = [{ id: 'a', at, type: 'click', ctaId: '7', element: '购'.repeat(200_000) }];
  storage.set(
    'trivet:default:1:measures',
    JSON.stringify([...stored, { id: 'b', at, type: 'click', ctaId: '7' }]),
  );
  const { cta, sent } = await app({}, storage);
  await cta.flush();
  expect(eventsOf(sent).map(({ id }) => id)).toEqual(['a', 'b']);
  expect(storage.get('trivet:default:1:measures')).toBeNull();
});

test('a half of a character is no end of a text', async () => {
  const { cta, sent } = await app();
  cta.measure('click', { ctaId: '7' }, { element: `${'x'.repeat(255)}😀` });
  await cta.flush();
  expect(eventsOf(sent)).toMatchObject([{ element: 'x'.repeat(255) }]);
});
