import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { eraseCountsOfUser } from '../counts/user-count-store.ts';
import { cohortMembers, cohorts, userAttributes, userStates } from '../base/schema.ts';

/**
 * Erases everything that a tenant stores of one user; the counted events stay, those of nobody.
 * @param erased `word` is random: it stands in the place of the id.
 * @returns what was erased, and `bytes`, the size of the state.
 */
export async function eraseUserOfTenant(
  q: Query,
  { tenantId, userId, now, word }: { tenantId: string; userId: string; now: number; word: string },
) {
  await eraseCountsOfUser(q, { tenantId, userId, word });
  const [state] = await q
    .delete(userStates)
    .where(and(eq(userStates.tenantId, tenantId), eq(userStates.userId, userId)))
    .returning({ bytes: sql<number>`octet_length(${userStates.state})`.mapWith(Number) });
  const attributes = await q
    .delete(userAttributes)
    .where(and(eq(userAttributes.tenantId, tenantId), eq(userAttributes.userId, userId)))
    .returning({ userId: userAttributes.userId });
  const ofTenant = q.select({ id: cohorts.id }).from(cohorts).where(eq(cohorts.tenantId, tenantId));
  const left = await q
    .delete(cohortMembers)
    .where(and(inArray(cohortMembers.cohortId, ofTenant), eq(cohortMembers.userId, userId)))
    .returning({ cohortId: cohortMembers.cohortId });
  const leftIds = left.map(({ cohortId }) => cohortId);
  const smaller = await q
    .update(cohorts)
    .set({ size: sql`${cohorts.size} - 1`, updatedAt: now })
    .where(inArray(cohorts.id, leftIds))
    .returning({ name: cohorts.name });
  return {
    tenantId,
    userId,
    state: state !== undefined,
    attributes: attributes.length > 0,
    cohorts: smaller.map(({ name }) => name).sort(),
    bytes: state?.bytes ?? 0,
  };
}
