import { afterAll, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { emptyRule, freshTenant, startCtaKernel } from '../testing/cta-kernel.ts';

const clock = stillClock();
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());

const behaviourTagName = 'shop';
const anyRest = { shownCta: { rule: 'ANY' }, hideCta: { rule: 'REST' } };
const exposureRule = { session: { limit: 1 }, lifespan: { limit: 5 } };

/** A fresh tenant with a behaviour tag. */
async function tagged(definition: object = {}): Promise<string> {
  const tenantId = freshTenant();
  await trivet.call('create-behaviour-tag', { tenantId, behaviourTagName, ...definition });
  return tenantId;
}

const launchedTags = async (tenantId: string) => {
  const { text } = await trivet.send('1', { headers: { 'x-tenant-id': tenantId } });
  return (JSON.parse(text) as { data: { behaviourTags: unknown[] } }).data.behaviourTags;
};

describe('update-behaviour-tag', () => {
  test('replaces a part, keeps the other, and the next launch has it', async () => {
    const tenantId = await tagged({ exposureRule, ctaRelation: anyRest });
    const record = await trivet.call('update-behaviour-tag', {
      tenantId,
      behaviourTagName,
      version: 1,
      exposureRule: { lifeSpan: { limit: 2 } },
    });
    expect(record).toMatchObject({ version: 2, exposureRule: { lifespan: { limit: 2 } } });
    expect((record['warnings'] as { path: string }[]).map(({ path }) => path)).toEqual([
      'behaviourTagName',
      'ctaRelation',
    ]);
    expect(JSON.stringify(record['warnings'])).toContain('new name');
    expect(await launchedTags(tenantId)).toEqual([
      {
        behaviourTagName,
        exposureRule: { lifespan: { limit: 2 }, ctasResetAt: [] },
        ctaRelation: {
          shownCta: { rule: 'ANY', ctaList: [] },
          hideCta: { rule: 'REST', ctaList: [] },
          activeCtas: [],
        },
      },
    ]);
    await trivet.call('update-behaviour-tag', {
      tenantId,
      behaviourTagName,
      version: 2,
      clear: ['exposureRule', 'ctaRelation'],
    });
    expect(await launchedTags(tenantId)).toEqual([{ behaviourTagName }]);
    const { warnings: _, ...whole } = await trivet.call('update-behaviour-tag', {
      tenantId,
      behaviourTagName,
      version: 3,
      exposureRule,
    });
    expect(await trivet.call('get-behaviour-tag', { tenantId, behaviourTagName })).toEqual(whole);
  });

  test.each<[string, object, string, string | undefined]>([
    ['nothing', {}, 'NOTHING_TO_UPDATE', undefined],
    ['an old version', { version: 2, exposureRule }, 'CONFLICT', 'version'],
    [
      'a relation that means nothing',
      { ctaRelation: { shownCta: { rule: 'REST' }, hideCta: { rule: 'ANY' } } },
      'INVALID_RELATION',
      'ctaRelation',
    ],
    [
      'half a relation',
      { ctaRelation: { shownCta: { rule: 'ANY' } } },
      'INVALID_RELATION',
      'ctaRelation.hideCta',
    ],
    ['a part given and cleared', { exposureRule, clear: ['exposureRule'] }, 'INVALID_REQUEST', 'clear'],
    [
      'two spellings at odds',
      { exposureRule: { lifespan: { limit: 1 }, lifeSpan: { limit: 2 } } },
      'INVALID_REQUEST',
      'exposureRule.lifeSpan',
    ],
    [
      'a tag that is not there',
      { behaviourTagName: 'x', exposureRule },
      'BEHAVIOUR_TAG_NOT_FOUND',
      'behaviourTagName',
    ],
  ])('refuses %s, and nothing is written', async (_, fields, code, cause) => {
    const tenantId = await tagged({ exposureRule });
    const before = await trivet.call('get-behaviour-tag', { tenantId, behaviourTagName });
    const fault = await trivet.refusal('update-behaviour-tag', {
      tenantId,
      behaviourTagName,
      version: 1,
      ...fields,
    });
    expect([fault?.code, fault?.causeWord]).toEqual([code, cause]);
    expect(await trivet.call('get-behaviour-tag', { tenantId, behaviourTagName })).toEqual(before);
  });

  test('of edits made from one version, one is made', async () => {
    const tenantId = await tagged();
    const faults = await Promise.all(
      [1, 2, 3, 4].map((limit) =>
        trivet.refusal('update-behaviour-tag', {
          tenantId,
          behaviourTagName,
          version: 1,
          exposureRule: { session: { limit } },
        }),
      ),
    );
    expect(faults.filter((fault) => fault === null).length).toBe(1);
  });
});

test('list-behaviour-tags pages, the oldest first', async () => {
  const tenantId = await tagged({ exposureRule });
  clock.advance(1);
  await trivet.call('create-behaviour-tag', { tenantId, behaviourTagName: 'a-second' });
  expect(await trivet.call('list-behaviour-tags', { tenantId })).toMatchObject({
    total: 2,
    behaviourTags: [{ behaviourTagName, exposureRule }, { behaviourTagName: 'a-second' }],
  });
  expect(await trivet.call('list-behaviour-tags', { tenantId, limit: 1, offset: 1 })).toMatchObject({
    total: 2,
    behaviourTags: [{ behaviourTagName: 'a-second' }],
  });
});

describe('link and unlink', () => {
  test('are edits: each CTA gets a version, one that is there already none', async () => {
    const tenantId = await tagged();
    const first = await trivet.makeCta({ tenantId });
    const second = await trivet.makeCta({ tenantId, behaviourTagName }, 'LIVE', 'PAUSED');
    const linked = await trivet.call('link-behaviour-tag', { behaviourTagName, ctaIds: [first, second] });
    expect(linked['ctas']).toMatchObject([
      { ctaId: first, behaviourTagName, version: 2 },
      { ctaId: second, behaviourTagName, version: 1 },
    ]);
    expect(await trivet.call('list-cta-versions', { ctaId: first })).toMatchObject({
      versions: [{ changed: ['behaviourTagName'] }, {}],
    });
    const unlinked = await trivet.call('unlink-behaviour-tag', { ctaIds: [second] });
    expect(unlinked['ctas']).toMatchObject([{ ctaId: second, behaviourTagName: null, version: 2 }]);
  });

  test('all or none: one that is LIVE, or of a tenant without the tag, stops all', async () => {
    const tenantId = await tagged();
    const draft = await trivet.makeCta({ tenantId });
    const live = await trivet.makeCta({ tenantId }, 'LIVE');
    const elsewhere = await trivet.makeCta({ tenantId: freshTenant() });
    for (const [other, code] of [
      [live, 'CTA_NOT_EDITABLE'],
      [elsewhere, 'BEHAVIOUR_TAG_NOT_FOUND'],
      ['999999', 'CTA_NOT_FOUND'],
    ] as const) {
      const before = await trivet.rowCounts();
      const fault = await trivet.refusal('link-behaviour-tag', { behaviourTagName, ctaIds: [draft, other] });
      expect(fault?.code).toBe(code);
      expect(await trivet.rowCounts()).toEqual(before);
    }
    expect(await trivet.call('get-cta', { ctaId: draft })).toMatchObject({
      behaviourTagName: null,
      version: 1,
    });
  });
});

describe('delete-behaviour-tag', () => {
  test('is refused while a CTA that has not ended is under it, and names it', async () => {
    const tenantId = await tagged();
    const ctaId = await trivet.makeCta({ tenantId, behaviourTagName, rule: emptyRule });
    const fault = await trivet.refusal('delete-behaviour-tag', { tenantId, behaviourTagName });
    expect(fault?.code).toBe('BEHAVIOUR_TAG_IN_USE');
    expect(fault?.message).toContain(`CTA "${ctaId}"`);
    await trivet.call('set-cta-status', { ctaId, status: 'TERMINATED' });
    expect(await trivet.call('delete-behaviour-tag', { tenantId, behaviourTagName })).toMatchObject({
      behaviourTagName,
    });
    expect(await launchedTags(tenantId)).toEqual([]);
    expect((await trivet.refusal('get-behaviour-tag', { tenantId, behaviourTagName }))?.code).toBe(
      'BEHAVIOUR_TAG_NOT_FOUND',
    );
  });
});

test('tenants of another organization are not there', async () => {
  const tenantId = await tagged();
  const stranger = trivet.inOrganizations([99, 'admin']);
  for (const [tool, input] of [
    ['get-behaviour-tag', { behaviourTagName }],
    ['list-behaviour-tags', {}],
    ['update-behaviour-tag', { behaviourTagName, version: 1, exposureRule }],
    ['delete-behaviour-tag', { behaviourTagName }],
    ['set-cta-kill-switch', { killed: true }],
    ['get-cta-kill-switches', {}],
    ['list-cohorts', {}],
    ['list-nudge-previews', {}],
    ['get-nudge-preview', { id: 'a' }],
    ['update-nudge-preview', { id: 'a', ttl: 1 }],
    ['delete-nudge-preview', { id: 'a' }],
    ['explain-cta', { userId: '1' }],
    ['simulate-cta', { steps: [{ kind: 'session' }] }],
    ['get-user-attributes', { userId: '1' }],
    ['set-user-attributes', { users: [{ userId: '1', attributes: {} }] }],
    ['create-cohort', { cohortName: 'c', kind: 'list' }],
  ] as const) {
    expect([tool, (await trivet.refusal(tool, { tenantId, ...input }, stranger))?.code]).toEqual([
      tool,
      'TENANT_NOT_FOUND',
    ]);
  }
});
