import type { Host } from '../../../core/host/host.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { ctaSettings } from '../base/settings.ts';
import { bytesOfEvent } from '../counts/event-row.ts';
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
    const gone = await db.tx((q) => deleteOldEvents(q, clock.now() - keep));
    for (const event of gone) usage.count(event.tenantId, { events: -1, bytes: -bytesOfEvent(event) });
    deleted += gone.length;
    if (gone.length === 0) break;
    if (turnIsOver()) await nextTurn();
  }
  await usage.flush();
  return deleted;
}
