import { and, asc, eq, lte, or } from 'drizzle-orm';
import type { Query } from '../../../core/db/db.ts';
import type { Host } from '../../../core/host.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { writeStatus } from './cta-store.ts';
import { type CtaRow, ctas } from '../schema.ts';
import { raiseVersion } from '../tenants/tenant-store.ts';

/** How often a server looks for CTAs that begin or end. With the time a run takes, a move is written within a second. */
export const scheduleEveryMs = 400;

/** CTAs of one transaction: others write in between. */
const most = 50;

/** Those whose stored status the clock has overtaken: two ranges of an index each, however many CTAs there are. */
const due = (q: Query, now: number): Promise<CtaRow[]> =>
  Promise.resolve(
    q
      .select()
      .from(ctas)
      .where(
        or(
          and(eq(ctas.status, 'SCHEDULED'), lte(ctas.startTime, now)),
          and(eq(ctas.status, 'LIVE'), lte(ctas.endTime, now)),
        ),
      )
      .orderBy(asc(ctas.id))
      .limit(most),
  );

/**
 * Writes down what the clock has done: SCHEDULED becomes LIVE at its start and LIVE becomes CONCLUDED at its end, each move
 * with the time it was due, also after an outage. Any number of processes may do so at once: each move is made by one, in a
 * transaction that finds the CTA as it was read or leaves it alone.
 * @returns how many CTAs this call moved.
 */
export async function writeClockStatusChanges(host: Host): Promise<number> {
  const { db, clock } = host;
  let total = 0;
  // Looked for without a transaction first: there is seldom anything, and a write transaction makes others wait.
  while ((await due(db.q, clock.now())).length > 0) {
    const moved = await db.tx(async (q) => {
      const now = clock.now();
      const written: CtaRow[] = [];
      for (const cta of await due(q, now)) {
        const after = await writeStatus(q, cta, null, { by: null, now });
        if (after) written.push(after);
      }
      for (const tenantId of new Set(written.map((cta) => cta.tenantId))) await raiseVersion(q, tenantId);
      return written;
    });
    for (const { tenantId } of moved) catalogues(host).forget(tenantId);
    if (moved.length === 0) break;
    total += moved.length;
  }
  return total;
}
