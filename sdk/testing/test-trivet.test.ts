import { expect, test } from 'bun:test';
import { createTestTrivet } from './test-trivet.ts';

/* What the test of an app sees of its own app. */
const rule = {
  stateTransition: { open: { '0': [{ transitionTo: '1' }] } },
  stateToAction: { '1': 'offer' },
  actions: [{ actionId: 'offer', type: 'POPUP', template: {} }],
};

/** @see sdk/README.md, measure: a test that measured was told MEASURES_DROPPED. */
test('what was measured can be read, and nothing is reported', async () => {
  const errors: string[] = [];
  const trivet = createTestTrivet({
    rules: [{ ctaId: '7', rule }],
    now: 1_800_000_000_000,
    onError: ({ code }) => errors.push(code),
  });
  trivet.cta.on('action', (action) => trivet.cta.measure('click', action, { element: 'buy' }));
  trivet.cta.track('open');
  trivet.cta.measure('custom', {}, { name: 'bought', value: 5 });
  expect(trivet.measured).toEqual([]);
  await trivet.cta.flush();
  trivet.cta.setUser('2');
  trivet.cta.measure('custom', {}, { name: 'left' });
  trivet.advance(1_000);
  await trivet.cta.flush();
  const at = 1_800_000_000_000;
  expect(trivet.measured).toEqual([
    { userId: '1', type: 'click', ctaId: '7', groupKey: '7', actionId: 'offer', element: 'buy', at },
    { userId: '1', type: 'custom', name: 'bought', value: 5, at },
    { userId: '2', type: 'custom', name: 'left', at },
  ]);
  expect(errors).toEqual([]);
  trivet.dispose();
});
