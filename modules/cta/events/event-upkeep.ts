import type { Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { ctaSettings } from '../base/settings.ts';
import { bytesOfEvent } from '../counts/event-row.ts';
import { addEventUsage, noEvents, usageSum, type EventUsage } from '../counts/event-usage-store.ts';
import { eventUsage } from '../counts/event-usage.ts';
import { deleteOldEvents } from './event-log-store.ts';

/** How often {@link keepEventsBounded} runs. */
export const eventUpkeepEveryMs = 10_000;

/** Chunks per run: a server that stops waits for the run to end. */
const maxChunksOfRun = 100;

/**
 * Deletes events that came before `--cta-event-keep`, a chunk at a time, and adds up what was counted. The sums by hour and by user stay.
 * @returns how many were deleted.
 */
export async function keepEventsBounded(host: Host): Promise<number> {
  const { db, clock, config } = host;
  const usage = eventUsage(host);
  const keep = config.read(ctaSettings)['cta-event-keep'] * 1000;
  let deleted = 0;
  for (let chunk = 0; chunk < maxChunksOfRun; chunk++) {
    if (keep === 0) break;
    const gone = await db.tx((q) => deleteCounted(q, clock.now() - keep));
    deleted += gone;
    if (gone === 0) break;
    if (turnIsOver()) await nextTurn();
  }
  await usage.flush();
  return deleted;
}

/**
 * Deletes one chunk and gives its room back in the same transaction: nobody ever computes the sum anew, so a server that is killed between
 * the two would leave the quota taken for ever. The tenants in one order, so that two servers do not wait for each other.
 */
async function deleteCounted(q: Query, before: number): Promise<number> {
  const gone = await deleteOldEvents(q, before);
  const byTenant = new Map<string, EventUsage>();
  for (const event of gone) {
    const change = { events: -1, bytes: -bytesOfEvent(event) };
    byTenant.set(event.tenantId, usageSum(byTenant.get(event.tenantId) ?? noEvents, change));
  }
  const tenants = [...byTenant].toSorted(([left], [right]) => (left < right ? -1 : 1));
  for (const [tenantId, change] of tenants) await addEventUsage(q, tenantId, change);
  return gone.length;
}
