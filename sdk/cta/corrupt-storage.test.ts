import { expect, test } from 'bun:test';
import { memoryStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { testServer, type TestMeasure } from '../testing/test-server.ts';
import { createCta } from './cta.ts';

/* What is stored is JSON and not what the SDK stores, e.g. of another version of it. Text that is no JSON: bad-input.test.ts. */
const rule = {
  stateTransition: { open: { '0': [{ transitionTo: '1' }] }, close: { '1': [{ transitionTo: '2' }] } },
  stateToAction: { '1': 'a' },
  resetStates: ['2'],
  actions: [{ actionId: 'a', type: 'TOOLTIP', template: {} }],
};
const limit = { behaviourTagName: 't', exposureRule: { lifespan: { limit: 50 } } };
const stateOf = (over: object, tag: object = { ctasResetAt: { marks: [] }, activeCtas: {} }) => ({
  version: 2,
  ctas: { 7: { machines: {}, resetAt: { marks: [] }, actionDoneAt: { marks: [] }, ...over } },
  tags: { t: tag },
  unsent: ['7'],
});

/** An app that was launched once, and started again after one value of its storage was replaced. */
async function startedWith(what: string, value: unknown) {
  const clock = testClock(1_800_000_000_000);
  const measured: TestMeasure[] = [];
  const server = testServer([{ ctaId: '7', rule, behaviourTagName: 't' }], [limit], clock.now, measured);
  const storage = memoryStorage();
  const told: string[] = [];
  const open = () => {
    const cta = createCta({
      url: 'http://trivet.test',
      storage,
      fetch: server,
      now: clock.now,
      random: () => 0.5,
      later: clock.later,
      lifecycle: () => () => {},
      onError: ({ code }) => told.push(code),
    });
    cta.setUser('1');
    return cta;
  };
  await open().launch();
  storage.set(`trivet:default:1:${what}`, JSON.stringify(value));
  return { cta: open(), told, measured };
}

/** @see `launch()` rejected, each time: what was stored was read, and could not be used. */
test.each<[string, string, unknown]>([
  ['a CTA of the rules is none', 'rules', { ctas: [null], tags: [] }],
  ['a CTA has no rule', 'rules', { ctas: [{ ctaId: '7' }], tags: [] }],
  ['the CTAs are a text', 'rules', { ctas: 'x', tags: [] }],
  ['resets are no list', 'state', stateOf({ resetAt: { marks: 5 } })],
  ['resets are absent', 'state', stateOf({ resetAt: {} })],
  ['a reset is no time', 'state', stateOf({ resetAt: { marks: [null] } })],
  ['the resets of a tag are no history', 'state', stateOf({}, { ctasResetAt: true, activeCtas: {} })],
  ['what is unsent is no list', 'state', { ...stateOf({}), unsent: 'x' }],
])('%s: it is not taken, and the next launch replaces it', async (_, what, value) => {
  const { cta, told } = await startedWith(what, value);
  expect(() => cta.track('open')).not.toThrow();
  await cta.launch();
  await cta.flush();
  expect(cta.track('close').map(({ kind }) => kind)).toEqual(['transition', 'reset']);
  await cta.flush();
  expect([cta.pending(), told]).toEqual([0, ['CORRUPT_STORAGE']]);
});

/** @see No measure was stored or sent any more. */
test('a stored measure that is none is left out', async () => {
  const { cta, told, measured } = await startedWith('measures', [null]);
  cta.measure('click', { ctaId: '7' });
  await cta.flush();
  expect(measured).toMatchObject([{ type: 'click', ctaId: '7' }]);
  expect(told).toEqual([]);
});
