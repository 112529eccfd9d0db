import { expect, test } from 'bun:test';
import { memoryStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { testServer } from '../testing/test-server.ts';
import { createCta } from './cta.ts';

/* An app without rules shows nothing, so its launch is tried again by itself. */
const rule = {
  stateTransition: { open: { '0': [{ transitionTo: '1' }] } },
  stateToAction: { '1': 'a' },
  actions: [{ actionId: 'a', type: 'POPUP', template: {} }],
};
const answering = (status: number, text: string) => async () => new Response(text, { status });
const offline = async (): Promise<Response> => {
  throw new TypeError('offline');
};

/** @see Behind a proxy that answered with a page, an app showed nothing until it was started again. */
test.each<[string, () => Promise<Response>, boolean]>([
  ['no network', offline, true],
  ['a server that is busy', answering(503, '{}'), true],
  ['the page of a proxy', answering(200, '<!doctype html>'), true],
  ['half an answer', answering(200, '{"data":{"ctas":['), true],
  ['an answer without content', answering(200, '{"data":null}'), true],
  ['a tenant that is refused', answering(400, '{}'), false],
  ['a token that is refused', answering(403, '{}'), false],
])('after %s', async (_, broken, isTried) => {
  const clock = testClock(1_800_000_000_000);
  const server = testServer([{ ctaId: '7', rule }], [], clock.now);
  let isBroken = true;
  const cta = createCta({
    url: 'http://trivet.test',
    storage: memoryStorage(),
    fetch: (...request) => (isBroken ? broken() : server(...request)),
    now: clock.now,
    random: () => 0.5,
    later: clock.later,
    lifecycle: () => () => {},
    onError: () => {},
  });
  let shown = 0;
  cta.on('action', () => shown++);
  cta.setUser('1');
  cta.track('open');
  await cta.launch();
  isBroken = false;
  clock.advance(1_000);
  await Bun.sleep(5);
  expect(shown).toBe(isTried ? 1 : 0);
});
