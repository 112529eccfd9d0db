import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm';
import { forUpdate, inValues } from '../../../core/db/query/columns.ts';
import { countedPage, countOf, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { changeTime } from '../base/change-time-store.ts';
import { fail } from '../base/errors.ts';
import { plans } from '../base/planning-schema.ts';
import { runs } from '../base/schema.ts';
import { requireRoom } from '../projects/project-limits.ts';
import type { Tally } from '../rules/test-status.ts';
import type { Run } from '../runs/run-row.ts';

export type Plan = typeof plans.$inferSelect;

/** The most runs of one plan. */
export const maxPlanRuns = 200;

/** @throws Fault PLAN_TOO_LARGE. */
export function requireFew(count: number): void {
  if (count > maxPlanRuns)
    throw fail.PLAN_TOO_LARGE(`It would have ${count} runs or more; a plan has at most ${maxPlanRuns}.`, {
      cause: 'entries',
    });
}

const byId = (q: Query, projectId: number, planId: number) =>
  q
    .select()
    .from(plans)
    .where(and(eq(plans.id, planId), eq(plans.projectId, projectId)));

const notFound = (planId: number) =>
  fail.PLAN_NOT_FOUND(`There is no plan ${planId} in this project.`, { cause: 'planId' });

/** @throws Fault PLAN_NOT_FOUND. */
export async function planIn(q: Query, projectId: number, planId: number): Promise<Plan> {
  const [found] = await byId(q, projectId, planId);
  if (!found) throw notFound(planId);
  return found;
}

/** The plan for a change of it: its row is locked. @throws Fault PLAN_NOT_FOUND. */
export async function planToChange(q: Query, projectId: number, planId: number): Promise<Plan> {
  const [found] = await forUpdate(byId(q, projectId, planId));
  if (!found) throw notFound(planId);
  return found;
}

interface Author {
  readonly by: number;
  readonly now: number;
}

/** Stores a plan, in a transaction that has locked its project. @throws Fault PROJECT_FULL. */
export async function insertPlan(
  q: Query,
  row: Pick<Plan, 'projectId' | 'name' | 'description' | 'milestoneId'>,
  { by, now }: Author,
): Promise<Plan> {
  requireRoom('plans', 1 + (await countOf(q, plans, eq(plans.projectId, row.projectId))));
  const author = { createdBy: by, createdAt: now, updatedBy: by, updatedAt: now };
  const [made] = await q
    .insert(plans)
    .values({ ...row, ...author })
    .returning();
  if (!made) throw new Error('the plan was not stored');
  return made;
}

/** Closes a plan. */
export async function closePlanRow(q: Query, { id }: Plan, { by, now }: Author): Promise<Plan> {
  const [plan] = await q
    .update(plans)
    .set({ closedBy: by, closedAt: now, updatedBy: by, updatedAt: now })
    .where(eq(plans.id, id))
    .returning();
  if (!plan) throw new Error('the plan is gone');
  return plan;
}

/** Locks those runs of a plan that are not. @returns their ids. */
export async function lockRunsOfPlan(
  q: Query,
  { id }: Plan,
  { by, now }: Author,
): Promise<readonly number[]> {
  const locked = await q
    .update(runs)
    .set({
      lockedBy: by,
      lockedAt: now,
      updatedBy: by,
      updatedAt: changeTime(runs.updatedAt, now),
    })
    .where(and(eq(runs.planId, id), isNull(runs.deletedAt), isNull(runs.lockedAt)))
    .returning({ id: runs.id });
  return locked.map((run) => run.id);
}

/** One page of the plans of a project, newest first. */
export const pageOfPlans = (
  q: Query,
  projectId: number,
  status: 'open' | 'closed' | undefined,
  page: Page,
): Promise<CountedPage<Plan>> => {
  const closed = { open: isNull(plans.closedAt), closed: sql`${plans.closedAt} is not null` };
  const where = and(eq(plans.projectId, projectId), status && closed[status]);
  return countedPage(q, plans, { where, orderBy: [desc(plans.id)] }, page);
};

/** The runs of a plan that are not deleted, oldest first. */
export const runsOfPlan = (q: Query, planId: number): PromiseLike<Run[]> =>
  q
    .select()
    .from(runs)
    .where(and(eq(runs.planId, planId), isNull(runs.deletedAt)))
    .orderBy(asc(runs.id));

/** The number of runs of a plan, and their tests by status. */
export interface PlanProgress extends Tally {
  readonly runs: number;
}

const sum = (value: unknown) => sql<number>`coalesce(sum(${value}), 0)`.mapWith(Number);

export async function progressOfPlans(
  q: Query,
  planIds: readonly number[],
): Promise<ReadonlyMap<number, PlanProgress>> {
  if (planIds.length === 0) return new Map();
  const rows = await q
    .select({
      id: runs.planId,
      runs: sum(sql`1`),
      passed: sum(runs.passed),
      failed: sum(runs.failed),
      blocked: sum(runs.blocked),
      retest: sum(runs.retest),
      untested: sum(runs.untested),
    })
    .from(runs)
    .where(and(sql`${runs.planId} is not null`, inValues(runs.planId, planIds), isNull(runs.deletedAt)))
    .groupBy(runs.planId);
  return new Map(rows.flatMap(({ id, ...progress }) => (id === null ? [] : [[id, progress] as const])));
}
