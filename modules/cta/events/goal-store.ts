import { and, asc, eq } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { ctaGoals } from '../base/schema.ts';

export type Goal = typeof ctaGoals.$inferSelect;

/** The most goals of a CTA. */
export const maxGoals = 20;

/** The goals of a CTA, or of all CTAs of a tenant, oldest first. */
export const goalsOfCta = (q: Query, tenantId: string, ctaId?: number): Promise<Goal[]> =>
  Promise.resolve(
    q
      .select()
      .from(ctaGoals)
      .where(
        and(eq(ctaGoals.tenantId, tenantId), ctaId === undefined ? undefined : eq(ctaGoals.ctaId, ctaId)),
      )
      .orderBy(asc(ctaGoals.ctaId), asc(ctaGoals.id))
      .limit(1_000),
  );

/** @throws Fault GOAL_EXISTS, TOO_MANY_GOALS. */
export async function insertGoal(q: Query, goal: Omit<Goal, 'id'>): Promise<Goal> {
  const others = await goalsOfCta(q, goal.tenantId, goal.ctaId);
  if (others.length >= maxGoals)
    throw fail.TOO_MANY_GOALS(`CTA "${goal.ctaId}" has ${maxGoals} goals already.`, { cause: 'ctaId' });
  const [stored] = await q.insert(ctaGoals).values(goal).onConflictDoNothing().returning();
  if (!stored)
    throw fail.GOAL_EXISTS(`CTA "${goal.ctaId}" has a goal of that name already.`, { cause: 'name' });
  return stored;
}

/** @throws Fault GOAL_NOT_FOUND. */
export async function deleteGoal(q: Query, tenantId: string, ctaId: number, name: string): Promise<void> {
  const [gone] = await q
    .delete(ctaGoals)
    .where(and(eq(ctaGoals.tenantId, tenantId), eq(ctaGoals.ctaId, ctaId), eq(ctaGoals.name, name)))
    .returning({ id: ctaGoals.id });
  if (!gone) throw fail.GOAL_NOT_FOUND(`CTA "${ctaId}" has no goal of that name.`, { cause: 'name' });
}
