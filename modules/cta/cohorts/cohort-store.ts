import { and, asc, eq, notInArray, sql } from 'drizzle-orm';
import { positionIn } from '../../../core/db/query/columns.ts';
import { countedPage, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { amongThese, ctaIdsOf, ctaNames, paceChunks } from '../catalogue/cta-read-store.ts';
import { fail } from '../base/errors.ts';
import { cohortsIn } from '../rules/eligibility.ts';
import { cohorts, ctas } from '../base/schema.ts';

export type CohortRow = typeof cohorts.$inferSelect;

/** Most users in one list. */
export const maxListUsers = 1_000_000;
/** Most cohorts of one tenant: a launch looks into every list that its CTAs name. */
export const maxCohorts = 500;

export async function cohortNames(q: Query, tenantId: string): Promise<ReadonlySet<string>> {
  const rows = await q.select({ name: cohorts.name }).from(cohorts).where(eq(cohorts.tenantId, tenantId));
  return new Set(rows.map(({ name }) => name));
}

/** @throws Fault COHORT_NOT_FOUND. */
export async function cohortNamed(q: Query, tenantId: string, name: string): Promise<CohortRow> {
  const [found] = await q
    .select()
    .from(cohorts)
    .where(and(eq(cohorts.tenantId, tenantId), eq(cohorts.name, name)));
  if (!found) throw fail.COHORT_NOT_FOUND(`The tenant "${tenantId}" has no cohort of that name.`);
  return found;
}

/** One page of the cohorts of a tenant, oldest first, and their total. */
export const pageOfCohorts = (q: Query, tenantId: string, page: Page) =>
  countedPage(q, cohorts, { where: eq(cohorts.tenantId, tenantId), orderBy: [asc(cohorts.id)] }, page);

/** Stores a cohort without members. @throws Fault COHORT_EXISTS, COHORT_FULL. */
export async function insertCohort(
  q: Query,
  given: Pick<CohortRow, 'tenantId' | 'name' | 'description' | 'definition'>,
  { by, now }: { readonly by: number; readonly now: number },
): Promise<CohortRow> {
  const { tenantId, name } = given;
  const names = await cohortNames(q, tenantId);
  if (names.has(name)) {
    throw fail.COHORT_EXISTS(`The tenant "${tenantId}" has a cohort of that name already.`, {
      cause: 'cohortName',
    });
  }
  if (names.size >= maxCohorts) {
    throw fail.COHORT_FULL(`A tenant has at most ${maxCohorts} cohorts.`, {
      tip: 'Remove one that no CTA uses with delete-cohort.',
    });
  }
  const row = { ...given, size: 0, createdBy: by, createdAt: now, updatedAt: now };
  const [cohort] = await q.insert(cohorts).values(row).returning();
  if (!cohort) throw new Error('the cohort was not stored');
  return cohort;
}

export async function writeCohort(
  q: Query,
  cohort: CohortRow,
  changed: Partial<Pick<CohortRow, 'description' | 'definition' | 'size'>>,
  now: number,
): Promise<CohortRow> {
  const written = { ...changed, updatedAt: now };
  await q.update(cohorts).set(written).where(eq(cohorts.id, cohort.id));
  return { ...cohort, ...written };
}

/** @throws Fault COHORT_IN_USE naming the CTAs. */
export async function requireUnused(q: Query, { tenantId, name }: CohortRow): Promise<void> {
  // A rule is one JSON text: if it does not contain the name as a JSON string, it does not name the cohort.
  const mayName = sql`${positionIn(ctas.rule, JSON.stringify(name))} > 0`;
  const using: number[] = [];
  for await (const ids of paceChunks(await ctaIdsOf(q, tenantId), 4)) {
    const candidates = await q
      .select({ id: ctas.id, rule: ctas.rule })
      .from(ctas)
      .where(and(amongThese(tenantId, ids), notInArray(ctas.status, ['CONCLUDED', 'TERMINATED']), mayName))
      .orderBy(asc(ctas.id));
    for (const { id, rule } of candidates) if (cohortsIn(rule).includes(name)) using.push(id);
  }
  if (using.length > 0) {
    throw fail.COHORT_IN_USE(`The cohort is named by the rules of ${ctaNames(using)}.`, {
      cause: 'cohortName',
    });
  }
}

/** Removes a cohort whose members were removed before. */
export async function removeCohort(q: Query, { id }: CohortRow): Promise<void> {
  await q.delete(cohorts).where(eq(cohorts.id, id));
}
