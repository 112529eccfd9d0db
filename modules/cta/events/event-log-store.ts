import { and, asc, desc, eq, gt, gte, inArray, lte, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { isErased } from '../counts/user-count-store.ts';
import { ctaEvents } from '../base/schema.ts';

/** Ids of one statement. There is no index by tenant and id, so a range and not a number of rows bounds its work. */
const idsAtOnce = 5_000;
/** Events of one statement: they are written as text in one step. */
const eventsAtOnce = 500;

/** The newest id of all tenants; 0 without any. */
export async function newestId(q: Query): Promise<number> {
  const [row] = await q.select({ id: ctaEvents.id }).from(ctaEvents).orderBy(desc(ctaEvents.id)).limit(1);
  return row?.id ?? 0;
}

export type LoggedEvent = Omit<typeof ctaEvents.$inferSelect, 'userId'> & { readonly userId: string | null };

interface EventRange {
  readonly tenantId: string;
  /** The earliest time of an event, epoch milliseconds; undefined: any. */
  readonly from: number | undefined;
  /** The id before the first one. */
  readonly after: number;
  /** The last id. */
  readonly upTo: number;
}

/** The events of a tenant after an id, up to another, in the order in which they were stored. */
export async function* eventsAfter(
  q: Query,
  { tenantId, from, after, upTo }: EventRange,
): AsyncGenerator<readonly LoggedEvent[]> {
  for (let at = after; at < upTo;) {
    const end = Math.min(upTo, at + idsAtOnce);
    const rows = await eventsBetween(q, { tenantId, from, after: at, upTo: end });
    const last = rows.at(-1);
    at = last && rows.length === eventsAtOnce ? last.id : end;
    yield rows.map((row) => ({ ...row, userId: isErased(row.userId) ? null : row.userId }));
  }
}

/**
 * The first events of a tenant after an id, up to another. No index has the expression that stands for the tenant, so SQLite searches by
 * the ids. By its statistics a tenant has a thousand events, so it would use the index of the tenant: it then read all 3,000,000 events for
 * each 500 (200 ms, measured).
 */
export const eventsBetween = (q: Query, { tenantId, from, after, upTo }: EventRange) =>
  q
    .select()
    .from(ctaEvents)
    .where(
      and(
        sql`${ctaEvents.tenantId} || '' = ${tenantId}`,
        gt(ctaEvents.id, after),
        lte(ctaEvents.id, upTo),
        from === undefined ? undefined : gte(ctaEvents.at, from),
      ),
    )
    .orderBy(asc(ctaEvents.id))
    .limit(eventsAtOnce);

/** Longer than a transaction of ours can take. */
const settledMs = 60_000;
const idsBack = 10_000;

/**
 * Where to go on after a cursor on PostgreSQL: ids are given before the commit, so an event with a smaller id may have appeared since.
 * What came within a minute before the cursor is returned again.
 */
export async function settledBefore(q: Query, tenantId: string, cursor: number): Promise<number> {
  const inReach = and(
    eq(ctaEvents.tenantId, tenantId),
    gt(ctaEvents.id, cursor - idsBack),
    lte(ctaEvents.id, cursor),
  );
  const [last] = await q
    .select({ receivedAt: ctaEvents.receivedAt })
    .from(ctaEvents)
    .where(inReach)
    .orderBy(desc(ctaEvents.id))
    .limit(1);
  if (!last) return cursor;
  const [first] = await q
    .select({ id: sql<number>`min(${ctaEvents.id})`.mapWith(Number) })
    .from(ctaEvents)
    .where(and(inReach, gte(ctaEvents.receivedAt, last.receivedAt - settledMs)));
  return first ? first.id - 1 : cursor;
}

/** How many are deleted at once. */
const deletedAtOnce = 500;

/** Deletes one chunk of the oldest events, if they came before a time. @returns what was deleted. */
export async function deleteOldEvents(q: Query, before: number) {
  const oldest = await q
    .select({ id: ctaEvents.id, receivedAt: ctaEvents.receivedAt })
    .from(ctaEvents)
    .orderBy(asc(ctaEvents.id))
    .limit(deletedAtOnce);
  const old = oldest.filter(({ receivedAt }) => receivedAt < before).map(({ id }) => id);
  if (old.length === 0) return [];
  return q
    .delete(ctaEvents)
    .where(inArray(ctaEvents.id, old))
    .returning({ tenantId: ctaEvents.tenantId, name: ctaEvents.name, details: ctaEvents.details });
}
