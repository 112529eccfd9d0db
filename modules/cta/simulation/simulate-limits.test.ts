import { afterAll, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { startCtaKernel } from '../testing/cta-kernel.ts';
import { longestBlock } from '../../../test/longest-block.ts';

/* The limits of one simulation. 100 CTAs on 300 events took 19 s, during which no other request was answered, and produced 295 MB. */
const clock = stillClock();

/** Each event finds its transition last of many, creates its own group and keeps its context. */
const leaf = { propertyName: 'g', propertyType: 'string', comparisonType: '=', comparisonValue: 'never' };
const never = {
  transitionTo: '1',
  filters: { operator: 'OR', filter: Array.from({ length: 50 }, () => leaf) },
};

const rule = {
  stateToAction: { '1': 'a' },
  stateTransition: { ev: { '0': [...Array.from({ length: 20 }, () => never), { transitionTo: '1' }] } },
  groupByConfig: { groupByKeys: ['g'] },
  contextParams: ['text'],
  actions: [{ actionId: 'a', type: 'TOOLTIP', template: {} }],
};

const trivet = await startCtaKernel(clock);
const ctaIds: string[] = [];
for (let i = 0; i < 100; i++) ctaIds.push(await trivet.makeCta({ rule }));
afterAll(() => trivet.stop());

const steps = (count: number, properties: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => ({ event: 'ev', properties: properties(index) }));

/** The longest time for which nothing else could run while a simulation ran to its end or its refusal. */
async function simulated(fields: object) {
  let bytes = 0;
  let code: string | undefined;
  const longest = await longestBlock(async () => {
    code = (await trivet.refusal('simulate-cta', fields))?.code;
    if (code === undefined) bytes = JSON.stringify(await trivet.call('simulate-cta', fields)).length;
  });
  return { longest, code, bytes };
}

test.each<[string, () => object, string | undefined]>([
  ['100 CTAs on 30 events', () => ({ ctaIds, steps: steps(30, () => ({ g: 1 })) }), undefined],
  [
    '100 CTAs on 300 events that each make a machine',
    () => ({ ctaIds, steps: steps(300, (g) => ({ g })) }),
    'SIMULATION_TOO_LARGE',
  ],
  [
    '100 CTAs on 1,000 events',
    () => ({ ctaIds, steps: steps(1000, () => ({ g: 1 })) }),
    'SIMULATION_TOO_LARGE',
  ],
  [
    'a context of 16 KB in each machine',
    () => ({ ctaIds, steps: steps(300, (g) => ({ g, text: 'x'.repeat(16_000) })) }),
    'SIMULATION_TOO_LARGE',
  ],
  [
    'long lists that are converted for the comparison',
    () => ({ ctaIds, steps: steps(20, () => ({ g: Array.from({ length: 4_000 }, (_, i) => i % 10) })) }),
    undefined,
  ],
  [
    'properties of more than 16 KiB',
    () => ({ ctaIds, steps: steps(1, () => ({ g: 'x'.repeat(17_000) })) }),
    'INVALID_REQUEST',
  ],
])(
  '%s: ends soon, and lets others in',
  async (_, fields, expected) => {
    let { longest, code, bytes } = await simulated(fields());
    // Other work on the machine delays responses too, but a real freeze occurs every time.
    for (let again = 0; again < 3 && longest >= 100; again++)
      ({ longest, code, bytes } = await simulated(fields()));
    expect(code).toBe(expected);
    expect(bytes).toBeLessThan(5 * 1024 * 1024);
    expect(longest).toBeLessThan(100);
    process.stderr.write(`simulate-cta, ${_}: longest block ${longest.toFixed(1)} ms, ${bytes} bytes\n`);
  },
  60_000,
);

test('the refusal says at which step, and what to do', async () => {
  const refusal = await trivet.refusal('simulate-cta', { ctaIds, steps: steps(1000, () => ({ g: 1 })) });
  expect(refusal?.message).toMatch(/^The simulation was stopped at steps\[\d+\]: /);
  expect(refusal?.tip).toContain('ctaIds');
});
