import { expect, test } from 'bun:test';
import { memoryStorage } from '../base/storage.ts';
import { testServer, type TestRule } from '../testing/test-server.ts';
import { testClock } from '../testing/test-clock.ts';
import { createCta } from './cta.ts';

/*
 * The server takes 1 MiB of UTF-8 in a request. What fits into requests is sent; only what alone does not is thrown away.
 * @see docs/client-api.md, PAYLOAD_TOO_LARGE
 */
const maxBytes = 1024 * 1024;
const rule = {
  stateTransition: { open: { '0': [{ transitionTo: '1' }] }, close: { '1': [{ transitionTo: '2' }] } },
  stateToAction: {},
  resetStates: ['2'],
  actions: [],
  contextParams: ['text'],
  groupByConfig: { groupByKeys: ['group'] },
};
const only = (event: string) => ({ ...rule, stateTransition: { [event]: rule.stateTransition.open } });
const rules: readonly TestRule[] = [
  { ctaId: '1', rule },
  { ctaId: '2', rule: only('other') },
  ...Array.from({ length: 10 }, (_, n) => ({ ctaId: String(n + 10), rule: only(`open-${n}`) })),
];

interface Case {
  /** Events without network, each with a text. */
  readonly events: ReadonlyArray<readonly [name: string, group: string, text: string]>;
  /** How many machines of each CTA the server has then. */
  readonly arrive: Readonly<Record<string, number>>;
  readonly troubles: readonly string[];
}
const groups = (count: number, text: string) =>
  Array.from({ length: count }, (_, n) => ['open', `group-${n}`, text] as const);
const cases: ReadonlyArray<readonly [string, Case]> = [
  ['little', { events: [['open', 'a', 'x']], arrive: { '1': 1 }, troubles: [] }],
  [
    '10 groups of one CTA with 45,000 characters of three bytes, and another CTA',
    {
      events: [...groups(10, '购'.repeat(45_000)), ['other', 'a', 'x']],
      arrive: { '1': 10, '2': 1 },
      troubles: [],
    },
  ],
  [
    'the same after one of the groups has ended',
    {
      events: [...groups(10, '购'.repeat(45_000)), ['close', 'group-3', 'x']],
      arrive: { '1': 9 },
      troubles: [],
    },
  ],
  [
    '10 CTAs with 45,000 characters of three bytes',
    {
      events: Array.from({ length: 10 }, (_, n) => [`open-${n}`, 'a', '购'.repeat(45_000)] as const),
      arrive: Object.fromEntries(Array.from({ length: 10 }, (_, n) => [String(n + 10), 1])),
      troubles: [],
    },
  ],
  [
    'a machine of 900,000 characters of one byte, which fits',
    {
      events: [
        ['open', 'a', 'x'.repeat(900_000)],
        ['other', 'a', 'x'],
      ],
      arrive: { '1': 1, '2': 1 },
      troubles: [],
    },
  ],
  [
    'a machine that is alone too large, among others',
    {
      events: [
        ['open', 'a', 'x'],
        ['open', 'b', '购'.repeat(400_000)],
        ['open', 'c', 'x'],
        ['other', 'a', 'x'],
      ],
      arrive: { '1': 2, '2': 1 },
      troubles: ['DELTA_REFUSED'],
    },
  ],
];
test.each(cases)('%s', async (_, { events, arrive, troubles }) => {
  const clock = testClock(1_800_000_000_000);
  const server = testServer(rules, [], clock.now);
  const network = { works: true };
  const told: string[] = [];
  const sizes: number[] = [];
  const app = () => {
    const cta = createCta({
      url: 'http://trivet.test',
      storage: memoryStorage(),
      fetch: async (input, init) => {
        if (!network.works) throw new TypeError('offline');
        const size = Buffer.byteLength(String(init.body));
        sizes.push(size);
        if (size > maxBytes)
          return new Response('{"error":{"code":"PAYLOAD_TOO_LARGE","message":"too large"}}', {
            status: 413,
          });
        return server(input, init);
      },
      now: clock.now,
      random: () => 0.5,
      later: clock.later,
      lifecycle: () => () => {},
      onError: ({ code }) => told.push(code),
    });
    cta.setUser('1');
    return cta;
  };
  const cta = app();
  await cta.launch();
  network.works = false;
  for (const [name, group, text] of events) cta.track(name, { group, text });
  network.works = true;
  await cta.flush();
  expect(cta.pending()).toBe(0);
  const bodyOf = await (
    await server('http://trivet.test/cta/active/state-machines/', {
      headers: { 'auth-userid': '1' },
      body: '{}',
    })
  ).json();
  const { ctas } = (bodyOf as { data: { ctas: Array<{ ctaId: string; activeStateMachines: object }> } }).data;
  const machines = ctas.map((one) => [one.ctaId, Object.keys(one.activeStateMachines).length] as const);
  expect(Object.fromEntries(machines.filter(([, count]) => count > 0))).toEqual(arrive);
  expect(told).toEqual([...troubles]);
});
