import type { Host } from '../../../core/host/host.ts';
import { nextTurn } from '../../../core/base/turns.ts';
import { deleteUnusedGuests, guestsAtOnce } from './guest-expiry-store.ts';

/** Deletes the guests that were not used for `--guest-keep`: their session ends then, and is the only way in. @returns how many. */
export async function removeUnusedGuests(host: Host): Promise<number> {
  const now = host.clock.now();
  for (let all = 0; ;) {
    const deleted = await host.db.tx((q) => deleteUnusedGuests(q, now));
    all += deleted;
    if (deleted < guestsAtOnce) return all;
    await nextTurn();
  }
}
