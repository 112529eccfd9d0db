import { perHost, type Host } from '../../../core/host/host.ts';
import { ctaSettings } from '../base/settings.ts';
import { addUsage, noUsage, readUsage, type Usage } from './state-usage-store.ts';

/** What a write does to a row: `before` is null for a new row. */
interface RowChange {
  readonly before: string | null;
  readonly after: string;
}

/** The usage of each tenant: as last read from the database, and this process's writes since. */
interface StateUsage {
  /** Whether the quota of the tenant lets this be stored. */
  admits(tenantId: string, change: RowChange): Promise<boolean>;
  /** Counts what was written or removed. */
  count(tenantId: string, change: Usage): void;
  /** Adds what this process has counted to the database, and reads what other processes have added. */
  flush(): Promise<void>;
}

const mebibyte = 1024 * 1024;
const sum = (left: Usage, right: Usage): Usage => ({
  states: left.states + right.states,
  bytes: left.bytes + right.bytes,
});

/** What a write adds. */
export const addedBy = ({ before, after }: RowChange): Usage => ({
  states: before === null ? 1 : 0,
  bytes: Buffer.byteLength(after) - (before === null ? 0 : Buffer.byteLength(before)),
});

/**
 * A counter in each write would make all writers of a tenant wait for one row, and on PostgreSQL fail. So each process counts
 * for itself and adds it up now and then; a crash loses some seconds of it, which the next full count (state-upkeep.ts) finds.
 */
export const stateUsage = perHost(({ db, config }: Host): StateUsage => {
  const quota = config.read(ctaSettings)['cta-state-quota'] * mebibyte;
  /** By tenant. Only tenants that exist have states, so clients cannot fill it. */
  const held = new Map<string, { stored: Usage; unflushed: Usage }>();
  const read = new Set<string>();

  const heldOf = (tenantId: string) => {
    const known = held.get(tenantId) ?? { stored: noUsage, unflushed: noUsage };
    held.set(tenantId, known);
    return known;
  };

  return {
    admits: async (tenantId, change) => {
      if (quota === 0) return true;
      if (!read.has(tenantId)) {
        heldOf(tenantId).stored = await readUsage(db.q, tenantId);
        read.add(tenantId);
      }
      const { stored, unflushed } = heldOf(tenantId);
      const bytes = stored.bytes + unflushed.bytes;
      if (bytes < quota) return true;
      // Stored users may use as much again: a client that fills the quota must not end their limits on frequency.
      return change.before !== null && (bytes < 2 * quota || addedBy(change).bytes <= 0);
    },
    count: (tenantId, change) => {
      const known = heldOf(tenantId);
      known.unflushed = sum(known.unflushed, change);
    },
    flush: async () => {
      for (const [tenantId, known] of held) {
        const { unflushed } = known;
        if (unflushed.states !== 0 || unflushed.bytes !== 0) {
          await db.write((q) => addUsage(q, tenantId, unflushed));
          known.unflushed = sum(known.unflushed, { states: -unflushed.states, bytes: -unflushed.bytes });
        }
        known.stored = await readUsage(db.q, tenantId);
        read.add(tenantId);
      }
    },
  };
});
