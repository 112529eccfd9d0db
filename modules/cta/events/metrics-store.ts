import { and, asc, eq, gt, gte, inArray, lt, lte, sql, type SQL } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { ctaArrivals, ctaEvents, ctaHourCounts, ctaUserCounts } from '../base/schema.ts';
import { passesGoal } from '../rules/goal.ts';
import type { Goal } from './goal-store.ts';

/** Which figures: of one CTA or of all of a tenant, from a time on until just before another (epoch ms). */
interface MetricsQuery {
  readonly tenantId: string;
  readonly ctaId: number | undefined;
  readonly from: number;
  readonly to: number;
}

/** How a figure is divided. */
type Breakdown = 'version' | 'variant' | 'source';

export interface Sum {
  readonly at: number;
  readonly part: string | number | null;
  readonly type: string;
  readonly count: number;
}

const dayMs = 86_400_000;

/** Rows that one statement adds up, which takes some 4 ms on SQLite. */
const summedAtOnce = 4_000;

/** The sums of a period, by hour, by day (UTC) or in all (`at` 0), in this order; some more than `limit` of them end it. */
export async function sumsOf(
  q: Query,
  asked: MetricsQuery,
  { by, breakdown, limit }: { by: 'hour' | 'day' | 'total'; breakdown: Breakdown | undefined; limit: number },
): Promise<readonly Sum[]> {
  const { ctaId, hour } = ctaHourCounts;
  const found = new Map<string, Sum>();
  for (let after: Place = { ctaId: -1, hour: asked.from - 1 }; found.size <= limit;) {
    const [last] = await q
      .select({ ctaId, hour })
      .from(ctaHourCounts)
      .where(placesIn(asked, after, undefined))
      .orderBy(asc(ctaId), asc(hour))
      .limit(1)
      .offset(summedAtOnce - 1);
    const inPeriod = and(gte(hour, asked.from), lt(hour, asked.to));
    const where = and(placesIn(asked, after, last), asked.ctaId === undefined ? inPeriod : undefined);
    for (const sum of await sumsOfRows(q, where, by, breakdown)) {
      const key = JSON.stringify([sum.at, sum.part, sum.type]);
      found.set(key, { ...sum, count: sum.count + (found.get(key)?.count ?? 0) });
    }
    if (!last) break;
    after = last;
    if (turnIsOver()) await nextTurn();
  }
  return [...found.values()].sort((left, right) => left.at - right.at || comparePart(left.part, right.part));
}

interface Place {
  readonly ctaId: number;
  readonly hour: number;
}

/**
 * The rows after a place up to another, or to the end, in the order of the index. For one CTA by the hour alone: given both, SQLite goes by
 * the wider limit.
 */
function placesIn({ tenantId, ctaId, to }: MetricsQuery, after: Place, upTo: Place | undefined) {
  const { hour } = ctaHourCounts;
  const ofTenant = eq(ctaHourCounts.tenantId, tenantId);
  if (ctaId !== undefined) {
    const end = upTo ? lte(hour, upTo.hour) : lt(hour, to);
    return and(ofTenant, eq(ctaHourCounts.ctaId, ctaId), gt(hour, after.hour), end);
  }
  const place = sql`(${ctaHourCounts.ctaId}, ${hour})`;
  const end = upTo && sql`${place} <= (${upTo.ctaId}, ${upTo.hour})`;
  return and(ofTenant, sql`${place} > (${after.ctaId}, ${after.hour})`, end);
}

/** A query gives parts of one kind only. */
const comparePart = (left: Sum['part'], right: Sum['part']): number =>
  left === right ? 0 : (left ?? '') < (right ?? '') ? -1 : 1;

function sumsOfRows(
  q: Query,
  where: SQL | undefined,
  by: 'hour' | 'day' | 'total',
  breakdown: Breakdown | undefined,
): Promise<Sum[]> {
  const { hour, type, count } = ctaHourCounts;
  const at: SQL<number> =
    by === 'total'
      ? sql<number>`0`
      : by === 'hour'
        ? sql<number>`${hour}`
        : sql<number>`${hour} - ((${hour} % ${sql.raw(String(dayMs))}) + ${sql.raw(String(dayMs))}) % ${sql.raw(String(dayMs))}`;
  const part: SQL<string | number | null> =
    breakdown === undefined
      ? sql<null>`cast(null as text)`
      : breakdown === 'version'
        ? sql<number>`${ctaHourCounts.version}`.mapWith(Number)
        : sql<string>`${ctaHourCounts[breakdown]}`;
  return Promise.resolve(
    q
      .select({ at: at.mapWith(Number), part, type, count: sql<number>`sum(${count})`.mapWith(Number) })
      .from(ctaHourCounts)
      .where(where)
      .groupBy(sql`1`, sql`2`, type),
  );
}

/** Rows of one statement. */
const rowsAtOnce = 2_000;
/** Events of one statement: those who reached the goal are looked up by another. */
const eventsAtOnce = 500;

interface UserSums {
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
  const { state, userId, isThere } = ctaArrivals;
  const found = new Map<string, { state: string; now: number; ever: number }>();
  for (let after = { state: '', userId: '' }; ;) {
    const rest = and(
      eq(ctaArrivals.tenantId, tenantId),
      eq(ctaArrivals.ctaId, ctaId),
      sql`(${state}, ${userId}) > (${after.state}, ${after.userId})`,
    );
    const [last] = await q
      .select({ state, userId })
      .from(ctaArrivals)
      .where(rest)
      .orderBy(asc(state), asc(userId))
      .limit(1)
      .offset(summedAtOnce - 1);
    const rows = await q
      .select({
        state,
        now: sql<number>`sum(case when ${isThere} then 1 else 0 end)`.mapWith(Number),
        ever: sql<number>`count(*)`.mapWith(Number),
      })
      .from(ctaArrivals)
      .where(and(rest, last && sql`(${state}, ${userId}) <= (${last.state}, ${last.userId})`))
      .groupBy(state);
    for (const row of rows) {
      const known = found.get(row.state);
      found.set(row.state, {
        ...row,
        now: row.now + (known?.now ?? 0),
        ever: row.ever + (known?.ever ?? 0),
      });
    }
    if (!last) return [...found.values()];
    after = last;
    if (turnIsOver()) await nextTurn();
  }
}

/**
 * How many users reached a goal within a period. A user counts once. The window begins with the first impression, or with the first action
 * of a user without one.
 *
 * Read by time, as the index is ordered, and what has the name but is another event is left out here: otherwise each statement would look
 * at all events with the name, e.g. of a state "1" at those of every CTA.
 */
export async function conversionsOf(q: Query, goal: Goal, from: number, to: number): Promise<number> {
  const converted = new Set<string>();
  for (let after = { at: from - 1, id: Number.MAX_SAFE_INTEGER }; ;) {
    const rows = await namedEvents(q, goal, after, to);
    const reaching = rows.filter((row) => !converted.has(row.userId) && reaches(goal, row));
    const begun = await beginningsOf(q, goal, new Set(reaching.map((row) => row.userId)));
    for (const row of reaching) {
      const first = begun.get(row.userId);
      if (first !== undefined && row.at >= first && row.at <= first + goal.windowHours * 3_600_000)
        converted.add(row.userId);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < eventsAtOnce) return converted.size;
    after = last;
    if (turnIsOver()) await nextTurn();
  }
}

/** The next events with the name of a goal, by time and id: the rest of those of one millisecond, then later ones. */
async function namedEvents(
  q: Query,
  { on, tenantId }: Goal,
  after: { readonly at: number; readonly id: number },
  to: number,
) {
  const { id, at, userId, ctaId, type, details } = ctaEvents;
  const isNamed = and(
    eq(ctaEvents.tenantId, tenantId),
    eq(ctaEvents.name, 'state' in on ? on.state : on.event),
  );
  const part = (which: SQL | undefined, limit: number) =>
    q
      .select({ id, at, userId, ctaId, type, details })
      .from(ctaEvents)
      .where(and(isNamed, which))
      .orderBy(asc(at), asc(id))
      .limit(limit);
  const rest = await part(and(eq(at, after.at), gt(id, after.id)), eventsAtOnce);
  const left = eventsAtOnce - rest.length;
  return left === 0 ? rest : [...rest, ...(await part(and(gt(at, after.at), lt(at, to)), left))];
}

/** Whether an event with the name of a goal reaches it. */
function reaches(
  goal: Goal,
  { ctaId, type, details, at }: Pick<typeof ctaEvents.$inferSelect, 'ctaId' | 'type' | 'details' | 'at'>,
): boolean {
  if ('state' in goal.on) return type === 'reached' && ctaId === goal.ctaId;
  return (
    type === 'custom' && (ctaId === goal.ctaId || ctaId === 0) && passesGoal(goal.on.filters, details, at)
  );
}

/** When the window of each user began. */
async function beginningsOf(
  q: Query,
  { tenantId, ctaId }: Goal,
  userIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const begun = new Map<string, number>();
  if (userIds.size === 0) return begun;
  const { userId: id, firstSeenAt, firstActedAt } = ctaUserCounts;
  const rows = await q
    .select({ userId: id, seen: firstSeenAt, acted: firstActedAt })
    .from(ctaUserCounts)
    .where(
      and(eq(ctaUserCounts.tenantId, tenantId), eq(ctaUserCounts.ctaId, ctaId), inArray(id, [...userIds])),
    );
  for (const { userId, seen, acted } of rows) {
    const first = seen ?? acted;
    if (first !== null) begun.set(userId, first);
  }
  return begun;
}
