import { afterAll, describe, expect, test } from 'bun:test';
import type { Actor } from '../../../core/base/actor.ts';
import { stillClock } from '../../../test/kernel.ts';
import { ctaErrors } from '../base/errors.ts';
import { emptyRule, freshTenant, startCtaKernel } from '../testing/cta-kernel.ts';

const clock = stillClock();
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());

const minimal = { name: 'Offer', rule: emptyRule };
const create = async (fields: object, actor: Actor) =>
  String((await trivet.call('create-cta', { ...minimal, ...fields }, actor))['ctaId']);

describe('organizations', () => {
  const ours = () => trivet.inOrganizations([1, 'admin']);
  const theirs = () => trivet.inOrganizations([2, 'admin']);

  test('a tenant belongs to the organization whose administrator writes to it first; for others nothing of it is there', async () => {
    const tenantId = freshTenant();
    const ctaId = await create({ tenantId }, ours());
    const before = await trivet.rowCounts();
    for (const [tool, input, code] of [
      ['create-cta', { ...minimal, tenantId }, 'TENANT_NOT_FOUND'],
      ['create-behaviour-tag', { behaviourTagName: 'x', tenantId }, 'TENANT_NOT_FOUND'],
      ['create-nudge-preview', { template: 't', tenantId }, 'TENANT_NOT_FOUND'],
      ['list-ctas', { tenantId }, 'TENANT_NOT_FOUND'],
      ['get-cta', { ctaId }, 'CTA_NOT_FOUND'],
      ['set-cta-status', { ctaId, status: 'LIVE' }, 'CTA_NOT_FOUND'],
    ] as const) {
      const foreign = await trivet.refusal(tool, input, theirs());
      expect(foreign).toMatchObject({ code, status: 404 });
    }
    expect(await trivet.rowCounts()).toEqual(before);
    // The same wording as for a tenant that does not exist.
    const [foreign, missing] = [
      await trivet.refusal('list-ctas', { tenantId }, theirs()),
      await trivet.refusal('list-ctas', { tenantId: 'nobody' }, theirs()),
    ];
    expect(foreign?.message.replace(tenantId, 'nobody')).toBe(missing?.message ?? '');
  });

  /** @see On the first day every list of `default` was a 404, in the console, too. */
  test('default is that of the first organization, also before its first write', async () => {
    const before = await trivet.rowCounts();
    for (const tool of [
      'list-ctas',
      'list-behaviour-tags',
      'list-cohorts',
      'list-nudge-previews',
      'list-holdouts',
    ])
      expect([tool, await trivet.call(tool, {})]).toEqual([tool, expect.objectContaining({ total: 0 })]);
    expect(await trivet.call('get-cta-kill-switches', {})).toMatchObject({ tenantId: 'default' });
    expect(await trivet.call('get-delivery-limits', {})).toMatchObject({ tenantId: 'default' });
    expect(await trivet.call('explain-cta', { userId: '7' })).toMatchObject({ ctas: [] });
    expect((await trivet.refusal('list-ctas', {}, theirs()))?.code).toBe('TENANT_NOT_FOUND');
    expect(await trivet.rowCounts()).toEqual(before);
    expect(await trivet.tenant('default')).toBeUndefined();
  });

  test('the first organization that the actor administers, unless orgId says which', async () => {
    const several = trivet.inOrganizations([9, 'admin'], [3, 'member'], [5, 'admin']);
    const owners = async (tenantId: string) => (await trivet.tenant(tenantId))?.orgId;
    const [first, chosen] = [freshTenant(), freshTenant()];
    await create({ tenantId: first }, several);
    expect(await owners(first)).toBe(5);
    await create({ tenantId: chosen, orgId: 9 }, several);
    expect(await owners(chosen)).toBe(9);
    expect(
      await trivet.refusal('create-cta', { ...minimal, tenantId: chosen, orgId: 5 }, several),
    ).toMatchObject({ code: 'TENANT_OF_OTHER_ORGANIZATION' });
    expect(
      await trivet.refusal('create-cta', { ...minimal, tenantId: freshTenant(), orgId: 3 }, several),
    ).toMatchObject({ code: 'FORBIDDEN' });
    expect(
      await trivet.refusal('create-cta', { ...minimal, tenantId: freshTenant(), orgId: 4 }, several),
    ).toMatchObject({ code: 'ORGANIZATION_NOT_FOUND' });
  });

  test('a reader reads and writes nothing', async () => {
    const tenantId = freshTenant();
    const ctaId = await create({ tenantId }, ours());
    const reader = trivet.inOrganizations([1, 'reader']);
    expect(await trivet.call('list-ctas', { tenantId }, reader)).toMatchObject({ total: 1 });
    expect(await trivet.call('get-cta', { ctaId }, reader)).toMatchObject({ ctaId });
    const mixed = trivet.inOrganizations([1, 'reader'], [2, 'admin']);
    for (const actor of [reader, mixed]) {
      expect(await trivet.refusal('set-cta-status', { ctaId, status: 'LIVE' }, actor)).toMatchObject({
        code: 'FORBIDDEN',
      });
    }
  });

  test('a member writes to what there is and begins no tenant; word for word as for one of others', async () => {
    const member = trivet.inOrganizations([1, 'member']);
    const [known, foreign] = [freshTenant(), freshTenant()];
    await create({ tenantId: known }, ours());
    await create({ tenantId: foreign }, theirs());
    await create({ tenantId: known }, member);
    const before = await trivet.rowCounts();
    const refusals = await Promise.all(
      [foreign, freshTenant()].map(async (tenantId) => {
        const refusal = await trivet.refusal('create-cta', { ...minimal, tenantId }, member);
        return { code: refusal?.code, message: refusal?.message.replace(tenantId, 'X') };
      }),
    );
    expect(refusals[0]).toMatchObject({ code: 'TENANT_NOT_FOUND' });
    expect(refusals[1]).toEqual(refusals[0]);
    expect(await trivet.rowCounts()).toEqual(before);
  });

  test('"default" is of the first organization, whoever writes first', async () => {
    const fresh = await startCtaKernel(clock);
    expect(await fresh.refusal('create-cta', minimal, fresh.inOrganizations([2, 'admin']))).toMatchObject({
      code: 'TENANT_NOT_FOUND',
    });
    expect(
      await fresh.refusal('create-tenant', { tenantId: 'default' }, fresh.inOrganizations([2, 'admin'])),
    ).toMatchObject({ code: 'TENANT_EXISTS' });
    await fresh.call('create-cta', minimal, fresh.inOrganizations([1, 'member']));
    expect(await fresh.tenant('default')).toMatchObject({ orgId: 1 });
    await fresh.stop();
  });

  test('create-tenant reserves a name', async () => {
    const tenantId = freshTenant();
    const made = await trivet.call('create-tenant', { tenantId }, ours());
    expect(made).toEqual({ tenantId, orgId: 1, createdAt: clock.now() });
    const taken = await trivet.refusal('create-tenant', { tenantId }, theirs());
    expect(taken).toMatchObject({ code: 'TENANT_EXISTS', status: 409 });
    expect(await trivet.refusal('create-tenant', { tenantId }, ours())).toMatchObject({
      message: taken?.message ?? '',
    });
    await create({ tenantId }, trivet.inOrganizations([1, 'member']));
    const [other, several] = [freshTenant(), trivet.inOrganizations([1, 'member'], [2, 'admin'])];
    for (const [input, actor, code] of [
      [{ tenantId: other }, trivet.inOrganizations([1, 'member']), 'FORBIDDEN'],
      [{ tenantId: other, orgId: 1 }, several, 'FORBIDDEN'],
      [{ tenantId: other, orgId: 3 }, several, 'ORGANIZATION_NOT_FOUND'],
    ] as const) {
      expect(await trivet.refusal('create-tenant', input, actor)).toMatchObject({ code });
    }
  });

  test('two first writes at once make one tenant', async () => {
    const tenantId = freshTenant();
    await Promise.all(Array.from({ length: 8 }, () => trivet.makeCta({ tenantId })));
    expect(await trivet.call('list-ctas', { tenantId })).toMatchObject({ total: 8 });
  });
});

test('every tip names a tool that there is', () => {
  const names = [...trivet.kernel.operations.keys()];
  for (const { tip } of Object.values(ctaErrors)) {
    for (const word of tip.match(/\b[a-z]+(-[a-z]+)+\b/g) ?? []) expect(names).toContain(word);
  }
});
