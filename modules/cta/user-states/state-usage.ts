import { eq, sql } from 'drizzle-orm';
import { perHost, type Host } from '../../../core/host.ts';
import { stateUsage as usageRows } from '../schema.ts';
import { ctaSettings } from '../settings.ts';

/** How much is stored of the users of a tenant. */
interface Usage {
  readonly states: number;
  /** Of the JSON texts, in UTF-8. */
  readonly bytes: number;
}

/** What a write does to a row: null for a row that is not there before. */
interface RowChange {
  readonly before: string | null;
  readonly after: string;
}

/** What the tenants store, as this process knows it: as of the last look at the database, and its own writes since. */
interface StateUsage {
  /** Whether the quota of the tenant lets this be stored. */
  admits(tenantId: string, change: RowChange): Promise<boolean>;
  /** Counts what was written or removed. */
  count(tenantId: string, change: Usage): void;
  /** Adds what this process has counted to what the database says, and looks what others have added. */
  flush(): Promise<void>;
}

const mebibyte = 1024 * 1024;
const none: Usage = { states: 0, bytes: 0 };
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
 * for itself and adds it up now and then; a crash forgets some seconds of it, which the next full count (state-upkeep.ts) finds.
 */
export const stateUsage = perHost(({ db, config }: Host): StateUsage => {
  const quota = config.read(ctaSettings)['cta-state-quota'] * mebibyte;
  /** By tenant. Only tenants that exist have states, so clients cannot fill it. */
  const held = new Map<string, { stored: Usage; unsaid: Usage }>();

  const read = async (tenantId: string): Promise<Usage> => {
    const [row] = await db.q
      .select({ states: usageRows.states, bytes: usageRows.bytes })
      .from(usageRows)
      .where(eq(usageRows.tenantId, tenantId));
    return row ?? none;
  };
  const heldOf = (tenantId: string) => {
    const known = held.get(tenantId) ?? { stored: none, unsaid: none };
    held.set(tenantId, known);
    return known;
  };
  const looked = new Set<string>();

  return {
    admits: async (tenantId, change) => {
      if (quota === 0) return true;
      if (!looked.has(tenantId)) {
        heldOf(tenantId).stored = await read(tenantId);
        looked.add(tenantId);
      }
      const { stored, unsaid } = heldOf(tenantId);
      const bytes = stored.bytes + unsaid.bytes;
      if (bytes < quota) return true;
      // Users who are stored have as much again to go on: somebody who fills the quota must not end their limits on frequency.
      return change.before !== null && (bytes < 2 * quota || addedBy(change).bytes <= 0);
    },
    count: (tenantId, change) => {
      const known = heldOf(tenantId);
      known.unsaid = sum(known.unsaid, change);
    },
    flush: async () => {
      for (const [tenantId, known] of held) {
        const { unsaid } = known;
        if (unsaid.states !== 0 || unsaid.bytes !== 0) {
          await db.tx(async (q) => {
            await q
              .insert(usageRows)
              .values({ tenantId, ...unsaid, countedAt: null })
              .onConflictDoUpdate({
                target: usageRows.tenantId,
                set: {
                  states: sql`${usageRows.states} + ${unsaid.states}`,
                  bytes: sql`${usageRows.bytes} + ${unsaid.bytes}`,
                },
              });
          });
          known.unsaid = sum(known.unsaid, { states: -unsaid.states, bytes: -unsaid.bytes });
        }
        known.stored = await read(tenantId);
        looked.add(tenantId);
      }
    },
  };
});
