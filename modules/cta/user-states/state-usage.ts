import { perHost, type Host } from '../../../core/host/host.ts';
import { ctaSettings } from '../base/settings.ts';
import { addUsage, noUsage, readUsage, type Usage } from './state-usage-store.ts';

/** What a write does to a row: `before` is null for a new row. */
interface RowChange {
  readonly before: string | null;
  readonly after: string;
}

/** The usage of each tenant: the value last read from the database, plus this process's writes since. */
interface StateUsage {
  /** Whether the quota of the tenant allows this write. */
  admits(tenantId: string, change: RowChange): Promise<boolean>;
  /** Counts what was written or removed. */
  count(tenantId: string, change: Usage): void;
  /** Adds the counts of this process to the database, and reads those of other processes. */
  flush(): Promise<void>;
}

const mebibyte = 1024 * 1024;
const sum = (left: Usage, right: Usage): Usage => ({
  states: left.states + right.states,
  bytes: left.bytes + right.bytes,
});

/** The usage added by a write. */
export const addedBy = ({ before, after }: RowChange): Usage => ({
  states: before === null ? 1 : 0,
  bytes: Buffer.byteLength(after) - (before === null ? 0 : Buffer.byteLength(before)),
});

/**
 * A counter in each write would make all writers of a tenant wait for one row, and fail on PostgreSQL. So each process counts for itself
 * and flushes its count from time to time; a crash loses a few seconds of counts, which the next full count (state-upkeep.ts) corrects.
 */
export const stateUsage = perHost(({ db, config }: Host): StateUsage => {
  let quota = 0;
  config.follow(ctaSettings, 'cta-state-quota')((given) => (quota = given * mebibyte));
  /** By tenant. Only existing tenants have states, so clients cannot fill this map. */
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
      // Users with a stored state may use twice the quota: a client that fills the quota must not disable their frequency limits.
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
