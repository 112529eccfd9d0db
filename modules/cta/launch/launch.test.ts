import { afterAll, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import {
  answeredIds,
  deltaPath,
  emptyRule,
  freshUser,
  machineAt,
  startCtaKernel,
} from '../testing/cta-kernel.ts';

const clock = stillClock();
const now = clock.now();
const trivet = await startCtaKernel(clock);
/** A live CTA of the tenant `default`. */
const live = await trivet.makeCta({}, 'LIVE');
afterAll(() => trivet.stop());

const machine = (over: object = {}) => machineAt(now, over);
/** A body with one machine of the live CTA. */
const push = (over: object = {}, groupKey = 'g') => ({
  ctas: [{ ctaId: live, activeStateMachines: { [groupKey]: machine(over) } }],
});
describe('whose state it is', () => {
  test('users next to each other beyond 2^53 are two', async () => {
    for (const [userId, group] of [
      ['9007199254740992', 'even'],
      ['9007199254740993', 'odd'],
      ['-9223372036854775808', 'least'],
    ] as const) {
      expect((await trivet.send(userId, { path: deltaPath, body: push({}, group) })).text).toBe(
        '{"data":true}',
      );
    }
    expect(Object.keys((await trivet.stored('9007199254740992'))?.ctas[live]?.machines ?? {})).toEqual([
      'even',
    ]);
    expect(Object.keys((await trivet.stored('9007199254740993'))?.ctas[live]?.machines ?? {})).toEqual([
      'odd',
    ]);
    expect(Object.keys((await trivet.stored('-9223372036854775808'))?.ctas[live]?.machines ?? {})).toEqual([
      'least',
    ]);
  });

  test('a number written otherwise is the same user', async () => {
    const userId = freshUser();
    await trivet.send(`00${userId}`, { path: deltaPath, body: push() });
    expect(JSON.parse((await trivet.send(userId, {})).text)).toMatchObject({
      data: { ctas: [{ ctaId: live, activeStateMachines: { g: machine() } }] },
    });
  });

  test('a tenant nobody has made has no CTAs and stores nothing', async () => {
    const userId = freshUser();
    const headers = { 'x-tenant-id': 'nobody' };
    expect((await trivet.send(userId, { headers, body: push() })).text).toBe(
      '{"data":{"ctas":[],"behaviourTags":[]}}',
    );
    expect((await trivet.send(userId, { path: deltaPath, headers, body: push() })).text).toBe(
      '{"data":true}',
    );
    expect(await trivet.stored(userId, 'nobody')).toBeNull();
  });

  test('tenants do not see each other', async () => {
    const other = await trivet.makeCta({ tenantId: 'other' }, 'LIVE');
    const userId = freshUser();
    await trivet.send(userId, { path: deltaPath, body: push() });
    const { text } = await trivet.send(userId, { headers: { 'x-tenant-id': 'other' } });
    expect(JSON.parse(text)).toMatchObject({
      data: { ctas: [{ ctaId: other, activeStateMachines: {} }], behaviourTags: [] },
    });
  });

  test('64 deltas of one user at once are all kept', async () => {
    const userId = freshUser();
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        trivet.send(userId, {
          path: deltaPath,
          body: {
            ctas: [
              {
                ctaId: live,
                activeStateMachines: { [`g${i}`]: machine({ lastTransitionAt: i }) },
                actionDoneAt: [i],
              },
            ],
          },
        }),
      ),
    );
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['{"data":true}']));
    const state = await trivet.stored(userId);
    expect(Object.keys(state?.ctas[live]?.machines ?? {}).length).toBe(64);
    expect(state?.ctas[live]?.actionDoneAt.marks).toEqual(Array.from({ length: 64 }, (_, i) => i));
  });
});

describe('the clock', () => {
  test('a scheduled CTA is answered from its start until its end, without anybody touching it', async () => {
    const tenant = { tenantId: 'timed' };
    const ctaId = await trivet.makeCta(
      { ...tenant, startTime: now + 5000, endTime: now + 9000 },
      'SCHEDULED',
    );
    const shown = async (at: number) => {
      clock.set(at);
      const { text } = await trivet.send('1', { headers: { 'x-tenant-id': 'timed' } });
      return answeredIds(text);
    };
    expect(await shown(now + 4999)).toEqual([]);
    expect(await shown(now + 5000)).toEqual([ctaId]);
    expect(await shown(now + 8999)).toEqual([ctaId]);
    expect(await shown(now + 9000)).toEqual([]);
    clock.set(now);
  });

  test('app versions, packages and cohorts decide who gets a CTA', async () => {
    const tenantId = 'audience';
    const only = (part: object) => trivet.makeCta({ tenantId, rule: { ...emptyRule, ...part } }, 'LIVE');
    const all = await only({ cohortEligibility: { includes: ['all'] } });
    const newApps = await only({ appVersions: { min: '4.10' } });
    const shop = await only({ packageNames: ['com.shop'] });
    await only({ cohortEligibility: { includes: ['gold'] } });
    const shown = async (headers: Record<string, string>) => {
      const { text } = await trivet.send('1', { headers: { 'x-tenant-id': tenantId, ...headers } });
      return answeredIds(text);
    };
    expect(await shown({})).toEqual([all]);
    expect(await shown({ app_version: '4.9' })).toEqual([all]);
    expect(await shown({ app_version: '4.10.1' })).toEqual([all, newApps]);
    expect(await shown({ package_name: 'com.shop' })).toEqual([all, shop]);
  });
});
