import { and, desc, eq, exists, isNull, lt, ne, notExists, or, sql, type SQL } from 'drizzle-orm';
import { nextTurn, turnIsOver } from '../../../../core/base/turns.ts';
import type { Query } from '../../../../core/db/query/db.ts';
import type { Run } from '../../runs/run-row.ts';
import { runs, runTests } from '../../base/schema.ts';
import { runSources, unmatchedResults } from '../../base/pipeline-schema.ts';
import { defaultBranches, type BuildSource } from './run-baseline.ts';
import { sourceOf } from './run-results-store.ts';

/** Which run to compare with. */
interface Asked {
  /** Only runs before this one; if absent, all runs. */
  readonly before?: number | undefined;
  /** Excludes the run of this key: another job of the build may have created it by now. */
  readonly otherThan?: string;
}

/**
 * The run that results are compared with: the previous run of the same pipeline and branch; else of its target branch; else of the default
 * branch. Results without a branch are compared with results of the same pipeline that have none either, else with the default branch.
 */
export async function baselineOfBuild(
  q: Query,
  projectId: number,
  source: BuildSource,
  asked: Asked,
): Promise<Run | undefined> {
  const own = await newestOf(q, projectId, source, source.branch ?? null, asked);
  if (own) return own;
  for (const branch of defaultBranches(source)) {
    const found = await newestOf(q, projectId, source, branch, asked);
    if (found) return found;
  }
  return undefined;
}

/** Manual runs that are looked at: whoever compares with an older one chooses it. */
const looked = 10;

/**
 * The run with which a stored run is compared: by {@link baselineOfBuild}; for a manual run, the previous manual run with some of its tests,
 * if possible one in which something was tested.
 */
export async function baselineOfRun(
  q: Query,
  run: { readonly runId: number; readonly projectId: number },
): Promise<Run | undefined> {
  const source = await sourceOf(q, run.runId);
  if (source) return baselineOfBuild(q, run.projectId, source, { before: run.runId });
  const ofPipeline = q
    .select({ runId: runSources.runId })
    .from(runSources)
    .where(eq(runSources.runId, runs.id));
  const earlier = await q
    .select()
    .from(runs)
    .where(
      and(
        eq(runs.projectId, run.projectId),
        lt(runs.id, run.runId),
        isNull(runs.deletedAt),
        hasTests(q),
        notExists(ofPipeline),
      ),
    )
    .orderBy(desc(runs.id))
    .limit(looked);
  const wasTested = ({ passed, failed, blocked, retest }: Run) => passed + failed + blocked + retest > 0;
  for (const candidate of [...earlier.filter(wasTested), ...earlier.filter((one) => !wasTested(one))]) {
    if (await sharesTests(q, candidate.id, run.runId)) return candidate;
    if (turnIsOver()) await nextTurn();
  }
  return undefined;
}

/** Whether two runs have a test in common. */
async function sharesTests(q: Query, runId: number, otherId: number): Promise<boolean> {
  const isInOther = sql`exists (select 1 from testmgmt_run_tests other
    where other.run_id = ${otherId} and other.test_id = testmgmt_run_tests.test_id)`;
  const [shared] = await q
    .select({ testId: runTests.testId })
    .from(runTests)
    .where(and(eq(runTests.runId, runId), isInOther))
    .limit(1);
  return shared !== undefined;
}

async function newestOf(
  q: Query,
  projectId: number,
  { provider, repository, workflow }: BuildSource,
  branch: string | null,
  { before, otherThan }: Asked,
): Promise<Run | undefined> {
  const [found] = await q
    .select({ run: runs })
    .from(runSources)
    .innerJoin(runs, eq(runs.id, runSources.runId))
    .where(
      and(
        eq(runSources.projectId, projectId),
        same(runSources.branch, branch),
        same(runSources.provider, provider),
        same(runSources.repository, repository),
        same(runSources.workflow, workflow),
        before === undefined ? undefined : lt(runSources.runId, before),
        otherThan === undefined ? undefined : or(isNull(runSources.runKey), ne(runSources.runKey, otherThan)),
        isNull(runs.deletedAt),
        hasTests(q),
      ),
    )
    .orderBy(desc(runSources.runId))
    .limit(1);
  return found?.run;
}

/** Only runs with a test or a case: compared with an empty one (an empty report, an upload that broke off) each failure would be new. */
const hasTests = (q: Query): SQL | undefined =>
  or(
    sql`${runs.passed} + ${runs.failed} + ${runs.blocked} + ${runs.retest} + ${runs.untested} > 0`,
    exists(
      q
        .select({ runId: unmatchedResults.runId })
        .from(unmatchedResults)
        .where(eq(unmatchedResults.runId, runs.id)),
    ),
  );

type Column = typeof runSources.branch | typeof runSources.provider | typeof runSources.repository;

const same = (column: Column, value: string | null | undefined): SQL =>
  value === null || value === undefined ? isNull(column) : eq(column, value);
