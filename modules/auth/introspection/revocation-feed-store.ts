import { and, asc, between, desc, eq, gt, isNull, sql } from 'drizzle-orm';
import { forUpdate } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { restores, revocationPositions, revocations } from '../base/schema.ts';

type RevocationRow = Pick<typeof revocations.$inferSelect, 'sessionId' | 'userId' | 'at' | 'reason'> & {
  readonly position: number;
};

/** The revocations of one statement. */
const revocationsAtOnce = 1_000;

/** Whether there are revocations without a place in the feed. */
export async function hasNewRevocations(q: Query): Promise<boolean> {
  const some = await q
    .select({ id: revocations.id })
    .from(revocations)
    .where(isNull(revocations.position))
    .limit(1);
  return some.length > 0;
}

/**
 * Gives revocations their places. Transactions commit in another order than they took their ids, so a reader who remembers an id would
 * miss rows that become visible later: a place is given to a row when it is visible, to one reader after the other.
 */
export async function placeRevocations(q: Query): Promise<void> {
  await q.insert(revocationPositions).values({ id: 1, position: 0 }).onConflictDoNothing();
  const [last] = await forUpdate(q.select().from(revocationPositions).where(eq(revocationPositions.id, 1)));
  const fresh = await q
    .select({ id: revocations.id })
    .from(revocations)
    .where(isNull(revocations.position))
    .orderBy(asc(revocations.id))
    .limit(revocationsAtOnce);
  const [from, to] = [fresh[0]?.id, fresh.at(-1)?.id];
  if (!last || from === undefined || to === undefined) return;
  const shift = last.position + 1 - from;
  await q
    .update(revocations)
    .set({ position: sql`${revocations.id} + ${shift}` })
    .where(and(isNull(revocations.position), between(revocations.id, from, to)));
  await q
    .update(revocationPositions)
    .set({ position: to + shift })
    .where(eq(revocationPositions.id, 1));
}

/** The revocations after a place, in the order of the feed. */
export async function revocationsAfter(q: Query, position: number): Promise<readonly RevocationRow[]> {
  const rows = await q
    .select({
      sessionId: revocations.sessionId,
      userId: revocations.userId,
      at: revocations.at,
      reason: revocations.reason,
      position: revocations.position,
    })
    .from(revocations)
    .where(gt(revocations.position, position))
    .orderBy(asc(revocations.position))
    .limit(revocationsAtOnce);
  return rows.flatMap(({ position: place, ...row }) => (place === null ? [] : [{ ...row, position: place }]));
}

/** Where the feed stands, and the number of the last restore: places that were given after the backup are given again. */
export async function feedState(q: Query): Promise<{ readonly last: number; readonly restore: number }> {
  const [positions, restored] = [
    await q.select({ position: revocationPositions.position }).from(revocationPositions),
    await q.select({ id: restores.id }).from(restores).orderBy(desc(restores.id)).limit(1),
  ];
  return { last: positions[0]?.position ?? 0, restore: restored[0]?.id ?? 0 };
}
