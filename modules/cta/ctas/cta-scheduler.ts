import type { Host } from '../../../core/host/host.ts';
import type { CtaRow } from '../base/schema.ts';
import { changeTenantsByClock } from '../tenants/tenant-change.ts';
import { overdueCtas, writeCtaStatus } from './cta-status-store.ts';

/** How often a server looks for CTAs that start or end. Including the duration of a run, a change is written within a second. */
export const scheduleEveryMs = 400;

/** CTAs changed by one transaction, so that others can write in between. */
const maxPerTransaction = 50;

/**
 * Writes the status changes that the clock has made: SCHEDULED becomes LIVE at its start, LIVE becomes CONCLUDED at its end, each with its
 * due time, even after an outage. Any number of processes may run this at once: each change is made by one of them, in a transaction that
 * changes the CTA only if it is unchanged since it was read.
 * @returns how many CTAs this call changed.
 */
export async function writeClockStatusChanges(host: Host): Promise<number> {
  const { db, clock } = host;
  let total = 0;
  // Read without a transaction first: there is rarely anything to change, and a write transaction makes others wait.
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
