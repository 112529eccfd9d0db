import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { longestBlock } from '../../../test/longest-block.ts';
import { stillClock } from '../../../test/kernel.ts';
import { ctaArrivals, ctaHourCounts, ctaUserCounts } from '../base/schema.ts';
import { startCtaKernel } from '../testing/cta-kernel.ts';
import { addedToHour, appended } from './derived-store.ts';
import { slotOf } from './event-row.ts';

/*
 * An app may report 150,000 events of a user in a minute. When such a user is erased, or signs in as another, nobody waits.
 */
const longestMs = 80;
const hour = 480_000 * 3_600_000;
const clock = stillClock(hour + 3_600_000);
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());
const { host } = trivet.kernel;
const ctaId = await trivet.makeCta({});
const cta = sql.raw(ctaId);
const at = sql.raw(String(hour));
const many = 60_000;

/** Stores clicks of a user, with their sums. @param from of the first id. */
const clicks = (user: string, from: number) =>
  host.db.tx(async (q) => {
    const numbers = sql`(with recursive n(i) as (select cast(${sql.raw(String(from))} as bigint) union all select i + 1 from n
      where i < ${sql.raw(String(from + many - 1))}) select i from n) as n`;
    await q.insert(appended).select(
      sql`select 'default', cast(${user} as text), ${cta}, 1, cast(null as text), 'click', 'client', cast(null as text), ${at}, ${at}, '.e' || i,
        '{"element":"buy"}' from ${numbers} where true`,
    );
    await q.insert(ctaUserCounts).values({
      tenantId: 'default',
      ctaId: Number(ctaId),
      userId: user,
      variant: null,
      firstAt: hour,
      lastAt: hour,
      firstSeenAt: null,
      firstActedAt: null,
      convertedAt: null,
      turnedAt: null,
      impressions: 0,
      clicks: many,
      dismissals: 0,
      actions: 0,
      completions: 0,
      seen: null,
      exposedAs: null,
    });
    const sum = { tenantId: 'default', ctaId: Number(ctaId), hour, type: 'click', source: 'client' };
    await q
      .insert(ctaHourCounts)
      .values({ ...sum, version: 1, variant: '', slot: slotOf(user), count: many })
      .onConflictDoUpdate(addedToHour);
  });
const counted = async () => {
  const { items } = await trivet.call('get-cta-metrics', { ctaId });
  const counts = await host.db.q.select().from(ctaUserCounts);
  return [(items as { clicks: number }[])[0]?.clicks, counts.map((row) => row.clicks)];
};

test('one becomes another who has sent half of the same events', async () => {
  await clicks('5001', 0);
  await clicks('5002', many / 2);
  expect(await counted()).toEqual([2 * many, [many, many]]);
  const block = await longestBlock(() =>
    host.db.tx((q) => host.tellMerged(q, { fromUserId: 5_001, intoUserId: 5_002, at: clock.now() })),
  );
  expect(await counted()).toEqual([1.5 * many, [1.5 * many]]);
  expect(block).toBeLessThan(longestMs);
});

test('one is erased', async () => {
  const block = await longestBlock(() => trivet.call('purge-cta-user', { userId: '5002' }));
  expect((await counted())[0]).toBe(1.5 * many);
  expect(await trivet.call('purge-cta-user', { userId: '5002' })).toMatchObject({ state: false });
  const left = await host.db.q.select({ userId: ctaUserCounts.userId }).from(ctaUserCounts);
  expect(left).toEqual([{ userId: expect.stringMatching(/^erased:/) as unknown as string }]);
  expect(block).toBeLessThan(longestMs);
});

/** @see Each guest who signed in read all arrivals of all CTAs, because they have no index by user. */
describe('with a million arrivals of others', () => {
  beforeAll(
    () =>
      host.db.tx(async (q) => {
        const numbers = sql`(with recursive n(i) as (select cast(0 as bigint) union all select i + 1 from n where i < 1199999) select i from n) as n`;
        await q
          .insert(ctaArrivals)
          .select(
            sql`select 'default', ${cta}, cast(i % 3 as text), cast(100000 + i / 3 as text), ${at}, i % 3 = 2 from ${numbers} where true`,
          );
        const own = (userId: string, state: string, over: object) =>
          q.insert(ctaArrivals).values({
            tenantId: 'default',
            ctaId: Number(ctaId),
            userId,
            state,
            firstAt: 5,
            isThere: false,
            ...over,
          });
        await own('6001', '1', { firstAt: 7, isThere: true });
        await own('6001', '9', {});
        await own('6002', '1', {});
      }),
    60_000,
  );
  const ofUsers = async () => {
    const rows = await host.db.q
      .select()
      .from(ctaArrivals)
      .where(sql`${ctaArrivals.userId} in ('6001', '6002') or ${ctaArrivals.userId} like 'erased:%'`)
      .orderBy(ctaArrivals.state);
    return rows.map(({ userId, state, firstAt, isThere }) => [userId.slice(0, 6), state, firstAt, isThere]);
  };

  test('one user becomes another', async () => {
    const block = await longestBlock(() =>
      host.db.tx((q) => host.tellMerged(q, { fromUserId: 6_001, intoUserId: 6_002, at: clock.now() })),
    );
    expect(await ofUsers()).toEqual([
      ['6002', '1', 5, true],
      ['6002', '9', 5, false],
    ]);
    expect(block).toBeLessThan(longestMs);
  });

  test('a user is erased', async () => {
    // Empties the log of the database, which is full of these arrivals.
    await trivet.call('purge-cta-user', { userId: '6003' });
    const block = await longestBlock(() => trivet.call('purge-cta-user', { userId: '6002' }));
    expect(await ofUsers()).toEqual([
      ['erased', '1', 5, false],
      ['erased', '9', 5, false],
    ]);
    expect(block).toBeLessThan(longestMs);
  });
});
