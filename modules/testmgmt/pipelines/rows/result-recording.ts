import type { Query } from '../../../../core/db/query/db.ts';
import { addTests } from '../../runs/run-case-store.ts';
import { recordResults } from '../../runs/result-store.ts';
import { countInRun } from '../../runs/run-store.ts';
import type { Run } from '../../runs/run-row.ts';
import { storeReported, type ReportedResult } from './reported-result-store.ts';

/** A reported result of a test, to be recorded in a run. */
interface NewReport {
  readonly reported: ReportedResult;
  /** An earlier attempt had a message, which would now belong to a different result. */
  readonly hadMessage: boolean;
}

/** Adds tests that are new to a run, without a status. In a transaction that locks the run. @returns the run with its new counts. */
export async function addReported(
  q: Query,
  run: Run,
  testIds: readonly number[],
  { by, now, signal }: { readonly by: number; readonly now: number; readonly signal: AbortSignal },
): Promise<Run> {
  const count = testIds.length === 0 ? 0 : await addTests(q, run, testIds, signal);
  const change = { passed: 0, failed: 0, blocked: 0, retest: 0, untested: count };
  return countInRun(q, run, change, { by, now, changed: count, ofOtherTests: true });
}

/**
 * Adds new tests to a run, stores their reported results, and sets the resulting statuses. In a transaction that locks the run.
 * @throws Fault NOT_IN_PROJECT for a test that was deleted meanwhile.
 */
export async function recordReported(
  q: Query,
  run: Run,
  news: readonly NewReport[],
  { by, now, signal }: { readonly by: number; readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  const ids = news.map(({ reported }) => reported.testId);
  const counted = await addReported(q, run, ids, { by, now, signal });
  await storeReported(
    q,
    run.id,
    news.map(({ reported }) => reported),
    signal,
  );
  const said = news.flatMap(({ reported: { testId, result }, hadMessage }) => {
    // A skipped test keeps its status: nothing was learned about it.
    if (result.status === 'skipped') return [];
    const reason = result.status === 'failed' ? result.deciding.message : undefined;
    const comment = reason === undefined ? (hadMessage ? { comment: '' } : {}) : { comment: reason };
    return [{ testId, status: result.status, ...comment }];
  });
  await recordResults(q, counted, said, { by, now, signal });
}
