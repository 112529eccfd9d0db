import { readLogName, readSnapshotName, generationOf } from './replica-names.ts';
import type { Generation, Listed } from './replica-listing.ts';

/**
 * What may be deleted so that every moment since `keepFrom` can still be restored. Deletes what completes a snapshot before its parts and
 * before the objects after it, so an interruption leaves nothing that looks complete.
 * @param own the generation that goes on.
 * @param keepFrom epoch milliseconds.
 */
export function expiredObjects(
  listed: readonly Listed[],
  generations: readonly Generation[],
  { own, keepFrom }: { readonly own: string; readonly keepFrom: number },
): readonly string[] {
  const ownIsWhole = generations.some(({ id, stretches }) => id === own && stretches.length > 0);
  const expired = new Set<string>();
  for (const { id, stretches } of generations) {
    const keys = listed.map(({ key }) => key).filter((key) => generationOf(key) === id);
    const last = Math.max(0, ...stretches.map((stretch) => stretch.last));
    // An earlier generation goes once nothing of it is asked for. One without a snapshot never was of use.
    if (id < own && ownIsWhole && last < keepFrom) {
      for (const key of keys) expired.add(key);
      continue;
    }
    const base = stretches.findLast(({ first }) => first <= keepFrom)?.snapshot;
    if (!base) continue;
    for (const key of keys) {
      const log = readLogName(key);
      const snapshot = readSnapshotName(key);
      if (log && log.sequence <= base.sequence) expired.add(key);
      if (
        snapshot &&
        (snapshot.sequence < base.sequence || (snapshot.sequence === base.sequence && snapshot.at < base.at))
      )
        expired.add(key);
    }
  }
  const rank = (key: string) => (key.includes('/whole-') ? 0 : key.includes('/snapshots/') ? 1 : 2);
  return [...expired].toSorted((a, b) => rank(a) - rank(b));
}
