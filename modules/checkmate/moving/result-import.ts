import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import {
  addMovedResults,
  lastMovedResults,
  movedRunTests,
  settleMovedResults,
  writeMovedRunTests,
  type MovedResult,
} from '../../testmgmt/index.ts';
import { importedIds, rememberImported } from './imported-store.ts';
import { movedStatus } from './moved-row.ts';
import type { ProjectWork } from './project-work.ts';
import type { CheckmateRow } from './checkmate-table.ts';

/** Changes of results, and tests of runs, that are read and stored at once. */
const rowsAtOnce = 500;

export interface MovedRun {
  readonly foreignId: number;
  readonly runId: number;
  /** This import made it. */
  readonly isNew: boolean;
  readonly takesChanges: boolean;
}

interface ResultWork {
  readonly work: ProjectWork;
  readonly runs: ReadonlyMap<number, MovedRun>;
  readonly tests: ReadonlyMap<number, number>;
  /** By run: its last change that was imported. */
  readonly upTo: Map<number, number>;
  /** Tests here with new results. */
  readonly counted: Set<number>;
  /** Runs here with other tests or results. */
  readonly changed: Set<number>;
  /** By run and test of existing runs: our last result, as this import knows it; null: somebody wrote a newer one here. */
  readonly standing: Map<string, number | null>;
}

/**
 * Imports the changes of results in the order in which they happened, then the tests of the runs with their present status. In a run that
 * exists, a test gets its new results unless somebody has written another result here.
 */
export async function importResults(
  work: ProjectWork,
  projectId: number,
  runs: readonly MovedRun[],
  tests: ReadonlyMap<number, number>,
): Promise<void> {
  const { q, source, now: at } = work;
  const byId = new Map(runs.map((run) => [run.foreignId, run]));
  const upTo = await importedIds(q, source, 'history', [...byId.keys()]);
  const before = new Map(upTo);
  const given: ResultWork = {
    work,
    runs: byId,
    tests,
    upTo,
    counted: new Set(),
    changed: new Set(),
    standing: new Map(),
  };
  await importHistory(given);
  for (const run of runs) await importRunTests(given, run);
  const moved = [...upTo].filter(([runId, last]) => before.get(runId) !== last);
  await rememberImported(
    q,
    { source, kind: 'history', at },
    moved.map(([foreignId, ourId]) => ({ foreignId, ourId })),
  );
  await settleMovedResults(q, {
    testIds: [...given.counted],
    createdIn: work.counts.projects.imported > 0 ? projectId : undefined,
    runs: runs
      .filter(({ runId }) => given.changed.has(runId))
      .map(({ runId, isNew }) => ({ id: runId, isNew })),
    by: work.by,
    now: at,
    progress: (done) => work.show('counted results of tests', done),
  });
}

async function importHistory(given: ResultWork): Promise<void> {
  const { work } = given;
  for (let after = 0, read = 0; ;) {
    const rows = work.stage.history(work.project.projectId ?? 0, after, rowsAtOnce);
    const news = rows.filter((row) => isNewChange(given, row));
    await learnStanding(given, news);
    const wanted = news.filter((row) => mayChange(given, row));
    await storeHistory(given, wanted);
    for (const row of news) given.upTo.set(row.runId ?? 0, row.testRunsStatusHistoryId ?? 0);
    const last = rows.at(-1)?.testRunsStatusHistoryId;
    work.show('stored results', (read += rows.length));
    if (typeof last !== 'number' || rows.length < rowsAtOnce) return;
    after = last;
    if (turnIsOver()) await nextTurn();
  }
}

type Change = CheckmateRow<'testRunsStatusHistory'>;

function isNewChange({ work, runs, tests, upTo }: ResultWork, row: Change): boolean {
  const run = runs.get(row.runId ?? 0);
  // Of a run that was left out.
  if (!run) return false;
  if ((row.testRunsStatusHistoryId ?? 0) <= (upTo.get(run.foreignId) ?? 0)) {
    work.counts.results.known++;
    return false;
  }
  if (!tests.has(row.testId ?? 0)) {
    work.note('results of tests that are not there: left out');
    return false;
  }
  if (!run.takesChanges) work.note('results of runs that are locked or deleted here: left out');
  return run.takesChanges;
}

const placeOf = (runId: number, testId: number) => `${runId} ${testId}`;

/** Looks up, for tests of existing runs, whether our last result is the one that was imported. */
async function learnStanding(given: ResultWork, rows: readonly Change[]): Promise<void> {
  const { work, runs, tests, standing } = given;
  for (const [foreignRun, changes] of Map.groupBy(rows, ({ runId }) => runId ?? 0)) {
    const run = runs.get(foreignRun);
    if (!run || run.isNew) continue;
    const foreignTests = [...new Set(changes.map(({ testId }) => testId ?? 0))].filter(
      (testId) => !standing.has(placeOf(foreignRun, testId)),
    );
    const known = await importedIds(work.q, work.source, 'result', foreignTests, foreignRun);
    const last = await lastMovedResults(
      work.q,
      run.runId,
      foreignTests.map((testId) => tests.get(testId) ?? 0),
    );
    for (const testId of foreignTests) {
      const ours = last.get(tests.get(testId) ?? 0)?.id ?? 0;
      standing.set(placeOf(foreignRun, testId), (known.get(testId) ?? 0) === ours ? ours : null);
    }
  }
}

function mayChange({ work, runs, standing }: ResultWork, row: Change): boolean {
  if (runs.get(row.runId ?? 0)?.isNew) return true;
  if (standing.get(placeOf(row.runId ?? 0, row.testId ?? 0)) !== null) return true;
  work.note('results of tests with a newer result here: left out');
  return false;
}

async function storeHistory(given: ResultWork, rows: readonly Change[]): Promise<void> {
  const { work, runs, tests, counted, standing } = given;
  const ids = await addMovedResults(
    work.q,
    rows.map((row) => ({
      runId: runs.get(row.runId ?? 0)?.runId ?? 0,
      testId: tests.get(row.testId ?? 0) ?? 0,
      ...movedStatus(row.status, row.comment, work.note),
      by: work.people.get(row.updatedBy ?? 0) ?? work.by,
      at: row.updatedOn ?? work.now,
    })),
  );
  work.counts.results.imported += ids.length;
  for (const [index, row] of rows.entries()) {
    counted.add(tests.get(row.testId ?? 0) ?? 0);
    if (!runs.get(row.runId ?? 0)?.isNew)
      standing.set(placeOf(row.runId ?? 0, row.testId ?? 0), ids[index] ?? 0);
  }
}

/** The tests of a run, with the status that they have now. */
async function importRunTests(given: ResultWork, run: MovedRun): Promise<void> {
  const { work } = given;
  for (let after = 0; ;) {
    const rows = work.stage.rows('testRunMap', run.foreignId, after, rowsAtOnce);
    const wanted = rows.filter((row) => isInRun(given, row));
    if (wanted.length > 0) await storeRunTests(given, run, wanted);
    work.show('stored tests of runs', work.counts.runTests.imported);
    const last = rows.at(-1)?.testId;
    if (typeof last !== 'number' || rows.length < rowsAtOnce) return;
    after = last;
    if (turnIsOver()) await nextTurn();
  }
}

function isInRun({ work, tests }: ResultWork, row: CheckmateRow<'testRunMap'>): boolean {
  if (row.isIncluded === 0) work.note('tests that were removed from runs: left out of these runs');
  else if (!tests.has(row.testId ?? 0)) work.note('tests of runs that are not there: left out');
  else return true;
  return false;
}

async function storeRunTests(
  given: ResultWork,
  run: MovedRun,
  rows: ReadonlyArray<CheckmateRow<'testRunMap'>>,
): Promise<void> {
  const { work, tests, standing } = given;
  const { q, source, now: at } = work;
  const foreignIds = rows.map(({ testId }) => testId ?? 0);
  const ourIds = foreignIds.map((testId) => tests.get(testId) ?? 0);
  const known = await importedIds(q, source, 'result', foreignIds, run.foreignId);
  work.counts.runTests.known += known.size;
  const last = await lastMovedResults(q, run.runId, ourIds);
  const there = run.isNew ? new Set<number>() : await movedRunTests(q, run.runId, ourIds);
  const writable = rows.filter((row) => {
    const foreignId = row.testId ?? 0;
    const ourId = tests.get(foreignId) ?? 0;
    if (run.isNew) return true;
    const before = known.get(foreignId);
    // Removed here, or added here by somebody.
    if ((before !== undefined) !== there.has(ourId)) return false;
    const expected = standing.get(placeOf(run.foreignId, foreignId)) ?? before ?? 0;
    const isOurs =
      (last.get(ourId)?.id ?? 0) === expected && standing.get(placeOf(run.foreignId, foreignId)) !== null;
    const differs = before === undefined || before !== expected || !isSettled(row, last.get(ourId));
    if (!differs || !isOurs) return false;
    if (!run.takesChanges) work.note('results of runs that are locked or deleted here: left out');
    return run.takesChanges;
  });
  if (writable.length === 0) return;
  const settled = await withLastResults(given, run, writable, last);
  await writeMovedRunTests(
    q,
    settled.map(({ testId, result }) => ({ runId: run.runId, testId, last: result })),
  );
  await rememberImported(
    q,
    { source, kind: 'result', parentId: run.foreignId, at },
    settled.map(({ foreignId, result }) => ({ foreignId, ourId: result?.id ?? 0 })),
  );
  work.counts.runTests.imported += settled.filter(({ foreignId }) => !known.has(foreignId)).length;
  given.changed.add(run.runId);
}

/** Whether the last result says what the run says. A test without a result is untested and has no comment. */
function isSettled(row: CheckmateRow<'testRunMap'>, last: MovedResult | undefined): boolean {
  const { status, comment } = movedStatus(row.status, row.comment, () => {});
  return last ? last.status === status : status === 'untested' && comment === null;
}

/** The last result of each test; one that the history of Checkmate lacks is appended. */
async function withLastResults(
  given: ResultWork,
  run: MovedRun,
  rows: ReadonlyArray<CheckmateRow<'testRunMap'>>,
  last: ReadonlyMap<number, MovedResult>,
) {
  const { work, tests, counted } = given;
  const settled = rows.map((row) => {
    const foreignId = row.testId ?? 0;
    const testId = tests.get(foreignId) ?? 0;
    const stored = last.get(testId);
    const isMissing = !isSettled(row, stored);
    const { status, comment } = movedStatus(row.status, row.comment, isMissing ? work.note : () => {});
    const by = work.people.get(row.updatedBy ?? 0) ?? work.by;
    return {
      foreignId,
      testId,
      stored,
      isMissing,
      made: { status, comment, by, at: row.updatedOn ?? work.now },
    };
  });
  const missing = settled.filter(({ isMissing }) => isMissing);
  const ids = await addMovedResults(
    work.q,
    missing.map(({ testId, made }) => ({ runId: run.runId, testId, ...made })),
  );
  for (const { testId } of missing) counted.add(testId);
  work.counts.results.imported += ids.length;
  let next = 0;
  return settled.map(({ foreignId, testId, stored, isMissing, made }) => ({
    foreignId,
    testId,
    result: isMissing ? { ...made, id: ids[next++] ?? 0 } : stored,
  }));
}
