import { and, desc, eq, isNotNull, isNull, lte, sql } from 'drizzle-orm';
import type { Actor } from '../../../core/base/actor.ts';
import { rowsInOrder, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import { forUpdate, inValues } from '../../../core/db/query/columns.ts';
import { prepared, together, type Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { rowsPerChange } from '../base/statement-sizes.ts';
import { changeTime } from '../base/change-time-store.ts';
import { storedDay } from '../base/day.ts';
import { fail } from '../base/errors.ts';
import { isRunOfMilestone, requireOpenMilestone } from '../milestones/milestone-store.ts';
import {
  countInProject,
  projectFor,
  projectToChange,
  mayName,
  type Project,
  type Right,
} from '../projects/project-store.ts';
import { idsOfQuery } from '../query/query-page-store.ts';
import { runsSource } from '../query/query-source-store.ts';
import type { AskedQuery } from '../query/query-store.ts';
import type { Tally } from '../rules/test-status.ts';
import { projects, runs } from '../base/schema.ts';
import { addTests } from './run-case-store.ts';
import type { Run } from './run-row.ts';

/** The input for a new run. */
interface NewRun {
  readonly projectId: number;
  readonly runName: string;
  readonly runDescription?: string;
  readonly milestoneId?: number;
  readonly planId?: number;
  readonly dueOn?: string;
}

/** Who changes a run, and when. */
interface RunAuthor {
  readonly by: number;
  readonly now: number;
}

/**
 * The time of a change of a run whose row is locked. It orders the changes of a run as they are committed: each has a later time than its
 * predecessor.
 */
export const changeTimeOf = ({ updatedAt }: Run, now: number): number => Math.max(now, (updatedAt ?? 0) + 1);

/** The row of a run that is created now. */
export const newRun = (
  { projectId, runName, runDescription, ...planned }: NewRun,
  by: number,
  now: number,
) => ({
  projectId,
  name: runName.trim(),
  description: runDescription?.trim() ?? '',
  milestoneId: planned.milestoneId ?? null,
  planId: planned.planId ?? null,
  dueOn: storedDay(planned.dueOn, 'dueOn') ?? null,
  createdBy: by,
  createdAt: now,
  updatedBy: by,
  updatedAt: now,
});

/**
 * Creates a run of exactly these tests, all untested.
 * @throws Fault NOT_IN_PROJECT for unknown, deleted or foreign tests; MILESTONE_NOT_FOUND, MILESTONE_CLOSED.
 */
export async function insertRun(
  q: Query,
  row: ReturnType<typeof newRun>,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<Run> {
  await requireOpenMilestone(q, row.projectId, row.milestoneId);
  const [run] = await q
    .insert(runs)
    .values({ ...row, untested: testIds.length })
    .returning();
  if (!run) throw new Error('the run was not stored');
  await addTests(q, run, testIds, signal);
  await countInProject(q, row.projectId, { runs: 1 });
  return run;
}

const runBy = (lock: <S extends object>(select: S) => S, name: string) =>
  prepared<{ runId: number }, Run>(
    (q) =>
      lock(
        q
          .select()
          .from(runs)
          .where(and(eq(runs.id, sql.placeholder('runId')), isNull(runs.deletedAt))),
      ),
    name,
  );

const runById = runBy((select) => select, 'testmgmt_run_by_id');
const runByIdLocked = runBy(forUpdate, 'testmgmt_run_to_change');

/** The run in any project; null when it does not exist or is deleted. */
export async function runOf(q: Query, runId: number): Promise<Run | null> {
  const [run] = await runById(q, { runId });
  return run ?? null;
}

/** The parameters of every tool about a run. */
export interface RunInProject {
  readonly projectId: number;
  readonly runId: number;
}

/**
 * The run and its project, if the actor has the right.
 * @throws Fault as projectFor; RUN_NOT_FOUND, also for a deleted run; NOT_IN_PROJECT for a run of another project of the organization.
 */
export async function runAndProject(
  q: Query,
  actor: Actor,
  { projectId, runId }: RunInProject,
  right: Right,
): Promise<{ readonly run: Run; readonly project: Project }> {
  const [project, run] = await together([projectFor(q, actor, projectId, right), runOf(q, runId)]);
  return { run: await requireInProject(q, actor, run, { projectId, runId }), project };
}

async function requireInProject(
  q: Query,
  actor: Actor,
  run: Run | null | undefined,
  { projectId, runId }: RunInProject,
): Promise<Run> {
  if (run?.projectId === projectId) return run;
  if (run && (await mayName(q, actor, projectId, run.projectId))) {
    throw fail.NOT_IN_PROJECT(`Run ${runId} is of project ${run.projectId}, not of project ${projectId}.`, {
      cause: 'runId',
      tip: 'Use get-runs to see the runs of this project.',
    });
  }
  if (!run && (await isDeletedRun(q, runId, projectId)))
    throw fail.RUN_NOT_FOUND(`Run ${runId} is deleted.`, {
      cause: 'deleted',
      tip: 'Use restore-run (toolset extra) to bring it back with its results.',
    });
  throw runNotFound(runId);
}

async function isDeletedRun(q: Query, runId: number, projectId: number): Promise<boolean> {
  const deleted = and(eq(runs.id, runId), eq(runs.projectId, projectId), isNotNull(runs.deletedAt));
  return (await q.select({ id: runs.id }).from(runs).where(deleted)).length > 0;
}

/** Some runs of a project, or of one of its milestones and its parts, newest first. @param upTo the id of the newest. */
export const newestRuns = (
  q: Query,
  projectId: number,
  {
    limit,
    upTo,
    milestoneId,
  }: { readonly limit: number; readonly upTo?: number; readonly milestoneId?: number },
): Promise<readonly Run[]> =>
  Promise.resolve(
    q
      .select()
      .from(runs)
      .where(
        and(
          eq(runs.projectId, projectId),
          upTo === undefined ? undefined : lte(runs.id, upTo),
          milestoneId === undefined ? undefined : isRunOfMilestone(q, milestoneId),
          isNull(runs.deletedAt),
        ),
      )
      .orderBy(desc(runs.id))
      .limit(limit),
  );

/** The run of {@link runAndProject}. */
export const runFor = async (q: Query, actor: Actor, named: RunInProject, right: Right): Promise<Run> =>
  (await runAndProject(q, actor, named, right)).run;

export const runNotFound = (runId: number) => fail.RUN_NOT_FOUND(`There is no run ${runId}.`);

/**
 * The run, for a transaction that changes it, even if its users have locked it: locks its row, and prevents its project from being stopped.
 * @param counts the number of runs of the project changes, too.
 * @throws Fault as runFor.
 */
export async function runToHold(
  q: Query,
  actor: Actor,
  named: RunInProject,
  { right = 'write', counts = false }: { readonly right?: Right; readonly counts?: boolean } = {},
): Promise<Run> {
  const lock = counts ? 'change' : 'below';
  const [, [run]] = await together([
    projectToChange(q, actor, named.projectId, { right, lock }),
    runByIdLocked(q, { runId: named.runId }),
  ]);
  return requireInProject(q, actor, run, named);
}

/** The run, for a change. @throws Fault as runFor; RUN_LOCKED. */
export async function runToChange(
  q: Query,
  actor: Actor,
  named: RunInProject,
  options: { readonly counts?: boolean } = {},
): Promise<Run> {
  const run = await runToHold(q, actor, named, options);
  if (run.lockedAt !== null) throw fail.RUN_LOCKED(`Run ${run.id} is locked and takes no changes.`);
  return run;
}

/** Changes columns of an existing run. */
export async function changeRun(
  q: Query,
  runId: number,
  changes: Partial<
    Pick<Run, 'name' | 'description' | 'lockedBy' | 'lockedAt' | 'deletedAt' | 'milestoneId' | 'dueOn'>
  >,
  author: RunAuthor,
): Promise<Run> {
  const [run] = await q
    .update(runs)
    .set({ ...changes, updatedBy: author.by, updatedAt: changeTime(runs.updatedAt, author.now) })
    .where(eq(runs.id, runId))
    .returning();
  if (!run) throw new Error('the run is gone');
  return run;
}

/**
 * Something beside the results of these runs has changed, a file or a link: whoever has one open learns of it, and no result becomes newer
 * by it. Yields to other requests.
 */
export async function changeRunsBeside(
  q: Query,
  records: ReadonlyArray<{ readonly runId: number | null }>,
  author: RunAuthor,
  signal: AbortSignal,
): Promise<void> {
  const ids = [...new Set(records.flatMap(({ runId }) => runId ?? []))].toSorted((a, b) => a - b);
  for await (const part of partsInTurns(ids, rowsPerChange, signal))
    await q
      .update(runs)
      .set({ updatedBy: author.by, updatedAt: changeTime(runs.updatedAt, author.now) })
      .where(inValues(runs.id, [...part]));
}

const countedAt = changeTime(runs.updatedAt, sql`${sql.placeholder('now')}`);

const addToCounts = prepared<Tally & { runId: number; by: number; now: number; ofOtherTests: number }, Run>(
  (q) =>
    q
      .update(runs)
      .set({
        passed: sql`${runs.passed} + ${sql.placeholder('passed')}`,
        failed: sql`${runs.failed} + ${sql.placeholder('failed')}`,
        blocked: sql`${runs.blocked} + ${sql.placeholder('blocked')}`,
        retest: sql`${runs.retest} + ${sql.placeholder('retest')}`,
        untested: sql`${runs.untested} + ${sql.placeholder('untested')}`,
        updatedBy: sql`${sql.placeholder('by')}`,
        updatedAt: countedAt,
        testsChangedAt: sql`case when ${sql.placeholder('ofOtherTests')} = 1 then ${countedAt} else ${runs.testsChangedAt} end`,
      })
      .where(eq(runs.id, sql.placeholder('runId')))
      .returning(),
  'testmgmt_add_to_counts',
);

/**
 * Adds a change to the counts of a run, in the transaction that changes its tests.
 * @param changed how many of its tests change: a comment may change alone, without a count.
 * @param ofOtherTests tests are added or removed.
 */
export async function countInRun(
  q: Query,
  run: Run,
  change: Tally,
  {
    by,
    now,
    changed,
    ofOtherTests = false,
  }: RunAuthor & { readonly changed: number; readonly ofOtherTests?: boolean },
): Promise<Run> {
  if (changed === 0) return run;
  const values = { ...change, runId: run.id, by, now, ofOtherTests: ofOtherTests ? 1 : 0 };
  const [counted] = await addToCounts(q, values);
  if (!counted) throw new Error('the run is gone');
  return counted;
}

/** Deletes a run and corrects the count of its project; its results stay in the database. */
export async function deleteRun(q: Query, run: Run, author: RunAuthor): Promise<void> {
  await changeRun(q, run.id, { deletedAt: author.now }, author);
  await countInProject(q, run.projectId, { runs: -1 });
}

/**
 * A run of a project, deleted or not, locked.
 * @throws Fault RUN_NOT_FOUND, also for a run of another project.
 */
export async function runEverIn(q: Query, { projectId, runId }: RunInProject): Promise<Run> {
  const [run] = await forUpdate(
    q
      .select()
      .from(runs)
      .where(and(eq(runs.id, runId), eq(runs.projectId, projectId))),
  );
  if (!run) throw runNotFound(runId);
  return run;
}

/** Restores a deleted run, and corrects the count of its project. */
export async function undeleteRun(q: Query, run: Run, author: RunAuthor): Promise<Run> {
  const restored = await changeRun(q, run.id, { deletedAt: null }, author);
  await countInProject(q, run.projectId, { runs: 1 });
  return restored;
}

/** One page of the runs that a query selects, newest first unless the query sorts them, and their total. */
export async function pageOfRunQuery(
  q: Query,
  projectId: number,
  asked: AskedQuery,
  page: Page & { readonly signal: AbortSignal },
): Promise<CountedPage<Run>> {
  const byId = { value: sql`${runs.id}`, optional: false, descending: true };
  const newestFirst = { ...asked, sort: asked.sort.length > 0 ? asked.sort : [byId] };
  const { total, ids } = await idsOfQuery(q, runsSource(projectId), newestFirst, page);
  const rows = await q.select().from(runs).where(inValues(runs.id, ids));
  return { total, rows: rowsInOrder(ids, rows, 'id') };
}

/** One page of the runs of a project, newest first, and their total. */
export async function pageOfRuns(
  q: Query,
  projectId: number,
  { limit, offset }: Page,
): Promise<CountedPage<Run>> {
  const [counted] = await q
    .select({ total: projects.runsCount })
    .from(projects)
    .where(eq(projects.id, projectId));
  const rows = await q
    .select()
    .from(runs)
    .where(and(eq(runs.projectId, projectId), isNull(runs.deletedAt)))
    .orderBy(desc(runs.id))
    .limit(limit)
    .offset(offset);
  return { total: counted?.total ?? 0, rows };
}
