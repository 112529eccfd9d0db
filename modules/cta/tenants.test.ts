import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Actor } from '../../core/actor.ts';
import { stillClock } from '../../test/kernel.ts';
import { ctaErrors } from './errors.ts';
import { emptyRule, freshTenant, startCtaKernel, type CtaKernel } from './test-kernel.ts';

const clock = stillClock();
let trivet: CtaKernel;

beforeAll(async () => {
  trivet = await startCtaKernel(clock);
});
afterAll(() => trivet.stop());

const minimal = { name: 'Offer', rule: emptyRule };
const create = async (fields: object, actor: Actor) =>
  String((await trivet.call('create-cta', { ...minimal, ...fields }, actor))['ctaId']);

describe('organizations', () => {
  const ours = () => trivet.inOrganizations([1, 'member']);
  const theirs = () => trivet.inOrganizations([2, 'admin']);

  test('a tenant belongs to whoever writes to it first; for others nothing of it is there', async () => {
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
    // Word for word as for a tenant that nobody has made.
    const [foreign, missing] = [
      await trivet.refusal('list-ctas', { tenantId }, theirs()),
      await trivet.refusal('list-ctas', { tenantId: 'nobody' }, theirs()),
    ];
    expect(foreign?.message.replace(tenantId, 'nobody')).toBe(missing?.message ?? '');
  });

  test('the first organization in which the actor may write, unless orgId says which', async () => {
    const several = trivet.inOrganizations([9, 'member'], [3, 'reader'], [5, 'admin']);
    const owners = async (tenantId: string) => (await trivet.tenant(tenantId))?.orgId;
    const [first, chosen] = [freshTenant(), freshTenant()];
    await create({ tenantId: first }, several);
    expect(await owners(first)).toBe(5);
    await create({ tenantId: chosen, orgId: 9 }, several);
    expect(await owners(chosen)).toBe(9);
    expect(
      await trivet.refusal('create-cta', { ...minimal, tenantId: chosen, orgId: 5 }, several),
    ).toMatchObject({
      code: 'TENANT_OF_OTHER_ORGANIZATION',
    });
    expect(
      await trivet.refusal('create-cta', { ...minimal, tenantId: freshTenant(), orgId: 3 }, several),
    ).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(
      await trivet.refusal('create-cta', { ...minimal, tenantId: freshTenant(), orgId: 4 }, several),
    ).toMatchObject({
      code: 'NOT_FOUND',
    });
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
