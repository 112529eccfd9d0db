import { asc, eq, inArray } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { projects, runs } from '../base/schema.ts';

/** The projects of organizations, inactive ones included. */
export async function projectIdsOf(q: Query, orgIds: readonly number[]): Promise<readonly number[]> {
  if (orgIds.length === 0) return [];
  const rows = await q
    .select({ id: projects.id })
    .from(projects)
    .where(inArray(projects.orgId, [...orgIds]))
    .orderBy(asc(projects.id));
  return rows.map(({ id }) => id);
}

/** The project of a run, deleted or not. */
export async function projectOfRun(q: Query, runId: number): Promise<number | undefined> {
  const [run] = await q.select({ projectId: runs.projectId }).from(runs).where(eq(runs.id, runId));
  return run?.projectId;
}
