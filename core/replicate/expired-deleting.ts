import { readReplica } from './replica-reading.ts';
import { readClaims } from './generation-claim.ts';
import { begunKey, claimKey } from './replica-names.ts';
import type { ReplicaTarget } from './replica-target.ts';
import { expiredObjects } from './retention-plan.ts';

/** Deletes what no restore since `keepFrom` needs. @returns how many objects. */
export async function deleteExpiredObjects(
  target: ReplicaTarget,
  { own, keepFrom }: { readonly own: string; readonly keepFrom: number },
): Promise<number> {
  const { listed, generations } = await readReplica(target);
  const expired = expiredObjects(listed, generations, { own, keepFrom });
  await target.remove(expired);
  const gone = new Set(expired);
  const ended = generations.filter(
    ({ id }) => id < own && listed.every(({ key }) => !key.includes(`/${id}/`) || gone.has(key)),
  );
  await target.remove(ended.map(({ id }) => begunKey(id)));
  const claims = (await readClaims(target)).claims.filter(({ at }) => at < keepFrom);
  await target.remove(claims.map(({ holder }) => claimKey(holder)));
  return expired.length;
}
