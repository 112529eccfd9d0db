import { and, desc, eq, isNull, lt, ne, or } from 'drizzle-orm';
import type { Query } from '../../../core/db/db.ts';
import { runs } from '../schema.ts';
import { insertRun, newRun, type Run } from '../runs/run-store.ts';
import { runSources } from '../pipeline-schema.ts';

/** The build that an upload says it comes from. */
export type BuildSource = Partial<
  Omit<typeof runSources.$inferInsert, 'runId' | 'projectId' | 'runKey' | 'createdAt'>
>;

/** The run whose uploads have this key; undefined when there is none, or it was deleted. */
export async function runOfKey(q: Query, projectId: number, runKey: string): Promise<Run | undefined> {
  const [found] = await q
    .select({ run: runs })
    .from(runSources)
    .innerJoin(runs, eq(runs.id, runSources.runId))
    .where(and(eq(runSources.projectId, projectId), eq(runSources.runKey, runKey), isNull(runs.deletedAt)));
  return found?.run;
}

/** Whether a run is the first one of its project that has its results from a pipeline. */
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
 * The run of a key; created when there is none. In a transaction that holds the project to change it: of uploads that arrive at the same
 * time, one creates the run.
 */
export async function runForKey(q: Query, given: NewPipelineRun): Promise<Run> {
  const { projectId, runKey, runName, source, by, now, signal } = given;
  const known = await runOfKey(q, projectId, runKey);
  if (known) return known;
  // A run that was deleted gives its key away.
  await q
    .update(runSources)
    .set({ runKey: null })
    .where(and(eq(runSources.projectId, projectId), eq(runSources.runKey, runKey)));
  const run = await insertRun(q, newRun({ projectId, runName }, by, now), [], signal);
  await q.insert(runSources).values({ ...source, runId: run.id, projectId, runKey, createdAt: now });
  return run;
}

/** The newest run of a pipeline, of a branch if one is named; undefined when there is none. */
export async function newestRun(
  q: Query,
  projectId: number,
  branch: string | undefined,
  { before, otherThan }: { readonly before?: number | undefined; readonly otherThan?: string } = {},
): Promise<Run | undefined> {
  const [found] = await q
    .select({ run: runs })
    .from(runSources)
    .innerJoin(runs, eq(runs.id, runSources.runId))
    .where(
      and(
        eq(runSources.projectId, projectId),
        branch === undefined ? undefined : eq(runSources.branch, branch),
        before === undefined ? undefined : lt(runSources.runId, before),
        // Another job of this build may have made its run by now.
        otherThan === undefined ? undefined : or(isNull(runSources.runKey), ne(runSources.runKey, otherThan)),
        isNull(runs.deletedAt),
      ),
    )
    .orderBy(desc(runSources.runId))
    .limit(1);
  return found?.run;
}

/**
 * The run that an upload is compared with: the newest one before it of the same branch; else of the branch that it goes to; without a
 * branch, the newest one of a pipeline.
 */
export async function comparedRun(
  q: Query,
  projectId: number,
  { runKey, source: { branch, baseBranch } }: { readonly runKey: string; readonly source: BuildSource },
  before: number | undefined,
): Promise<Run | undefined> {
  const own = await newestRun(q, projectId, branch ?? undefined, { before, otherThan: runKey });
  if (own || !branch || !baseBranch) return own;
  return newestRun(q, projectId, baseBranch, { before, otherThan: runKey });
}
