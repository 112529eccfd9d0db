import { and, eq, sql } from 'drizzle-orm';
import { forUpdate, listedInt, listedRows, listedText, rowsValue } from '../../../core/db/query/columns.ts';
import { later, prepared, type Query } from '../../../core/db/query/db.ts';
import { givenInt, givenText } from '../../../core/db/query/given-value.ts';
import { addedToHour, appended } from '../counts/derived-store.ts';
import { addUserCounts } from '../counts/user-count-store.ts';
import { bytesOfEvent, hourOf, slotOf } from '../counts/event-row.ts';
import { isBeforeLast, isNewImpression, withSeen, type Seen } from '../counts/impressions.ts';
import { ctaEvents, ctaHourCounts, ctaUserCounts } from '../base/schema.ts';
import { entryAt } from '../state/string-map.ts';
import { emptyState, type StateKey } from '../state/user-state.ts';
import { stateOfUser } from '../user-states/user-state-store.ts';
import type { ClientEvent } from './event-body.ts';

/** An event of a CTA that exists, with the version that was live. */
export interface KnownEvent {
  readonly event: ClientEvent;
  /** 0: none. */
  readonly ctaId: number;
  readonly version: number;
  /** The arm in the running experiment of somebody with this id; null: none. */
  readonly armOf: (userId: string) => string | null;
}

/** Ids of clients begin so in the table: those of derived events begin otherwise. */
const clientPrefix = '.';
export const clientIdOf = (eventId: string | null): string | null =>
  eventId === null ? null : eventId.startsWith(clientPrefix) ? eventId.slice(1) : eventId;

type EventRow = Pick<
  typeof ctaEvents.$inferSelect,
  'ctaId' | 'version' | 'variant' | 'type' | 'name' | 'at' | 'eventId' | 'details'
> & {
  /** The arm in which it counts. The stored event has only what the app named: that says what the user saw. */
  readonly arm: string | null;
};
type UserCounts = typeof ctaUserCounts.$inferSelect;

/**
 * Stores the events that are not known yet, with their sums, in the transaction of `q`. The counts of the user are locked first: two
 * requests must not count the same impression.
 * @returns how many were added, and their size.
 */
export async function storeEvents(
  q: Query,
  key: StateKey,
  given: readonly KnownEvent[],
  now: number,
): Promise<{ readonly accepted: number; readonly bytes: number }> {
  const ctaIds = [...new Set(given.map(({ ctaId }) => ctaId))].sort((left, right) => left - right);
  const held = await heldCounts(q, key, ctaIds, now);
  const known = await knownIds(q, key, given);
  const turns = await turnsBefore(q, key, given, held);
  const rows: EventRow[] = [];
  const changes = new Map<number, UserCounts>();
  const inTime = [...given].sort((left, right) => left.event.at - right.event.at);
  for (const one of inTime) {
    const { event, ctaId } = one;
    const eventId = `${clientPrefix}${event.id}`;
    if (known.has(eventId)) continue;
    known.add(eventId);
    const counts = changes.get(ctaId) ?? noCounts(key, ctaId, event.at, held.get(ctaId));
    const turnsOfCta = turns.get(ctaId) ?? [];
    turns.set(ctaId, turnsOfCta);
    const changed = counted(counts, turnsOfCta, event);
    if (changed === null) continue;
    changes.set(ctaId, changed);
    // As whom the user saw it first.
    const decides = held.get(ctaId)?.exposedAs?.split(',')[0] ?? key.userId;
    rows.push(rowOf(one, eventId, decides));
  }
  if (rows.length > 0) await insertAll(q, key, rows, { counts: [...changes.values()], now });
  return {
    accepted: rows.length,
    bytes: rows.reduce((sum, { name, details }) => sum + bytesOfEvent({ name, details }), 0),
  };
}

const rowOf = ({ event, ctaId, version, armOf }: KnownEvent, eventId: string, decides: string): EventRow => ({
  ctaId,
  version,
  variant: event.variant,
  arm: event.variant ?? armOf(decides),
  type: event.type,
  name: event.name,
  at: event.at,
  eventId,
  details: Object.keys(event.details).length === 0 ? null : JSON.stringify(event.details),
});

/** The turns of CTAs of which an impression is from before the last turn: the state of the user has those of the app. */
async function turnsBefore(
  q: Query,
  key: StateKey,
  given: readonly KnownEvent[],
  held: ReadonlyMap<number, UserCounts>,
): Promise<Map<number, number[]>> {
  const late = given.filter(
    ({ event, ctaId }) =>
      event.type === 'impression' && isBeforeLast(held.get(ctaId)?.turnedAt ?? null, event.at),
  );
  const { ctas } = late.length > 0 ? await stateOfUser(q, key) : emptyState;
  return new Map(
    late.map(({ ctaId }) => {
      const cta = entryAt(ctas, String(ctaId));
      return [ctaId, [...(cta?.actionDoneAt.marks ?? []), ...(cta?.resetAt.marks ?? [])]];
    }),
  );
}

type OfUser = { readonly tenantId: string; readonly userId: string };
const given = (name: string) => sql`${sql.placeholder(name)}`;

const makeCounts = prepared<OfUser & { now: number; ctaIds: string }, never>(
  (q) =>
    q
      .insert(ctaUserCounts)
      .select(
        sql`select ${givenText('tenantId')}, ${listedInt(0)}, ${givenText('userId')}, cast(null as text),
          ${givenInt('now')}, ${givenInt('now')}, cast(null as bigint), cast(null as bigint), cast(null as bigint),
          cast(null as bigint), 0, 0, 0, 0, 0, cast(null as text), cast(null as text) from ${listedRows('ctaIds')} where true`,
      )
      .onConflictDoNothing(),
  'cta_make_user_counts',
);

const lockCounts = prepared<OfUser & { ctaIds: string }, UserCounts>(
  (q) =>
    forUpdate(
      q
        .select()
        .from(ctaUserCounts)
        .where(
          and(
            eq(ctaUserCounts.tenantId, given('tenantId')),
            sql`${ctaUserCounts.ctaId} in (select ${listedInt(0)} from ${listedRows('ctaIds')})`,
            eq(ctaUserCounts.userId, given('userId')),
          ),
        )
        .orderBy(ctaUserCounts.ctaId),
    ),
  'cta_lock_user_counts',
);

/** The counts of the user for these CTAs, locked; made if there are none, so that there is a row to lock. */
async function heldCounts(q: Query, { tenantId, userId }: StateKey, ctaIds: readonly number[], now: number) {
  const values = { tenantId, userId, ctaIds: rowsValue(ctaIds.map((ctaId) => [ctaId])) };
  await later(q, makeCounts(q, { ...values, now }));
  const rows = await lockCounts(q, values);
  return new Map(rows.map((row) => [row.ctaId, row]));
}

const knownEvents = prepared<OfUser & { ids: string }, { eventId: string | null }>(
  (q) =>
    q
      .select({ eventId: ctaEvents.eventId })
      .from(ctaEvents)
      .where(
        and(
          eq(ctaEvents.tenantId, given('tenantId')),
          eq(ctaEvents.userId, given('userId')),
          sql`${ctaEvents.eventId} in (select ${listedText(0)} from ${listedRows('ids')})`,
        ),
      ),
  'cta_known_events',
);

async function knownIds(
  q: Query,
  { tenantId, userId }: StateKey,
  events: readonly KnownEvent[],
): Promise<Set<string>> {
  const ids = rowsValue(events.map(({ event }) => [`${clientPrefix}${event.id}`]));
  const rows = await knownEvents(q, { tenantId, userId, ids });
  return new Set(rows.flatMap(({ eventId }) => (eventId === null ? [] : [eventId])));
}

/** Counts to add to those that are stored; what is `seen` and when it turned goes on from these. */
const noCounts = (
  { tenantId, userId }: StateKey,
  ctaId: number,
  at: number,
  stored: UserCounts | undefined,
): UserCounts => ({
  tenantId,
  ctaId,
  userId,
  variant: null,
  firstAt: at,
  lastAt: at,
  firstSeenAt: null,
  firstActedAt: null,
  convertedAt: null,
  turnedAt: stored?.turnedAt ?? null,
  impressions: 0,
  clicks: 0,
  dismissals: 0,
  actions: 0,
  completions: 0,
  seen: stored?.seen ?? null,
  exposedAs: null,
});

const least = (left: number | null, right: number): number => Math.min(left ?? right, right);

/** The counts with one more event; null for an impression of an entry that was counted. @param turns gets a dismissal. */
function counted(counts: UserCounts, turns: number[], event: ClientEvent): UserCounts | null {
  const { at, type } = event;
  const next = { ...counts, firstAt: Math.min(counts.firstAt, at), lastAt: Math.max(counts.lastAt, at) };
  switch (type) {
    case 'impression': {
      const seen = JSON.parse(counts.seen ?? '{}') as Seen;
      const { groupKey, state } = event;
      if (
        state !== null &&
        !isNewImpression(seen, { latest: counts.turnedAt, known: turns }, { groupKey, state, at })
      )
        return null;
      return {
        ...next,
        impressions: counts.impressions + 1,
        firstSeenAt: least(counts.firstSeenAt, at),
        ...(state !== null && { seen: JSON.stringify(withSeen(seen, groupKey, state, at)) }),
      };
    }
    case 'click':
      return { ...next, clicks: counts.clicks + 1 };
    case 'dismiss':
      turns.push(at);
      return { ...next, dismissals: counts.dismissals + 1, turnedAt: Math.max(counts.turnedAt ?? at, at) };
    case 'conversion':
      return { ...next, convertedAt: least(counts.convertedAt, at) };
    default:
      return next;
  }
}

const insertEvents = prepared<OfUser & { now: number; rows: string }, never>(
  (q) =>
    q.insert(appended).select(
      sql`select ${givenText('tenantId')}, ${givenText('userId')}, ${listedInt(0)}, ${listedInt(1)}, ${listedText(2)},
          ${listedText(3)}, 'client', ${listedText(4)}, ${listedInt(5)}, ${givenInt('now')}, ${listedText(6)},
          ${listedText(7)} from ${listedRows('rows')} where true`,
    ),
  'cta_insert_client_events',
);

type HourSum = Omit<typeof ctaHourCounts.$inferSelect, 'source'>;

const addToHour = prepared<HourSum, never>(
  (q) =>
    q
      .insert(ctaHourCounts)
      .values({
        tenantId: given('tenantId'),
        ctaId: given('ctaId'),
        hour: given('hour'),
        type: given('type'),
        source: sql`'client'`,
        version: given('version'),
        variant: given('variant'),
        slot: given('slot'),
        count: given('count'),
      })
      .onConflictDoUpdate(addedToHour),
  'cta_add_client_hour',
);

/** The rows of one statement. */
const rowsAtOnce = 50;

async function insertAll(
  q: Query,
  { tenantId, userId }: StateKey,
  rows: readonly EventRow[],
  { counts, now }: { readonly counts: readonly UserCounts[]; readonly now: number },
): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const part = rowsValue(rows.slice(at, at + rowsAtOnce).map(listedRow));
    await later(q, insertEvents(q, { tenantId, userId, now, rows: part }));
  }
  for (const row of counts) await addUserCounts(q, row);
  const sums = new Map<string, HourSum>();
  for (const { ctaId, type, version, arm, at } of rows) {
    const hour = hourOf(at);
    const key = JSON.stringify([ctaId, hour, type, version, arm]);
    const count = (sums.get(key)?.count ?? 0) + 1;
    const slot = slotOf(userId);
    sums.set(key, { tenantId, ctaId, hour, type, version, variant: arm ?? '', slot, count });
  }
  for (const [, sum] of [...sums].sort(([left], [right]) => (left < right ? -1 : 1)))
    await later(q, addToHour(q, sum));
}

const listedRow = ({ ctaId, version, variant, type, name, at, eventId, details }: EventRow) => [
  ctaId,
  version,
  variant,
  type,
  name,
  at,
  eventId,
  details,
];
