import { afterAll, expect, test } from 'bun:test';
import { engine } from '../../../core/db/query/engine.ts';
import { stillClock } from '../../../test/kernel.ts';
import { bucketOf } from '../rules/cohort.ts';
import { userStates } from '../base/schema.ts';
import { freshTenant, startCtaKernel } from '../testing/cta-kernel.ts';
import { maxExamined } from './known-user-store.ts';

const clock = stillClock();
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());

const cohortName = 'gold';
const filters = {
  operator: 'AND',
  filter: [{ propertyName: 'city', propertyType: 'string', comparisonType: '=', comparisonValue: 'Rome' }],
};
const ids = (count: number, from = 1) => Array.from({ length: count }, (_, i) => String(from + i));

/** A tenant with some users known by their states and others by their attributes; every third is in Rome. */
async function tenantWith(states: readonly string[], attributes: readonly string[], cohort: object) {
  const tenantId = freshTenant();
  await trivet.call('create-cohort', { tenantId, cohortName, ...cohort });
  await trivet.kernel.host.db.tx(async (q) => {
    for (let at = 0; at < states.length; at += 5_000) {
      const rows = states.slice(at, at + 5_000);
      await q
        .insert(userStates)
        .values(rows.map((userId) => ({ tenantId, userId, state: '{}', updatedAt: 1 })));
    }
  });
  for (let at = 0; at < attributes.length; at += 10_000) {
    const users = attributes
      .slice(at, at + 10_000)
      .map((userId) => ({ userId, attributes: { city: Number(userId) % 3 === 0 ? 'Rome' : 'Bern' } }));
    await trivet.call('set-user-attributes', { tenantId, users });
  }
  return tenantId;
}

const percentage = { kind: 'percentage', percentage: 25, seed: 's' };
const inQuarter = (userIds: readonly string[]) => userIds.filter((id) => bucketOf('s', id) < 2_500).length;

test.each<[string, string[], string[], object, object]>([
  [
    'a list, whoever is known',
    ids(3),
    [],
    { kind: 'list', userIds: ['7', '8'] },
    { known: 3, matching: 2, examined: 0 },
  ],
  ['nobody is known', [], [], percentage, { known: 0, matching: 0, examined: 0 }],
  [
    'a percentage of those with a state or attributes, each once',
    ids(700),
    ids(600, 301),
    percentage,
    { known: 900, matching: inQuarter(ids(900)), examined: 900 },
  ],
  ['negative ids too', ['-1', '-2', '5'], [], { ...percentage, percentage: 100 }, { known: 3, matching: 3 }],
  [
    'attributes',
    ids(9),
    ids(600, 4),
    { kind: 'attributes', filters },
    { known: 603, matching: 200, examined: 603 },
  ],
  [
    'a whole number of chunks',
    ids(1_000),
    [],
    { ...percentage, percentage: 100 },
    { known: 1_000, matching: 1_000 },
  ],
  [
    'more than are skipped at once',
    ids(4_001),
    [],
    { ...percentage, percentage: 100 },
    { known: 4_001, matching: 4_001 },
  ],
])('%s', async (_what, states, attributes, cohort, expected) => {
  const tenantId = await tenantWith(states, attributes, cohort);
  expect(await trivet.call('count-cohort-users', { tenantId, cohortName })).toMatchObject({
    tenantId,
    cohortName,
    sampled: false,
    ...expected,
  });
});

test.if(engine() === 'sqlite')(
  'of very many it looks at a sample, which is near and says so',
  async () => {
    const known = 3 * maxExamined + 1_234;
    // In text order, all users that begin with a 1 come first: only a spread sample sees the others.
    const cohort = { kind: 'attributes', filters };
    const states = ids(known, 0);
    const rome = ids(49_000, 1_000_000).map(String);
    const tenantId = await tenantWith(states, rome, cohort);
    const all = known + rome.length;
    const answer = await trivet.call('count-cohort-users', { tenantId, cohortName });
    expect(answer).toMatchObject({ known: all, sampled: true });
    const { examined, matching } = answer as { examined: number; matching: number };
    expect(examined).toBeGreaterThan(maxExamined * 0.8);
    expect(examined).toBeLessThanOrEqual(maxExamined + 500);
    const truth = rome.filter((id) => Number(id) % 3 === 0).length;
    expect(Math.abs(matching - truth)).toBeLessThan(truth * 0.1);
  },
  60_000,
);

test('others see none of it, and a cohort that does not exist is named', async () => {
  const tenantId = await tenantWith([], [], percentage);
  const asked = { tenantId, cohortName };
  expect(
    await trivet.refusal('count-cohort-users', asked, trivet.inOrganizations([2, 'admin'])),
  ).toMatchObject({
    status: 404,
  });
  expect(await trivet.call('count-cohort-users', asked, trivet.inOrganizations([1, 'reader']))).toMatchObject(
    {
      known: 0,
    },
  );
  expect(await trivet.refusal('count-cohort-users', { tenantId, cohortName: 'no' })).toMatchObject({
    code: 'COHORT_NOT_FOUND',
  });
});
