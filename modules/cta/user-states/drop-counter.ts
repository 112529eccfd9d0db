import { perHost, type Host } from '../../../core/host/host.ts';
import { noDrops, sumOfDrops, type Drops } from '../state/drop.ts';
import type { StateKey } from '../state/user-state.ts';

/** What this process has dropped since it started. */
interface DropCounter {
  readonly total: Drops;
  count(key: StateKey, drops: Drops): void;
}

/** At most one line a second: a client whose data is dropped must not fill the log as well. */
const quietMs = 1000;

export const dropCounter = perHost(({ clock, log }: Host): DropCounter => {
  let total = noDrops;
  let quietUntil = -Infinity;
  let unsaid = 0;
  return {
    get total() {
      return total;
    },
    count({ tenantId, userId }, drops) {
      total = sumOfDrops(total, drops);
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
