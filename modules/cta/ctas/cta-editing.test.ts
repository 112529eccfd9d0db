import { afterAll, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { ctaStatuses, isEditable } from '../rules/lifecycle.ts';
import { answeredIds, emptyRule, freshTenant, startCtaKernel } from '../testing/cta-kernel.ts';

const clock = stillClock();
const now = clock.now();
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());

const update = (ctaId: string, version: number, fields: object) =>
  trivet.call('update-cta', { ctaId, version, ...fields });
const versionsOf = async (ctaId: string, paging: object = {}) =>
  (await trivet.call('list-cta-versions', { ctaId, ...paging })) as {
    total: number;
    versions: { version: number; changed: string[]; copiedFrom: unknown; by: number; at: number }[];
  };

describe('update-cta', () => {
  test('changes what is given, leaves the rest, and makes a version', async () => {
    const tenantId = freshTenant();
    const rule = { ...emptyRule, priority: 3 };
    const ctaId = await trivet.makeCta({
      tenantId,
      name: 'A',
      description: 'D',
      tags: ['x'],
      team: 'T',
      rule,
    });
    const record = await update(ctaId, 1, { name: ' B ', tags: ['y', 'y'], startTime: now + 5 });
    expect(record).toMatchObject({
      name: 'B',
      description: 'D',
      tags: ['y'],
      team: 'T',
      startTime: now + 5,
      rule,
      version: 2,
      status: 'DRAFT',
      warnings: [],
    });
    const { warnings: _, ...whole } = record;
    expect(await trivet.call('get-cta', { ctaId })).toEqual(whole);
    expect((await trivet.tenant(tenantId))?.version).toBe(3);
  });

  test('clears what is named in clear', async () => {
    const tenantId = freshTenant();
    await trivet.call('create-behaviour-tag', { tenantId, behaviourTagName: 'shop' });
    const given = { team: 'T', startTime: now + 1, endTime: now + 2, behaviourTagName: 'shop' };
    const ctaId = await trivet.makeCta({ tenantId, ...given });
    const cleared = { team: null, startTime: null, endTime: null, behaviourTagName: null };
    expect(await update(ctaId, 1, { clear: Object.keys(cleared) })).toMatchObject(cleared);
  });

  test('a rule whose members stand in another order is the same rule', async () => {
    const ctaId = await trivet.makeCta({ name: 'A', rule: emptyRule });
    const turned = Object.fromEntries(Object.entries(emptyRule).toReversed());
    await update(ctaId, 1, { name: 'B', rule: turned });
    expect((await versionsOf(ctaId)).versions[0]).toMatchObject({ version: 2, changed: ['name'] });
  });

  test('replaces the rule whole, and the next launch of a paused CTA that goes live again has it', async () => {
    const tenantId = freshTenant();
    const ctaId = await trivet.makeCta({ tenantId, rule: { ...emptyRule, priority: 1 } }, 'LIVE', 'PAUSED');
    await update(ctaId, 1, { rule: { ...emptyRule, contextParams: ['a'] } });
    await trivet.call('set-cta-status', { ctaId, status: 'LIVE' });
    const { text } = await trivet.send('1', { headers: { 'x-tenant-id': tenantId } });
    expect(JSON.parse(text)).toMatchObject({
      data: { ctas: [{ ctaId, rule: { priority: 0, contextParams: ['a'] } }] },
    });
  });

  test('only DRAFT and PAUSED ones, by the clock', async () => {
    const ways: Record<(typeof ctaStatuses)[number], string[]> = {
      DRAFT: [],
      SCHEDULED: ['SCHEDULED'],
      LIVE: ['LIVE'],
      PAUSED: ['LIVE', 'PAUSED'],
      CONCLUDED: ['LIVE', 'CONCLUDED'],
      TERMINATED: ['TERMINATED'],
    };
    for (const status of ctaStatuses) {
      const startTime = status === 'SCHEDULED' ? { startTime: now + 5 } : {};
      const ctaId = await trivet.makeCta(startTime, ...ways[status]);
      const fault = await trivet.refusal('update-cta', { ctaId, version: 1, name: 'B' });
      expect([status, fault?.code ?? null]).toEqual([status, isEditable(status) ? null : 'CTA_NOT_EDITABLE']);
      if (fault) expect(fault.message).toContain(`is ${status}`);
    }
  });

  test('of edits made from one version, one is made and the others are told', async () => {
    const ctaId = await trivet.makeCta({});
    const faults = await Promise.all(
      Array.from({ length: 8 }, (_, i) => trivet.refusal('update-cta', { ctaId, version: 1, name: `n${i}` })),
    );
    expect(faults.filter((fault) => fault === null).length).toBe(1);
    expect(new Set(faults.map((fault) => fault?.code))).toEqual(new Set([undefined, 'CONFLICT']));
    expect(await trivet.call('get-cta', { ctaId })).toMatchObject({ version: 2 });
    expect((await versionsOf(ctaId)).total).toBe(2);
  });

  test.each<[string, object, string, string | undefined]>([
    ['nothing', {}, 'NOTHING_TO_UPDATE', undefined],
    ['an old version', { version: 2, name: 'B' }, 'CONFLICT', 'version'],
    ['no version', { version: undefined, name: 'B' }, 'INVALID_REQUEST', 'version'],
    ['a blank name', { name: ' ' }, 'INVALID_REQUEST', 'name'],
    ['a status', { status: 'LIVE' }, 'INVALID_REQUEST', 'status'],
    ['a field given and cleared', { team: 'x', clear: ['team'] }, 'INVALID_REQUEST', 'clear'],
    ['clearing what must be', { clear: ['name'] }, 'INVALID_REQUEST', 'clear'],
    [
      'a rule with a fault',
      { rule: { ...emptyRule, stateToAction: { '5': 'x' } } },
      'INVALID_RULE',
      'rule.stateToAction.5',
    ],
    ['an end before the start that is there', { endTime: now }, 'INVALID_PERIOD', 'endTime'],
    [
      'a tag that is not there',
      { behaviourTagName: 'nobody' },
      'BEHAVIOUR_TAG_NOT_FOUND',
      'behaviourTagName',
    ],
  ])('refuses %s, and nothing is written', async (_, fields, code, cause) => {
    const ctaId = await trivet.makeCta({ tenantId: freshTenant(), startTime: now + 5 });
    const before = [await trivet.rowCounts(), await trivet.call('get-cta', { ctaId })];
    const fault = await trivet.refusal('update-cta', { ctaId, version: 1, ...fields });
    expect([fault?.code, fault?.causeWord]).toEqual([code, cause]);
    expect([await trivet.rowCounts(), await trivet.call('get-cta', { ctaId })]).toEqual(before);
  });

  test('a CTA of another organization is not there', async () => {
    const ctaId = await trivet.makeCta({});
    const stranger = trivet.inOrganizations([99, 'admin']);
    for (const [tool, input] of [
      ['update-cta', { version: 1, name: 'B' }],
      ['clone-cta', {}],
      ['revert-cta', { version: 1, toVersion: 1 }],
      ['list-cta-versions', {}],
      ['list-cta-status-changes', {}],
      ['get-cta', { version: 1 }],
    ] as const) {
      expect((await trivet.refusal(tool, { ctaId, ...input }, stranger))?.code).toBe('CTA_NOT_FOUND');
    }
    const reader = trivet.inOrganizations([1, 'reader']);
    expect((await trivet.refusal('update-cta', { ctaId, version: 1, name: 'B' }, reader))?.code).toBe(
      'FORBIDDEN',
    );
    expect((await trivet.refusal('list-cta-versions', { ctaId }, reader))?.code).toBeUndefined();
  });
});

describe('versions', () => {
  test('every edit is one: who, when, what changed, and each can be read whole', async () => {
    const ctaId = await trivet.makeCta({ tenantId: freshTenant(), name: 'one' });
    clock.advance(10);
    await update(ctaId, 1, { name: 'two', team: 'T' });
    await update(ctaId, 2, { rule: { ...emptyRule, priority: 7 } });
    const { total, versions } = await versionsOf(ctaId);
    expect(total).toBe(3);
    expect(versions).toEqual([
      { version: 3, by: trivet.owner.userId, at: now + 10, changed: ['rule'], copiedFrom: null },
      { version: 2, by: trivet.owner.userId, at: now + 10, changed: ['name', 'team'], copiedFrom: null },
      { version: 1, by: trivet.owner.userId, at: now, changed: [], copiedFrom: null },
    ]);
    const page = await versionsOf(ctaId, { limit: 1, offset: 1 });
    expect(page.versions).toEqual(versions.slice(1, 2));
    expect((await versionsOf(ctaId, { offset: 3 })).versions).toEqual([]);
    expect(await trivet.call('get-cta', { ctaId, version: 2 })).toMatchObject({
      name: 'two',
      version: 2,
      rule: emptyRule,
      updatedAt: now + 10,
    });
    expect((await trivet.refusal('get-cta', { ctaId, version: 4 }))?.code).toBe('CTA_VERSION_NOT_FOUND');
    clock.set(now);
  });

  test('going back is a new version; what was in between stays', async () => {
    const ctaId = await trivet.makeCta({ tenantId: freshTenant(), name: 'one', team: 'T' });
    await update(ctaId, 1, { name: 'two', clear: ['team'] });
    const record = await trivet.call('revert-cta', { ctaId, version: 2, toVersion: 1 });
    expect(record).toMatchObject({ name: 'one', team: 'T', version: 3 });
    expect((await versionsOf(ctaId)).versions[0]).toMatchObject({
      version: 3,
      changed: ['name', 'team'],
      copiedFrom: { ctaId, version: 1 },
    });
    expect((await trivet.refusal('revert-cta', { ctaId, version: 2, toVersion: 1 }))?.code).toBe('CONFLICT');
    expect((await trivet.refusal('revert-cta', { ctaId, version: 3, toVersion: 9 }))?.code).toBe(
      'CTA_VERSION_NOT_FOUND',
    );
    await trivet.call('set-cta-status', { ctaId, status: 'LIVE' });
    expect((await trivet.refusal('revert-cta', { ctaId, version: 3, toVersion: 1 }))?.code).toBe(
      'CTA_NOT_EDITABLE',
    );
  });
});

describe('clone-cta', () => {
  test('is a draft of its own with the same fields, of any status and version', async () => {
    const tenantId = freshTenant();
    const rule = { ...emptyRule, priority: 2 };
    const ctaId = await trivet.makeCta({ tenantId, name: 'one', tags: ['x'], rule });
    await update(ctaId, 1, { name: 'two' });
    await trivet.call('set-cta-status', { ctaId, status: 'TERMINATED' });
    const copy = await trivet.call('clone-cta', { ctaId });
    expect(copy).toMatchObject({
      tenantId,
      name: 'Copy of two',
      tags: ['x'],
      rule,
      status: 'DRAFT',
      version: 1,
      warnings: [],
    });
    expect(copy['ctaId']).not.toBe(ctaId);
    expect((await versionsOf(String(copy['ctaId']))).versions).toMatchObject([
      { version: 1, copiedFrom: { ctaId, version: 2 } },
    ]);
    expect(await trivet.call('clone-cta', { ctaId, version: 1, name: 'three' })).toMatchObject({
      name: 'three',
    });
    const first = await trivet.call('clone-cta', { ctaId, version: 1 });
    expect(first).toMatchObject({ name: 'Copy of one' });
    expect((await trivet.refusal('clone-cta', { ctaId, version: 3 }))?.code).toBe('CTA_VERSION_NOT_FOUND');
  });

  test('leaves out a behaviour tag that is gone, and says so', async () => {
    const tenantId = freshTenant();
    await trivet.call('create-behaviour-tag', { tenantId, behaviourTagName: 'shop' });
    const ctaId = await trivet.makeCta({ tenantId, behaviourTagName: 'shop' });
    expect(await trivet.call('clone-cta', { ctaId })).toMatchObject({
      behaviourTagName: 'shop',
      warnings: [],
    });
    await trivet.call('unlink-behaviour-tag', {
      ctaIds: (
        (await trivet.call('list-ctas', { tenantId, behaviourTagName: 'shop' }))['ctas'] as {
          ctaId: string;
        }[]
      ).map((cta) => cta.ctaId),
    });
    await trivet.call('delete-behaviour-tag', { tenantId, behaviourTagName: 'shop' });
    const record = await trivet.call('clone-cta', { ctaId, version: 1 });
    expect(record['behaviourTagName']).toBeNull();
    expect((record['warnings'] as { path: string }[]).map(({ path }) => path)).toEqual(['behaviourTagName']);
  });
});

describe('status changes', () => {
  test('every move is recorded, those of the clock at the time they were due', async () => {
    const tenantId = freshTenant();
    const ctaId = await trivet.makeCta({ tenantId, startTime: now + 10, endTime: now + 50 }, 'SCHEDULED');
    clock.set(now + 20);
    await trivet.call('set-cta-status', { ctaId, status: 'PAUSED' });
    clock.set(now + 30);
    await trivet.call('set-cta-status', { ctaId, status: 'LIVE' });
    clock.set(now + 60);
    expect(await trivet.call('get-cta', { ctaId })).toMatchObject({ status: 'CONCLUDED' });
    const by = trivet.owner.userId;
    expect(await trivet.call('list-cta-status-changes', { ctaId })).toMatchObject({
      total: 4,
      changes: [
        { from: 'DRAFT', to: 'SCHEDULED', at: now, by },
        { from: 'SCHEDULED', to: 'LIVE', at: now + 10, by: null },
        { from: 'LIVE', to: 'PAUSED', at: now + 20, by },
        { from: 'PAUSED', to: 'LIVE', at: now + 30, by },
      ],
    });
    expect(answeredIds((await trivet.send('1', { headers: { 'x-tenant-id': tenantId } })).text)).toEqual([]);
    clock.set(now);
  });
});
