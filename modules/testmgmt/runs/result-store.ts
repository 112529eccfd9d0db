import { and, asc, eq, gt, sql } from 'drizzle-orm';
import {
  inList,
  listedInt,
  listedRows,
  listedText,
  listValue,
  rowsValue,
  table,
} from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { firstProblems, type IdList } from '../base/id-list.ts';
import { catchUp } from '../outcomes/outcome-history-store.ts';
import { advanceByResults } from '../outcomes/outcome-store.ts';
import { shift, type TestStatus } from '../rules/test-status.ts';
import { resultColumns, results, runTests } from '../base/schema.ts';
import { seenTime, storedTime } from '../base/seen-time.ts';
import { resultsPerInsert, rowsPerChange } from '../base/statement-sizes.ts';
import { standingsInRun, type Standing } from './run-case-store.ts';
import { changeTimeOf, countInRun } from './run-store.ts';
import type { Run } from './run-row.ts';

export interface TestResult {
  readonly testId: number;
  readonly status: TestStatus;
  readonly comment?: string;
  /** `updatedAt` of the result that the caller saw; null: it saw none. Unless given, it does not matter. */
  readonly seenAt?: string | null;
}

/** The parameter of run-update-test-status. */
export const resultList: IdList = { parameter: 'testResults', inside: '.testId' };

interface Author {
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** The history without its id, which the database assigns: the columns of an INSERT … SELECT. */
const appended = table('testmgmt_results', resultColumns());

/**
 * Whether a result changes anything for the test in the run. A repeated call must change nothing: pipelines and agents retry a
 * call that got no response.
 */
const isNews = ({ status, comment }: TestResult, before: Standing): boolean =>
  status !== before.status || (comment !== undefined && comment.trim() !== before.comment);

/**
 * The tests of a run take status and comment from these results. A result without comment keeps the last comment (docs/contract.md,
 * Tests and runs).
 */
const takeResults = prepared<{ ids: unknown; at: number }, never>(
  (q) =>
    q
      .update(runTests)
      .set({
        status: sql`${results.status}`,
        comment: sql`coalesce(${results.comment}, ${runTests.comment})`,
        updatedBy: sql`${results.by}`,
        updatedAt: sql`cast(${sql.placeholder('at')} as bigint)`,
      })
      .from(results)
      .where(
        and(
          inList(results.id, 'ids'),
          // Not a given run: SQLite would read the whole run for each chunk.
          eq(runTests.runId, results.runId),
          eq(runTests.testId, results.testId),
        ),
      ),
  'testmgmt_take_results',
);

/**
 * A result that would change nothing overwrites nothing: it is never refused, so a call without a response can be repeated.
 * @throws Fault RESULT_CHANGED that names the tests whose result is another than the caller saw.
 */
function requireSeen(
  runId: number,
  given: readonly TestResult[],
  before: ReadonlyMap<number, Standing>,
): void {
  const changed = given.flatMap((result, index) => {
    const standing = before.get(result.testId);
    const { parameter, inside } = resultList;
    const seen = seenTime(result.seenAt, `${parameter}[${index}].seenAt`);
    if (!standing || seen === null || seen === storedTime(standing.updatedAt)) return [];
    return isNews(result, standing) ? [`${parameter}[${index}]${inside} is ${result.testId}`] : [];
  });
  if (changed.length === 0) return;
  throw fail.RESULT_CHANGED(
    `Run ${runId} has other results by now than you saw: ${firstProblems(changed)}. Nothing was written.`,
    { cause: resultList.parameter },
  );
}

const appendResults = prepared<
  { rows: string; runId: number; by: number; at: number },
  { id: number; testId: number }
>(
  (q) =>
    q
      .insert(appended)
      .select(
        sql`select cast(${sql.placeholder('runId')} as bigint), ${listedInt(0)}, ${listedText(1)}, ${listedText(2)},
          cast(${sql.placeholder('by')} as bigint), cast(${sql.placeholder('at')} as bigint) from ${listedRows('rows')}`,
      )
      .returning({ id: sql<number>`id`.mapWith(Number), testId: appended.testId }),
  'testmgmt_append_results',
);

const deleteResults = prepared<{ ids: unknown }, never>(
  (q) => q.delete(results).where(inList(results.id, 'ids')),
  'testmgmt_delete_results',
);

/** What a test in a run becomes. */
interface NewResult {
  readonly testId: number;
  readonly status: TestStatus;
  readonly comment: string | null;
}

/** Appends results of different tests to the history and counts them for their tests. @returns the ids. */
async function appendAndCount(
  q: Query,
  run: Run,
  news: readonly NewResult[],
  author: { readonly by: number; readonly at: number },
): Promise<readonly number[]> {
  const rows = rowsValue(news.map(({ testId, status, comment }) => [testId, status, comment]));
  const added = await appendResults(q, { rows, runId: run.id, ...author });
  const ids = added.map(({ id }) => id);
  const advanced = await advanceByResults(q, { ids: listValue(ids), projectId: run.projectId });
  const counted = new Set(advanced.flatMap((row) => (row.lastResultId === 0 ? [] : row.testId)));
  if (counted.size === news.length) return ids;
  const others = added.filter(({ testId }) => !counted.has(testId)).toSorted((a, b) => a.testId - b.testId);
  const upTo = await catchUp(
    q,
    others.map(({ testId }) => testId),
  );
  const late = others.filter(({ id, testId }) => id < (upTo.get(testId) ?? 0));
  if (late.length === 0) return ids;
  // Results with greater ids were counted meanwhile. Now that the rows are locked, new ids are greater than those.
  await deleteResults(q, { ids: listValue(late.map(({ id }) => id)) });
  const tooLate = new Set(late.map(({ testId }) => testId));
  const kept = added.filter(({ testId }) => !tooLate.has(testId)).map(({ id }) => id);
  const again = news.filter(({ testId }) => tooLate.has(testId));
  return [...kept, ...(await appendAndCount(q, run, again, author))];
}

async function writeResults(
  q: Query,
  run: Run,
  news: readonly NewResult[],
  author: { readonly by: number; readonly at: number },
): Promise<void> {
  const ids = await appendAndCount(q, run, news, author);
  await takeResults(q, { ids: listValue(ids), at: changeTimeOf(run, author.at) });
}

/**
 * Sets the status of tests in a run, writes a history row for each result that changes something, and counts it for its test, in
 * few statements for each chunk. Yields to other requests between its chunks.
 * @returns the run with its new counts.
 * @param run locked.
 * @throws Fault NOT_IN_RUN that names the tests that are not in the run, RESULT_CHANGED; then nothing is written.
 */
export async function recordResults(
  q: Query,
  run: Run,
  given: readonly TestResult[],
  { by, now, signal }: Author,
): Promise<Run> {
  const testIds = given.map(({ testId }) => testId);
  const before = await standingsInRun(q, run.id, testIds, { list: resultList, comments: true, signal });
  const news = given.flatMap((result) => {
    const standing = before.get(result.testId);
    return standing && isNews(result, standing) ? [{ ...result, from: standing.status }] : [];
  });
  requireSeen(run.id, given, before);
  // The rows of tests are locked in the order of their ids.
  const ordered = news
    .map(({ testId, status, comment }) => ({ testId, status, comment: comment?.trim() ?? null }))
    .toSorted((a, b) => a.testId - b.testId);
  for await (const part of partsInTurns(ordered, resultsPerInsert, signal))
    await writeResults(q, run, part, { by, at: now });
  return countInRun(
    q,
    run,
    shift(
      news.map(({ from }) => from),
      news.map(({ status }) => status),
    ),
    { by, now, changed: news.length },
  );
}

/**
 * Sets every test of a run to retest, with one history row for each that had another status. Comments stay (docs/contract.md, Tests
 * and runs). Yields to other requests between its chunks.
 */
export async function resetRun(q: Query, run: Run, { by, now, signal }: Author): Promise<Run> {
  let changed = 0;
  for (let after = 0; ;) {
    const part = await q
      .select({ testId: runTests.testId, status: runTests.status })
      .from(runTests)
      .where(and(eq(runTests.runId, run.id), gt(runTests.testId, after)))
      .orderBy(asc(runTests.testId))
      .limit(rowsPerChange);
    const others = part.filter(({ status }) => status !== 'retest');
    if (others.length > 0) {
      const news = others.map(({ testId }) => ({ testId, status: 'retest' as const, comment: null }));
      await writeResults(q, run, news, { by, at: now });
    }
    changed += others.length;
    const last = part.at(-1);
    if (!last || part.length < rowsPerChange) break;
    after = last.testId;
    if (turnIsOver()) await nextTurn(signal);
  }
  const { passed, failed, blocked, untested } = run;
  const change = {
    passed: -passed,
    failed: -failed,
    blocked: -blocked,
    untested: -untested,
    retest: changed,
  };
  return countInRun(q, run, change, { by, now, changed });
}
