import { and, asc, eq, gt, gte, isNull, lte } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { milestones } from '../base/planning-schema.ts';
import { projects } from '../base/schema.ts';
import { rowsPerRead } from '../base/statement-sizes.ts';

/** Some open milestones of active projects by the start of their last day (epoch ms), in the order of their ids. */
export const openMilestones = (
  q: Query,
  { from, to }: { readonly from: number; readonly to: number },
  after: number,
) =>
  q
    .select({ id: milestones.id, projectId: milestones.projectId, dueOn: milestones.dueOn })
    .from(milestones)
    .innerJoin(projects, eq(projects.id, milestones.projectId))
    .where(
      and(
        isNull(milestones.closedAt),
        gte(milestones.dueOn, from),
        lte(milestones.dueOn, to),
        gt(milestones.id, after),
        eq(projects.isActive, true),
      ),
    )
    .orderBy(asc(milestones.id))
    .limit(rowsPerRead);
