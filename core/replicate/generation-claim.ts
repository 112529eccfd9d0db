import type { Tip } from './replica-chain.ts';
import { parseHead } from './replica-listing.ts';
import { begunFolder, headKey } from './replica-names.ts';
import type { ReplicaTarget } from './replica-target.ts';

/** Another data directory has begun a newer generation. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/** A server that has not written the head of its chain for this time counts as ended. */
const aliveMs = 60_000;

/**
 * Requires that a directory may go on with its generation, or begin one after it.
 * @param own its newest generation, or the one that it was restored from; undefined if it has none.
 * @param restoredNow the time (epoch ms), for a directory that was restored from a replica.
 * @throws Fenced if another directory has begun a newer one; Error while the server goes on from which this directory was restored.
 */
export async function requireNewest(
  target: ReplicaTarget,
  own: string | undefined,
  restoredNow: number | undefined,
): Promise<void> {
  const newest = (await target.list(begunFolder)).at(-1)?.key.slice(begunFolder.length);
  if (newest === undefined || (own !== undefined && newest < own)) return;
  if (newest !== own)
    throw new Fenced(
      `${target.name} has the generation ${newest}, which another data directory has begun. If this directory is to replace it, restore ` +
        'from there; otherwise name another address with --replicate.',
    );
  if (restoredNow === undefined) return;
  const bytes = await target.get(headKey(newest));
  const head = bytes && parseHead(new TextDecoder().decode(bytes));
  if (!head || restoredNow - head.at > aliveMs) return;
  throw new Error(
    `the server whose replica was restored here still writes to ${target.name}: stop it, or name another address with --replicate`,
  );
}

/** Whether a target knows this end of a chain and nothing that goes on from a later one. */
export async function isTipOf(target: ReplicaTarget, generation: string, tip: Tip): Promise<boolean> {
  const listed = await target.list(`generations/${generation}/log/`);
  const sequences = listed.map(({ key }) => Number(key.split('/').at(-1)?.slice(0, 10)));
  const isThere = tip.sequence === 0 || listed.some(({ key }) => key.endsWith(tip.digest));
  // One more may have been stored just before a kill; its twin will follow the same object.
  return isThere && Math.max(0, ...sequences) <= tip.sequence + 1;
}
