import { and, asc, eq, gt, inArray, isNull, ne, sql } from 'drizzle-orm';
import { inValues } from '../../../../core/db/query/columns.ts';
import type { Query } from '../../../../core/db/query/db.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../../core/base/turns.ts';
import { changeTime } from '../../base/change-time-store.ts';
import { countAgain } from '../../outcomes/outcome-history-store.ts';
import { moveQuarantine } from '../../quarantine/quarantine-store.ts';
import { moveAttachments } from '../../attachments/attachment-store.ts';
import { moveExternalIds } from '../../external-ids/external-id-store.ts';
import { moveLinks } from '../../links/link-store.ts';
import { shift, type TestStatus } from '../../rules/test-status.ts';
import { countInRun } from '../../runs/run-store.ts';
import { outcomes, results, runs, runTests } from '../../base/schema.ts';
import { everyRow, rowsPerChange, rowsPerRead } from '../../base/statement-sizes.ts';
import { reportedResults } from '../../base/pipeline-schema.ts';

export interface TestPair {
  /** The test that is merged away. */
  readonly from: number;
  /** The test that remains. */
  readonly to: number;
}

/** A run that contains both tests. */
interface SharedRun {
  readonly runId: number;
  readonly isLocked: boolean;
  readonly from: TestStatus;
  readonly to: TestStatus;
}

/** A run that contains, or has a report for, at least one of two tests. */
interface Place {
  readonly runId: number;
  readonly isLocked: boolean;
  readonly from: TestStatus | null;
  readonly to: TestStatus | null;
  readonly fromReported: boolean;
  readonly toReported: boolean;
}

/** Runs that one statement examines: about 2 ms. */
const runsAtOnce = 1_000;

/** The status of a test in a run, found by the key of the table: no index finds it by the test alone. */
const statusIn = (testId: number) =>
  sql<TestStatus | null>`(select t.status from ${runTests} t where t.run_id = ${runs.id} and t.test_id = ${testId})`;

const isReported = (testId: number) =>
  sql<boolean>`exists (select 1 from ${reportedResults} r where r.run_id = ${runs.id} and r.test_id = ${testId})`.mapWith(
    Boolean,
  );

/** The runs of a project that contain the tests, including deleted runs. Yields to other requests. */
async function placesOf(
  q: Query,
  projectId: number,
  { from, to }: TestPair,
  signal: AbortSignal,
): Promise<readonly Place[]> {
  const rows = await everyRow(
    (after) =>
      q
        .select({
          id: runs.id,
          isLocked: sql<boolean>`${runs.lockedAt} is not null`.mapWith(Boolean),
          from: statusIn(from),
          to: statusIn(to),
          fromReported: isReported(from),
          toReported: isReported(to),
        })
        .from(runs)
        .where(and(eq(runs.projectId, projectId), gt(runs.id, after)))
        .orderBy(asc(runs.id))
        .limit(runsAtOnce),
    signal,
    runsAtOnce,
  );
  return rows.flatMap(({ id, ...place }) =>
    place.from === null && place.to === null && !place.fromReported ? [] : [{ runId: id, ...place }],
  );
}

/** The places of two tests that are to be merged. */
export interface Places {
  /** The runs that contain both. */
  readonly shared: readonly SharedRun[];
  /** The runs that contain only the test that is merged away. */
  readonly moved: readonly number[];
  /** The runs in which a pipeline reported the test that is merged away; `doubled` are those in which it reported both. */
  readonly reported: readonly number[];
  readonly doubled: readonly number[];
}

export async function joinedPlaces(
  q: Query,
  projectId: number,
  pair: TestPair,
  signal: AbortSignal,
): Promise<Places> {
  const places = await placesOf(q, projectId, pair, signal);
  return {
    shared: places.flatMap(({ runId, isLocked, from, to }) =>
      from && to ? [{ runId, isLocked, from, to }] : [],
    ),
    moved: places.flatMap(({ runId, from, to }) => (from && !to ? [runId] : [])),
    reported: places.flatMap(({ runId, fromReported }) => (fromReported ? [runId] : [])),
    doubled: places.flatMap(({ runId, fromReported, toReported }) =>
      fromReported && toReported ? [runId] : [],
    ),
  };
}

/**
 * A run whose history contains results of both tests. The run itself does not show them if a test was removed from it or is untested again.
 * Yields to other requests between its chunks.
 */
export async function runWithResultsOfBoth(
  q: Query,
  { from, to }: TestPair,
  signal: AbortSignal,
): Promise<number | undefined> {
  const ofOther = sql<boolean>`exists (select 1 from ${results} o where o.run_id = ${results}.run_id and o.test_id = ${to}
    and o.status <> 'untested')`;
  for (let after = 0; ;) {
    const rows = await q
      .select({ id: results.id, runId: results.runId, hasBoth: ofOther.mapWith(Boolean) })
      .from(results)
      .where(and(eq(results.testId, from), gt(results.id, after), ne(results.status, 'untested')))
      .orderBy(asc(results.id))
      .limit(rowsPerRead);
    const found = rows.find(({ hasBoth }) => hasBoth);
    if (found) return found.runId;
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerRead) return undefined;
    after = last.id;
    if (turnIsOver()) await nextTurn(signal);
  }
}

interface Author {
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Whoever was to run the test that ends in a run is to run the other one there, unless somebody is. */
async function keepAssignee(q: Query, runId: number, { from, to }: TestPair): Promise<void> {
  const place = (testId: number) => and(eq(runTests.runId, runId), eq(runTests.testId, testId));
  const [ends] = await q.select({ assigneeId: runTests.assigneeId }).from(runTests).where(place(from));
  if (!ends || ends.assigneeId === null) return;
  await q
    .update(runTests)
    .set({ assigneeId: ends.assigneeId })
    .where(and(place(to), isNull(runTests.assigneeId)));
}

/**
 * The counts of a locked run are final, so both tests stay in it. If the test that remains (`to`) is untested there, the two exchange their
 * places and reports: the result then belongs to the test that remains.
 */
async function exchangeInLocked(q: Query, { runId, to: status }: SharedRun, pair: TestPair): Promise<void> {
  if (status !== 'untested') return;
  const other = (testId: number) => (testId === pair.from ? pair.to : pair.from);
  const both = [pair.from, pair.to];
  const places = and(eq(runTests.runId, runId), inArray(runTests.testId, both));
  const reports = and(eq(reportedResults.runId, runId), inArray(reportedResults.testId, both));
  const placed = await q.delete(runTests).where(places).returning();
  const reported = await q.delete(reportedResults).where(reports).returning();
  await q.insert(runTests).values(placed.map((row) => ({ ...row, testId: other(row.testId) })));
  if (reported.length > 0)
    await q.insert(reportedResults).values(reported.map((row) => ({ ...row, testId: other(row.testId) })));
}

/** Removes the untested one of two tests from a run; the other place belongs to the test that remains. */
async function joinInOpen(
  q: Query,
  { runId, to: status }: SharedRun,
  { from, to }: TestPair,
  { by, now }: Omit<Author, 'signal'>,
): Promise<void> {
  const [ends, stays] = status === 'untested' ? [to, from] : [from, to];
  await keepAssignee(q, runId, { from: ends, to: stays });
  const place = (testId: number) => and(eq(runTests.runId, runId), eq(runTests.testId, testId));
  await q.delete(runTests).where(place(ends));
  if (stays === from) await q.update(runTests).set({ testId: to }).where(place(from));
  await q
    .delete(reportedResults)
    .where(and(eq(reportedResults.runId, runId), eq(reportedResults.testId, ends)));
  // A deleted one, too: restore-run brings it back with its counts.
  const [run] = await q.select().from(runs).where(eq(runs.id, runId));
  const author = { by, now, changed: 1, ofOtherTests: true };
  if (run) await countInRun(q, run, shift(['untested'], []), author);
}

/**
 * Moves all results of one test, and its places in runs, to another test. In a transaction that locks the project against every other
 * write. Yields to other requests between its chunks.
 * @param places in each run that contains both, one of them is untested.
 */
export async function moveResults(
  q: Query,
  { from, to }: TestPair,
  { shared, moved, reported, doubled }: Places,
  { by, now, signal }: Author,
): Promise<void> {
  for (const run of shared) {
    if (run.isLocked) await exchangeInLocked(q, run, { from, to });
    else await joinInOpen(q, run, { from, to }, { by, now });
    if (turnIsOver()) await nextTurn(signal);
  }
  const at = changeTime(runs.updatedAt, now);
  for await (const ids of partsInTurns(moved, rowsPerChange, signal)) {
    await q
      .update(runTests)
      .set({ testId: to })
      .where(and(inValues(runTests.runId, ids), eq(runTests.testId, from)));
    await q
      .update(runs)
      .set({ updatedBy: by, updatedAt: at, testsChangedAt: at })
      .where(inValues(runs.id, ids));
  }
  // Reported results remain when a test is removed from a run, so both may have been reported where the run contains only one.
  const reportedIn = (ids: readonly number[]) =>
    and(inValues(reportedResults.runId, ids), eq(reportedResults.testId, from));
  // Where the remaining test was untested, its reported results were deleted above.
  const alone = new Set(shared.flatMap(({ runId, ...status }) => (status.to === 'untested' ? [runId] : [])));
  const done = new Set(shared.flatMap(({ runId, isLocked }) => (isLocked ? [runId] : [])));
  const twice = doubled.filter((runId) => !alone.has(runId) && !done.has(runId));
  for await (const ids of partsInTurns(twice, rowsPerChange, signal))
    await q.delete(reportedResults).where(reportedIn(ids));
  for await (const ids of partsInTurns(
    reported.filter((runId) => !done.has(runId)),
    rowsPerChange,
    signal,
  ))
    await q.update(reportedResults).set({ testId: to }).where(reportedIn(ids));
  for (let after = 0; ;) {
    const rows = await q
      .select({ id: results.id })
      .from(results)
      .where(and(eq(results.testId, from), gt(results.id, after)))
      .orderBy(asc(results.id))
      .limit(rowsPerChange);
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await q.update(results).set({ testId: to }).where(inValues(results.id, ids));
    const last = ids.at(-1);
    if (last === undefined || ids.length < rowsPerChange) break;
    after = last;
    if (turnIsOver()) await nextTurn(signal);
  }
  await moveAttachments(q, { from, to }, signal);
  await moveLinks(q, { from, to });
  await moveExternalIds(q, { from, to });
  await moveQuarantine(q, { from, to });
  await q.delete(outcomes).where(eq(outcomes.testId, from));
  await countAgain(q, to);
}
