import { and, asc, desc, eq, exists, gt, gte, inArray, isNull, sql } from 'drizzle-orm';
import { partsInTurns } from '../../../core/base/turns.ts';
import type { MergedUsers } from '../../../core/base/write-entry.ts';
import { inValues } from '../../../core/db/query/columns.ts';
import { countedPage, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { quarantines } from '../base/evidence-schema.ts';
import { runSources } from '../base/pipeline-schema.ts';
import { outcomes, results, runs, tests } from '../base/schema.ts';
import { everyRow, idsPerQuery, linksPerInsert, rowsPerChange } from '../base/statement-sizes.ts';
import type { TestStatus } from '../rules/test-status.ts';

type Row = typeof quarantines.$inferSelect;

/** A test in quarantine, or one whose quarantine ran out. */
export interface Quarantined extends Row {
  readonly testName: string;
  readonly lastStatus: TestStatus | null;
}

const idsAtOnce = 2_000;

/** What one account looks after in quarantine, the account that it became part of looks after. */
export async function moveQuarantines(q: Query, { fromUserId, intoUserId }: MergedUsers): Promise<void> {
  await q.update(quarantines).set({ ownerId: intoUserId }).where(eq(quarantines.ownerId, fromUserId));
}

/** A deleted test takes no room, and nobody could end its quarantine; restoring it brings the quarantine back. */
const isOfTest = (q: Query) =>
  exists(
    q
      .select({ id: tests.id })
      .from(tests)
      .where(and(eq(tests.id, quarantines.testId), isNull(tests.deletedAt))),
  );

/** The tests of a project whose failures do not fail a build now. Yields to other requests. */
export async function quarantinedTests(
  q: Query,
  projectId: number,
  now: number,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const rows = await everyRow(
    (after) =>
      q
        .select({ id: quarantines.testId })
        .from(quarantines)
        .where(
          and(
            eq(quarantines.projectId, projectId),
            gt(quarantines.testId, after),
            gt(quarantines.until, now),
            isOfTest(q),
          ),
        )
        .orderBy(asc(quarantines.testId))
        .limit(idsAtOnce),
    signal,
    idsAtOnce,
  );
  return new Set(rows.map(({ id }) => id));
}

/** The quarantines that a test's record shows. */
const quarantineOf = async (q: Query, testId: number): Promise<Row | undefined> =>
  (await q.select().from(quarantines).where(eq(quarantines.testId, testId)))[0];

/** Puts tests into quarantine; those that are in it get the new reason and end. Yields to other requests between its chunks. */
export async function storeQuarantines(
  q: Query,
  testIds: readonly number[],
  row: Omit<Row, 'testId'>,
  signal: AbortSignal,
): Promise<void> {
  const { reason, ownerId, until, linkKey, by, at } = row;
  for await (const ids of partsInTurns(testIds, linksPerInsert / 2, signal))
    await q
      .insert(quarantines)
      .values(ids.map((testId) => ({ ...row, testId })))
      .onConflictDoUpdate({ target: quarantines.testId, set: { reason, ownerId, until, linkKey, by, at } });
}

/** Ends quarantines. @returns the tests that had one. */
export async function deleteQuarantines(
  q: Query,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const ended: number[] = [];
  for await (const ids of partsInTurns(testIds, rowsPerChange, signal)) {
    const rows = await q
      .delete(quarantines)
      .where(inArray(quarantines.testId, [...ids]))
      .returning({ testId: quarantines.testId });
    for (const { testId } of rows) ended.push(testId);
  }
  return ended;
}

/** Those of the given tests that have a quarantine, also one that ran out. */
export async function withQuarantine(
  q: Query,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const ids of partsInTurns(testIds, idsPerQuery, signal))
    for (const { testId } of await q
      .select({ testId: quarantines.testId })
      .from(quarantines)
      .where(inValues(quarantines.testId, ids)))
      found.push(testId);
  return found;
}

/** Gives the quarantine of a test to another one, which keeps its own. */
export async function moveQuarantine(
  q: Query,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const [old, own] = [await quarantineOf(q, from), await quarantineOf(q, to)];
  if (!old) return;
  if (!own) await q.insert(quarantines).values({ ...old, testId: to });
  await q.delete(quarantines).where(eq(quarantines.testId, from));
}

/** One page of the quarantines of a project, or of one test, the first to end first. */
export async function pageOfQuarantines(
  q: Query,
  { projectId, testId }: { readonly projectId: number; readonly testId?: number | undefined },
  page: Page,
): Promise<CountedPage<Quarantined>> {
  const where = and(
    eq(quarantines.projectId, projectId),
    testId === undefined ? undefined : eq(quarantines.testId, testId),
    isOfTest(q),
  );
  const orderBy = [asc(quarantines.until), asc(quarantines.testId)];
  const { total, rows } = await countedPage(q, quarantines, { where, orderBy }, page);
  const named = await q
    .select({ testId: tests.id, testName: tests.name, lastStatus: outcomes.lastStatus })
    .from(tests)
    .leftJoin(outcomes, eq(outcomes.testId, tests.id))
    .where(
      inValues(
        tests.id,
        rows.map((row) => row.testId),
      ),
    );
  const known = new Map(named.map((one) => [one.testId, one]));
  return {
    total,
    rows: rows.map((row) => ({
      ...row,
      testName: known.get(row.testId)?.testName ?? '',
      lastStatus: known.get(row.testId)?.lastStatus ?? null,
    })),
  };
}

/** Builds that say which the default branch is. */
const sourcesLooked = 100;

export const newestSources = (q: Query, projectId: number) =>
  q
    .select({ branch: runSources.branch, baseBranch: runSources.baseBranch })
    .from(runSources)
    .innerJoin(runs, and(eq(runs.id, runSources.runId), isNull(runs.deletedAt)))
    .where(eq(runSources.projectId, projectId))
    .orderBy(desc(runSources.runId))
    .limit(sourcesLooked);

/** Results of a test that are examined for passes in a row. */
const resultsLooked = 200;

/**
 * The newest results of a test since a moment, newest first: in builds of a branch, or without a branch in any run.
 */
export async function resultsSince(
  q: Query,
  testId: number,
  { branch, since }: { readonly branch: string | null; readonly since: number },
): Promise<readonly TestStatus[]> {
  const newest = q
    .select({ id: results.id, runId: results.runId, status: results.status, at: results.at })
    .from(results)
    .where(eq(results.testId, testId))
    .orderBy(desc(results.id))
    .limit(resultsLooked)
    .as('newest');
  const ofBranch = sql`exists (select 1 from ${runSources} where ${runSources.runId} = ${newest.runId} and ${runSources.branch} = ${branch})`;
  const rows = await q
    .select({ status: newest.status })
    .from(newest)
    .where(and(gte(newest.at, since), branch === null ? undefined : ofBranch))
    .orderBy(desc(newest.id));
  return rows.map(({ status }) => status);
}
