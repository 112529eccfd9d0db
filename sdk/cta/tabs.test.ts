import { expect, test } from 'bun:test';
import { sharedStorage } from '../testing/shared-storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { testServer } from '../testing/test-server.ts';
import { createCta } from './cta.ts';

/* Tabs of one page share a storage and converge without a leader. */
const rule = {
  stateTransition: {
    open: { '0': [{ transitionTo: '1' }] },
    close: { '1': [{ transitionTo: '2' }] },
  },
  stateToAction: { '1': 'a' },
  resetStates: ['2'],
  groupByConfig: { groupByKeys: ['g'] },
  actions: [{ actionId: 'a', type: 'TOOLTIP', template: {} }],
  frequency: { lifeSpan: { limit: 3 } },
};
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

async function tabs(count: number) {
  const clock = testClock(1_800_000_000_000);
  const server = testServer([{ ctaId: '7', rule }], [], clock.now);
  const shared = sharedStorage();
  const network = { isAway: false, answers: Promise.resolve() };
  const open = () => {
    const cta = createCta({
      url: 'http://trivet.test',
      storage: shared.tab(),
      fetch: async (input, init) => {
        if (network.isAway) throw new TypeError('offline');
        const answer = await server(input, init);
        await network.answers;
        return answer;
      },
      now: clock.now,
      random: () => 0.5,
      later: clock.later,
      lifecycle: () => () => {},
      onError: () => {},
    });
    cta.setUser('1');
    return cta;
  };
  const all = Array.from({ length: count }, open);
  for (const cta of all) await cta.launch();
  await settle();
  return { all, open, clock, network, shared };
}
const kinds = (outcomes: ReadonlyArray<{ readonly kind: string; readonly hold?: string }>) =>
  outcomes.map(({ kind, hold }) => hold ?? kind);

test('what one tab shows counts in the others, and each show counts once', async () => {
  const { all, clock } = await tabs(3);
  for (const cta of all) {
    // Stamps are milliseconds: two of one CTA in the same one are one.
    clock.advance(1);
    cta.track('open', { g: 'x' });
    cta.track('close', { g: 'x' });
    await settle();
  }
  for (const cta of all) expect(kinds(cta.track('open', { g: 'x' }))).toEqual(['frequency.lifespan']);
});

test('a machine that one tab moved goes on in another', async () => {
  const { all } = await tabs(2);
  all[0]?.track('open', { g: 'x' });
  await settle();
  expect(kinds(all[1]?.track('close', { g: 'x' }) ?? [])).toEqual(['transition', 'reset']);
  await settle();
  expect(kinds(all[0]?.explain('open', { g: 'x' }) ?? [])).toEqual(['transition', 'action']);
});

test('what two tabs could not send is sent by the next page, all of it', async () => {
  const { all, open, network, shared } = await tabs(2);
  network.isAway = true;
  for (const [index, cta] of all.entries()) {
    cta.track('open', { g: `tab ${index}` });
    cta.dispose();
  }
  network.isAway = false;
  const next = open();
  await next.launch();
  expect(next.pending()).toBe(0);
  const state = JSON.parse(String(shared.get('trivet:default:1:state'))) as {
    ctas: Record<string, { machines: Record<string, object> }>;
    unsent: string[];
  };
  expect(Object.keys(state.ctas['7']?.machines ?? {}).sort()).toEqual(['tab 0', 'tab 1']);
  expect(state.unsent).toEqual([]);
});

test('what a tab could not send before it was gone is sent by the launch of another, and counts', async () => {
  const { all, clock, network, shared } = await tabs(2);
  const [gone, stays] = all;
  network.isAway = true;
  clock.advance(1);
  gone?.track('open', { g: 'x' });
  gone?.track('close', { g: 'x' });
  gone?.dispose();
  await settle();
  network.isAway = false;
  await stays?.launch();
  await stays?.launch();
  const { unsent } = JSON.parse(String(shared.get('trivet:default:1:state'))) as { unsent: string[] };
  expect(unsent).toEqual([]);
  const shown = [1, 2, 3].map(() => {
    clock.advance(1);
    const told = kinds(stays?.track('open', { g: 'x' }) ?? []);
    stays?.track('close', { g: 'x' });
    return told;
  });
  // The limit is three, and one was shown by the tab that is gone.
  expect(shown).toEqual([['transition', 'action'], ['transition', 'action'], ['frequency.lifespan']]);
});

/** @see A tab that was offline and closed lost what it had done while the answer to another one was on its way. */
test('the answer to one tab does not confirm what another has done meanwhile', async () => {
  const { all, clock, network, shared } = await tabs(2);
  const [early, late] = all;
  const { promise, resolve } = Promise.withResolvers<void>();
  network.answers = promise;
  early?.track('open', { g: 'x' });
  const sent = early?.flush();
  // Of a page that is frozen or gone: it does not hear of the others.
  early?.dispose();
  await settle();
  network.isAway = true;
  clock.advance(1);
  expect(kinds(late?.track('close', { g: 'x' }) ?? [])).toEqual(['transition', 'reset']);
  late?.dispose();
  resolve();
  await sent;
  const { unsent } = JSON.parse(String(shared.get('trivet:default:1:state'))) as { unsent: string[] };
  expect(unsent).toEqual(['7']);
});

test('tabs that all work at once end with one state, and nothing stays unsent', async () => {
  const { all, clock, shared } = await tabs(4);
  for (let round = 0; round < 50; round++) {
    for (const [index, cta] of all.entries()) {
      cta.track('open', { g: `${index} ${round % 5}` });
      if (round % 2 === index % 2) await settle();
    }
    clock.advance(300);
  }
  clock.advance(1_000);
  await settle();
  for (const cta of all) await cta.flush();
  await settle();
  expect(all.map((cta) => cta.pending())).toEqual([0, 0, 0, 0]);
  const { unsent, ctas } = JSON.parse(String(shared.get('trivet:default:1:state'))) as {
    unsent: string[];
    ctas: Record<string, { machines: Record<string, object> }>;
  };
  expect(unsent).toEqual([]);
  expect(Object.keys(ctas['7']?.machines ?? {})).toHaveLength(20);
});
