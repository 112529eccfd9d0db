import { afterAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { stillClock } from '../../../test/kernel.ts';
import { ctaStatuses } from '../rules/lifecycle.ts';
import { ctaVersions } from '../base/schema.ts';
import { answeredIds, emptyRule, freshTenant, startCtaKernel } from '../testing/cta-kernel.ts';

const minimal = { name: 'Offer', rule: emptyRule };
const clock = stillClock();
const now = clock.now();
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());

/** @see An end that is null, as a launch answers it, was refused. */
test('the rule of a launch is taken as it is, and sent as it is again', async () => {
  const tenantId = freshTenant();
  const rulesOf = async () => {
    const { text } = await trivet.send('1', { headers: { 'x-tenant-id': tenantId } });
    return (JSON.parse(text) as { data: { ctas: Array<{ rule: object }> } }).data.ctas.map(
      ({ rule }) => rule,
    );
  };
  await trivet.makeCta({ tenantId }, 'LIVE');
  const [sent = {}] = await rulesOf();
  expect(sent).toMatchObject({ ctaValidTill: null });
  const ctaId = await trivet.makeCta({ tenantId, rule: sent }, 'LIVE');
  expect(await rulesOf()).toEqual([sent, sent]);
  await trivet.call('set-cta-status', { ctaId, status: 'PAUSED' });
  await trivet.call('update-cta', { ctaId, version: 1, rule: sent });
});

describe('create-cta', () => {
  test('makes a draft with its record, its first version and a raised tenant', async () => {
    const tenantId = freshTenant();
    await trivet.call('create-behaviour-tag', { tenantId, behaviourTagName: 'checkout' });
    const given = {
      tenantId,
      name: '  Offer ',
      description: 'Ten percent off',
      tags: ['a', ' a ', 'b'],
      team: 'growth',
      startTime: now + 1,
      endTime: now + 2,
      behaviourTagName: 'checkout',
      rule: {
        ...emptyRule,
        resetStates: ['0'],
        frequency: { lifespan: { limit: 3 } },
        packageNames: ['com.shop'],
      },
    };
    const record = await trivet.call('create-cta', given);
    const ctaId = String(record['ctaId']);
    expect(record).toEqual({
      ctaId: expect.stringMatching(/^\d+$/),
      tenantId,
      name: 'Offer',
      description: 'Ten percent off',
      tags: ['a', 'b'],
      team: 'growth',
      status: 'DRAFT',
      startTime: now + 1,
      endTime: now + 2,
      behaviourTagName: 'checkout',
      version: 1,
      createdBy: trivet.owner.userId,
      createdAt: now,
      updatedAt: now,
      rule: given.rule,
      experiment: null,
      experimentStartedAt: null,
      experimentStoppedAt: null,
      warnings: [],
    });
    const { warnings: _, ...whole } = record;
    expect(await trivet.call('get-cta', { ctaId })).toEqual(whole);
    const versions = await trivet.kernel.host.db.q
      .select()
      .from(ctaVersions)
      .where(eq(ctaVersions.ctaId, Number(ctaId)));
    expect(versions).toMatchObject([
      { version: 1, by: trivet.owner.userId, at: now, fields: { name: 'Offer', rule: given.rule } },
    ]);
    expect((await trivet.tenant(tenantId))?.version).toBe(3);
  });

  test('what may be left out has its default', async () => {
    expect(await trivet.call('create-cta', { name: 'Offer', rule: emptyRule })).toMatchObject({
      tenantId: 'default',
      description: '',
      tags: [],
      team: null,
      startTime: null,
      endTime: null,
      behaviourTagName: null,
      warnings: [],
    });
  });

  test('warns of what may surprise, and saves it', async () => {
    const record = await trivet.call('create-cta', {
      ...minimal,
      endTime: now,
      rule: {
        stateToAction: { shown: 'a' },
        stateTransition: { opened: { '0': [{ transitionTo: 'shown' }] } },
        actions: [{ actionId: 'a', type: 'POPUP', template: {} }],
        cohortEligibility: { includes: ['all', 'gold'], excludes: ['staff'] },
        appVersions: { min: '2.0', max: '1.9' },
      },
    });
    expect((record['warnings'] as { path: string }[]).map(({ path }) => path)).toEqual([
      'rule.stateToAction.shown',
      'rule.stateTransition.opened.0[0].transitionTo',
      'endTime',
      'rule.cohortEligibility.includes[1]',
      'rule.cohortEligibility.excludes[0]',
      'rule.appVersions',
    ]);
  });

  const deep = (levels: number): unknown => (levels === 0 ? 0 : [deep(levels - 1)]);
  const withTemplate = (template: unknown) => ({
    stateToAction: { '1': 'a' },
    stateTransition: { opened: { '0': [{ transitionTo: '1' }] } },
    actions: [{ actionId: 'a', type: 'POPUP', template }],
  });

  test.each<[string, object, string, string | undefined, string]>([
    ['no name', { name: ' ' }, 'INVALID_REQUEST', 'name', 'name'],
    ['an unknown field', { colour: 'red' }, 'INVALID_REQUEST', 'colour', 'colour'],
    ['an unknown field of the rule', { rule: { ...emptyRule, when: 1 } }, 'INVALID_REQUEST', 'rule', 'rule'],
    [
      'a negative limit',
      { rule: { ...emptyRule, frequency: { session: { limit: -1 } } } },
      'INVALID_REQUEST',
      'rule',
      'at least 0',
    ],
    [
      'a unit that is none',
      { rule: { ...emptyRule, frequency: { window: { limit: 1, unit: 'weeks', value: 1 } } } },
      'INVALID_RULE',
      'rule.frequency.window.unit',
      'days, hours, minutes, seconds',
    ],
    [
      'an action that is not there and a state out of reach: both are named',
      { rule: { ...emptyRule, stateToAction: { '5': 'nobody' } } },
      'INVALID_RULE',
      'rule.stateToAction.5',
      'names an actionId that actions does not hold; rule.stateToAction.5 cannot be reached',
    ],
    [
      'an action id that is no text',
      { rule: { ...emptyRule, stateToAction: { '0': 1 } } },
      'INVALID_RULE',
      'rule.stateToAction.0',
      '',
    ],
    [
      'a rule nested beyond reason',
      { rule: withTemplate(deep(101)) },
      'INVALID_REQUEST',
      'rule',
      '100 levels',
    ],
    [
      'a rule that is too large',
      { rule: withTemplate('x'.repeat(256 * 1024)) },
      'INVALID_RULE',
      'rule',
      '262144',
    ],
    ['an end before the start', { startTime: 5, endTime: 5 }, 'INVALID_PERIOD', 'endTime', 'later'],
    ['seconds with a fraction', { startTime: 1.5 }, 'INVALID_REQUEST', 'startTime', 'whole number'],
    [
      'a tag that is not there',
      { behaviourTagName: 'nobody' },
      'BEHAVIOUR_TAG_NOT_FOUND',
      'behaviourTagName',
      '',
    ],
    ['a tenant that cannot be', { tenantId: 'a b' }, 'INVALID_REQUEST', 'tenantId', ''],
  ])('refuses %s, and nothing is stored', async (_, fields, code, cause, said) => {
    const before = await trivet.rowCounts();
    const fault = await trivet.refusal('create-cta', { tenantId: freshTenant(), ...minimal, ...fields });
    expect([fault?.code, fault?.causeWord]).toEqual([code, cause]);
    expect(fault?.message).toContain(said);
    expect(await trivet.rowCounts()).toEqual(before);
  });
});

describe('set-cta-status', () => {
  test('moves along the lifecycle and is seen by the next launch', async () => {
    const tenantId = freshTenant();
    const ctaId = await trivet.makeCta({ tenantId });
    const shown = async () =>
      answeredIds((await trivet.send('1', { headers: { 'x-tenant-id': tenantId } })).text).length;
    expect(await shown()).toBe(0);
    for (const [status, visible] of [
      ['LIVE', 1],
      ['PAUSED', 0],
      ['LIVE', 1],
      ['CONCLUDED', 0],
    ] as const) {
      expect(await trivet.call('set-cta-status', { ctaId, status })).toMatchObject({ status, version: 1 });
      expect(await shown()).toBe(visible);
    }
    expect((await trivet.tenant(tenantId))?.version).toBe(6);
  });

  test('an illegal move names the legal ones and changes nothing', async () => {
    const tenantId = freshTenant();
    const ctaId = await trivet.makeCta({ tenantId });
    const fault = await trivet.refusal('set-cta-status', { ctaId, status: 'PAUSED' });
    expect(fault).toMatchObject({ code: 'ILLEGAL_STATUS_CHANGE', status: 409, causeWord: 'status' });
    expect(fault?.message).toBe(
      `CTA "${ctaId}" cannot become PAUSED. It is DRAFT; from there it may become LIVE, SCHEDULED, TERMINATED.`,
    );
    expect(await trivet.call('get-cta', { ctaId })).toMatchObject({ status: 'DRAFT' });
    expect((await trivet.tenant(tenantId))?.version).toBe(2);
  });

  test.each<[string, object, string, string]>([
    ['LIVE before its start', { startTime: now + 1 }, 'LIVE', 'startTime'],
    ['LIVE after its end', { endTime: now }, 'LIVE', 'endTime'],
    ['SCHEDULED without a start', {}, 'SCHEDULED', 'startTime'],
    ['SCHEDULED after its start', { startTime: now }, 'SCHEDULED', 'startTime'],
  ])('refuses %s', async (_, fields, status, cause) => {
    const ctaId = await trivet.makeCta(fields);
    expect(await trivet.refusal('set-cta-status', { ctaId, status })).toMatchObject({
      code: 'ILLEGAL_STATUS_CHANGE',
      causeWord: cause,
    });
  });

  test('only one of two moves that exclude each other is made', async () => {
    const ctaId = await trivet.makeCta({});
    const moves = await Promise.all(
      ['LIVE', 'TERMINATED', 'LIVE', 'TERMINATED'].map((status) =>
        trivet.refusal('set-cta-status', { ctaId, status }),
      ),
    );
    // A LIVE CTA may still be terminated, so at most two of the four succeed, and never the same one twice.
    expect(moves.filter((fault) => fault === null).length).toBeLessThanOrEqual(2);
    expect((await trivet.call('get-cta', { ctaId }))['status']).toBe('TERMINATED');
  });
});

describe('list-ctas', () => {
  test('pages in the order of creation, without the long texts', async () => {
    const tenantId = freshTenant();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push(await trivet.makeCta({ tenantId, name: `c${i}` }));
    const page = await trivet.call('list-ctas', { tenantId, limit: 2, offset: 1 });
    expect(page).toMatchObject({ total: 3, limit: 2, offset: 1 });
    const listed = page['ctas'] as Record<string, unknown>[];
    expect(listed.map(({ ctaId }) => ctaId)).toEqual(ids.slice(1));
    expect(listed[0]).not.toHaveProperty('rule');
    expect(listed[0]).not.toHaveProperty('description');
    expect(await trivet.call('list-ctas', { tenantId })).toMatchObject({ total: 3, limit: 50, offset: 0 });
  });

  test('the filter finds what a record shows, also when the clock made it so', async () => {
    const tenantId = freshTenant();
    const move = async (fields: object, ...statuses: string[]) => {
      const ctaId = await trivet.makeCta({ tenantId, ...fields });
      for (const status of statuses) await trivet.call('set-cta-status', { ctaId, status });
    };
    await move({});
    await move({}, 'LIVE');
    await move({ endTime: now + 10 }, 'LIVE');
    await move({ startTime: now + 5, endTime: now + 20 }, 'SCHEDULED');
    await move({ startTime: now + 15 }, 'SCHEDULED');
    await move({ endTime: now + 10 }, 'LIVE', 'PAUSED');
    await move({}, 'LIVE', 'CONCLUDED');
    await move({}, 'TERMINATED');
    for (const ms of [0, 5, 10, 15, 20]) {
      clock.set(now + ms);
      const all = (await trivet.call('list-ctas', { tenantId }))['ctas'] as {
        status: string;
        ctaId: string;
      }[];
      for (const status of ctaStatuses) {
        const found = (await trivet.call('list-ctas', { tenantId, status }))['ctas'] as typeof all;
        expect(found).toEqual(all.filter((cta) => cta.status === status));
      }
    }
    clock.set(now);
  });
});
