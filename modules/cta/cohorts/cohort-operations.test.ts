import { afterAll, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { cohortMembers, cohorts } from '../base/schema.ts';
import { emptyRule, freshTenant, startCtaKernel } from '../testing/cta-kernel.ts';
import { maxCohorts, maxListUsers } from './cohort-store.ts';

const clock = stillClock();
const now = clock.now();
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());

const cohortName = 'gold';
const filters = {
  operator: 'AND',
  filter: [{ propertyName: 'city', propertyType: 'string', comparisonType: '=', comparisonValue: 'Rome' }],
};

const ids = (count: number, from = 1) => Array.from({ length: count }, (_, i) => String(from + i));
const create = (tenantId: string, fields: object) =>
  trivet.call('create-cohort', { tenantId, cohortName, ...fields });

describe('create-cohort', () => {
  test.each<[string, object, object]>([
    ['an empty list', { kind: 'list' }, { kind: 'list', size: 0 }],
    [
      'a list, each user once however written',
      { kind: 'list', userIds: ['1', '01', '-0', '0', '7'] },
      { kind: 'list', size: 3 },
    ],
    [
      'a percentage with its name as seed',
      { kind: 'percentage', percentage: 12.34 },
      { percentage: 12.34, seed: cohortName, size: 0 },
    ],
    [
      'a percentage with a seed',
      { kind: 'percentage', percentage: 0, seed: 's' },
      { percentage: 0, seed: 's' },
    ],
    [
      'attributes',
      { kind: 'attributes', filters, description: ' Romans ' },
      { filters, description: 'Romans' },
    ],
  ])('%s', async (_, fields, expected) => {
    const tenantId = freshTenant();
    const record = await create(tenantId, fields);
    expect(record).toMatchObject({ cohortName, tenantId, createdAt: now, createdBy: 1, ...expected });
    expect(await trivet.call('get-cohort', { tenantId, cohortName })).toEqual(record);
    expect(await trivet.call('list-cohorts', { tenantId })).toMatchObject({ total: 1, cohorts: [record] });
  });

  test.each<[string, object, string, string | undefined]>([
    ['everybody', { cohortName: 'all', kind: 'list' }, 'INVALID_COHORT', 'cohortName'],
    ['an unknown kind', { kind: 'magic' }, 'INVALID_REQUEST', 'kind'],
    ['a percentage without one', { kind: 'percentage' }, 'INVALID_COHORT', 'percentage'],
    ['a percentage too fine', { kind: 'percentage', percentage: 0.001 }, 'INVALID_COHORT', 'percentage'],
    ['more than all', { kind: 'percentage', percentage: 100.01 }, 'INVALID_REQUEST', 'percentage'],
    ['a list with a percentage', { kind: 'list', percentage: 5 }, 'INVALID_COHORT', 'percentage'],
    [
      'a percentage with users',
      { kind: 'percentage', percentage: 5, userIds: ['1'] },
      'INVALID_COHORT',
      'userIds',
    ],
    ['a list with a seed', { kind: 'list', seed: 's' }, 'INVALID_COHORT', 'seed'],
    ['attributes without filters', { kind: 'attributes' }, 'INVALID_COHORT', 'filters'],
    [
      'a bad filter',
      { kind: 'attributes', filters: { operator: 'XOR', filter: filters.filter } },
      'INVALID_COHORT',
      'filters.operator',
    ],
    ['a user that is none', { kind: 'list', userIds: ['1', 'x'] }, 'INVALID_REQUEST', 'userIds'],
    [
      'a user beyond 64 bits',
      { kind: 'list', userIds: ['9223372036854775808'] },
      'INVALID_REQUEST',
      'userIds[0]',
    ],
  ])('refuses %s, and nothing is stored', async (_, fields, code, cause) => {
    const before = await trivet.rowCounts();
    const fault = await trivet.refusal('create-cohort', { tenantId: freshTenant(), cohortName, ...fields });
    expect([fault?.code, fault?.causeWord]).toEqual([code, cause]);
    expect(await trivet.rowCounts()).toEqual(before);
  });

  test('a name once per tenant, and no more cohorts than a launch may ask for', async () => {
    const tenantId = freshTenant();
    await create(tenantId, { kind: 'list' });
    expect((await trivet.refusal('create-cohort', { tenantId, cohortName, kind: 'list' }))?.code).toBe(
      'COHORT_EXISTS',
    );
    const row = { tenantId, description: '', definition: { kind: 'list' as const }, size: 0 };
    const stamp = { createdBy: 1, createdAt: now, updatedAt: now };
    await trivet.kernel.host.db.tx(async (q) => {
      const names = Array.from({ length: maxCohorts - 1 }, (_, i) => `c${i}`);
      await q.insert(cohorts).values(names.map((name) => ({ ...row, ...stamp, name })));
    });
    expect((await trivet.refusal('create-cohort', { tenantId, cohortName: 'x', kind: 'list' }))?.code).toBe(
      'COHORT_FULL',
    );
  });
});

describe('users of a list', () => {
  test('are added and taken out, counted by what really changed', async () => {
    const tenantId = freshTenant();
    await create(tenantId, { kind: 'list', userIds: ids(3) });
    const add = (userIds: string[]) => trivet.call('add-cohort-users', { tenantId, cohortName, userIds });
    const remove = (userIds: string[]) =>
      trivet.call('remove-cohort-users', { tenantId, cohortName, userIds });
    expect(await add(ids(4, 2))).toMatchObject({ size: 5, changed: 2 });
    expect(await add(ids(4, 2))).toMatchObject({ size: 5, changed: 0 });
    expect(await remove(['1', '001', '77'])).toMatchObject({ size: 4, changed: 1 });
    expect(await trivet.call('get-cohort', { tenantId, cohortName })).toMatchObject({ size: 4 });
  });

  test('100,000 in one call', async () => {
    const tenantId = freshTenant();
    await create(tenantId, { kind: 'list' });
    const userIds = ids(100_000);
    expect(await trivet.call('add-cohort-users', { tenantId, cohortName, userIds })).toMatchObject({
      size: 100_000,
      changed: 100_000,
    });
    const fault = await trivet.refusal('add-cohort-users', { tenantId, cohortName, userIds: ids(100_001) });
    expect([fault?.code, fault?.causeWord]).toEqual(['INVALID_REQUEST', 'userIds']);
    expect(await trivet.call('delete-cohort', { tenantId, cohortName })).toMatchObject({ size: 100_000 });
  }, 30_000);

  test('all or none: over the limit, or with one that is none, nothing is stored', async () => {
    const tenantId = freshTenant();
    await create(tenantId, { kind: 'list', userIds: ids(2) });
    await trivet.kernel.host.db.tx(
      async (q) => void (await q.update(cohorts).set({ size: maxListUsers - 1 })),
    );
    const before = await trivet.rowCounts();
    for (const [userIds, code] of [
      [ids(3), undefined],
      [ids(9_000, 10), 'COHORT_FULL'],
      [['11', '12', '9223372036854775808'], 'INVALID_REQUEST'],
    ] as const) {
      expect((await trivet.refusal('add-cohort-users', { tenantId, cohortName, userIds }))?.code).toBe(
        code as string,
      );
    }
    expect((await trivet.rowCounts()).map((count, i) => count - (before[i] ?? 0)).filter(Boolean)).toEqual([
      1,
    ]);
    expect(await trivet.call('get-cohort', { tenantId, cohortName })).toMatchObject({ size: maxListUsers });
  });

  test('the same users added at once are there once', async () => {
    const tenantId = freshTenant();
    await create(tenantId, { kind: 'list' });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        trivet.call('add-cohort-users', { tenantId, cohortName, userIds: ids(50, i * 10) }),
      ),
    );
    expect(answers.reduce((sum, { changed }) => sum + Number(changed), 0)).toBe(100);
    expect(await trivet.call('get-cohort', { tenantId, cohortName })).toMatchObject({ size: 100 });
  });

  test('belong to kind list alone', async () => {
    const tenantId = freshTenant();
    await create(tenantId, { kind: 'percentage', percentage: 5 });
    for (const tool of ['add-cohort-users', 'remove-cohort-users']) {
      expect((await trivet.refusal(tool, { tenantId, cohortName, userIds: ['1'] }))?.code).toBe(
        'INVALID_COHORT',
      );
      expect((await trivet.refusal(tool, { tenantId, cohortName: 'x', userIds: ['1'] }))?.code).toBe(
        'COHORT_NOT_FOUND',
      );
    }
  });
});

describe('update-cohort', () => {
  test('changes what its kind has', async () => {
    const tenantId = freshTenant();
    await create(tenantId, { kind: 'percentage', percentage: 5, seed: 's' });
    expect(await trivet.call('update-cohort', { tenantId, cohortName, percentage: 10 })).toMatchObject({
      percentage: 10,
      seed: 's',
    });
    expect(await trivet.call('update-cohort', { tenantId, cohortName, description: 'Ten' })).toMatchObject({
      percentage: 10,
      description: 'Ten',
    });
    for (const [fields, code] of [
      [{}, 'NOTHING_TO_UPDATE'],
      [{ filters }, 'INVALID_COHORT'],
      [{ percentage: 0.005 }, 'INVALID_COHORT'],
      [{ kind: 'list' }, 'INVALID_REQUEST'],
      [{ cohortName: 'x', percentage: 1 }, 'COHORT_NOT_FOUND'],
    ] as const) {
      expect((await trivet.refusal('update-cohort', { tenantId, cohortName, ...fields }))?.code).toBe(code);
    }
  });
});

describe('delete-cohort', () => {
  test('takes its list along', async () => {
    const tenantId = freshTenant();
    await create(tenantId, { kind: 'list', userIds: ids(3) });
    const before = (await trivet.kernel.host.db.q.select().from(cohortMembers)).length;
    await trivet.call('delete-cohort', { tenantId, cohortName });
    expect((await trivet.kernel.host.db.q.select().from(cohortMembers)).length).toBe(before - 3);
    expect((await trivet.refusal('get-cohort', { tenantId, cohortName }))?.code).toBe('COHORT_NOT_FOUND');
  });

  test.each([{ includes: [cohortName] }, { excludes: ['x', cohortName] }])(
    'is refused while a rule names it: %p',
    async (cohortEligibility) => {
      const tenantId = freshTenant();
      await create(tenantId, { kind: 'list' });
      const rule = { ...emptyRule, cohortEligibility };
      const using = await trivet.makeCta({ tenantId, rule });
      // Contains the name as another word, which does not count as a use of the cohort.
      await trivet.makeCta({ tenantId, rule: { ...emptyRule, contextParams: [cohortName] } });
      const fault = await trivet.refusal('delete-cohort', { tenantId, cohortName });
      expect([fault?.code, fault?.message]).toEqual([
        'COHORT_IN_USE',
        `The cohort is named by the rules of CTA "${using}".`,
      ]);
      await trivet.call('set-cta-status', { ctaId: using, status: 'TERMINATED' });
      expect((await trivet.refusal('delete-cohort', { tenantId, cohortName }))?.code).toBeUndefined();
    },
  );
});

test('a rule that names a cohort is warned of one that is not there alone', async () => {
  const tenantId = freshTenant();
  await create(tenantId, { kind: 'list' });
  const rule = { ...emptyRule, cohortEligibility: { includes: [cohortName, 'nobody'] } };
  const record = await trivet.call('create-cta', { tenantId, name: 'c', rule });
  expect((record['warnings'] as { path: string }[]).map(({ path }) => path)).toEqual([
    'rule.cohortEligibility.includes[1]',
  ]);
});

describe('attributes of users', () => {
  const store = (tenantId: string, users: object[]) =>
    trivet.call('set-user-attributes', { tenantId, users });
  const read = (tenantId: string, userId: string) => trivet.call('get-user-attributes', { tenantId, userId });

  test('are stored in place of what was there; {} forgets', async () => {
    const tenantId = freshTenant();
    const attributes = { city: 'Rome', age: 30, paying: true };
    await store(tenantId, [
      { userId: '01', attributes },
      { userId: '2', attributes: { a: 1 } },
    ]);
    expect(await read(tenantId, '1')).toEqual({ tenantId, userId: '1', attributes, updatedAt: now });
    await store(tenantId, [
      { userId: '1', attributes: { city: 'Bern' } },
      { userId: '2', attributes: {} },
    ]);
    expect(await read(tenantId, '1')).toMatchObject({ attributes: { city: 'Bern' } });
    expect(await read(tenantId, '2')).toEqual({ tenantId, userId: '2', attributes: {}, updatedAt: null });
  });

  test.each<[string, object[]]>([
    [
      'a user twice',
      [
        { userId: '1', attributes: {} },
        { userId: '01', attributes: {} },
      ],
    ],
    ['a list as a value', [{ userId: '1', attributes: { a: [1] } }]],
    ['null as a value', [{ userId: '1', attributes: { a: null } }]],
    ['a long text', [{ userId: '1', attributes: { a: 'x'.repeat(1025) } }]],
    ['a long name', [{ userId: '1', attributes: { ['x'.repeat(256)]: 1 } }]],
    ['too many', [{ userId: '1', attributes: Object.fromEntries(ids(101).map((name) => [name, 1])) }]],
    ['no user', []],
    ['a user beyond 64 bits', [{ userId: '-9223372036854775809', attributes: { a: 1 } }]],
  ])('refuses %s, and nothing is stored', async (_, users) => {
    const before = await trivet.rowCounts();
    const fault = await trivet.refusal('set-user-attributes', { tenantId: freshTenant(), users });
    expect(fault?.code).toBe('INVALID_REQUEST');
    expect(fault?.causeWord).toMatch(/^users/);
    expect(await trivet.rowCounts()).toEqual(before);
  });
});
