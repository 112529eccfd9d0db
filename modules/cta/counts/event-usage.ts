import { perHost, type Host } from '../../../core/host/host.ts';
import { ctaMetrics } from '../base/metrics.ts';
import { ctaSettings } from '../base/settings.ts';
import { nothingDerived, type Derived } from './derived-events.ts';
import { addEventUsage, noEvents, readEventUsage, usageSum, type EventUsage } from './event-usage-store.ts';
import { bytesOfEvent } from './event-row.ts';

/** How many events a tenant stores: as last read from the database, plus what this process has added since. */
interface Usage {
  /** Whether the quota of the tenant has room. */
  hasRoom(tenantId: string): Promise<boolean>;
  /** What may be stored of a merge: all of it, or nothing above the quota. */
  admitted(tenantId: string, derived: Derived): Promise<Derived>;
  /** Counts what a merge has shown, and what was stored of it. */
  countDerived(tenantId: string, shown: Derived, stored: Derived): void;
  count(tenantId: string, change: Partial<EventUsage>): void;
  /** Adds the counts of this process to the database, and reads those of other processes. */
  flush(): Promise<void>;
}

const mebibyte = 1024 * 1024;

/** As the size of states (user-states/state-usage.ts): a counter in each write would make all writers of a tenant wait for one row. */
export const eventUsage = perHost(({ db, config, metrics }: Host): Usage => {
  let quota = 0;
  config.follow(ctaSettings, 'cta-event-quota')((given) => (quota = given * mebibyte));
  const held = new Map<string, { stored: EventUsage; unflushed: EventUsage }>();
  const read = new Set<string>();
  const heldOf = (tenantId: string) => {
    const known = held.get(tenantId) ?? { stored: noEvents, unflushed: noEvents };
    held.set(tenantId, known);
    return known;
  };
  const usage: Usage = {
    hasRoom: async (tenantId) => {
      if (quota === 0) return true;
      if (!read.has(tenantId)) {
        heldOf(tenantId).stored = await readEventUsage(db.q, tenantId);
        read.add(tenantId);
      }
      const { stored, unflushed } = heldOf(tenantId);
      return stored.bytes + unflushed.bytes < quota;
    },
    admitted: async (tenantId, derived) => {
      if (derived.events.length === 0 || (await usage.hasRoom(tenantId))) return derived;
      return nothingDerived;
    },
    countDerived: (tenantId, shown, stored) => {
      const dropped = shown.events.length - stored.events.length;
      const bytes = stored.events.reduce(
        (total, { state }) => total + bytesOfEvent({ name: state, details: null }),
        0,
      );
      if (dropped > 0) metrics.count(ctaMetrics.events, ['dropped'], dropped);
      usage.count(tenantId, { events: stored.events.length, bytes, dropped });
    },
    count: (tenantId, change) => {
      const known = heldOf(tenantId);
      known.unflushed = usageSum(known.unflushed, change);
    },
    flush: async () => {
      for (const [tenantId, known] of held) {
        const { unflushed } = known;
        if (unflushed.events !== 0 || unflushed.bytes !== 0 || unflushed.dropped !== 0) {
          await db.write((q) => addEventUsage(q, tenantId, unflushed));
          known.unflushed = usageSum(known.unflushed, {
            events: -unflushed.events,
            bytes: -unflushed.bytes,
            dropped: -unflushed.dropped,
          });
        }
        known.stored = await readEventUsage(db.q, tenantId);
        read.add(tenantId);
      }
    },
  };
  return usage;
});
