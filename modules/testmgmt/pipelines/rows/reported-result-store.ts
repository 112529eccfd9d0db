import { and, eq, sql } from 'drizzle-orm';
import {
  inList,
  listedInt,
  listedRows,
  listedText,
  listValue,
  rowsValue,
} from '../../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../../core/db/query/db.ts';
import { givenInt } from '../../../../core/db/query/given-value.ts';
import { partsInTurns } from '../../../../core/base/turns.ts';
import { idsPerQuery, resultsPerInsert } from '../../base/statement-sizes.ts';
import type { CombinedResult } from './attempt.ts';
import { reportedResults, type ReportedDetails, type StoredAttempt } from '../../base/pipeline-schema.ts';

const attemptsInRun = prepared<
  { runId: number; ids: unknown },
  { testId: number; attempts: readonly StoredAttempt[] }
>(
  (q) =>
    q
      .select({ testId: reportedResults.testId, attempts: reportedResults.attempts })
      .from(reportedResults)
      .where(and(eq(reportedResults.runId, sql.placeholder('runId')), inList(reportedResults.testId, 'ids'))),
  'testmgmt_attempts_in_run',
);

/** The reported attempts for tests in a run, by test. Yields to other requests. */
export async function attemptsOf(
  q: Query,
  runId: number,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, readonly StoredAttempt[]>> {
  const found = new Map<number, readonly StoredAttempt[]>();
  for await (const ids of partsInTurns(testIds, idsPerQuery, signal))
    for (const { testId, attempts } of await attemptsInRun(q, { runId, ids: listValue(ids) }))
      found.set(testId, attempts);
  return found;
}

export interface ReportedResult {
  readonly testId: number;
  readonly result: CombinedResult;
  readonly attempts: readonly StoredAttempt[];
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly details?: ReportedDetails | undefined;
}

const insertReported = prepared<{ rows: string; runId: number }, never>(
  (q) =>
    q
      .insert(reportedResults)
      .select(
        sql`select ${givenInt('runId')}, ${listedInt(0)}, ${listedText(1)}, ${listedInt(2)},
          ${listedInt(3)} = 1, ${listedText(4)}, ${listedText(5)}, ${listedInt(6)}, ${listedText(7)}
          from ${listedRows('rows')} where true`,
      )
      .onConflictDoUpdate({
        target: [reportedResults.runId, reportedResults.testId],
        set: {
          status: sql`excluded.status`,
          durationUs: sql`excluded.duration_us`,
          flaky: sql`excluded.flaky`,
          attempts: sql`excluded.attempts`,
          file: sql`coalesce(excluded.file, ${reportedResults.file})`,
          line: sql`coalesce(excluded.line, ${reportedResults.line})`,
          details: sql`coalesce(excluded.details, ${reportedResults.details})`,
        },
      }),
  'testmgmt_insert_reported',
);

/** Stores the reported results of tests in a run, replacing earlier ones. Yields to other requests between its chunks. */
export async function storeReported(
  q: Query,
  runId: number,
  reported: readonly ReportedResult[],
  signal: AbortSignal,
): Promise<void> {
  for await (const part of partsInTurns(reported, resultsPerInsert, signal)) {
    const rows = part.map(({ testId, result, attempts, file, line, details }) => [
      testId,
      result.status,
      result.deciding.durationMs === undefined ? null : Math.round(result.deciding.durationMs * 1_000),
      result.flaky ? 1 : 0,
      JSON.stringify(attempts),
      file ?? null,
      line ?? null,
      details === undefined ? null : JSON.stringify(details),
    ]);
    await insertReported(q, { rows: rowsValue(rows), runId });
  }
}
