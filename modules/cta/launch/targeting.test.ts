import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Host } from '../../../core/host/host.ts';
import { stillClock } from '../../../test/kernel.ts';
import { answeredIds, emptyRule, freshTenant, startCtaKernel } from '../testing/cta-kernel.ts';
import { parseClientHeaders } from './client-headers.ts';
import { launch } from './launch.ts';
import { needsOf } from './targeting.ts';

const clock = stillClock();
let tenantId: string;

const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());
beforeEach(() => {
  tenantId = freshTenant();
});

const rome = {
  operator: 'AND',
  filter: [{ propertyName: 'city', propertyType: 'string', comparisonType: '=', comparisonValue: 'Rome' }],
};

const cohort = (cohortName: string, fields: object) =>
  trivet.call('create-cohort', { tenantId, cohortName, ...fields });
const ctaFor = (cohortEligibility: object | undefined, rule: object = {}) =>
  trivet.makeCta(
    { tenantId, rule: { ...emptyRule, ...rule, ...(cohortEligibility && { cohortEligibility }) } },
    'LIVE',
  );
const shown = async (userId: string, headers: Record<string, string> = {}) =>
  answeredIds((await trivet.send(userId, { headers: { 'x-tenant-id': tenantId, ...headers } })).text);

test('each user gets the CTAs of their cohorts, by all three kinds together', async () => {
  await cohort('list', { kind: 'list', userIds: ['1', '2', '9007199254740993'] });
  await cohort('other', { kind: 'list', userIds: ['2'] });
  await cohort('none', { kind: 'percentage', percentage: 0 });
  await cohort('whole', { kind: 'percentage', percentage: 100 });
  await cohort('romans', { kind: 'attributes', filters: rome });
  await trivet.call('set-user-attributes', {
    tenantId,
    users: [
      { userId: '3', attributes: { city: 'Rome' } },
      { userId: '1', attributes: { city: 'Bern' } },
    ],
  });
  const all = await ctaFor(undefined);
  const list = await ctaFor({ includes: ['list'] });
  const either = await ctaFor({ includes: ['other', 'romans'] });
  const notOther = await ctaFor({ excludes: ['other'] });
  await ctaFor({ includes: ['none'] });
  const whole = await ctaFor({ includes: ['whole'], excludes: ['none'] });
  await ctaFor({ includes: ['nobody made it'] });
  const notNobody = await ctaFor({ excludes: ['nobody made it'] });

  const everyone = [all, whole, notNobody];
  const inOrder = (...ids: string[]) => ids.sort((left, right) => Number(left) - Number(right));
  expect(await shown('1')).toEqual(inOrder(...everyone, list, notOther));
  expect(await shown('2')).toEqual(inOrder(...everyone, list, either));
  expect(await shown('3')).toEqual(inOrder(...everyone, either, notOther));
  expect(await shown('4')).toEqual(inOrder(...everyone, notOther));
  expect(await shown('9007199254740993')).toEqual(inOrder(...everyone, list, notOther));
  expect(await shown('9007199254740992')).toEqual(inOrder(...everyone, notOther));
  expect(await shown('-1')).toEqual(inOrder(...everyone, notOther));
});

test('who joins or leaves is seen by the next launch; losing a cohort keeps the state', async () => {
  await cohort('list', { kind: 'list' });
  const ctaId = await ctaFor({ includes: ['list'] });
  const member = { tenantId, cohortName: 'list', userIds: ['7'] };
  expect(await shown('7')).toEqual([]);
  await trivet.call('add-cohort-users', member);
  expect(await shown('7')).toEqual([ctaId]);
  const machine = { currentState: '1', lastTransitionAt: 5, createdAt: clock.now() };
  const headers = { 'x-tenant-id': tenantId };
  await trivet.send('7', { headers, body: { ctas: [{ ctaId, activeStateMachines: { g: machine } }] } });
  await trivet.call('remove-cohort-users', member);
  expect(await shown('7')).toEqual([]);
  expect((await trivet.stored('7', tenantId))?.ctas[ctaId]?.machines).toEqual({ g: machine });
});

test('a percentage that grows and attributes that change are seen by the next launch', async () => {
  await cohort('share', { kind: 'percentage', percentage: 0 });
  await cohort('romans', { kind: 'attributes', filters: rome });
  const share = await ctaFor({ includes: ['share'] });
  const romans = await ctaFor({ includes: ['romans'] });
  expect(await shown('1')).toEqual([]);
  await trivet.call('update-cohort', { tenantId, cohortName: 'share', percentage: 100 });
  await trivet.call('set-user-attributes', {
    tenantId,
    users: [{ userId: '1', attributes: { city: 'Rome' } }],
  });
  expect(await shown('1')).toEqual([share, romans]);
});

test('lists of another tenant are nobody here', async () => {
  await cohort('list', { kind: 'list', userIds: ['1'] });
  const elsewhere = tenantId;
  tenantId = freshTenant();
  await cohort('list', { kind: 'list', userIds: ['2'] });
  const ctaId = await ctaFor({ includes: ['list'] });
  expect(await shown('1')).toEqual([]);
  expect(await shown('2')).toEqual([ctaId]);
  expect(elsewhere).not.toBe(tenantId);
});

describe('what has to be read', () => {
  const cohorts = new Map([
    ['a', { id: 7, definition: { kind: 'list' as const } }],
    ['b', { id: 3, definition: { kind: 'list' as const } }],
    ['half', { id: 4, definition: { kind: 'percentage' as const, percentage: 50, seed: 's' } }],
    [
      'rule',
      {
        id: 5,
        definition: { kind: 'attributes' as const, filters: { operator: 'AND' as const, filter: [] } },
      },
    ],
  ]);
  test.each<[string[], number[], boolean]>([
    [[], [], false],
    [['half', 'unknown'], [], false],
    [['a', 'b', 'a'], [3, 7], false],
    [['rule', 'a'], [7], true],
  ])('%p', (names, lists, attributes) => {
    expect(needsOf(names, cohorts)).toEqual({ lists, attributes });
  });
});

/** The host of another process, which counts the statements that it waits for. */
function watched(): { host: Host; statements: () => number } {
  let statements = 0;
  const watch = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (object, key) => {
        const value: unknown = Reflect.get(object, key, object);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const result: unknown = Reflect.apply(value, object, args);
          const runs = key === 'execute' || key === 'then';
          if (runs) statements++;
          return typeof result === 'object' && result !== null && !runs ? watch(result) : result;
        };
      },
    });
  const { host } = trivet.kernel;
  return { host: { ...host, db: { ...host.db, q: watch(host.db.q) } }, statements: () => statements };
}

describe('round trips of a launch that changes nothing', () => {
  const launchFor = (host: Host, headers: Record<string, string> = {}) => {
    const all: Record<string, string> = {
      'auth-userid': '1',
      api_version: '1',
      'x-tenant-id': tenantId,
      ...headers,
    };
    const parsed = parseClientHeaders({ get: (name) => all[name] ?? null });
    if (parsed.kind !== 'client') throw new Error(parsed.kind);
    return launch(host, parsed.client, { ctas: [], behaviourTags: [], drops: {} });
  };
  const roundTrips = async (headers: Record<string, string> = {}) => {
    const { host, statements } = watched();
    await launchFor(host, headers);
    const before = statements();
    const text = await launchFor(host, headers);
    return { trips: statements() - before, answered: answeredIds(text).length };
  };

  test('one for the state when no CTA asks for a cohort', async () => {
    await ctaFor(undefined);
    expect(await roundTrips()).toEqual({ trips: 1, answered: 1 });
  });

  test('none more for percentages, whoever is in them', async () => {
    await cohort('half', { kind: 'percentage', percentage: 100 });
    await ctaFor({ includes: ['half'] });
    expect(await roundTrips()).toEqual({ trips: 1, answered: 1 });
  });

  test('one more for any number of lists and attributes together', async () => {
    await cohort('romans', { kind: 'attributes', filters: rome });
    for (let i = 0; i < 21; i++) {
      await cohort(`list${i}`, { kind: 'list', userIds: ['1'] });
      await ctaFor({ includes: [`list${i}`], excludes: ['romans'] });
    }
    expect(await roundTrips()).toEqual({ trips: 2, answered: 21 });
  });

  test('none more when the CTAs that ask for lists are for other apps, not live or hidden', async () => {
    await cohort('list', { kind: 'list', userIds: ['1'] });
    await ctaFor({ includes: ['list'] }, { appVersions: { min: '5.0' } });
    await ctaFor({ includes: ['list'] }, { packageNames: ['com.other'] });
    await trivet.makeCta({ tenantId, rule: { ...emptyRule, cohortEligibility: { includes: ['list'] } } });
    expect(await roundTrips({ app_version: '4.9' })).toEqual({ trips: 1, answered: 0 });
    expect(await roundTrips({ app_version: '5.1' })).toEqual({ trips: 2, answered: 1 });
    await trivet.call('set-cta-kill-switch', { tenantId, killed: true });
    expect(await roundTrips({ app_version: '5.1' })).toEqual({ trips: 1, answered: 0 });
  });
});
