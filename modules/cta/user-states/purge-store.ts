import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { eraseCountsOfUser } from '../counts/user-count-store.ts';
import { formerIdsOf, presentUserId } from './user-alias-store.ts';
import { cohortMembers, cohorts, userAttributes, userStates } from '../base/schema.ts';

interface Erased {
  readonly tenantId: string;
  readonly userId: string;
  readonly now: number;
  /** Random: it stands in the place of the id. */
  readonly word: string;
}

/**
 * Erases everything that a tenant stores of one user, also under the ids of a guest who became that user, whichever of them is given; the
 * counted events stay, those of nobody.
 * @returns what was erased, and `states` and `bytes`, the number and the size of the states.
 */
export async function eraseUserOfTenant(q: Query, asked: Erased) {
  const erased = { ...asked, userId: await presentUserId(q, asked.userId) };
  const ids = [erased.userId, ...(await formerIdsOf(q, erased.userId))];
  const parts = [];
  for (const [at, userId] of ids.entries())
    parts.push(await eraseId(q, { ...erased, userId, word: `${erased.word}${at || ''}` }));
  return {
    tenantId: erased.tenantId,
    userId: erased.userId,
    state: parts.some(({ bytes }) => bytes !== null),
    attributes: parts.some(({ attributes }) => attributes),
    cohorts: [...new Set(parts.flatMap(({ left }) => left))].sort(),
    states: parts.filter(({ bytes }) => bytes !== null).length,
    bytes: parts.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
  };
}

async function eraseId(q: Query, { tenantId, userId, now, word }: Erased) {
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
    bytes: state?.bytes ?? null,
    attributes: attributes.length > 0,
    left: smaller.map(({ name }) => name),
  };
}
