import { sql, type SQL, type SQLWrapper, type WithSubquery } from 'drizzle-orm';
import { listedInt, listedRows, listedText, rowsValue, table } from '../../../core/db/query/columns.ts';
import { later, prepared, type Query } from '../../../core/db/query/db.ts';
import { givenInt, givenText } from '../../../core/db/query/given-value.ts';
import { ctaArrivals, ctaEvents, ctaHourCounts, ctaUserCounts, eventColumns } from '../base/schema.ts';
import type { StateKey } from '../state/user-state.ts';
import type { Derived } from './derived-events.ts';
import { countedHourMs, derivedRows, moveRows, slotOf, type DerivedRow } from './event-row.ts';

/** The events without the id, which the database assigns, for an INSERT … SELECT. */
export const appended = table('cta_events', eventColumns());

/** The smaller of the stored and the new value; either may be null. The two engines have no common function for it. */
export function least(stored: unknown, name: string) {
  const given = sql.raw(`excluded.${name}`);
  return sql`case when ${given} is null or ${stored} < ${given} then ${stored} else ${given} end`;
}

/** The greater of the stored and the new value; either may be null. */
export function greatest(stored: unknown, name: string) {
  const given = sql.raw(`excluded.${name}`);
  return sql`case when ${given} is null or ${stored} > ${given} then ${stored} else ${given} end`;
}

export const addedToHour = {
  target: [
    ctaHourCounts.tenantId,
    ctaHourCounts.ctaId,
    ctaHourCounts.hour,
    ctaHourCounts.type,
    ctaHourCounts.source,
    ctaHourCounts.version,
    ctaHourCounts.variant,
    ctaHourCounts.slot,
  ],
  set: { count: sql`${ctaHourCounts.count} + excluded.count` },
};

const addedToUser = {
  target: [ctaUserCounts.tenantId, ctaUserCounts.ctaId, ctaUserCounts.userId],
  set: {
    firstAt: least(ctaUserCounts.firstAt, 'first_at'),
    lastAt: greatest(ctaUserCounts.lastAt, 'last_at'),
    firstActedAt: least(ctaUserCounts.firstActedAt, 'first_acted_at'),
    turnedAt: greatest(ctaUserCounts.turnedAt, 'turned_at'),
    actions: sql`${ctaUserCounts.actions} + excluded.actions`,
    completions: sql`${ctaUserCounts.completions} + excluded.completions`,
  },
};

const insertMoves = (q: Query, condition: SQL) =>
  q
    .insert(ctaArrivals)
    .select(
      sql`select ${givenText('tenantId')}, ${listedInt(0)}, ${listedText(1)}, ${givenText('userId')}, ${listedInt(2)},
        ${listedInt(3)} = 1 from ${listedRows('moves')} where ${condition}`,
    )
    .onConflictDoUpdate({
      target: [ctaArrivals.tenantId, ctaArrivals.ctaId, ctaArrivals.state, ctaArrivals.userId],
      set: { firstAt: least(ctaArrivals.firstAt, 'first_at'), isThere: sql`excluded.is_there` },
    });

const noteMoves = prepared<StateKey & { moves: string }, never>(
  (q) => insertMoves(q, sql`true`),
  'cta_note_moves',
);

const given = (name: string) => sql`${sql.placeholder(name)}`;
// A text or number in `values` would be a parameter, bound again by each call.
const none = sql`null`;
const zero = sql`0`;
const derivedSource = sql`'derived'`;

type EventValues = {
  readonly tenantId: string;
  readonly userId: string;
  readonly ctaId: number;
  readonly version: number;
  readonly variant: string | null;
  readonly type: string;
  readonly name: string | null;
  readonly at: number;
  readonly receivedAt: number;
  readonly eventId: string;
};

const insertEvent = prepared<EventValues, { version: number }>(
  (q) =>
    q
      .insert(ctaEvents)
      .values({
        tenantId: given('tenantId'),
        userId: given('userId'),
        ctaId: given('ctaId'),
        version: given('version'),
        type: given('type'),
        variant: given('variant'),
        source: derivedSource,
        name: given('name'),
        at: given('at'),
        receivedAt: given('receivedAt'),
        eventId: given('eventId'),
        details: none,
      })
      .onConflictDoNothing()
      .returning({ version: ctaEvents.version }),
  'cta_insert_event',
);

type HourSum = {
  readonly tenantId: string;
  readonly ctaId: number;
  readonly hour: number;
  readonly type: string;
  readonly version: number;
  readonly variant: string;
  readonly slot: number;
  readonly count: number;
};

const addToHour = prepared<HourSum, never>(
  (q) =>
    q
      .insert(ctaHourCounts)
      .values({
        tenantId: given('tenantId'),
        ctaId: given('ctaId'),
        hour: given('hour'),
        type: given('type'),
        source: derivedSource,
        version: given('version'),
        variant: given('variant'),
        slot: given('slot'),
        count: given('count'),
      })
      .onConflictDoUpdate(addedToHour),
  'cta_add_to_hour',
);

type UserSum = {
  readonly tenantId: string;
  readonly ctaId: number;
  readonly userId: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly firstActedAt: number | null;
  readonly actions: number;
  readonly completions: number;
};

const addToUser = prepared<UserSum, never>(
  (q) =>
    q
      .insert(ctaUserCounts)
      .values({
        tenantId: given('tenantId'),
        ctaId: given('ctaId'),
        userId: given('userId'),
        variant: none,
        firstAt: given('firstAt'),
        lastAt: given('lastAt'),
        firstSeenAt: none,
        firstActedAt: given('firstActedAt'),
        convertedAt: none,
        turnedAt: given('lastAt'),
        impressions: zero,
        clicks: zero,
        dismissals: zero,
        actions: given('actions'),
        completions: given('completions'),
        seen: none,
        exposedAs: none,
      })
      .onConflictDoUpdate(addedToUser),
  'cta_add_to_user',
);

/**
 * Stores what was derived, in a transaction of several round trips. Here the sums are computed from the rows that were added: on SQLite,
 * which has no round trips, this takes a fifth of the time of {@link derivedParts} (measured).
 */
export async function storeDerived(
  q: Query,
  { tenantId, userId }: StateKey,
  receivedAt: number,
  derived: Derived,
): Promise<void> {
  if (derived.events.length > 0) {
    const rows = derivedRows(derived);
    // Started together, they take one round trip on PostgreSQL.
    const inserted = await Promise.all(
      rows.map(([ctaId, version, type, name, at, eventId, , variant]) =>
        insertEvent(q, { tenantId, userId, ctaId, version, variant, type, name, at, receivedAt, eventId }),
      ),
    );
    const added = rows.filter((_, index) => inserted[index]?.length === 1);
    const { hours, users } = sumsOfRows({ tenantId, userId }, added);
    for (const sum of hours) await later(q, addToHour(q, sum));
    for (const sum of users) await later(q, addToUser(q, sum));
  }
  if (derived.moves.length > 0)
    await later(q, noteMoves(q, { tenantId, userId, moves: rowsValue(moveRows(derived)) }));
}

/** The sums to add for these rows, in the order in which every transaction locks them. */
function sumsOfRows(key: StateKey, rows: readonly DerivedRow[]) {
  const hours = new Map<string, HourSum>();
  const users = new Map<number, UserSum>();
  for (const [ctaId, version, type, , at, , hour, arm] of rows) {
    if (type === 'reached') continue;
    // A user is in one arm of a CTA, but in none before its experiment began.
    const variant = arm ?? '';
    const place = `${ctaId} ${type} ${hour} ${variant}`;
    const count = (hours.get(place)?.count ?? 0) + 1;
    const slot = slotOf(key.userId);
    hours.set(place, { tenantId: key.tenantId, ctaId, hour, type, version, variant, slot, count });
    const known = users.get(ctaId);
    const acted = type === 'action' ? at : Infinity;
    users.set(ctaId, {
      ...key,
      ctaId,
      firstAt: Math.min(at, known?.firstAt ?? Infinity),
      lastAt: Math.max(at, known?.lastAt ?? -Infinity),
      firstActedAt: finite(Math.min(acted, known?.firstActedAt ?? Infinity)),
      actions: (known?.actions ?? 0) + (type === 'action' ? 1 : 0),
      completions: (known?.completions ?? 0) + (type === 'action' ? 0 : 1),
    });
  }
  const inOrder = (left: HourSum, right: HourSum) =>
    left.ctaId - right.ctaId || left.hour - right.hour || (left.type < right.type ? -1 : 1);
  return {
    hours: [...hours.values()].sort(inOrder),
    users: [...users.values()].sort((left, right) => left.ctaId - right.ctaId),
  };
}

const finite = (at: number): number | null => (at === Infinity ? null : at);

/** The values of {@link derivedParts}; `updatedAt` is that of the state. */
export type DerivedValues = {
  readonly tenantId: string;
  readonly userId: string;
  readonly updatedAt: number;
  readonly rows: string;
  readonly moves: string;
  readonly slot: number;
};

export const derivedValues = ({ tenantId, userId }: StateKey, updatedAt: number, derived: Derived) => ({
  tenantId,
  userId,
  updatedAt,
  rows: rowsValue(derivedRows(derived)),
  moves: rowsValue(moveRows(derived)),
  slot: slotOf(userId),
});

/**
 * Stores what was derived as parts of the statement that writes the state, named `written`, and only if that wrote it. For PostgreSQL:
 * SQLite writes with one table at a time. One statement is a transaction of its own, which costs this process half of a pipeline
 * (measured).
 */
export function derivedParts(q: Query, written: SQL): readonly WithSubquery[] {
  const part = (name: string, statement: SQLWrapper) => q.$with(name, {}).as(statement.getSQL());
  const isWritten = sql`exists (select 1 from ${written})`;
  const added = q
    .insert(appended)
    .select(
      sql`select ${givenText('tenantId')}, ${givenText('userId')}, ${listedInt(0)}, ${listedInt(1)}, ${listedText(7)},
        ${listedText(2)}, 'derived', ${listedText(3)}, ${listedInt(4)}, ${givenInt('updatedAt')}, ${listedText(5)},
        cast(null as text) from ${listedRows('rows')} where ${isWritten}`,
    )
    .onConflictDoNothing()
    .returning();
  const hour = sql`at - ((at % ${hourMs}) + ${hourMs}) % ${hourMs}`;
  const hours = q
    .insert(ctaHourCounts)
    .select(
      sql`select tenant_id, cta_id, ${hour}, type, 'derived', version, coalesce(variant, ''), ${givenInt('slot')},
        count(*) from added where type <> 'reached' group by 1, 2, 3, 4, 6, 7 order by 2, 3, 4`,
    )
    .onConflictDoUpdate(addedToHour);
  const isAction = sql`type = 'action'`;
  const users = q
    .insert(ctaUserCounts)
    .select(
      sql`select tenant_id, cta_id, user_id, cast(null as text), min(at), max(at), cast(null as bigint),
        min(case when ${isAction} then at end), cast(null as bigint), max(at), 0, 0, 0,
        sum(case when ${isAction} then 1 else 0 end), sum(case when ${isAction} then 0 else 1 end), cast(null as text),
        cast(null as text)
        from added where type <> 'reached' group by 1, 2, 3 order by 2`,
    )
    .onConflictDoUpdate(addedToUser);
  return [
    part('added', added),
    part('hours', hours),
    part('users', users),
    part('moved', insertMoves(q, isWritten)),
  ];
}

const hourMs = sql.raw(String(countedHourMs));
