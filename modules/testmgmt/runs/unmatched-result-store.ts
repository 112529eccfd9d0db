import { and, asc, desc, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { byCodePoint, countRows, inValues } from '../../../core/db/query/columns.ts';
import { countedPage, type Page } from '../../../core/db/query/counted-page.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { unmatchedResults } from '../base/pipeline-schema.ts';
import type { ReportedStatus } from '../result-files/cases/reported-case.ts';
import { runs } from '../base/schema.ts';
import { idsPerQuery, resultsPerInsert } from '../base/statement-sizes.ts';

/*
 * Results of reported cases that match no test. A run keeps the first 1,000 that failed, 1,000 that may be a renamed test, and 1,000
 * others: a suite whose cases nobody wants as tests must not fill the database.
 */

export type UnmatchedResult = typeof unmatchedResults.$inferSelect;
export type UnmatchedCounts = Record<ReportedStatus, number>;

export const keptOfAKind = 1_000;

/** The kind that determines the limit of an unmatched result. */
const kindOf = ({ status, renameOf }: Pick<UnmatchedResult, 'status' | 'renameOf'>) =>
  status === 'failed' ? 'failed' : renameOf === null ? 'other' : 'renamed';

/** The status of each unmatched case of a run, by the digest of its key; empty without a run. */
export async function unmatchedStatuses(
  q: Query,
  runId: number | undefined,
): Promise<ReadonlyMap<string, ReportedStatus>> {
  if (runId === undefined) return new Map();
  const rows = await q
    .select({ keyHash: unmatchedResults.keyHash, status: unmatchedResults.status })
    .from(unmatchedResults)
    .where(eq(unmatchedResults.runId, runId));
  return new Map(rows.map(({ keyHash, status }) => [keyHash, status]));
}

/** The given keys that a run has as unmatched, by their digests. Yields to other requests. */
export async function unmatchedInRun(
  q: Query,
  runId: number,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, UnmatchedResult>> {
  const found = new Map<string, UnmatchedResult>();
  for await (const part of partsInTurns(hashes, resultsPerInsert, signal)) {
    const rows = await q
      .select()
      .from(unmatchedResults)
      .where(and(eq(unmatchedResults.runId, runId), inArray(unmatchedResults.keyHash, [...part])));
    for (const row of rows) found.set(row.keyHash, row);
  }
  return found;
}

export async function hasUnmatched(q: Query, runId: number): Promise<boolean> {
  const [row] = await q
    .select({ runId: unmatchedResults.runId })
    .from(unmatchedResults)
    .where(eq(unmatchedResults.runId, runId))
    .limit(1);
  return row !== undefined;
}

/** The unmatched cases that fail in a run and did not fail as unmatched ones in the earlier run, in the order of their keys. */
export async function newlyFailingUnmatched(
  q: Query,
  { now, before }: { readonly now: number; readonly before: number },
): Promise<readonly string[]> {
  const failing = await q
    .select({ key: unmatchedResults.key, keyHash: unmatchedResults.keyHash })
    .from(unmatchedResults)
    .where(and(eq(unmatchedResults.runId, now), eq(unmatchedResults.status, 'failed')))
    .orderBy(byCodePoint(unmatchedResults.key));
  if (failing.length === 0) return [];
  const earlier = await unmatchedStatuses(q, before);
  return failing.flatMap(({ key, keyHash }) => (earlier.get(keyHash) === 'failed' ? [] : [key]));
}

/** Why a case failed. */
export const messageOf = ({ attempts }: Pick<UnmatchedResult, 'attempts'>): string | undefined =>
  attempts.findLast(({ status }) => status === 'failed')?.message;

/** The number of unmatched results per run and status; a run without any is absent. */
export async function unmatchedCounts(
  q: Query,
  runIds: readonly number[],
): Promise<ReadonlyMap<number, UnmatchedCounts>> {
  const found = new Map<number, UnmatchedCounts>();
  if (runIds.length === 0) return found;
  const rows = await q
    .select({ runId: unmatchedResults.runId, status: unmatchedResults.status, count: countRows() })
    .from(unmatchedResults)
    .where(inValues(unmatchedResults.runId, runIds))
    .groupBy(unmatchedResults.runId, unmatchedResults.status);
  for (const { runId, status, count } of rows)
    found.set(runId, { passed: 0, failed: 0, skipped: 0, ...found.get(runId), [status]: count });
  return found;
}

const countsOfRun = prepared<{ runId: number }, { readonly status: ReportedStatus; readonly count: number }>(
  (q) =>
    q
      .select({ status: unmatchedResults.status, count: countRows() })
      .from(unmatchedResults)
      .where(eq(unmatchedResults.runId, sql.placeholder('runId')))
      .groupBy(unmatchedResults.status),
  'testmgmt_unmatched_of_run',
);

/** Like {@link unmatchedCounts}, for one run; undefined if none. Prepared: an ad hoc query halved the speed of run-detail (measured). */
export async function unmatchedCountsOf(q: Query, runId: number): Promise<UnmatchedCounts | undefined> {
  const rows = await countsOfRun(q, { runId });
  if (rows.length === 0) return undefined;
  return {
    passed: 0,
    failed: 0,
    skipped: 0,
    ...Object.fromEntries(rows.map(({ status, count }) => [status, count])),
  };
}

/** One page of the unmatched results of a run, failed ones first, and their total. */
export const pageOfUnmatched = (q: Query, runId: number, page: Page) =>
  countedPage(
    q,
    unmatchedResults,
    {
      where: eq(unmatchedResults.runId, runId),
      orderBy: [asc(unmatchedResults.status), byCodePoint(unmatchedResults.key)],
    },
    page,
  );

/**
 * Stores unmatched results of a run, replacing earlier ones; new ones are stored as far as there is room. In a transaction that locks the
 * run.
 * @param known the results among them that the run has already.
 */
export async function storeUnmatched(
  q: Query,
  runId: number,
  given: readonly UnmatchedResult[],
  { known, signal }: { readonly known: ReadonlyMap<string, UnmatchedResult>; readonly signal: AbortSignal },
): Promise<void> {
  const kind = sql<string>`case when ${unmatchedResults.status} = 'failed' then 'failed'
    when ${unmatchedResults.renameOf} is null then 'other' else 'renamed' end`;
  const counts = await q
    .select({ kind, count: countRows() })
    .from(unmatchedResults)
    .where(eq(unmatchedResults.runId, runId))
    .groupBy(kind);
  const kept = new Map(counts.map((row) => [row.kind, row.count]));
  const stored = given.filter((one) => {
    if (known.has(one.keyHash)) return true;
    const count = kept.get(kindOf(one)) ?? 0;
    if (count >= keptOfAKind) return false;
    kept.set(kindOf(one), count + 1);
    return true;
  });
  for await (const part of partsInTurns(stored, resultsPerInsert, signal))
    await q
      .insert(unmatchedResults)
      .values([...part])
      .onConflictDoUpdate({
        target: [unmatchedResults.runId, unmatchedResults.keyHash],
        set: {
          status: sql`excluded.status`,
          flaky: sql`excluded.flaky`,
          attempts: sql`excluded.attempts`,
          file: sql`coalesce(excluded.file, ${unmatchedResults.file})`,
          line: sql`coalesce(excluded.line, ${unmatchedResults.line})`,
          details: sql`coalesce(excluded.details, ${unmatchedResults.details})`,
          renameOf: sql`coalesce(excluded.rename_of, ${unmatchedResults.renameOf})`,
          similarity: sql`coalesce(excluded.similarity, ${unmatchedResults.similarity})`,
        },
      });
}

/** Removes results from a run's unmatched ones, because they now belong to tests. */
export async function removeUnmatched(
  q: Query,
  runId: number,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for await (const part of partsInTurns(hashes, idsPerQuery, signal))
    await q
      .delete(unmatchedResults)
      .where(and(eq(unmatchedResults.runId, runId), inArray(unmatchedResults.keyHash, [...part])));
}

/** Results of these keys in the newest runs of a project that may be changed, oldest run first. */
export async function unmatchedOfKeys(
  q: Query,
  projectId: number,
  hashes: readonly string[],
  limit: number,
): Promise<readonly UnmatchedResult[]> {
  const rows = await q
    .select({ row: unmatchedResults })
    .from(unmatchedResults)
    .innerJoin(runs, eq(runs.id, unmatchedResults.runId))
    .where(
      and(
        eq(unmatchedResults.projectId, projectId),
        inArray(unmatchedResults.keyHash, [...hashes]),
        isNull(runs.deletedAt),
        isNull(runs.lockedAt),
      ),
    )
    .orderBy(desc(unmatchedResults.runId))
    .limit(limit);
  return rows.map(({ row }) => row).toReversed();
}

/** The offer that a case is a test under another name, still open or declined. */
type OfferedRename = Pick<UnmatchedResult, 'keyHash' | 'similarity' | 'declined'> & {
  readonly renameOf: number;
};

/** The offers for these keys in any run of the project; the newest offer for each key. Yields to other requests. */
export async function offeredRenames(
  q: Query,
  projectId: number,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, OfferedRename>> {
  const found = new Map<string, OfferedRename>();
  for await (const part of partsInTurns(hashes, idsPerQuery, signal)) {
    const rows = await q
      .select({
        keyHash: unmatchedResults.keyHash,
        renameOf: unmatchedResults.renameOf,
        similarity: unmatchedResults.similarity,
        declined: unmatchedResults.declined,
      })
      .from(unmatchedResults)
      .where(
        and(
          eq(unmatchedResults.projectId, projectId),
          inArray(unmatchedResults.keyHash, [...part]),
          isNotNull(unmatchedResults.renameOf),
        ),
      )
      .orderBy(asc(unmatchedResults.runId));
    for (const { renameOf, ...row } of rows)
      if (renameOf !== null) found.set(row.keyHash, { ...row, renameOf });
  }
  return found;
}

/** Records that the case is a different test. @returns how many results it has. */
export async function declineRename(
  q: Query,
  { projectId, keyHash, testId }: { projectId: number; keyHash: string; testId: number },
): Promise<number> {
  const rows = await q
    .update(unmatchedResults)
    .set({ renameOf: testId, declined: true })
    .where(and(eq(unmatchedResults.projectId, projectId), eq(unmatchedResults.keyHash, keyHash)))
    .returning({ runId: unmatchedResults.runId });
  return rows.length;
}
