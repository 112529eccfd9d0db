import { and, eq, gt, inArray, isNotNull, sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { amongSelected, forUpdate, inValues } from '../../../core/db/query/columns.ts';
import { later, prepared, type Query } from '../../../core/db/query/db.ts';
import { ctaEvents, ctaHourCounts, ctas, ctaUserCounts, tenants } from '../base/schema.ts';
import { joinedExposures, type Exposure } from '../experiments/exposure.ts';
import { greatest, least } from './derived-store.ts';
import { bytesOfEvent, hourOf, slotOf } from './event-row.ts';
import { addEventUsage, noEvents } from './event-usage-store.ts';
import { joinedSeen, type Seen } from './impressions.ts';
import { eraseArrivals, moveArrivals } from './user-arrival-store.ts';

/*
 * What is counted of a user, when the user becomes another or is erased. There is no index by user: each tenant, and each CTA, is one read
 * by its key.
 */

/**
 * The ids under which a user may be counted: those of CTAs, and 0 for events that name none.
 * @param tenantId absent: of every tenant.
 */
const countedIds = (tenantId?: string): SQL =>
  sql`select ${ctas.id} from ${ctas} where ${tenantId === undefined ? sql`true` : eq(ctas.tenantId, tenantId)} union all select 0`;

/** Begins the word in the place of an erased user's id. A user id is a number, so no user has it. */
const erasedPrefix = 'erased:';

export const isErased = (userId: string): boolean => userId.startsWith(erasedPrefix);

/**
 * Makes the events and counts of a user those of nobody: the sums stay, the id and what the app said with the events goes.
 * @param word is random, so that nothing leads back to the user.
 */
export async function eraseCountsOfUser(
  q: Query,
  { tenantId, userId, word }: { tenantId: string; userId: string; word: string },
): Promise<void> {
  const nobody = `${erasedPrefix}${word}`;
  const ofTenant = countedIds(tenantId);
  const ofUser = and(eq(ctaEvents.tenantId, tenantId), eq(ctaEvents.userId, userId));
  const bytes = sql<number>`coalesce(sum(octet_length(${ctaEvents.details})), 0)`.mapWith(Number);
  let said = 0;
  await inParts(q, ofUser, async (part) => {
    const [sum] = await q.select({ bytes }).from(ctaEvents).where(part);
    said += sum?.bytes ?? 0;
    await q.update(ctaEvents).set({ userId: nobody, eventId: null, details: null }).where(part);
  });
  // When they are deleted, only what they still have is subtracted.
  if (said > 0) await addEventUsage(q, tenantId, { ...noEvents, bytes: -said });
  await q
    .update(ctaUserCounts)
    .set({ userId: nobody, seen: null, exposedAs: null })
    .where(
      and(
        eq(ctaUserCounts.tenantId, tenantId),
        amongSelected(ctaUserCounts.ctaId, ofTenant),
        eq(ctaUserCounts.userId, userId),
      ),
    );
  await eraseArrivals(q, tenantId, userId, nobody);
}

/** Events of one statement, which takes some 5 ms: a hostile app can report in a minute as many as take a second. */
const eventsAtOnce = 1_000;

/** Does something with events, a part at a time, until no event is left for which `which` holds. */
async function inParts(
  q: Query,
  which: SQL | undefined,
  work: (part: SQL) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const rows = await q.select({ id: ctaEvents.id }).from(ctaEvents).where(which).limit(eventsAtOnce);
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await work(inValues(ctaEvents.id, ids));
    if (turnIsOver()) await nextTurn();
  }
}

/** Under which ids a user who was two saw a CTA, the first one first. */
export interface JoinedExposure {
  readonly tenantId: string;
  readonly ctaId: number;
  readonly ids: readonly string[];
}

/** Of each CTA with an experiment that one of two users saw, under which ids both together did. */
export async function exposuresOfBoth(
  q: Query,
  from: string,
  into: string,
): Promise<readonly JoinedExposure[]> {
  const rows = await q
    .select({
      tenantId: ctaUserCounts.tenantId,
      ctaId: ctaUserCounts.ctaId,
      userId: ctaUserCounts.userId,
      exposedAs: ctaUserCounts.exposedAs,
      seenAt: ctaUserCounts.firstSeenAt,
      actedAt: ctaUserCounts.firstActedAt,
    })
    .from(ctaUserCounts)
    .where(
      and(
        amongSelected(ctaUserCounts.tenantId, q.select({ id: tenants.tenantId }).from(tenants)),
        amongSelected(
          ctaUserCounts.ctaId,
          q.select({ id: ctas.id }).from(ctas).where(isNotNull(ctas.experiment)),
        ),
        inArray(ctaUserCounts.userId, [from, into]),
      ),
    );
  const unseen = (userId: string): Exposure => ({ userId, exposedAt: null, exposedAs: null });
  return Object.values(Object.groupBy(rows, ({ ctaId }) => ctaId)).flatMap((ofCta = []) => {
    const of = (userId: string): Exposure => {
      const row = ofCta.find((one) => one.userId === userId);
      const exposedAt = Math.min(row?.seenAt ?? Infinity, row?.actedAt ?? Infinity);
      return row && exposedAt < Infinity
        ? { userId, exposedAt, exposedAs: row.exposedAs?.split(',') ?? null }
        : unseen(userId);
    };
    const ids = joinedExposures(of(from), of(into));
    return ofCta
      .slice(0, 1)
      .flatMap(({ tenantId, ctaId }) => (ids.length === 0 ? [] : [{ tenantId, ctaId, ids }]));
  });
}

/**
 * Makes what was counted of one user that of another, in every tenant. A device sends the same stamps under both ids, so what the other has
 * already is counted once.
 */
export async function moveCountsOfUser(
  q: Query,
  { from, into, exposures }: { from: string; into: string; exposures: readonly JoinedExposure[] },
): Promise<void> {
  await inParts(q, isOf(q, from), async (part) => {
    await uncountRepeated(q, part, { from, into });
    await q.update(ctaEvents).set({ userId: into }).where(part);
  });
  const ofAnyCta = countedIds();
  const counts = await q
    .delete(ctaUserCounts)
    .where(
      and(
        amongSelected(ctaUserCounts.tenantId, q.select({ id: tenants.tenantId }).from(tenants)),
        amongSelected(ctaUserCounts.ctaId, ofAnyCta),
        eq(ctaUserCounts.userId, from),
      ),
    )
    .returning();
  const known = counts.some(({ seen }) => seen !== null) ? await seenBy(q, into) : [];
  for (const row of counts) {
    const held = known.find((one) => one.tenantId === row.tenantId && one.ctaId === row.ctaId);
    const exposure = exposures.find(
      ({ tenantId, ctaId }) => tenantId === row.tenantId && ctaId === row.ctaId,
    );
    const seen = joinedTexts(held?.seen ?? null, row.seen);
    await addUserCounts(q, { ...row, userId: into, seen, exposedAs: exposure?.ids.join() ?? null });
  }
  await moveArrivals(q, from, into);
}

/** What a user has seen of each CTA, locked. */
const seenBy = (q: Query, userId: string) =>
  forUpdate(
    q
      .select({ tenantId: ctaUserCounts.tenantId, ctaId: ctaUserCounts.ctaId, seen: ctaUserCounts.seen })
      .from(ctaUserCounts)
      .where(
        and(
          amongSelected(ctaUserCounts.tenantId, q.select({ id: tenants.tenantId }).from(tenants)),
          amongSelected(ctaUserCounts.ctaId, countedIds()),
          eq(ctaUserCounts.userId, userId),
        ),
      )
      .orderBy(ctaUserCounts.tenantId, ctaUserCounts.ctaId),
  );

const joinedTexts = (left: string | null, right: string | null): string | null =>
  left === null || right === null
    ? (left ?? right)
    : JSON.stringify(joinedSeen(JSON.parse(left) as Seen, JSON.parse(right) as Seen));

const isOf = (q: Query, userId: string) =>
  and(
    amongSelected(ctaEvents.tenantId, q.select({ id: tenants.tenantId }).from(tenants)),
    eq(ctaEvents.userId, userId),
  );

const columnOf = {
  impression: 'impressions',
  click: 'clicks',
  dismiss: 'dismissals',
  action: 'actions',
  completion: 'completions',
} as const;

type EventRow = typeof ctaEvents.$inferSelect;

/** Removes those of some events of one user that the other has as well, also from the sums. */
async function uncountRepeated(
  q: Query,
  part: SQL,
  { from, into }: { readonly from: string; readonly into: string },
): Promise<void> {
  const repeated = await q
    .delete(ctaEvents)
    .where(
      and(
        part,
        sql`exists (select 1 from cta_events as other where other.tenant_id = ${ctaEvents.tenantId}
          and other.user_id = ${into} and other.event_id = ${ctaEvents.eventId})`,
      ),
    )
    .returning();
  const alike = Map.groupBy(repeated, ({ tenantId, ctaId, at, type, source, version, variant }) =>
    JSON.stringify([tenantId, ctaId, hourOf(at), type, source, version, variant]),
  );
  for (const events of alike.values()) {
    const [event] = events;
    if (!event) continue;
    await uncount(q, event, slotOf(from), events.length);
    const bytes = events.reduce((sum, one) => sum + bytesOfEvent(one), 0);
    await addEventUsage(q, event.tenantId, { ...noEvents, events: -events.length, bytes: -bytes });
    await uncountOfUser(q, event, from, events.length);
  }
}

async function uncountOfUser(q: Query, { tenantId, ctaId, type }: EventRow, userId: string, times: number) {
  const name = Object.hasOwn(columnOf, type) ? columnOf[type as keyof typeof columnOf] : undefined;
  if (name === undefined) return;
  await q
    .update(ctaUserCounts)
    .set({ [name]: sql`${ctaUserCounts[name]} - ${times}` })
    .where(
      and(
        eq(ctaUserCounts.tenantId, tenantId),
        eq(ctaUserCounts.ctaId, ctaId),
        eq(ctaUserCounts.userId, userId),
      ),
    );
}

/**
 * Subtracts events from the sums that count them. An event that came with an earlier merge may be counted in another slot than that of the
 * user. An event for which the app named no arm may be counted in any arm: the stored event does not say in which.
 * @param times how many such events.
 */
async function uncount(q: Query, event: EventRow, slot: number, times: number): Promise<void> {
  const { hour, type, source, version, variant, count } = ctaHourCounts;
  const isSum = and(
    eq(ctaHourCounts.tenantId, event.tenantId),
    eq(ctaHourCounts.ctaId, event.ctaId),
    eq(hour, hourOf(event.at)),
    eq(type, event.type),
    eq(source, event.source),
    eq(version, event.version),
  );
  const isAnyArm = event.source === 'client' && event.variant === null;
  for (let left = times; left > 0;) {
    const [counted] = await q
      .select({ variant, slot: ctaHourCounts.slot, count })
      .from(ctaHourCounts)
      .where(and(isSum, gt(count, 0), isAnyArm ? undefined : eq(variant, event.variant ?? '')))
      .orderBy(sql`case when ${ctaHourCounts.slot} = ${slot} then 0 else 1 end`, variant)
      .limit(1);
    if (!counted) return;
    const taken = Math.min(left, counted.count);
    await q
      .update(ctaHourCounts)
      .set({ count: sql`${count} - ${taken}` })
      .where(and(isSum, eq(variant, counted.variant), eq(ctaHourCounts.slot, counted.slot)));
    left -= taken;
  }
}

type CountsRow = typeof ctaUserCounts.$inferSelect;

const given = (name: keyof CountsRow) => sql`${sql.placeholder(name)}`;
const plus = (column: SQLWrapper, name: string) => sql`${column} + ${sql.raw(`excluded.${name}`)}`;

const addRow = prepared<CountsRow, never>(
  (q) =>
    q
      .insert(ctaUserCounts)
      .values({
        tenantId: given('tenantId'),
        ctaId: given('ctaId'),
        userId: given('userId'),
        variant: given('variant'),
        firstAt: given('firstAt'),
        lastAt: given('lastAt'),
        firstSeenAt: given('firstSeenAt'),
        firstActedAt: given('firstActedAt'),
        convertedAt: given('convertedAt'),
        turnedAt: given('turnedAt'),
        impressions: given('impressions'),
        clicks: given('clicks'),
        dismissals: given('dismissals'),
        actions: given('actions'),
        completions: given('completions'),
        seen: given('seen'),
        exposedAs: given('exposedAs'),
      })
      .onConflictDoUpdate({
        target: [ctaUserCounts.tenantId, ctaUserCounts.ctaId, ctaUserCounts.userId],
        set: {
          firstAt: least(ctaUserCounts.firstAt, 'first_at'),
          lastAt: greatest(ctaUserCounts.lastAt, 'last_at'),
          firstSeenAt: least(ctaUserCounts.firstSeenAt, 'first_seen_at'),
          firstActedAt: least(ctaUserCounts.firstActedAt, 'first_acted_at'),
          convertedAt: least(ctaUserCounts.convertedAt, 'converted_at'),
          turnedAt: greatest(ctaUserCounts.turnedAt, 'turned_at'),
          impressions: plus(ctaUserCounts.impressions, 'impressions'),
          clicks: plus(ctaUserCounts.clicks, 'clicks'),
          dismissals: plus(ctaUserCounts.dismissals, 'dismissals'),
          actions: plus(ctaUserCounts.actions, 'actions'),
          completions: plus(ctaUserCounts.completions, 'completions'),
          seen: sql`coalesce(excluded.seen, ${ctaUserCounts.seen})`,
          exposedAs: sql`coalesce(excluded.exposed_as, ${ctaUserCounts.exposedAs})`,
        },
      }),
  'cta_add_user_counts',
);

/** Adds to the counts of a user and a CTA. */
export const addUserCounts = (q: Query, row: CountsRow): Promise<void> => later(q, addRow(q, row));
