import { and, asc, eq, isNotNull, isNull, notInArray } from 'drizzle-orm';
import { byCodePoint } from '../../../core/db/query/columns.ts';
import { countedPage, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { ctaNames } from '../catalogue/cta-read-store.ts';
import { fail } from '../base/errors.ts';
import { ctas, holdouts } from '../base/schema.ts';

export type HoldoutRow = typeof holdouts.$inferSelect;

/** Most holdouts of a tenant: every launch computes the bucket of each. */
export const maxHoldouts = 10;

export const pageOfHoldouts = (q: Query, tenantId: string, page: Page) =>
  countedPage(
    q,
    holdouts,
    { where: eq(holdouts.tenantId, tenantId), orderBy: [byCodePoint(holdouts.name)] },
    page,
  );

/** @throws Fault HOLDOUT_EXISTS. */
export async function insertHoldout(q: Query, row: HoldoutRow): Promise<HoldoutRow> {
  const known = await q.select().from(holdouts).where(eq(holdouts.tenantId, row.tenantId));
  if (known.some(({ name }) => name === row.name))
    throw fail.HOLDOUT_EXISTS('The tenant has a holdout of that name already.', { cause: 'name' });
  if (known.length >= maxHoldouts)
    throw fail.HOLDOUT_EXISTS(`A tenant has at most ${maxHoldouts} holdouts.`, {
      cause: 'name',
      tip: 'Use delete-holdout on one that is no longer needed.',
    });
  await q.insert(holdouts).values(row);
  return row;
}

/** @throws Fault HOLDOUT_NOT_FOUND, HOLDOUT_IN_USE naming the CTAs. */
export async function removeHoldout(q: Query, tenantId: string, name: string): Promise<HoldoutRow> {
  const running = await q
    .select({ id: ctas.id, experiment: ctas.experiment })
    .from(ctas)
    .where(
      and(
        eq(ctas.tenantId, tenantId),
        isNotNull(ctas.experimentStartedAt),
        isNull(ctas.experimentStoppedAt),
        notInArray(ctas.status, ['CONCLUDED', 'TERMINATED']),
      ),
    )
    .orderBy(asc(ctas.id));
  const using = running.filter(({ experiment }) => experiment?.holdout === name).map(({ id }) => id);
  if (using.length > 0)
    throw fail.HOLDOUT_IN_USE(`The running experiments of ${ctaNames(using)} name the holdout.`, {
      cause: 'name',
    });
  const [removed] = await q
    .delete(holdouts)
    .where(and(eq(holdouts.tenantId, tenantId), eq(holdouts.name, name)))
    .returning();
  if (!removed) throw fail.HOLDOUT_NOT_FOUND('The tenant has no holdout of that name.', { cause: 'name' });
  return removed;
}
