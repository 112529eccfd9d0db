import { afterAll, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import type { Relation } from '../state/snapshot.ts';
import { freshTenant, startCtaKernel } from '../testing/cta-kernel.ts';
import { relationProblem } from './tag-check.ts';

const clock = stillClock();
const now = clock.now();
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());

describe('create-behaviour-tag', () => {
  test('stores what clients get with the next launch', async () => {
    const tenantId = freshTenant();
    const [first, second] = [await trivet.makeCta({ tenantId }), await trivet.makeCta({ tenantId })];
    const record = await trivet.call('create-behaviour-tag', {
      tenantId,
      behaviourTagName: 'checkout',
      exposureRule: {
        session: { limit: 1 },
        window: { limit: 2, unit: 'days', value: 7 },
        lifeSpan: { limit: 3 },
      },
      ctaRelation: {
        shownCta: { rule: 'LIST', ctaList: [first] },
        hideCta: { rule: 'LIST', ctaList: [second, '999999'] },
      },
    });
    const definition = {
      behaviourTagName: 'checkout',
      exposureRule: {
        session: { limit: 1 },
        window: { limit: 2, unit: 'days', value: 7 },
        lifespan: { limit: 3 },
      },
      ctaRelation: {
        shownCta: { rule: 'LIST', ctaList: [first] },
        hideCta: { rule: 'LIST', ctaList: [second, '999999'] },
      },
    };
    expect(record).toEqual({
      ...definition,
      tenantId,
      version: 1,
      createdBy: trivet.owner.userId,
      createdAt: now,
      killedAt: null,
      updatedAt: now,
      warnings: ['exposureRule.session', 'ctaRelation.hideCta.ctaList[1]'].map((path) => ({
        path,
        message: expect.any(String),
      })),
    });
    const { text } = await trivet.send('1', { headers: { 'x-tenant-id': tenantId } });
    expect(JSON.parse(text)).toEqual({
      data: {
        ctas: [],
        behaviourTags: [
          {
            ...definition,
            exposureRule: { ...definition.exposureRule, ctasResetAt: [] },
            ctaRelation: { ...definition.ctaRelation, activeCtas: [] },
          },
        ],
      },
    });
  });

  const any: Relation = { rule: 'ANY' };
  const rest: Relation = { rule: 'REST' };
  const list: Relation = { rule: 'LIST', ctaList: ['7'] };
  test.each<[string, { shownCta?: Relation; hideCta?: Relation }, string | null]>([
    ['ANY and REST', { shownCta: any, hideCta: rest }, null],
    ['LIST and LIST', { shownCta: list, hideCta: list }, null],
    ['ANY and ANY', { shownCta: any, hideCta: any }, 'would hide the very CTA'],
    ['ANY and LIST', { shownCta: any, hideCta: list }, 'do not evaluate'],
    ['LIST and REST', { shownCta: list, hideCta: rest }, 'do not evaluate'],
    ['LIST and ANY', { shownCta: list, hideCta: any }, 'would hide the very CTA'],
    ['REST and LIST', { shownCta: rest, hideCta: list }, 'says nothing'],
    ['one alone', { shownCta: any }, 'is missing'],
    ['none', {}, 'is missing'],
    ['a list without CTAs', { shownCta: list, hideCta: { rule: 'LIST', ctaList: [] } }, 'is empty'],
    ['ANY with a list', { shownCta: { rule: 'ANY', ctaList: ['7'] }, hideCta: rest }, 'means nothing'],
  ])('relations %s', async (_, relations, reason) => {
    if (reason === null) {
      expect(relationProblem(relations)).toBeNull();
      return;
    }
    expect(relationProblem(relations)?.reason).toContain(reason);
    const input = { tenantId: freshTenant(), behaviourTagName: 'x', ctaRelation: relations };
    const before = await trivet.rowCounts();
    expect(await trivet.refusal('create-behaviour-tag', input)).toMatchObject({ code: 'INVALID_RELATION' });
    expect(await trivet.rowCounts()).toEqual(before);
  });

  test('a name is taken once per tenant, and two spellings of a limit must agree', async () => {
    const tag = { tenantId: freshTenant(), behaviourTagName: 'x' };
    await trivet.call('create-behaviour-tag', tag);
    expect(await trivet.refusal('create-behaviour-tag', tag)).toMatchObject({ code: 'BEHAVIOUR_TAG_EXISTS' });
    await trivet.call('create-behaviour-tag', { ...tag, tenantId: freshTenant() });
    const exposureRule = { lifespan: { limit: 1 }, lifeSpan: { limit: 2 } };
    expect(
      await trivet.refusal('create-behaviour-tag', { behaviourTagName: 'y', exposureRule }),
    ).toMatchObject({ code: 'INVALID_REQUEST', causeWord: 'exposureRule.lifeSpan' });
  });
});

describe('create-nudge-preview', () => {
  test('has an id that cannot be guessed, an hour to live, and does not change the catalogue', async () => {
    const tenantId = freshTenant();
    const record = await trivet.call('create-nudge-preview', { tenantId, template: '{"a":1}' });
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      template: '{"a":1}',
      tenantId,
      ttl: 3600,
      createdBy: trivet.owner.userId,
      createdAt: now,
      expiresAt: now + 3_600_000,
    });
    expect((await trivet.tenant(tenantId))?.version).toBe(1);
    expect(await trivet.call('create-nudge-preview', { tenantId, template: 't', ttl: 0 })).toMatchObject({
      ttl: null,
      expiresAt: null,
    });
  });

  test('an id is free again when its preview has expired, which is then gone', async () => {
    const preview = { tenantId: freshTenant(), id: 'p', template: 't', ttl: 1 };
    await trivet.call('create-nudge-preview', preview);
    expect(await trivet.refusal('create-nudge-preview', preview)).toMatchObject({ code: 'PREVIEW_EXISTS' });
    clock.advance(1000);
    const before = await trivet.rowCounts();
    await trivet.call('create-nudge-preview', { ...preview, template: 'u' });
    expect(await trivet.rowCounts()).toEqual(before);
    clock.set(now);
  });

  test('refuses an id that is no part of a path', async () => {
    expect(await trivet.refusal('create-nudge-preview', { id: 'a/b', template: 't' })).toMatchObject({
      code: 'INVALID_REQUEST',
      causeWord: 'id',
    });
  });
});
