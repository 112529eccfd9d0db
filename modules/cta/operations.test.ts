import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { Actor, Role } from '../../core/actor.ts';
import { countRows } from '../../core/db/columns.ts';
import { Fault } from '../../core/errors.ts';
import { localExecutor } from '../../core/kernel.ts';
import { check } from '../../core/schema.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../test/kernel.ts';
import { relationFault } from './behaviour-tags.ts';
import { ctaErrors } from './errors.ts';
import { ctaStatuses } from './lifecycle.ts';
import { behaviourTags, ctas, ctaVersions, previews, tenants } from './schema.ts';
import type { Relation } from './snapshot.ts';

const clock = stillClock();
const now = clock.now();
let trivet: TestKernel;
let owner: Actor;

beforeAll(async () => {
  trivet = await startTestKernel({ clock });
  owner = await trivet.kernel.identity.local(trivet.kernel.host, undefined);
});
afterAll(() => trivet.stop());

/** Runs a tool and checks its answer against the schema that it promises. */
async function call(
  tool: string,
  input: object = {},
  actor: Actor = owner,
): Promise<Record<string, unknown>> {
  const output = await localExecutor(trivet.kernel, actor, {}).call(tool, input, {
    signal: AbortSignal.timeout(10_000),
  });
  const schema = trivet.kernel.operations.get(tool)?.output;
  if (schema) expect(check(schema, output)).toMatchObject({ ok: true });
  return output as Record<string, unknown>;
}

const refusal = (tool: string, input: object, actor?: Actor) =>
  call(tool, input, actor).then(
    () => null,
    (error: unknown) => (error instanceof Fault ? error : Promise.reject(error as Error)),
  );

const inOrganizations = (...roles: [number, Role][]): Actor => ({ ...owner, roles: new Map(roles) });

async function rowCounts(): Promise<number[]> {
  const counts: number[] = [];
  for (const table of [tenants, ctas, ctaVersions, behaviourTags, previews]) {
    const [row] = await trivet.kernel.host.db.q.select({ n: countRows() }).from(table);
    counts.push(row?.n ?? -1);
  }
  return counts;
}

async function versionOf(tenantId: string): Promise<number | undefined> {
  const [row] = await trivet.kernel.host.db.q.select().from(tenants).where(eq(tenants.tenantId, tenantId));
  return row?.version;
}

const fresh = () => `t-${crypto.randomUUID()}`;
const rule = { stateToAction: {}, stateTransition: {}, actions: [] };
const minimal = { name: 'Offer', rule };
const create = async (fields: object = {}, actor?: Actor) =>
  String((await call('create-cta', { ...minimal, ...fields }, actor))['ctaId']);

describe('create-cta', () => {
  test('makes a draft with its record, its first version and a raised tenant', async () => {
    const tenantId = fresh();
    await call('create-behaviour-tag', { tenantId, behaviourTagName: 'checkout' });
    const given = {
      tenantId,
      name: '  Offer ',
      description: 'Ten percent off',
      tags: ['a', ' a ', 'b'],
      team: 'growth',
      startTime: now + 1,
      endTime: now + 2,
      behaviourTagName: 'checkout',
      rule: { ...rule, frequency: { lifespan: { limit: 3 } }, packageNames: ['com.shop'] },
    };
    const record = await call('create-cta', given);
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
      createdBy: owner.userId,
      createdAt: now,
      updatedAt: now,
      rule: given.rule,
      warnings: [],
    });
    const { warnings: _, ...whole } = record;
    expect(await call('get-cta', { ctaId })).toEqual(whole);
    const versions = await trivet.kernel.host.db.q
      .select()
      .from(ctaVersions)
      .where(eq(ctaVersions.ctaId, Number(ctaId)));
    expect(versions).toMatchObject([
      { version: 1, by: owner.userId, at: now, fields: { name: 'Offer', rule: given.rule } },
    ]);
    expect(await versionOf(tenantId)).toBe(3);
  });

  test('what may be left out has its default', async () => {
    expect(await call('create-cta', { ...minimal })).toMatchObject({
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
    const record = await call('create-cta', {
      ...minimal,
      endTime: now,
      rule: {
        stateToAction: { shown: 'a' },
        stateTransition: { opened: { '0': [{ transitionTo: 'shown' }] } },
        actions: [{ actionId: 'a', type: 'POPUP' }],
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
    [
      'an unknown field of the rule',
      { rule: { ...rule, when: 1 } },
      'INVALID_REQUEST',
      'rule.when',
      'rule.when',
    ],
    [
      'a negative limit',
      { rule: { ...rule, frequency: { session: { limit: -1 } } } },
      'INVALID_REQUEST',
      'rule.frequency.session.limit',
      'at least 0',
    ],
    [
      'a unit that is none',
      { rule: { ...rule, frequency: { window: { limit: 1, unit: 'weeks', value: 1 } } } },
      'INVALID_RULE',
      'rule.frequency.window.unit',
      'days, hours, minutes, seconds',
    ],
    [
      'an action that is not there and a state out of reach: both are named',
      { rule: { ...rule, stateToAction: { '5': 'nobody' } } },
      'INVALID_RULE',
      'rule.stateToAction.5',
      'names an actionId that actions does not hold; rule.stateToAction.5 cannot be reached',
    ],
    [
      'an action id that is no text',
      { rule: { ...rule, stateToAction: { '0': 1 } } },
      'INVALID_RULE',
      'rule.stateToAction.0',
      '',
    ],
    ['a rule nested beyond reason', { rule: withTemplate(deep(101)) }, 'INVALID_RULE', 'rule', '100 levels'],
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
    const before = await rowCounts();
    const fault = await refusal('create-cta', { tenantId: fresh(), ...minimal, ...fields });
    expect([fault?.code, fault?.causeWord]).toEqual([code, cause]);
    expect(fault?.message).toContain(said);
    expect(await rowCounts()).toEqual(before);
  });
});

describe('set-cta-status', () => {
  test('moves along the lifecycle and is seen by the next launch', async () => {
    const tenantId = fresh();
    const ctaId = await create({ tenantId });
    const shown = async () => {
      const response = await trivet.fetch('/cta/active/state-machines/', {
        method: 'POST',
        headers: { 'auth-userid': '1', api_version: '1', 'x-tenant-id': tenantId },
      });
      return ((await response.json()) as { data: { ctas: unknown[] } }).data.ctas.length;
    };
    expect(await shown()).toBe(0);
    for (const [status, visible] of [
      ['LIVE', 1],
      ['PAUSED', 0],
      ['LIVE', 1],
      ['CONCLUDED', 0],
    ] as const) {
      expect(await call('set-cta-status', { ctaId, status })).toMatchObject({ status, version: 1 });
      expect(await shown()).toBe(visible);
    }
    expect(await versionOf(tenantId)).toBe(6);
  });

  test('an illegal move names the legal ones and changes nothing', async () => {
    const tenantId = fresh();
    const ctaId = await create({ tenantId });
    const fault = await refusal('set-cta-status', { ctaId, status: 'PAUSED' });
    expect(fault).toMatchObject({ code: 'ILLEGAL_STATUS_CHANGE', status: 409, causeWord: 'status' });
    expect(fault?.message).toBe(
      `CTA "${ctaId}" cannot become PAUSED. It is DRAFT; from there it may become LIVE, SCHEDULED, TERMINATED.`,
    );
    expect(await call('get-cta', { ctaId })).toMatchObject({ status: 'DRAFT' });
    expect(await versionOf(tenantId)).toBe(2);
  });

  test.each<[string, object, string, string]>([
    ['LIVE before its start', { startTime: now + 1 }, 'LIVE', 'startTime'],
    ['LIVE after its end', { endTime: now }, 'LIVE', 'endTime'],
    ['SCHEDULED without a start', {}, 'SCHEDULED', 'startTime'],
    ['SCHEDULED after its start', { startTime: now }, 'SCHEDULED', 'startTime'],
  ])('refuses %s', async (_, fields, status, cause) => {
    const ctaId = await create(fields);
    expect(await refusal('set-cta-status', { ctaId, status })).toMatchObject({
      code: 'ILLEGAL_STATUS_CHANGE',
      causeWord: cause,
    });
  });

  test('only one of two moves that exclude each other is made', async () => {
    const ctaId = await create();
    const moves = await Promise.all(
      ['LIVE', 'TERMINATED', 'LIVE', 'TERMINATED'].map((status) =>
        refusal('set-cta-status', { ctaId, status }),
      ),
    );
    // LIVE may still be terminated, so at most two of the four are made; the same one never twice.
    expect(moves.filter((fault) => fault === null).length).toBeLessThanOrEqual(2);
    expect((await call('get-cta', { ctaId }))['status']).toBe('TERMINATED');
  });
});

describe('list-ctas', () => {
  test('pages in the order of creation, without the long texts', async () => {
    const tenantId = fresh();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push(await create({ tenantId, name: `c${i}` }));
    const page = await call('list-ctas', { tenantId, limit: 2, offset: 1 });
    expect(page).toMatchObject({ total: 3, limit: 2, offset: 1 });
    const listed = page['ctas'] as Record<string, unknown>[];
    expect(listed.map(({ ctaId }) => ctaId)).toEqual(ids.slice(1));
    expect(listed[0]).not.toHaveProperty('rule');
    expect(listed[0]).not.toHaveProperty('description');
    expect(await call('list-ctas', { tenantId })).toMatchObject({ total: 3, limit: 50, offset: 0 });
  });

  test('the filter finds what a record shows, also when the clock made it so', async () => {
    const tenantId = fresh();
    const move = async (fields: object, ...statuses: string[]) => {
      const ctaId = await create({ tenantId, ...fields });
      for (const status of statuses) await call('set-cta-status', { ctaId, status });
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
      const all = (await call('list-ctas', { tenantId }))['ctas'] as { status: string; ctaId: string }[];
      for (const status of ctaStatuses) {
        const found = (await call('list-ctas', { tenantId, status }))['ctas'] as typeof all;
        expect(found).toEqual(all.filter((cta) => cta.status === status));
      }
    }
    clock.set(now);
  });
});

describe('create-behaviour-tag', () => {
  test('stores what clients get with the next launch', async () => {
    const tenantId = fresh();
    const [first, second] = [await create({ tenantId }), await create({ tenantId })];
    const record = await call('create-behaviour-tag', {
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
      createdBy: owner.userId,
      createdAt: now,
      updatedAt: now,
      warnings: [{ path: 'ctaRelation.hideCta.ctaList[1]', problem: 'is not a CTA of this tenant' }],
    });
    const response = await trivet.fetch('/cta/active/state-machines/', {
      method: 'POST',
      headers: { 'auth-userid': '1', api_version: '1', 'x-tenant-id': tenantId },
    });
    expect(await response.json()).toEqual({
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
      expect(relationFault(relations)).toBeNull();
      return;
    }
    expect(relationFault(relations)?.reason).toContain(reason);
    const input = { tenantId: fresh(), behaviourTagName: 'x', ctaRelation: relations };
    const before = await rowCounts();
    expect(await refusal('create-behaviour-tag', input)).toMatchObject({ code: 'INVALID_RELATION' });
    expect(await rowCounts()).toEqual(before);
  });

  test('a name is taken once per tenant, and two spellings of a limit must agree', async () => {
    const tag = { tenantId: fresh(), behaviourTagName: 'x' };
    await call('create-behaviour-tag', tag);
    expect(await refusal('create-behaviour-tag', tag)).toMatchObject({ code: 'BEHAVIOUR_TAG_EXISTS' });
    await call('create-behaviour-tag', { ...tag, tenantId: fresh() });
    const exposureRule = { lifespan: { limit: 1 }, lifeSpan: { limit: 2 } };
    expect(await refusal('create-behaviour-tag', { behaviourTagName: 'y', exposureRule })).toMatchObject({
      code: 'INVALID_REQUEST',
      causeWord: 'exposureRule.lifeSpan',
    });
  });
});

describe('create-nudge-preview', () => {
  test('has an id that cannot be guessed, an hour to live, and does not change the catalogue', async () => {
    const tenantId = fresh();
    const record = await call('create-nudge-preview', { tenantId, template: '{"a":1}' });
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      template: '{"a":1}',
      tenantId,
      ttl: 3600,
      createdBy: owner.userId,
      createdAt: now,
      expiresAt: now + 3_600_000,
    });
    expect(await versionOf(tenantId)).toBe(1);
    expect(await call('create-nudge-preview', { tenantId, template: 't', ttl: 0 })).toMatchObject({
      ttl: null,
      expiresAt: null,
    });
  });

  test('an id is free again when its preview has expired, which is then gone', async () => {
    const preview = { tenantId: fresh(), id: 'p', template: 't', ttl: 1 };
    await call('create-nudge-preview', preview);
    expect(await refusal('create-nudge-preview', preview)).toMatchObject({ code: 'PREVIEW_EXISTS' });
    clock.advance(1000);
    const before = await rowCounts();
    await call('create-nudge-preview', { ...preview, template: 'u' });
    expect(await rowCounts()).toEqual(before);
    clock.set(now);
  });

  test('refuses an id that is no part of a path', async () => {
    expect(await refusal('create-nudge-preview', { id: 'a/b', template: 't' })).toMatchObject({
      code: 'INVALID_REQUEST',
      causeWord: 'id',
    });
  });
});

describe('organizations', () => {
  const ours = inOrganizations([1, 'member']);
  const theirs = inOrganizations([2, 'admin']);

  test('a tenant belongs to whoever writes to it first; for others nothing of it is there', async () => {
    const tenantId = fresh();
    const ctaId = await create({ tenantId }, ours);
    const before = await rowCounts();
    for (const [tool, input, code] of [
      ['create-cta', { ...minimal, tenantId }, 'TENANT_NOT_FOUND'],
      ['create-behaviour-tag', { behaviourTagName: 'x', tenantId }, 'TENANT_NOT_FOUND'],
      ['create-nudge-preview', { template: 't', tenantId }, 'TENANT_NOT_FOUND'],
      ['list-ctas', { tenantId }, 'TENANT_NOT_FOUND'],
      ['get-cta', { ctaId }, 'CTA_NOT_FOUND'],
      ['set-cta-status', { ctaId, status: 'LIVE' }, 'CTA_NOT_FOUND'],
    ] as const) {
      const foreign = await refusal(tool, input, theirs);
      expect(foreign).toMatchObject({ code, status: 404 });
    }
    expect(await rowCounts()).toEqual(before);
    // Word for word as for a tenant that nobody has made.
    const [foreign, missing] = [
      await refusal('list-ctas', { tenantId }, theirs),
      await refusal('list-ctas', { tenantId: 'nobody' }, theirs),
    ];
    expect(foreign?.message.replace(tenantId, 'nobody')).toBe(missing?.message ?? '');
  });

  test('the first organization in which the actor may write, unless orgId says which', async () => {
    const several = inOrganizations([9, 'member'], [3, 'reader'], [5, 'admin']);
    const owners = async (tenantId: string) => {
      const [row] = await trivet.kernel.host.db.q
        .select()
        .from(tenants)
        .where(eq(tenants.tenantId, tenantId));
      return row?.orgId;
    };
    const [first, chosen] = [fresh(), fresh()];
    await create({ tenantId: first }, several);
    expect(await owners(first)).toBe(5);
    await create({ tenantId: chosen, orgId: 9 }, several);
    expect(await owners(chosen)).toBe(9);
    expect(await refusal('create-cta', { ...minimal, tenantId: chosen, orgId: 5 }, several)).toMatchObject({
      code: 'TENANT_OF_OTHER_ORGANIZATION',
    });
    expect(await refusal('create-cta', { ...minimal, tenantId: fresh(), orgId: 3 }, several)).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await refusal('create-cta', { ...minimal, tenantId: fresh(), orgId: 4 }, several)).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('a reader reads and writes nothing', async () => {
    const tenantId = fresh();
    const ctaId = await create({ tenantId }, ours);
    const reader = inOrganizations([1, 'reader']);
    expect(await call('list-ctas', { tenantId }, reader)).toMatchObject({ total: 1 });
    expect(await call('get-cta', { ctaId }, reader)).toMatchObject({ ctaId });
    const mixed = inOrganizations([1, 'reader'], [2, 'admin']);
    for (const actor of [reader, mixed]) {
      expect(await refusal('set-cta-status', { ctaId, status: 'LIVE' }, actor)).toMatchObject({
        code: 'FORBIDDEN',
      });
    }
  });

  test('two first writes at once make one tenant', async () => {
    const tenantId = fresh();
    await Promise.all(Array.from({ length: 8 }, () => create({ tenantId })));
    expect(await call('list-ctas', { tenantId })).toMatchObject({ total: 8 });
  });
});

test('every tip names a tool that there is', () => {
  const names = [...trivet.kernel.operations.keys()];
  for (const { tip } of Object.values(ctaErrors)) {
    for (const word of tip.match(/\b[a-z]+(-[a-z]+)+\b/g) ?? []) expect(names).toContain(word);
  }
});
