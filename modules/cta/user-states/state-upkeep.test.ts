import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { stillClock } from '../../../test/kernel.ts';
import { tenantStateUsage as usageRows, userStates } from '../base/schema.ts';
import { ctaSettings } from '../base/settings.ts';
import { emptyState } from '../state/user-state.ts';
import {
  deltaPath,
  dropsCounted,
  freshUser,
  machineAt,
  startCtaKernel,
  type CtaKernel,
} from '../testing/cta-kernel.ts';
import { keepStatesBounded } from './state-upkeep.ts';

const day = 24 * 60 * 60 * 1000;
const clock = stillClock();

async function kernelWith(
  settings: Readonly<Record<string, string>>,
  work: (trivet: CtaKernel, ctaId: string) => Promise<void>,
) {
  const trivet = await startCtaKernel(clock, { 'trusted-proxies': '1', ...settings });
  try {
    await work(trivet, await trivet.makeCta({}, 'LIVE'));
  } finally {
    await trivet.stop();
  }
}

const from = (address: string, more: Record<string, string> = {}) => ({
  headers: { 'x-forwarded-for': address, ...more },
});

describe('requests without a token are limited', () => {
  test('by network, with what to wait for; other networks, gated clients and tokens are not', () =>
    kernelWith({ 'rate-cta': '3' }, async (trivet) => {
      const send = (address: string, more?: Record<string, string>) =>
        trivet.send(freshUser(), from(address, more));
      for (const path of ['/cta/active/state-machines/', deltaPath]) {
        expect((await trivet.send(freshUser(), { path, ...from('203.0.113.1') })).status).toBe(200);
      }
      const preview = await trivet.fetch('/cta/nudge/preview/x', from('203.0.113.1'));
      expect([preview.status, preview.headers.get('ratelimit-remaining')]).toEqual([200, '0']);
      clock.advance(15_000);
      const refused = await send('203.0.113.1');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '45']);
      expect(refused.text).toContain('"code":"RATE_LIMITED"');
      expect((await trivet.fetch('/cta/nudge/preview/x', from('203.0.113.1'))).status).toBe(429);

      expect((await send('203.0.113.2')).status).toBe(200);
      expect((await send('203.0.113.1', { api_version: '0' })).status).toBe(200);
      const { accessToken } = await trivet.signIn('ann@example.org');
      const { sub } = JSON.parse(atob(accessToken.split('.')[1] ?? '')) as { sub: string };
      const known = await trivet.send(sub, from('203.0.113.1', { authorization: `Bearer ${accessToken}` }));
      expect(known.status).toBe(200);
      clock.advance(45_000);
      expect((await send('203.0.113.1')).status).toBe(200);
    }));

  test('by tenant; what is refused of one network leaves the others their share', () =>
    kernelWith({ 'rate-cta': '2', 'rate-cta-tenant': '4' }, async (trivet) => {
      const statuses: number[] = [];
      for (const address of ['1', '1', '1', '1', '1', '2', '3', '4']) {
        statuses.push((await trivet.send(freshUser(), from(`203.0.113.${address}`))).status);
      }
      expect(statuses).toEqual([200, 200, 429, 429, 429, 200, 200, 429]);
      const elsewhere = await trivet.send(freshUser(), from('203.0.113.5', { 'x-tenant-id': 'other' }));
      expect(elsewhere.status).toBe(200);
    }));

  test('by default, unless an operator says 0', async () => {
    const byDefault = ['rate-cta', 'rate-cta-tenant'] as const;
    expect(byDefault.map((name) => ctaSettings[name].default)).toEqual([30_000, 120_000]);
    const settings = byDefault.map((name) => [name, String(ctaSettings[name].default)]);
    await kernelWith(Object.fromEntries(settings) as Record<string, string>, async (limited) => {
      expect((await limited.send(freshUser(), {})).headers.get('ratelimit-limit')).toBe('30000');
    });
    await kernelWith({}, async (unlimited) => {
      expect((await unlimited.send(freshUser(), {})).headers.get('ratelimit-limit')).toBeNull();
    });
  });
});

/** A delta with about this many bytes of context. */
const delta = (ctaId: string, bytes: number, at = 10) => ({
  path: deltaPath,
  body: {
    ctas: [
      {
        ctaId,
        activeStateMachines: {
          a: machineAt(clock.now(), { lastTransitionAt: at, context: { text: 'x'.repeat(bytes / 4) } }),
          b: machineAt(clock.now(), { lastTransitionAt: at, context: { text: 'x'.repeat(bytes / 4) } }),
          c: machineAt(clock.now(), { lastTransitionAt: at, context: { text: 'x'.repeat(bytes / 4) } }),
          d: machineAt(clock.now(), { lastTransitionAt: at, context: { text: 'x'.repeat(bytes / 4) } }),
        },
      },
    ],
  },
});

test('a tenant stores as much as its quota: then no new users, later no growth, and never a refusal', () =>
  kernelWith({ 'cta-state-quota': '1' }, async (trivet, ctaId) => {
    const large = 200 * 1024;
    const users = Array.from({ length: 12 }, freshUser);
    for (const user of users) {
      expect(await trivet.send(user, delta(ctaId, large))).toMatchObject({
        status: 200,
        text: '{"data":true}',
      });
    }
    const stored = await Promise.all(users.map((user) => trivet.stored(user)));
    expect(stored.filter(Boolean)).toHaveLength(6);
    expect(dropsCounted(trivet)).toEqual({ quota: 6 });
    expect(trivet.logged.some((line) => line.includes('"cta_state_dropped"') && line.includes('quota'))).toBe(
      true,
    );
    // Users with a stored state may continue.
    const [first = ''] = users;
    await trivet.send(first, delta(ctaId, large, 20));
    expect((await trivet.stored(first))?.ctas[ctaId]?.machines['a']?.lastTransitionAt).toBe(20);
    // They may store as much again, and no more.
    await trivet.kernel.host.db.tx(async (q) => {
      await q
        .insert(usageRows)
        .values({ tenantId: 'default', states: 0, bytes: 0, countedAt: null })
        .onConflictDoUpdate({ target: usageRows.tenantId, set: { bytes: 2 * 1024 * 1024 } });
    });
    await keepStatesBounded(trivet.kernel.host);
    await trivet.kernel.host.db.tx(async (q) => {
      await q.update(usageRows).set({ bytes: 2 * 1024 * 1024 });
    });
    await keepStatesBounded(trivet.kernel.host);
    await trivet.send(first, delta(ctaId, large + 4_000, 30));
    expect((await trivet.stored(first))?.ctas[ctaId]?.machines['a']?.lastTransitionAt).toBe(20);
    await trivet.send(first, delta(ctaId, large - 4_000, 40));
    expect((await trivet.stored(first))?.ctas[ctaId]?.machines['a']?.lastTransitionAt).toBe(40);
  }));

describe('states that nobody uses', () => {
  let trivet: CtaKernel;
  let ctaId: string;
  beforeAll(async () => {
    trivet = await startCtaKernel(clock);
    ctaId = await trivet.makeCta({}, 'LIVE');
  });
  afterAll(() => trivet.stop());

  const usage = async () => {
    const { q } = trivet.kernel.host.db;
    const [row] = await q.select().from(usageRows).where(eq(usageRows.tenantId, 'default'));
    return row;
  };

  test('expire after 400 days; a launch that changes nothing is a use', async () => {
    const [used, unused] = [freshUser(), freshUser()];
    for (const user of [used, unused]) await trivet.send(user, delta(ctaId, 400));
    for (let days = 0; days < 410; days += 50) {
      clock.advance(50 * day);
      await trivet.send(used, {});
    }
    expect(await keepStatesBounded(trivet.kernel.host)).toBe(1);
    expect([await trivet.stored(used), await trivet.stored(unused)]).toEqual([expect.anything(), null]);
    expect(await usage()).toMatchObject({ states: 1, countedAt: clock.now() });
  });

  test('an unchanged state is written at most once in 100 days', async () => {
    const user = freshUser();
    await trivet.send(user, delta(ctaId, 400));
    const writtenAt = async () => {
      const { q } = trivet.kernel.host.db;
      const [row] = await q.select().from(userStates).where(eq(userStates.userId, user));
      return row?.updatedAt;
    };
    const before = await writtenAt();
    clock.advance(99 * day);
    await trivet.send(user, {});
    expect(await writtenAt()).toBe(before ?? 0);
    clock.advance(2 * day);
    await trivet.send(user, {});
    expect(await writtenAt()).toBe(clock.now());
  });

  test('thousands are looked through in parts, and counted', async () => {
    const { db } = trivet.kernel.host;
    const many = Array.from({ length: 3_000 }, (_, n) => ({
      tenantId: 'default',
      userId: String(5_000_000 + n),
      state: JSON.stringify(emptyState),
      updatedAt: n % 2 ? clock.now() : 1,
    }));
    await db.tx(async (q) => {
      for (let at = 0; at < many.length; at += 500) {
        await q.insert(userStates).values(many.slice(at, at + 500));
      }
    });
    clock.advance(2 * day);
    expect(await keepStatesBounded(trivet.kernel.host)).toBe(1_500);
    const rows = await trivet.allStored();
    expect(await usage()).toEqual({
      tenantId: 'default',
      states: rows.length,
      bytes: rows.reduce((sum, { state }) => sum + Buffer.byteLength(state), 0),
      countedAt: clock.now(),
    });
  });
});

describe('purge-cta-user', () => {
  test('erases state, attributes and memberships of one user of one tenant', () =>
    kernelWith({}, async (trivet, ctaId) => {
      const [gone, stays] = [freshUser(), freshUser()];
      const users = [gone, stays];
      for (const cohortName of ['a', 'b']) {
        await trivet.call('create-cohort', { cohortName, kind: 'list', userIds: users });
      }
      await trivet.call('set-user-attributes', {
        users: users.map((userId) => ({ userId, attributes: { city: 'Rome' } })),
      });
      for (const user of users) await trivet.send(user, delta(ctaId, 400));

      const erased = {
        tenantId: 'default',
        userId: gone,
        state: true,
        attributes: true,
        cohorts: ['a', 'b'],
      };
      expect(await trivet.call('purge-cta-user', { userId: `0${gone}` })).toEqual(erased);
      expect(await trivet.stored(gone)).toBeNull();
      expect(await trivet.call('get-user-attributes', { userId: gone })).toMatchObject({ attributes: {} });
      expect(await trivet.call('get-cohort', { cohortName: 'a' })).toMatchObject({ size: 1 });
      expect(await trivet.stored(stays)).not.toBeNull();
      expect(await trivet.call('get-user-attributes', { userId: stays })).toMatchObject({
        attributes: { city: 'Rome' },
      });
      const nothing = { ...erased, state: false, attributes: false, cohorts: [] };
      expect(await trivet.call('purge-cta-user', { userId: gone })).toEqual(nothing);
    }));

  test.each([
    ['a member', [[1, 'member']] as [number, 'member'][], 'FORBIDDEN'],
    ['an administrator of another organization', [[2, 'admin']] as [number, 'admin'][], 'TENANT_NOT_FOUND'],
  ])('is not for %s', (_who, roles, code) =>
    kernelWith({}, async (trivet) => {
      const refusal = await trivet.refusal(
        'purge-cta-user',
        { userId: '1' },
        trivet.inOrganizations(...roles),
      );
      expect(refusal?.code).toBe(code);
    }),
  );
});
