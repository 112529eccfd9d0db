import { afterAll, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { deltaPath, freshUser, startCtaKernel } from '../testing/cta-kernel.ts';
import { twoArms } from '../testing/sound-rule.ts';

/* What is derived is counted alike on both engines, which have different statements for it. */
const clock = stillClock(1_790_002_800_000);
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());

/** @see On SQLite all stamps of an hour that came with one request counted in the arm of the last one. */
test('stamps of one hour, from before and after the start of an experiment, are in their arms', async () => {
  const ctaId = await trivet.makeCta({ experiment: twoArms }, 'LIVE');
  const user = freshUser();
  const before = clock.now();
  clock.advance(60_000);
  await trivet.call('start-experiment', { ctaId });
  const marks = [before, before + 1, clock.now()];
  const cta = { ctaId, activeStateMachines: {}, actionDoneAt: marks };
  await trivet.send(user, { path: deltaPath, body: { ctas: [cta] } });
  const { items } = await trivet.call('get-cta-metrics', { ctaId, breakdown: 'variant' });
  expect(items).toMatchObject([
    { variant: null, actions: 2 },
    { variant: expect.stringMatching(/^[ab]$/), actions: 1 },
  ]);
});
