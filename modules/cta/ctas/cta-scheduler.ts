import type { Host } from '../../../core/host/host.ts';
import type { CtaRow } from '../base/schema.ts';
import { changeTenantsByClock } from '../tenants/tenant-change.ts';
import { overdueCtas, writeCtaStatus } from './cta-status-store.ts';

/** How often a server looks for CTAs that start or end. With the time of a run, a change is written within a second. */
export const scheduleEveryMs = 400;

/** CTAs of one transaction: others write in between. */
const maxPerTransaction = 50;

/**
 * Writes the status changes that the clock has made: SCHEDULED becomes LIVE at its start, LIVE becomes CONCLUDED at its end, each
 * with the time it was due, also after an outage. Any number of processes may do so at once: each change is made by one of
 * them, in a transaction that finds the CTA as it was read or leaves it alone.
 * @returns how many CTAs this call changed.
 */
export async function writeClockStatusChanges(host: Host): Promise<number> {
  const { db, clock } = host;
  let total = 0;
  // Read without a transaction first: there is seldom anything, and a write transaction makes others wait.
  while ((await overdueCtas(db.q, clock.now(), maxPerTransaction)).length > 0) {
    const written = await changeTenantsByClock(host, async (q) => {
      const now = clock.now();
      const ctas: CtaRow[] = [];
      for (const cta of await overdueCtas(q, now, maxPerTransaction)) {
        const after = await writeCtaStatus(q, cta, null, { by: null, now });
        if (after) ctas.push(after);
      }
      return { changed: ctas.map(({ tenantId }) => tenantId), result: ctas.length };
    });
    if (written === 0) break;
    total += written;
  }
  return total;
}
