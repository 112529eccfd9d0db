import { and, asc, eq, inArray, notInArray, sql } from 'drizzle-orm';
import { countRows } from '../../core/db/columns.ts';
import type { Query } from '../../core/db/db.ts';
import type { CohortDefinition } from './cohort.ts';
import { cohortsIn } from './eligibility.ts';
import { refuse } from './errors.ts';
import { cohortMembers, cohorts, ctas, userAttributes } from './schema.ts';
import type { Properties } from './filter.ts';

export type CohortRow = typeof cohorts.$inferSelect;

/** Users in one list. */
export const listLimit = 1_000_000;
/** Cohorts of one tenant: a launch looks into all lists that its CTAs name. */
export const cohortLimit = 500;
/** Rows of one statement: PostgreSQL takes 65,535 parameters. */
const batch = 5000;

/** The names of the cohorts of a tenant. */
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
  if (!found) throw refuse.COHORT_NOT_FOUND(`The tenant "${tenantId}" has no cohort of that name.`);
  return found;
}

export async function pageOfCohorts(
  q: Query,
  tenantId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly rows: readonly CohortRow[] }> {
  const ofTenant = eq(cohorts.tenantId, tenantId);
  const [counted] = await q.select({ total: countRows() }).from(cohorts).where(ofTenant);
  const rows = await q
    .select()
    .from(cohorts)
    .where(ofTenant)
    .orderBy(asc(cohorts.id))
    .limit(limit)
    .offset(offset);
  return { total: counted?.total ?? 0, rows };
}

/** Stores a cohort without members. @throws Fault COHORT_EXISTS, COHORT_FULL. */
export async function insertCohort(
  q: Query,
  given: {
    readonly tenantId: string;
    readonly name: string;
    readonly description: string;
    readonly definition: CohortDefinition;
    readonly by: number;
    readonly now: number;
  },
): Promise<CohortRow> {
  const { tenantId, name, description, definition, by, now } = given;
  const names = await cohortNames(q, tenantId);
  if (names.has(name)) {
    throw refuse.COHORT_EXISTS(`The tenant "${tenantId}" has a cohort of that name already.`, {
      cause: 'cohortName',
    });
  }
  if (names.size >= cohortLimit) {
    throw refuse.COHORT_FULL(`A tenant has at most ${cohortLimit} cohorts.`, {
      tip: 'Remove one that no CTA uses with delete-cohort.',
    });
  }
  const row = { tenantId, name, description, definition, size: 0 };
  const [made] = await q
    .insert(cohorts)
    .values({ ...row, createdBy: by, createdAt: now, updatedAt: now })
    .returning();
  if (!made) throw new Error('the cohort was not stored');
  return made;
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

/** Adds users to a list; those that are in it stay. @throws Fault COHORT_FULL: then, as ever, nothing is stored. */
export async function addMembers(
  q: Query,
  cohort: CohortRow,
  userIds: readonly string[],
  now: number,
): Promise<{ readonly cohort: CohortRow; readonly changed: number }> {
  let changed = 0;
  for (const part of parts(userIds)) {
    const added = await q
      .insert(cohortMembers)
      .values(part.map((userId) => ({ cohortId: cohort.id, userId })))
      .onConflictDoNothing()
      .returning({ cohortId: cohortMembers.cohortId });
    changed += added.length;
  }
  const size = cohort.size + changed;
  if (size > listLimit) {
    throw refuse.COHORT_FULL(`A list has at most ${listLimit} users; this would make it ${size}.`, {
      cause: 'userIds',
    });
  }
  return { cohort: await writeCohort(q, cohort, { size }, now), changed };
}

/** Takes users out of a list; who is not in it is no matter. */
export async function removeMembers(
  q: Query,
  cohort: CohortRow,
  userIds: readonly string[],
  now: number,
): Promise<{ readonly cohort: CohortRow; readonly changed: number }> {
  let changed = 0;
  for (const part of parts(userIds)) {
    const removed = await q
      .delete(cohortMembers)
      .where(and(eq(cohortMembers.cohortId, cohort.id), inArray(cohortMembers.userId, part)))
      .returning({ cohortId: cohortMembers.cohortId });
    changed += removed.length;
  }
  return { cohort: await writeCohort(q, cohort, { size: cohort.size - changed }, now), changed };
}

function* parts(userIds: readonly string[]): Generator<string[]> {
  // In order of the key, so that the index grows at its end instead of everywhere.
  const sorted = [...new Set(userIds)].sort();
  for (let at = 0; at < sorted.length; at += batch) yield sorted.slice(at, at + batch);
}

/** Removes a cohort and its members. @throws Fault COHORT_IN_USE naming the CTAs. */
export async function deleteCohort(q: Query, { id, tenantId, name }: CohortRow): Promise<void> {
  // A rule is one JSON text: what does not hold the name as a JSON string does not name the cohort.
  const mayName = sql`${ctas.rule} like ${`%${JSON.stringify(name).replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
  const candidates = await q
    .select({ id: ctas.id, rule: ctas.rule })
    .from(ctas)
    .where(and(eq(ctas.tenantId, tenantId), notInArray(ctas.status, ['CONCLUDED', 'TERMINATED']), mayName));
  const using = candidates.filter(({ rule }) => cohortsIn(rule).includes(name)).map((cta) => cta.id);
  if (using.length > 0) {
    throw refuse.COHORT_IN_USE(`The cohort is named by the rules of ${ctaNames(using)}.`, {
      cause: 'cohortName',
    });
  }
  await q.delete(cohortMembers).where(eq(cohortMembers.cohortId, id));
  await q.delete(cohorts).where(eq(cohorts.id, id));
}

/** `CTA "1", "2" and 3 more`, for a refusal. */
export function ctaNames(ids: readonly number[]): string {
  const first = ids.slice(0, 10).map((id) => `"${id}"`);
  const rest = ids.length - first.length;
  return `CTA ${first.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Replaces what is known of users; of one without attributes nothing is kept. */
export async function writeAttributes(
  q: Query,
  tenantId: string,
  users: readonly { readonly userId: string; readonly attributes: Properties }[],
  now: number,
): Promise<void> {
  const empty = users.filter(({ attributes }) => Object.keys(attributes).length === 0);
  const filled = users.filter(({ attributes }) => Object.keys(attributes).length > 0);
  for (let at = 0; at < empty.length; at += batch) {
    const ids = empty.slice(at, at + batch).map(({ userId }) => userId);
    await q
      .delete(userAttributes)
      .where(and(eq(userAttributes.tenantId, tenantId), inArray(userAttributes.userId, ids)));
  }
  for (let at = 0; at < filled.length; at += batch) {
    await q
      .insert(userAttributes)
      .values(filled.slice(at, at + batch).map((user) => ({ tenantId, ...user, updatedAt: now })))
      .onConflictDoUpdate({
        target: [userAttributes.tenantId, userAttributes.userId],
        set: { attributes: sql`excluded.attributes`, updatedAt: now },
      });
  }
}

/** What is known of a user, null for nothing. */
export async function attributesOf(q: Query, tenantId: string, userId: string) {
  const [row] = await q
    .select({ attributes: userAttributes.attributes, updatedAt: userAttributes.updatedAt })
    .from(userAttributes)
    .where(and(eq(userAttributes.tenantId, tenantId), eq(userAttributes.userId, userId)));
  return row ?? null;
}
