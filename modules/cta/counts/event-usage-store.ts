import { eq, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { tenantEventUsage } from '../base/schema.ts';

export interface EventUsage {
  readonly events: number;
  /** Approximately, on the disk. */
  readonly bytes: number;
  /** Above the quota. */
  readonly dropped: number;
}

export const noEvents: EventUsage = { events: 0, bytes: 0, dropped: 0 };

export const usageSum = (left: EventUsage, right: Partial<EventUsage>): EventUsage => ({
  events: left.events + (right.events ?? 0),
  bytes: left.bytes + (right.bytes ?? 0),
  dropped: left.dropped + (right.dropped ?? 0),
});

export async function readEventUsage(q: Query, tenantId: string): Promise<EventUsage> {
  const { events, bytes, dropped } = tenantEventUsage;
  const [row] = await q
    .select({ events, bytes, dropped })
    .from(tenantEventUsage)
    .where(eq(tenantEventUsage.tenantId, tenantId));
  return row ?? noEvents;
}

/** Adds to the stored usage, which other processes may have changed meanwhile. */
export async function addEventUsage(q: Query, tenantId: string, change: EventUsage): Promise<void> {
  const { events, bytes, dropped } = tenantEventUsage;
  await q
    .insert(tenantEventUsage)
    .values({ tenantId, ...change })
    .onConflictDoUpdate({
      target: tenantEventUsage.tenantId,
      set: {
        events: sql`${events} + ${change.events}`,
        bytes: sql`${bytes} + ${change.bytes}`,
        dropped: sql`${dropped} + ${change.dropped}`,
      },
    });
}
