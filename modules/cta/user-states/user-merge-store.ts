import { and, eq, inArray } from 'drizzle-orm';
import { amongSelected, forUpdate } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { tenants, userStates } from '../base/schema.ts';

interface StoredState {
  readonly tenantId: string;
  readonly state: string;
  readonly updatedAt: number;
}

/** The states of a user in every tenant, locked. There is no index by user: each tenant is one read by its key. */
export const statesToMerge = (q: Query, userId: string): Promise<readonly StoredState[]> =>
  Promise.resolve(
    forUpdate(
      q
        .select({
          tenantId: userStates.tenantId,
          state: userStates.state,
          updatedAt: userStates.updatedAt,
        })
        .from(userStates)
        .where(
          and(
            amongSelected(userStates.tenantId, q.select({ tenantId: tenants.tenantId }).from(tenants)),
            eq(userStates.userId, userId),
          ),
        ),
    ),
  );

/** The state of a user in one tenant, locked. */
export async function stateToMerge(
  q: Query,
  tenantId: string,
  userId: string,
): Promise<StoredState | undefined> {
  const [row] = await forUpdate(
    q
      .select({ tenantId: userStates.tenantId, state: userStates.state, updatedAt: userStates.updatedAt })
      .from(userStates)
      .where(and(eq(userStates.tenantId, tenantId), eq(userStates.userId, userId))),
  );
  return row;
}

/** @returns false when the user has a state already. */
export async function insertState(
  q: Query,
  row: { tenantId: string; userId: string; state: string; updatedAt: number },
): Promise<boolean> {
  const added = await q
    .insert(userStates)
    .values(row)
    .onConflictDoNothing()
    .returning({ userId: userStates.userId });
  return added.length > 0;
}

/** Replaces a state that the transaction has locked. */
export async function replaceState(
  q: Query,
  { tenantId, userId, ...change }: { tenantId: string; userId: string; state: string; updatedAt: number },
): Promise<void> {
  await q
    .update(userStates)
    .set(change)
    .where(and(eq(userStates.tenantId, tenantId), eq(userStates.userId, userId)));
}

export async function deleteStates(q: Query, tenantIds: readonly string[], userId: string): Promise<void> {
  await q
    .delete(userStates)
    .where(and(inArray(userStates.tenantId, [...tenantIds]), eq(userStates.userId, userId)));
}
