import { afterAll, beforeEach, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import {
  answeredIds,
  deltaPath,
  emptyRule,
  freshTenant,
  freshUser,
  machineAt,
  startCtaKernel,
} from '../testing/cta-kernel.ts';

const clock = stillClock();
const now = clock.now();
let tenantId: string;
let userId: string;

const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());
beforeEach(() => {
  clock.set(now);
  tenantId = freshTenant();
  userId = freshUser();
});

interface Told {
  readonly ctaId: string;
  readonly answered: boolean;
  readonly gate: string | null;
  readonly why: string;
}

const explain = async (fields: object = {}) =>
  (await trivet.call('explain-cta', { tenantId, userId, limit: 500, ...fields }))['ctas'] as Told[];
const make = (fields: object, ...statuses: string[]) => trivet.makeCta({ tenantId, ...fields }, ...statuses);
const withRule = (rule: object) => ({ rule: { ...emptyRule, ...rule } });
const push = (body: object) =>
  trivet.send(userId, { path: deltaPath, headers: { 'x-tenant-id': tenantId }, body });

test('every gate of a launch, each for a CTA that only it keeps away', async () => {
  await trivet.call('create-behaviour-tag', { tenantId, behaviourTagName: 'dead' });
  await trivet.call('create-cohort', { tenantId, cohortName: 'gold', kind: 'list' });
  const expected: Record<string, string | null> = {
    [await make({})]: 'status',
    [await make({}, 'LIVE', 'PAUSED')]: 'status',
    [await make({}, 'TERMINATED')]: 'status',
    [await make({ startTime: now + 5 }, 'SCHEDULED')]: 'start',
    [await make({ endTime: now + 1 }, 'LIVE')]: null,
    [await make({ behaviourTagName: 'dead' }, 'LIVE')]: 'kill_switch',
    [await make(withRule({ cohortEligibility: { includes: ['gold'] } }), 'LIVE')]: 'cohort',
    [await make(withRule({ cohortEligibility: { excludes: ['all'] } }), 'LIVE')]: 'cohort',
    [await make(withRule({ appVersions: { min: '4.0' } }), 'LIVE')]: 'app_version',
    [await make(withRule({ packageNames: ['com.shop'] }), 'LIVE')]: 'package_name',
    [await make(withRule({ packageNames: ['com.shop'], appVersions: { min: '4.0' } }), 'LIVE')]:
      'app_version',
  };
  await trivet.call('set-cta-kill-switch', { tenantId, behaviourTagName: 'dead', killed: true });
  const gates = async (fields: object = {}) =>
    Object.fromEntries((await explain(fields)).map(({ ctaId, gate }) => [ctaId, gate]));
  expect(await gates()).toEqual(expected);

  for (const fields of [{}, { appVersion: '4.1' }, { appVersion: '4.1', packageName: 'com.shop' }]) {
    const headers = {
      'x-tenant-id': tenantId,
      ...('appVersion' in fields && { app_version: fields.appVersion }),
      ...('packageName' in fields && { package_name: fields.packageName }),
    };
    const answered = answeredIds((await trivet.send(userId, { headers })).text);
    const told = (await explain(fields)).filter((cta) => cta.answered).map(({ ctaId }) => ctaId);
    expect(told).toEqual(answered);
  }
  clock.set(now + 1);
  expect(Object.values(await gates())[4]).toBe('end');
});

test('what the app itself would hold back, by the stored state of the user', async () => {
  const relation = { shownCta: { rule: 'ANY' }, hideCta: { rule: 'REST' } };
  await trivet.call('create-behaviour-tag', { tenantId, behaviourTagName: 'one', ctaRelation: relation });
  await trivet.call('create-behaviour-tag', {
    tenantId,
    behaviourTagName: 'few',
    exposureRule: { lifespan: { limit: 1 } },
  });
  const window = { limit: 1, unit: 'days', value: 1 };
  const ever = await make(withRule({ frequency: { lifeSpan: { limit: 2 } } }), 'LIVE');
  const done = await make(withRule({ frequency: { lifeSpan: { limit: 2 } } }), 'LIVE');
  const daily = await make(withRule({ frequency: { window } }), 'LIVE');
  const active = await make({ behaviourTagName: 'one' }, 'LIVE');
  const hidden = await make({ behaviourTagName: 'one' }, 'LIVE');
  const exposed = await make({ behaviourTagName: 'few' }, 'LIVE');
  const over = await make(withRule({ ctaValidTill: now - 1 }), 'LIVE');
  const free = await make(withRule({ frequency: { session: { limit: 1 } } }), 'LIVE');
  await push({
    ctas: [
      { ctaId: ever, activeStateMachines: {}, resetAt: [1, 2], actionDoneAt: [3] },
      { ctaId: done, activeStateMachines: {}, resetAt: [1], actionDoneAt: [2, 3] },
      { ctaId: daily, activeStateMachines: {}, resetAt: [now - 5] },
      { ctaId: active, activeStateMachines: { g: machineAt(now) } },
      { ctaId: free, activeStateMachines: {}, actionDoneAt: [now] },
    ],
    behaviourTags: [
      { behaviourTagName: 'one', ctaRelation: { activeCtas: [active] } },
      { behaviourTagName: 'few', exposureRule: { ctasResetAt: [{ ctaId: exposed, resetAt: 3 }] } },
    ],
  });
  const told = await explain();
  expect(told.every(({ answered }) => answered)).toBe(true);
  expect(Object.fromEntries(told.map(({ ctaId, gate }) => [ctaId, gate]))).toEqual({
    [ever]: 'frequency.lifespan',
    [done]: null,
    [daily]: 'frequency.window',
    [active]: null,
    [hidden]: 'relation',
    [exposed]: 'exposure.lifespan',
    [over]: 'valid_till',
    [free]: null,
  });
  clock.set(now + 86_400_000 - 5);
  expect((await explain()).find(({ ctaId }) => ctaId === daily)?.gate).toBe('frequency.window');
  clock.advance(1);
  expect((await explain()).find(({ ctaId }) => ctaId === daily)?.gate).toBeNull();
});

test('says why in words that name what to look at', async () => {
  await make({});
  await make(withRule({ cohortEligibility: { includes: ['gold'], excludes: ['staff'] } }), 'LIVE');
  await make(withRule({ appVersions: { min: '4.0' } }), 'LIVE');
  await make({}, 'LIVE');
  expect((await explain({ appVersion: '3.1' })).map(({ why }) => why)).toEqual([
    'It is DRAFT; apps get LIVE ones.',
    'The user is in none of the cohorts it includes (gold), or in one that it excludes (staff).',
    'It is for app versions 4.0 to any, and the app is 3.1.',
    'Nothing keeps it from the user.',
  ]);
});

test('pages, and writes nothing', async () => {
  for (let i = 0; i < 3; i++) await make({}, 'LIVE');
  const before = await trivet.rowCounts();
  const answer = await trivet.call('explain-cta', { tenantId, userId, limit: 2, offset: 1 });
  expect(answer).toMatchObject({ total: 3, limit: 2, offset: 1 });
  expect((answer['ctas'] as Told[]).length).toBe(2);
  expect(await trivet.rowCounts()).toEqual(before);
});
