import { and, asc, desc, eq, lte } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { writeIdOf } from '../../../core/tools/audited-write.ts';
import {
  milestoneChanges,
  milestones,
  plans,
  type KeptMilestone,
  type MilestoneParts,
} from '../base/planning-schema.ts';
import { runs } from '../base/schema.ts';

export type MilestoneChange = typeof milestoneChanges.$inferSelect;

/** Changes of milestones that are kept of a project: people make them by hand, a few a day. */
const mostKept = 10_000;

/** A milestone as it is kept. */
export const keptOf = (milestone: KeptMilestone): KeptMilestone => {
  const { name, description, startOn, dueOn, parentId, closedAt, closedBy, createdBy, createdAt } = milestone;
  return { name, description, startOn, dueOn, parentId, closedAt, closedBy, createdBy, createdAt };
};

/** What belongs to a milestone, by id. */
export async function partsOfMilestone(q: Query, id: number): Promise<MilestoneParts> {
  const idsOf = (rows: ReadonlyArray<{ readonly id: number }>) => rows.map((row) => row.id);
  return {
    runs: idsOf(
      await q.select({ id: runs.id }).from(runs).where(eq(runs.milestoneId, id)).orderBy(asc(runs.id)),
    ),
    plans: idsOf(
      await q.select({ id: plans.id }).from(plans).where(eq(plans.milestoneId, id)).orderBy(asc(plans.id)),
    ),
    parts: idsOf(
      await q
        .select({ id: milestones.id })
        .from(milestones)
        .where(eq(milestones.parentId, id))
        .orderBy(asc(milestones.id)),
    ),
  };
}

/** Notes what a write did to a milestone, in its transaction. Beyond {@link mostKept} the oldest of the project is forgotten. */
export async function noteMilestone(
  q: Query,
  { id, projectId }: { readonly id: number; readonly projectId: number },
  {
    before,
    after,
    had = null,
  }: {
    readonly before: KeptMilestone | null;
    readonly after: KeptMilestone | null;
    readonly had?: MilestoneParts | null;
  },
): Promise<void> {
  const writeId = writeIdOf(q);
  // Outside of a call, e.g. for the example data, nobody takes it back.
  if (writeId === null || JSON.stringify(before) === JSON.stringify(after)) return;
  await q.insert(milestoneChanges).values({ projectId, milestoneId: id, writeId, before, after, had });
  const ofProject = eq(milestoneChanges.projectId, projectId);
  const [tooOld] = await q
    .select({ id: milestoneChanges.id })
    .from(milestoneChanges)
    .where(ofProject)
    .orderBy(desc(milestoneChanges.id))
    .limit(1)
    .offset(mostKept);
  if (tooOld) await q.delete(milestoneChanges).where(and(ofProject, lte(milestoneChanges.id, tooOld.id)));
}

/** What a write did to milestones of a project, in order. */
export const milestonesOfWrite = (
  q: Query,
  { projectId, writeId }: { readonly projectId: number; readonly writeId: number },
): Promise<readonly MilestoneChange[]> =>
  q
    .select()
    .from(milestoneChanges)
    .where(and(eq(milestoneChanges.writeId, writeId), eq(milestoneChanges.projectId, projectId)))
    .orderBy(asc(milestoneChanges.id));
