import { and, asc, eq, inArray, isNotNull, isNull, or, sql, type SQL } from 'drizzle-orm';
import { nameKey } from '../../../core/text/name-key.ts';
import { forExclusive, forKeyShare, forUpdate, inValues } from '../../../core/db/query/columns.ts';
import { countedPage, countOf, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { milestones, plans } from '../base/planning-schema.ts';
import { runs } from '../base/schema.ts';
import { rowsPerChange } from '../base/statement-sizes.ts';
import { requireRoom } from '../projects/project-limits.ts';
import { keptOf, noteMilestone, partsOfMilestone } from './milestone-change-store.ts';

export type Milestone = typeof milestones.$inferSelect;

/** The columns that people set. */
export type MilestoneFields = Pick<
  Milestone,
  'name' | 'description' | 'startOn' | 'dueOn' | 'parentId' | 'closedAt' | 'closedBy'
>;

export const milestoneNotFound = (milestoneId: number, cause = 'milestoneId') =>
  fail.MILESTONE_NOT_FOUND(`There is no milestone ${milestoneId} in this project.`, { cause });

const byId = (q: Query, projectId: number, milestoneId: number) =>
  q
    .select()
    .from(milestones)
    .where(and(eq(milestones.id, milestoneId), eq(milestones.projectId, projectId)));

/** A milestone of a project; undefined: it has no such one. */
export async function milestoneOf(
  q: Query,
  projectId: number,
  milestoneId: number,
): Promise<Milestone | undefined> {
  const [found] = await byId(q, projectId, milestoneId);
  return found;
}

/** Whether a run belongs to a milestone: to itself or to one of its parts. */
export function isRunOfMilestone(q: Query, milestoneId: number): SQL | undefined {
  const withItsParts = q
    .select({ id: milestones.id })
    .from(milestones)
    .where(or(eq(milestones.id, milestoneId), eq(milestones.parentId, milestoneId)));
  return and(isNotNull(runs.milestoneId), inArray(runs.milestoneId, withItsParts));
}

/** The project of a milestone; undefined: there is no such milestone. */
export async function projectOfMilestone(q: Query, milestoneId: number): Promise<number | undefined> {
  const [found] = await q
    .select({ projectId: milestones.projectId })
    .from(milestones)
    .where(eq(milestones.id, milestoneId));
  return found?.projectId;
}

/** @param parameter the one that names it. @throws Fault MILESTONE_NOT_FOUND. */
export async function milestoneIn(
  q: Query,
  projectId: number,
  milestoneId: number,
  parameter = 'milestoneId',
): Promise<Milestone> {
  const [found] = await byId(q, projectId, milestoneId);
  if (!found) throw milestoneNotFound(milestoneId, parameter);
  return found;
}

/** The milestone for a change of it: its row is locked. @throws Fault MILESTONE_NOT_FOUND. */
export async function milestoneToChange(
  q: Query,
  projectId: number,
  milestoneId: number,
): Promise<Milestone> {
  const [found] = await forUpdate(byId(q, projectId, milestoneId));
  if (!found) throw milestoneNotFound(milestoneId);
  return found;
}

/**
 * Checks a milestone to which a run or a plan is added, and keeps it from being deleted until the transaction ends.
 * @throws Fault MILESTONE_NOT_FOUND, MILESTONE_CLOSED.
 */
export async function requireOpenMilestone(
  q: Query,
  projectId: number,
  milestoneId: number | null | undefined,
): Promise<void> {
  if (milestoneId === null || milestoneId === undefined) return;
  const [found] = await forKeyShare(byId(q, projectId, milestoneId));
  if (!found) throw milestoneNotFound(milestoneId);
  if (found.closedAt !== null)
    throw fail.MILESTONE_CLOSED(`Milestone ${milestoneId} is closed.`, { cause: 'milestoneId' });
}

/**
 * Checks the parent of a milestone. There are two levels: a third says nothing about a date that the second does not.
 * @param milestoneId null for a new one.
 * @throws Fault MILESTONE_NOT_FOUND, INVALID_REQUEST.
 */
export async function requireParent(
  q: Query,
  projectId: number,
  milestoneId: number | null,
  parentId: number,
): Promise<void> {
  const cause = 'parentMilestoneId';
  const parent = await milestoneIn(q, projectId, parentId, cause);
  const tip = 'Choose a milestone without a parent; get-milestones shows parentMilestoneId.';
  if (parentId === milestoneId)
    throw fail.INVALID_REQUEST('A milestone is not its own parent.', { cause, tip });
  if (parent.parentId !== null)
    throw fail.INVALID_REQUEST(`Milestone ${parentId} is a part of another one itself.`, { cause, tip });
  if (milestoneId !== null && (await countOf(q, milestones, eq(milestones.parentId, milestoneId))) > 0)
    throw fail.INVALID_REQUEST(`Milestone ${milestoneId} has parts, so it cannot become one.`, {
      cause,
      tip: 'Move its parts first, with edit-milestone.',
    });
}

/** @throws Fault MILESTONE_EXISTS. @param except the milestone that has the name now. */
async function requireFreeName(q: Query, projectId: number, name: string, except?: number): Promise<void> {
  const [same] = await q
    .select({ id: milestones.id })
    .from(milestones)
    .where(and(eq(milestones.projectId, projectId), eq(milestones.nameKey, nameKey(name))));
  if (same && same.id !== except)
    throw fail.MILESTONE_EXISTS(`Project ${projectId} has a milestone "${name}": ${same.id}.`, {
      cause: 'name',
    });
}

/** Stores a milestone, in a transaction that has locked its project. @throws Fault MILESTONE_EXISTS, PROJECT_FULL. */
export async function insertMilestone(
  q: Query,
  projectId: number,
  fields: Omit<MilestoneFields, 'closedAt' | 'closedBy'>,
  { by, now }: { readonly by: number; readonly now: number },
): Promise<Milestone> {
  await requireFreeName(q, projectId, fields.name);
  requireRoom('milestones', 1 + (await countOf(q, milestones, eq(milestones.projectId, projectId))));
  const author = { createdBy: by, createdAt: now, updatedBy: by, updatedAt: now };
  const [made] = await q
    .insert(milestones)
    .values({ ...fields, nameKey: nameKey(fields.name), projectId, ...author })
    .returning();
  if (!made) throw new Error('the milestone was not stored');
  await noteMilestone(q, made, { before: null, after: keptOf(made) });
  return made;
}

/** @throws Fault MILESTONE_EXISTS. */
export async function changeMilestone(
  q: Query,
  present: Milestone,
  changes: Partial<MilestoneFields>,
  { by, now }: { readonly by: number; readonly now: number },
): Promise<Milestone> {
  const { id, projectId } = present;
  const { name } = changes;
  if (name !== undefined) await requireFreeName(q, projectId, name, id);
  const [changed] = await q
    .update(milestones)
    .set({
      ...changes,
      ...(name === undefined ? {} : { nameKey: nameKey(name) }),
      updatedBy: by,
      updatedAt: now,
    })
    .where(eq(milestones.id, id))
    .returning();
  if (!changed) throw new Error('the milestone is gone');
  await noteMilestone(q, changed, { before: keptOf(present), after: keptOf(changed) });
  return changed;
}

/** Deletes a milestone. Its parts, plans and runs stay, without it. @returns how many runs it had that are not deleted. */
export async function deleteMilestoneRow(q: Query, present: Milestone, signal: AbortSignal): Promise<number> {
  const { id } = present;
  // Waits for a call that is just giving it to a run, so that this run is found below.
  await forExclusive(q.select({ id: milestones.id }).from(milestones).where(eq(milestones.id, id)));
  const had = await partsOfMilestone(q, id);
  await q.update(milestones).set({ parentId: null }).where(eq(milestones.parentId, id));
  await q.update(plans).set({ milestoneId: null }).where(eq(plans.milestoneId, id));
  let count = 0;
  for await (const part of partsInTurns(had.runs, rowsPerChange, signal)) {
    const rows = await q
      .update(runs)
      .set({ milestoneId: null })
      .where(inArray(runs.id, [...part]))
      .returning({ deletedAt: runs.deletedAt });
    count += rows.filter(({ deletedAt }) => deletedAt === null).length;
  }
  await q.delete(milestones).where(eq(milestones.id, id));
  await noteMilestone(q, present, { before: keptOf(present), after: null, had });
  return count;
}

/** One page of the milestones of a project: the open ones first, by due day. */
export const pageOfMilestones = (
  q: Query,
  projectId: number,
  status: 'open' | 'closed' | undefined,
  page: Page,
): Promise<CountedPage<Milestone>> => {
  const closed = { open: isNull(milestones.closedAt), closed: isNotNull(milestones.closedAt) };
  const where = and(eq(milestones.projectId, projectId), status && closed[status]);
  const last = (isLast: SQL): SQL => sql`case when ${isLast} then 1 else 0 end`;
  const orderBy = [
    last(isNotNull(milestones.closedAt)),
    last(isNull(milestones.dueOn)),
    asc(milestones.dueOn),
    asc(milestones.id),
  ];
  return countedPage(q, milestones, { where, orderBy }, page);
};

/** The runs of a milestone and of its parts, by the stored counts of the runs. */
export interface MilestoneProgress {
  readonly runs: number;
  readonly openRuns: number;
  readonly passed: number;
  readonly failed: number;
  readonly blocked: number;
  readonly retest: number;
  readonly untested: number;
}

const noProgress: MilestoneProgress = {
  runs: 0,
  openRuns: 0,
  passed: 0,
  failed: 0,
  blocked: 0,
  retest: 0,
  untested: 0,
};
const progressFields = Object.keys(noProgress) as Array<keyof MilestoneProgress>;

const sum = (value: unknown) => sql<number>`coalesce(sum(${value}), 0)`.mapWith(Number);

/** The progress of each of some milestones, with that of their parts. */
export async function progressOfMilestones(
  q: Query,
  milestoneIds: readonly number[],
): Promise<ReadonlyMap<number, MilestoneProgress>> {
  if (milestoneIds.length === 0) return new Map();
  const parts = await q
    .select({ id: milestones.id, parentId: milestones.parentId })
    .from(milestones)
    .where(inValues(milestones.parentId, milestoneIds));
  const ids = [...milestoneIds, ...parts.map(({ id }) => id)];
  const sums = await q
    .select({
      id: runs.milestoneId,
      runs: sum(sql`1`),
      openRuns: sum(sql`case when ${runs.lockedAt} is null then 1 else 0 end`),
      passed: sum(runs.passed),
      failed: sum(runs.failed),
      blocked: sum(runs.blocked),
      retest: sum(runs.retest),
      untested: sum(runs.untested),
    })
    .from(runs)
    .where(and(isNotNull(runs.milestoneId), inValues(runs.milestoneId, ids), isNull(runs.deletedAt)))
    .groupBy(runs.milestoneId);
  const own = new Map(sums.map((row) => [row.id, row]));
  const below = Map.groupBy(parts, ({ parentId }) => parentId);
  return new Map(
    milestoneIds.map((id) => {
      const all = [own.get(id), ...(below.get(id) ?? []).map((part) => own.get(part.id))];
      const added = all.reduce<MilestoneProgress>((total, one) => addProgress(total, one), noProgress);
      return [id, added];
    }),
  );
}

const addProgress = (total: MilestoneProgress, one: MilestoneProgress = noProgress): MilestoneProgress =>
  Object.fromEntries(
    progressFields.map((field) => [field, total[field] + one[field]]),
  ) as unknown as MilestoneProgress;
