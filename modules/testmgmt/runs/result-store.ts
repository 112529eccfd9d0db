import { and, asc, eq, gt, sql, type SQL } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
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
import { givenInt } from '../../../core/db/query/given-value.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { firstProblems, type IdList } from '../base/id-list.ts';
import { catchUp } from '../outcomes/outcome-history-store.ts';
import { advanceByResults } from '../outcomes/outcome-store.ts';
import { insertResultFields, requireResultFields, testsWithNewFields } from '../fields/result-field-store.ts';
import { insertSteps, requireSteps, testsWithNewSteps } from '../evidence/step-result-store.ts';
import type { GivenFieldValues } from '../rules/field-value.ts';
import type { StepResult } from '../rules/step-result.ts';
import { failureGroup } from '../rules/failure-group.ts';
import { shift, type TestStatus } from '../rules/test-status.ts';
import { resultColumns, results, runTests } from '../base/schema.ts';
import { seenTime } from '../base/seen-time.ts';
import { idsPerQuery, resultsPerInsert, rowsPerChange } from '../base/statement-sizes.ts';
import { afterResult, isNews, isSeen } from './result-rule-store.ts';
import { requireInRun } from './run-case-store.ts';
import { changeTimeOf, countInRun } from './run-store.ts';
import type { Run } from './run-row.ts';

export interface TestResult {
  readonly testId: number;
  readonly status: TestStatus;
  readonly comment?: string;
  readonly stepResults?: readonly StepResult[];
  readonly fields?: GivenFieldValues;
  /** `updatedAt` of the result that the caller saw; null: there was none. If omitted, it is not compared. */
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

/** Copies status and comment from these results to the tests of a run. */
const takeResults = prepared<{ ids: unknown; at: number }, never>(
  (q) =>
    q
      .update(runTests)
      .set(
        afterResult(
          {
            status: sql`${results.status}`,
            comment: sql`${results.comment}`,
            group: sql`${results.commentGroup}`,
          },
          sql`${results.by}`,
          givenInt('at'),
        ),
      )
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

/** A given result with the test of the run to which it belongs. */
interface Comparison {
  readonly testId: number;
  readonly before: TestStatus;
  readonly isNews: boolean;
  readonly isSeen: boolean;
}

const flag = (condition: SQL) => sql<boolean>`case when ${condition} then 1 else 0 end`.mapWith(Boolean);

const compareResults = prepared<{ rows: string; runId: number }, Comparison>(
  (q) =>
    q
      .select({
        testId: sql<number>`${runTests.testId}`.mapWith(Number),
        before: sql<TestStatus>`${runTests.status}`,
        isNews: flag(isNews({ status: listedText(1), comment: listedText(2) })),
        isSeen: flag(isSeen(listedInt(3))),
      })
      // SQLite reads the tables of a CROSS JOIN in their order: searching the list for each test of a run would be quadratic.
      .from(sql`${listedRows('rows')} cross join ${runTests}` as unknown as SQLiteTable)
      .where(and(eq(runTests.runId, sql.placeholder('runId')), sql`${runTests.testId} = ${listedInt(0)}`)),
  'testmgmt_compare_results',
);

/** A result that would change nothing overwrites nothing. It is never refused, so that a call without a response can be repeated. */
const isRefused = ({ isNews, isSeen }: Comparison): boolean => isNews && !isSeen;

/**
 * Compares results with those of a run.
 * @throws Fault NOT_IN_RUN, and RESULT_CHANGED that names the tests whose result is not the one that the caller saw.
 */
async function comparisonsOf(
  q: Query,
  { id: runId, projectId }: Pick<Run, 'id' | 'projectId'>,
  given: readonly TestResult[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Comparison>> {
  const { parameter, inside } = resultList;
  const rows = given.map(({ testId, status, comment, seenAt }, index) => [
    testId,
    status,
    comment?.trim() ?? null,
    seenTime(seenAt, `${parameter}[${index}].seenAt`),
  ]);
  const found = new Map<number, Comparison>();
  for await (const part of partsInTurns(rows, idsPerQuery, signal))
    for (const one of await compareResults(q, { rows: rowsValue(part), runId })) found.set(one.testId, one);
  requireInRun(
    runId,
    given.map(({ testId }) => testId),
    found,
    resultList,
  );
  await requireSteps(q, given, signal);
  await requireResultFields(q, projectId, given);
  const withNews = [
    ...(await testsWithNewSteps(q, runId, given, signal)),
    ...(await testsWithNewFields(q, runId, given, signal)),
  ];
  for (const testId of withNews) {
    const one = found.get(testId);
    if (one) found.set(testId, { ...one, isNews: true });
  }
  const changed = given.flatMap(({ testId }, index) => {
    const one = found.get(testId);
    return one && isRefused(one) ? [`${parameter}[${index}]${inside} is ${testId}`] : [];
  });
  if (changed.length === 0) return found;
  throw fail.RESULT_CHANGED(
    `Run ${runId} has other results by now than you saw: ${firstProblems(changed)}. Nothing was written.`,
    { cause: parameter },
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
        sql`select ${givenInt('runId')}, ${listedInt(0)}, ${listedText(1)}, ${listedText(2)},
          ${givenInt('by')}, ${givenInt('at')}, ${listedText(3)} from ${listedRows('rows')}`,
      )
      .returning({ id: sql<number>`id`.mapWith(Number), testId: appended.testId }),
  'testmgmt_append_results',
);

const deleteResults = prepared<{ ids: unknown }, never>(
  (q) => q.delete(results).where(inList(results.id, 'ids')),
  'testmgmt_delete_results',
);

/** The new result of a test in a run. */
interface NewResult {
  readonly testId: number;
  readonly status: TestStatus;
  readonly comment: string | null;
}

interface Appended {
  readonly id: number;
  readonly testId: number;
}

/** Appends results of different tests to the history and counts them for their tests. */
async function appendAndCount(
  q: Query,
  run: Run,
  news: readonly NewResult[],
  author: { readonly by: number; readonly at: number },
): Promise<readonly Appended[]> {
  const rows = rowsValue(
    news.map(({ testId, status, comment }) => [
      testId,
      status,
      comment,
      comment === null ? null : failureGroup(comment),
    ]),
  );
  const added = await appendResults(q, { rows, runId: run.id, ...author });
  const ids = added.map(({ id }) => id);
  const advanced = await advanceByResults(q, { ids: listValue(ids), projectId: run.projectId });
  const counted = new Set(advanced.flatMap((row) => (row.lastResultId === 0 ? [] : row.testId)));
  if (counted.size === news.length) return added;
  const others = added.filter(({ testId }) => !counted.has(testId)).toSorted((a, b) => a.testId - b.testId);
  const upTo = await catchUp(
    q,
    others.map(({ testId }) => testId),
  );
  const late = others.filter(({ id, testId }) => id < (upTo.get(testId) ?? 0));
  if (late.length === 0) return added;
  // Results with greater ids were counted meanwhile. Now that the rows are locked, new ids are greater than those.
  await deleteResults(q, { ids: listValue(late.map(({ id }) => id)) });
  const tooLate = new Set(late.map(({ testId }) => testId));
  const kept = added.filter(({ testId }) => !tooLate.has(testId));
  const again = news.filter(({ testId }) => tooLate.has(testId));
  return [...kept, ...(await appendAndCount(q, run, again, author))];
}

async function writeResults(
  q: Query,
  run: Run,
  news: readonly NewResult[],
  author: { readonly by: number; readonly at: number },
): Promise<readonly Appended[]> {
  const written = await appendAndCount(q, run, news, author);
  await takeResults(q, { ids: listValue(written.map(({ id }) => id)), at: changeTimeOf(run, author.at) });
  return written;
}

/**
 * Sets the status of tests in a run, writes a history row for each result that changes something, and counts it for its test, with few
 * statements per chunk. Yields to other requests between its chunks.
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
  const compared = await comparisonsOf(q, run, given, signal);
  const news = given.flatMap((result) => {
    const one = compared.get(result.testId);
    return one?.isNews ? [{ ...result, from: one.before }] : [];
  });
  const byTest = new Map(given.map((one) => [one.testId, one]));
  // The rows of tests are locked in id order.
  const ordered = news
    .map(({ testId, status, comment }) => ({ testId, status, comment: comment?.trim() ?? null }))
    .toSorted((a, b) => a.testId - b.testId);
  for await (const part of partsInTurns(ordered, resultsPerInsert, signal)) {
    const written = await writeResults(q, run, part, { by, at: now });
    await insertSteps(q, written, byTest);
    await insertResultFields(q, written, byTest);
  }
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
 * Sets every test of a run to retest, with one history row for each that had another status. Comments are kept (docs/contract.md, Tests and
 * runs). Yields to other requests between its chunks.
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
