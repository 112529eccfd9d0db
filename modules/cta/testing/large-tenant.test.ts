import { afterAll, expect, test } from 'bun:test';
import { range, ruleOf } from '../../../test/hardening/freeze-world.ts';
import { stillClock } from '../../../test/kernel.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { ctas, ctaVersions, tenants } from '../base/schema.ts';
import { deltaPath, freshUser, launchPath, startCtaKernel } from './cta-kernel.ts';
import { longestBlock } from '../../../test/longest-block.ts';

/*
 * Work that grows with a tenant is done in parts (docs/decisions/time.md): 500 CTAs with rules of 250 KiB, and 20,000 with long
 * descriptions. Measures the longest time in which nothing else ran in this process: one statement for all took seconds.
 *
 * Mutation note: seen to fail when pacedParts gives everything at once.
 */
const longestMs = 50;
const clock = stillClock();
const now = clock.now();
const large = 'large';
const many = 'many';
let tags = 0;
let spares = 0;

const trivet = await startCtaKernel(clock);
const { db } = trivet.kernel.host;
const rule = { ...ruleOf(380), cohortEligibility: { includes: ['elsewhere'] } } as never;
const row = (tenantId: string, over: object) => ({
  tenantId,
  name: 'c',
  description: '',
  tags: [],
  status: 'LIVE' as const,
  rule,
  version: 1,
  createdBy: 1,
  createdAt: now,
  updatedAt: now,
  ...over,
});
await db.tx(async (q) => {
  for (const tenantId of [large, many]) {
    await q.insert(tenants).values({ tenantId, orgId: 1, version: 1, createdAt: now });
  }
});
const fields = { name: 'c', description: '', tags: [], team: null, startTime: null, endTime: null };
const made: number[] = [];
for (let n = 0; n < 1_000; n += 20) {
  await db.tx(async (q) => {
    const status = n < 500 ? 'LIVE' : 'PAUSED';
    const rows = await q
      .insert(ctas)
      .values(range(20, () => row(large, { status })))
      .returning({ id: ctas.id });
    made.push(...rows.map(({ id }) => id));
  });
}

const largeIds = made.slice(0, 500).map(String);
const drafts = made.slice(500).map(String);
const [first = 0] = made;
for (let n = 1; n <= 200; n += 20) {
  await db.tx(async (q) => {
    const version = (m: number) => ({
      ctaId: first,
      version: n + m,
      fields: { ...fields, behaviourTagName: null, rule },
      by: 1,
      at: now,
    });
    await q.insert(ctaVersions).values(range(20, version));
    await q.update(ctas).set({ version: n + 19 });
  });
}

const description = 'ab'.repeat(5_000);
for (let n = 0; n < 20_000; n += 200) {
  await db.tx(async (q) => {
    const small = { rule: { stateToAction: {}, stateTransition: {}, actions: [] } as never, description };
    await q.insert(ctas).values(range(200, () => row(many, small)));
  });
}
afterAll(() => trivet.stop());

/** 400 KB of snapshots, about as many tokens as a body may have. */
async function pushAll(path: string) {
  const machine = (n: number) => ({
    currentState: '1',
    lastTransitionAt: now + n,
    createdAt: now,
    context: { n },
  });
  const machines = Object.fromEntries(range(6, (n) => [`g${n}`, machine(n)]));
  const body = { ctas: largeIds.map((ctaId) => ({ ctaId, activeStateMachines: machines, resetAt: [now] })) };
  const { status } = await trivet.send(freshUser(), { path, body, headers: { 'x-tenant-id': large } });
  expect(status).toBe(200);
}

test.each<[string, () => Promise<unknown>]>([
  [
    'list-ctas, a search that finds nothing',
    () => trivet.call('list-ctas', { tenantId: many, search: `${'ab'.repeat(100)}c` }),
  ],
  ['list-ctas of large rules', () => trivet.call('list-ctas', { tenantId: large, limit: 500 })],
  ['explain-cta', () => trivet.call('explain-cta', { tenantId: large, userId: '1', limit: 500 })],
  [
    'a launch that reads 500 large rules',
    () => {
      catalogues(trivet.kernel.host).forget(large);
      return trivet.send('1', { headers: { 'x-tenant-id': large } });
    },
  ],
  ['a delta of 500 CTAs with 3,000 machines', () => pushAll(deltaPath)],
  ['a launch that sends as much', () => pushAll(launchPath)],
  ['list-cta-versions', () => trivet.call('list-cta-versions', { ctaId: largeIds[0], limit: 200 })],
  [
    'delete-cohort',
    async () => {
      const cohort = { tenantId: large, cohortName: `spare ${++spares}` };
      await trivet.call('create-cohort', { ...cohort, kind: 'list' });
      await trivet.call('delete-cohort', cohort);
    },
  ],
  [
    'link-behaviour-tag',
    async () => {
      const behaviourTagName = `t${++tags}`;
      await trivet.call('create-behaviour-tag', { tenantId: large, behaviourTagName });
      const refusal = await trivet.refusal('link-behaviour-tag', { behaviourTagName, ctaIds: drafts });
      expect(refusal?.code).toBe('RULES_TOO_LARGE');
      await trivet.call('link-behaviour-tag', { behaviourTagName, ctaIds: drafts.slice(0, 30) });
    },
  ],
])(
  '%s lets others in',
  async (what, work) => {
    let best = Infinity;
    // Another program may use the processor meanwhile, but a real freeze occurs every time.
    for (let attempt = 0; attempt < 3 && best > longestMs; attempt++) {
      const began = performance.now();
      best = Math.min(best, await longestBlock(work));
      const whole = performance.now() - began;
      process.stdout.write(`${what}: longest block ${best.toFixed(1)} ms of ${whole.toFixed(0)} ms\n`);
    }
    expect(best).toBeLessThanOrEqual(longestMs);
  },
  120_000,
);
