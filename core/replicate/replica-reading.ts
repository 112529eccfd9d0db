import { begunIds } from './generation-claim.ts';
import { UsageError } from '../base/errors.ts';
import {
  headsIn,
  parseHead,
  readGenerations,
  type Generation,
  type Head,
  type Listed,
} from './replica-listing.ts';
import type { ReplicaTarget } from './replica-target.ts';

/** A replica as its target lists it now. */
export interface Replica {
  readonly target: ReplicaTarget;
  readonly listed: readonly Listed[];
  readonly generations: readonly Generation[];
}

/** @throws UsageError when the target cannot be read or has no replica. */
export async function readReplica(target: ReplicaTarget): Promise<Replica> {
  try {
    const listed = await target.list('generations/');
    const heads = new Map<string, Head>();
    for (const [generation, key] of headsIn(listed)) {
      const bytes = await target.get(key);
      const head = bytes && parseHead(new TextDecoder().decode(bytes));
      if (head) heads.set(generation, head);
    }
    const begun = await begunIds(target);
    return { target, listed, generations: readGenerations(listed, heads, begun) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `${target.name} cannot be read (${error instanceof Error ? error.message : 'unknown'}). Check the address, its keys and the network.`,
    );
  }
}
