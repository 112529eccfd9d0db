import { perHost, type Host } from '../../../core/host/host.ts';
import { ctaMetrics } from '../base/metrics.ts';
import type { Drops } from '../state/drop.ts';
import type { StateKey } from '../state/user-state.ts';

/** Counts and logs what this process drops. */
interface DropCounter {
  count(key: StateKey, drops: Drops): void;
}

/** At most one line a second: a client whose data is dropped must not fill the log as well. */
const quietMs = 1000;

export const dropCounter = perHost(({ clock, log, metrics }: Host): DropCounter => {
  let quietUntil = -Infinity;
  let unsaid = 0;
  return {
    count({ tenantId, userId }, drops) {
      for (const [reason, count] of Object.entries(drops))
        metrics.count(ctaMetrics.stateDrops, [reason], count);
      if (clock.now() < quietUntil) {
        unsaid++;
        return;
      }
      quietUntil = clock.now() + quietMs;
      log.warn('cta_state_dropped', { tenantId, userId, ...drops, ...(unsaid > 0 && { unsaid }) });
      unsaid = 0;
    },
  };
});
