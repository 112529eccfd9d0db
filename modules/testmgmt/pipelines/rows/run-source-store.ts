import { and, desc, eq, isNull, lt, type SQL } from 'drizzle-orm';
import type { Query } from '../../../../core/db/query/db.ts';
import { runs } from '../../base/schema.ts';
import { insertRun, newRun } from '../../runs/run-store.ts';
import type { Run } from '../../runs/run-row.ts';
import { runSources } from '../../base/pipeline-schema.ts';
import type { BuildSource } from './run-baseline.ts';

/** The run whose uploads have this key; undefined if it does not exist or was deleted. */
export async function runOfKey(q: Query, projectId: number, runKey: string): Promise<Run | undefined> {
  const [found] = await runsOfPipelines(q, projectId, eq(runSources.runKey, runKey));
  return found?.run;
}

const runsOfPipelines = (q: Query, projectId: number, which?: SQL) =>
  q
    .select({ run: runs })
    .from(runSources)
    .innerJoin(runs, eq(runs.id, runSources.runId))
    .where(and(eq(runSources.projectId, projectId), which, isNull(runs.deletedAt)));

/** Whether a run is the first of its project with results from a pipeline. */
export async function isFirstRun(
  q: Query,
  { id, projectId }: { readonly id: number; readonly projectId: number },
): Promise<boolean> {
  const [before] = await q
    .select({ runId: runSources.runId })
    .from(runSources)
    .where(and(eq(runSources.projectId, projectId), lt(runSources.runId, id)))
    .limit(1);
  return before === undefined;
}

interface NewPipelineRun {
  readonly projectId: number;
  readonly runKey: string;
  readonly runName: string;
  readonly source: BuildSource;
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * The run of a key, created if there is none. In a transaction that locks the project to change it, so that only one of several concurrent
 * uploads creates the run.
 */
export async function runForKey(q: Query, given: NewPipelineRun): Promise<Run> {
  const { projectId, runKey, runName, source, by, now, signal } = given;
  const known = await runOfKey(q, projectId, runKey);
  if (known) return known;
  // A deleted run gives up its key.
  await q
    .update(runSources)
    .set({ runKey: null })
    .where(and(eq(runSources.projectId, projectId), eq(runSources.runKey, runKey)));
  const run = await insertRun(q, newRun({ projectId, runName }, by, now), [], signal);
  await q.insert(runSources).values({ ...source, runId: run.id, projectId, runKey, createdAt: now });
  return run;
}

/** The newest run of a pipeline, optionally of one branch; undefined if there is none. */
export async function newestRun(
  q: Query,
  projectId: number,
  branch: string | undefined,
): Promise<Run | undefined> {
  const ofBranch = branch === undefined ? undefined : eq(runSources.branch, branch);
  const [found] = await runsOfPipelines(q, projectId, ofBranch).orderBy(desc(runSources.runId)).limit(1);
  return found?.run;
}
