import { and, asc, eq, gt, gte, inArray, lt, or, sql, type SQL } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { ctaArrivals, ctaEvents, ctaHourCounts, ctaUserCounts } from '../base/schema.ts';
import { filterPasses } from '../rules/filter.ts';
import type { Goal } from './goal-store.ts';

/** Which figures: of one CTA or of all of a tenant, from a time on until just before another (epoch ms). */
export interface MetricsQuery {
  readonly tenantId: string;
  readonly ctaId: number | undefined;
  readonly from: number;
  readonly to: number;
}

/** How a figure is divided. */
export type Breakdown = 'version' | 'variant' | 'source';

export interface Sum {
  readonly at: number;
  readonly part: string | number | null;
  readonly type: string;
  readonly count: number;
}

const dayMs = 86_400_000;

/** The sums of a period, by hour, by day (UTC) or in all (`at` 0), at most `limit` of them. */
export async function sumsOf(
  q: Query,
  { tenantId, ctaId, from, to }: MetricsQuery,
  { by, breakdown, limit }: { by: 'hour' | 'day' | 'total'; breakdown: Breakdown | undefined; limit: number },
): Promise<readonly Sum[]> {
  const { hour } = ctaHourCounts;
  const at: SQL<number> =
    by === 'total'
      ? sql<number>`0`
      : by === 'hour'
        ? sql<number>`${hour}`
        : sql<number>`${hour} - ((${hour} % ${sql.raw(String(dayMs))}) + ${sql.raw(String(dayMs))}) % ${sql.raw(String(dayMs))}`;
  const part: SQL<string | number | null> =
    breakdown === undefined
      ? sql<null>`cast(null as text)`
      : sql<string | number>`${ctaHourCounts[breakdown]}`;
  const rows = await q
    .select({
      at: at.mapWith(Number),
      part,
      type: ctaHourCounts.type,
      count: sql<number>`sum(${ctaHourCounts.count})`.mapWith(Number),
    })
    .from(ctaHourCounts)
    .where(
      and(
        eq(ctaHourCounts.tenantId, tenantId),
        ctaId === undefined ? undefined : eq(ctaHourCounts.ctaId, ctaId),
        gte(hour, from),
        lt(hour, to),
      ),
    )
    .groupBy(sql`1`, sql`2`, ctaHourCounts.type)
    .orderBy(sql`1`, sql`2`)
    .limit(limit);
  return rows;
}

/** Rows of one statement. */
const rowsAtOnce = 2_000;

export interface UserSums {
  readonly saw: number;
  readonly clicked: number;
  readonly acted: number;
  readonly completed: number;
}

/** How many users of a CTA did each, ever. */
export async function usersOf(q: Query, tenantId: string, ctaId: number): Promise<UserSums> {
  const sums = { saw: 0, clicked: 0, acted: 0, completed: 0 };
  for (let after = ''; ;) {
    const { userId, impressions, clicks, actions, completions } = ctaUserCounts;
    const rows = await q
      .select({ userId, impressions, clicks, actions, completions })
      .from(ctaUserCounts)
      .where(and(eq(ctaUserCounts.tenantId, tenantId), eq(ctaUserCounts.ctaId, ctaId), gt(userId, after)))
      .orderBy(asc(userId))
      .limit(rowsAtOnce);
    for (const row of rows) {
      if (row.impressions > 0) sums.saw++;
      if (row.clicks > 0) sums.clicked++;
      if (row.actions > 0) sums.acted++;
      if (row.completions > 0) sums.completed++;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return sums;
    after = last.userId;
    if (turnIsOver()) await nextTurn();
  }
}

/** Users per state of a CTA, now and ever. */
export async function usersByState(q: Query, tenantId: string, ctaId: number) {
  const rows = await q
    .select({
      state: ctaArrivals.state,
      now: sql<number>`sum(case when ${ctaArrivals.isThere} then 1 else 0 end)`.mapWith(Number),
      ever: sql<number>`count(*)`.mapWith(Number),
    })
    .from(ctaArrivals)
    .where(and(eq(ctaArrivals.tenantId, tenantId), eq(ctaArrivals.ctaId, ctaId)))
    .groupBy(ctaArrivals.state);
  return rows;
}

/**
 * How many users reached a goal within a period. A user counts once. The window begins with the first impression, or with the first action
 * of a user without one.
 */
export async function conversionsOf(q: Query, goal: Goal, from: number, to: number): Promise<number> {
  const { on, tenantId, ctaId } = goal;
  const name = 'state' in on ? on.state : on.event;
  const converted = new Set<string>();
  for (let after = 0; ;) {
    const rows = await q
      .select()
      .from(ctaEvents)
      .where(
        and(
          eq(ctaEvents.tenantId, tenantId),
          eq(ctaEvents.name, name),
          gte(ctaEvents.at, from),
          lt(ctaEvents.at, to),
          'state' in on
            ? and(eq(ctaEvents.type, 'reached'), eq(ctaEvents.ctaId, ctaId))
            : and(eq(ctaEvents.type, 'custom'), or(eq(ctaEvents.ctaId, ctaId), eq(ctaEvents.ctaId, 0))),
          gt(ctaEvents.id, after),
        ),
      )
      .orderBy(asc(ctaEvents.id))
      .limit(rowsAtOnce);
    const reaching = rows.filter(({ details }) => passes(goal, details));
    const begun = await beginningsOf(q, goal, new Set(reaching.map(({ userId }) => userId)));
    for (const { userId, at } of reaching) {
      const first = begun.get(userId);
      if (first !== undefined && at >= first && at <= first + goal.windowHours * 3_600_000)
        converted.add(userId);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return converted.size;
    after = last.id;
    if (turnIsOver()) await nextTurn();
  }
}

const passes = ({ on, createdAt }: Goal, details: string | null): boolean =>
  !('filters' in on) ||
  filterPasses(on.filters, {
    properties: JSON.parse(details ?? '{}') as Record<string, unknown>,
    now: createdAt,
  });

/** When the window of each user began. */
async function beginningsOf(
  q: Query,
  { tenantId, ctaId }: Goal,
  userIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const begun = new Map<string, number>();
  const all = [...userIds];
  for (let at = 0; at < all.length; at += 500) {
    const rows = await q
      .select({
        userId: ctaUserCounts.userId,
        seen: ctaUserCounts.firstSeenAt,
        acted: ctaUserCounts.firstActedAt,
      })
      .from(ctaUserCounts)
      .where(
        and(
          eq(ctaUserCounts.tenantId, tenantId),
          eq(ctaUserCounts.ctaId, ctaId),
          inArray(ctaUserCounts.userId, all.slice(at, at + 500)),
        ),
      );
    for (const { userId, seen, acted } of rows) {
      const first = seen ?? acted;
      if (first !== null) begun.set(userId, first);
    }
  }
  return begun;
}
