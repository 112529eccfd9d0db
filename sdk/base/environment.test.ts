import { afterEach, expect, test } from 'bun:test';
import { createCta } from '../cta/cta.ts';

/* What the SDK finds where it runs: pages, workers and programs have different globals. */
const given = { addEventListener: globalThis.addEventListener };
afterEach(() => {
  Object.assign(globalThis, given);
  Reflect.deleteProperty(globalThis, 'localStorage');
});

/** @see Node 25, whose localStorage made every call throw `addEventListener is not defined`. */
test('a localStorage that nobody can listen to is not one of a page', async () => {
  const touched: string[] = [];
  const area = new Proxy({}, { get: (_, name) => touched.push(String(name)) });
  Object.assign(globalThis, { addEventListener: undefined, localStorage: area });
  const errors: string[] = [];
  const answer = { data: { ctas: [], behaviourTags: [] } };
  const cta = createCta({
    url: 'http://127.0.0.1:9',
    fetch: () => Promise.resolve(Response.json(answer)),
    onError: ({ code }) => errors.push(code),
  });
  cta.setUser(1);
  await cta.launch();
  expect(cta.track('home_opened')).toEqual([]);
  cta.dispose();
  expect([errors, touched]).toEqual([[], []]);
});
