import { and, asc, desc, eq, gt, isNull, ne, or } from 'drizzle-orm';
import type { Query } from '../../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../../core/base/turns.ts';
import { reportedResults, runSources } from '../../base/pipeline-schema.ts';
import { runs } from '../../base/schema.ts';

/** Newest runs that are read: a file that none of them ran counts as unknown. */
const runsRead = 10;
/** Rows of one statement: a few milliseconds. */
const rowsAtOnce = 2_000;
/** Most files that are kept in memory. */
const filesKept = 100_000;

/**
 * Milliseconds of the tests of each file in the newest run of a pipeline that ran it.
 * @param except the build that asks: its jobs must get the same durations, whichever of them has uploaded already.
 */
export async function fileDurations(
  q: Query,
  projectId: number,
  { except, signal }: { readonly except: string | undefined; readonly signal: AbortSignal },
): Promise<{ readonly durations: ReadonlyMap<string, number>; readonly runs: number }> {
  const newest = await q
    .select({ runId: runSources.runId })
    .from(runSources)
    .innerJoin(runs, eq(runs.id, runSources.runId))
    .where(
      and(
        eq(runSources.projectId, projectId),
        isNull(runs.deletedAt),
        except === undefined ? undefined : or(isNull(runSources.runKey), ne(runSources.runKey, except)),
      ),
    )
    .orderBy(desc(runSources.runId))
    .limit(runsRead);
  const durations = new Map<string, number>();
  for (const { runId } of newest) {
    const ofRun = await durationsInRun(q, runId, signal);
    for (const [file, duration] of ofRun)
      if (!durations.has(file) && durations.size < filesKept) durations.set(file, duration);
  }
  return { durations, runs: newest.length };
}

async function durationsInRun(
  q: Query,
  runId: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  for (let after = 0; ;) {
    const rows = await q
      .select({
        testId: reportedResults.testId,
        file: reportedResults.file,
        durationUs: reportedResults.durationUs,
      })
      .from(reportedResults)
      .where(and(eq(reportedResults.runId, runId), gt(reportedResults.testId, after)))
      .orderBy(asc(reportedResults.testId))
      .limit(rowsAtOnce);
    for (const { file, durationUs } of rows)
      if (file !== null) sums.set(file, (sums.get(file) ?? 0) + (durationUs ?? 0) / 1_000);
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) return sums;
    after = last.testId;
    if (turnIsOver()) await nextTurn(signal);
  }
}
