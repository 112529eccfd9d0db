import { and, asc, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { userStates } from '../base/schema.ts';

/** Rows read by one statement, which takes 1 to 3 ms. */
export const statesAtOnce = 200;

/** One chunk of the states of a tenant, ordered by user, without their texts. */
export const statesAfter = prepared<
  { tenantId: string; after: string },
  { userId: string; updatedAt: number; bytes: number }
>(
  (q) =>
    q
      .select({
        userId: userStates.userId,
        updatedAt: userStates.updatedAt,
        // Neither engine reads the text itself for this.
        bytes: sql<number>`octet_length(${userStates.state})`.mapWith(Number),
      })
      .from(userStates)
      .where(
        and(
          eq(userStates.tenantId, sql.placeholder('tenantId')),
          gt(userStates.userId, sql.placeholder('after')),
        ),
      )
      .orderBy(asc(userStates.userId))
      .limit(statesAtOnce),
  'cta_upkeep_part',
);

/** Deletes states, except those used meanwhile. @returns the users whose states were deleted. */
export async function deleteUnused(
  q: Query,
  tenantId: string,
  unused: ReadonlyArray<{ readonly userId: string }>,
  unusedSince: number,
): Promise<ReadonlySet<string>> {
  const userIds = unused.map(({ userId }) => userId);
  const deleted = await q
    .delete(userStates)
    .where(
      and(
        eq(userStates.tenantId, tenantId),
        inArray(userStates.userId, userIds),
        lt(userStates.updatedAt, unusedSince),
      ),
    )
    .returning({ userId: userStates.userId });
  return new Set(deleted.map(({ userId }) => userId));
}
