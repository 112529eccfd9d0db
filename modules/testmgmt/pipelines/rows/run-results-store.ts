import { and, asc, eq } from 'drizzle-orm';
import { inValues } from '../../../../core/db/query/columns.ts';
import { countedPage, type CountedPage, type Page } from '../../../../core/db/query/counted-page.ts';
import type { Query } from '../../../../core/db/query/db.ts';
import { reportedResults, runSources } from '../../base/pipeline-schema.ts';

export type StoredResult = typeof reportedResults.$inferSelect;

/** One page of the reported results in a run, by test, and their total. */
export const pageOfReported = (
  q: Query,
  { runId, testId }: { readonly runId: number; readonly testId?: number | undefined },
  page: Page,
): Promise<CountedPage<StoredResult>> =>
  countedPage(
    q,
    reportedResults,
    {
      where: and(
        eq(reportedResults.runId, runId),
        testId === undefined ? undefined : eq(reportedResults.testId, testId),
      ),
      orderBy: [asc(reportedResults.testId)],
    },
    page,
  );

/** The reported results for these tests in a run, by test. */
export async function reportedOf(
  q: Query,
  runId: number,
  testIds: readonly number[],
): Promise<ReadonlyMap<number, StoredResult>> {
  const rows = await q
    .select()
    .from(reportedResults)
    .where(and(eq(reportedResults.runId, runId), inValues(reportedResults.testId, testIds)));
  return new Map(rows.map((row) => [row.testId, row]));
}

/** The build whose results a run contains; undefined for a manual run. */
export async function sourceOf(q: Query, runId: number): Promise<typeof runSources.$inferSelect | undefined> {
  const [source] = await q.select().from(runSources).where(eq(runSources.runId, runId));
  return source;
}
