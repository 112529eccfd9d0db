import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import { inValues } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import type { TestStatus } from '../rules/test-status.ts';
import { outcomes, results, tests } from '../base/schema.ts';
import { rowsPerRead } from '../base/statement-sizes.ts';
import { holdOutcome } from './outcome-store.ts';
import { advance, forgetFlips, letters, type Outcome } from './outcome.ts';

type Result = typeof results.$inferSelect;

const resultsAfter = prepared<{ testId: number; after: number }, Result>(
  (q) =>
    q
      .select()
      .from(results)
      .where(and(eq(results.testId, sql.placeholder('testId')), gt(results.id, sql.placeholder('after'))))
      .orderBy(asc(results.id))
      .limit(rowsPerRead),
  'testmgmt_results_after',
);

/** The results of a test in one run, as far as they have been read. */
interface Standing {
  status: TestStatus | null;
  hasOutcome: boolean;
}

const isOutcome = (status: TestStatus) => status in letters;

/** The results of a test in a run, up to a given one. */
async function standingAt(q: Query, testId: number, runId: number, upTo: number): Promise<Standing> {
  const standing: Standing = { status: null, hasOutcome: false };
  if (upTo === 0) return standing;
  const rows = await q
    .select({ status: results.status })
    .from(results)
    .where(and(eq(results.testId, testId), eq(results.runId, runId), lte(results.id, upTo)))
    .orderBy(desc(results.id));
  return {
    status: rows[0]?.status ?? null,
    hasOutcome: rows.some(({ status }) => isOutcome(status)),
  };
}

/**
 * Counts the history of a test by the rule of outcome.ts: all of it, or the results after `from`. Yields to other requests between its
 * chunks.
 * @param changedAfter the result after which the test was changed; 0 if there is none.
 * @returns undefined when there is nothing to count.
 */
async function foldHistory(
  q: Query,
  testId: number,
  from: Outcome | undefined,
  changedAfter: number,
): Promise<Outcome | undefined> {
  const standings = new Map<number, Standing>();
  const begin = from?.lastResultId ?? 0;
  let outcome = from;
  for (let after = begin; ;) {
    const rows = await resultsAfter(q, { testId, after });
    for (const row of rows) {
      const standing = standings.get(row.runId) ?? (await standingAt(q, testId, row.runId, begin));
      standings.set(row.runId, standing);
      const before = row.id > changedAfter ? changed(outcome, changedAfter) : outcome;
      outcome = advance(before, { ...row, before: standing.status, newInRun: !standing.hasOutcome });
      standing.status = row.status;
      standing.hasOutcome ||= isOutcome(row.status);
    }
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerRead) break;
    after = last.id;
    if (turnIsOver()) await nextTurn();
  }
  return changed(outcome, changedAfter);
}

/** The state adjusted for a change of the test after this result, if there was one. */
const changed = (outcome: Outcome | undefined, changedAfter: number): Outcome | undefined =>
  outcome && outcome.lastResultId <= changedAfter ? { ...forgetFlips(outcome), changedAfter } : outcome;

/** A row without a result, used as a lock for a test that has no row. It is never committed. */
const nothing = {
  lastStatus: 'untested',
  lastAt: 0,
  lastBy: 0,
  lastRunId: 0,
  lastResultId: 0,
  firstResultId: 0,
  changedAfter: 0,
  recent: '',
  failed: 0,
  flips: 0,
  runs: 0,
  streak: 0,
} as const satisfies Omit<typeof outcomes.$inferInsert, 'testId' | 'projectId'>;

/** Locks the row of a test, and creates one if needed. @returns the current counts; undefined if there are none. */
async function hold(q: Query, testId: number): Promise<Outcome | undefined> {
  const [test] = await q.select({ projectId: tests.projectId }).from(tests).where(eq(tests.id, testId));
  if (!test) return undefined;
  await q
    .insert(outcomes)
    .values({ testId, ...test, ...nothing })
    .onConflictDoNothing();
  const held = await holdOutcome(q, testId);
  return held === undefined || held.lastResultId === 0 ? undefined : held;
}

async function store(q: Query, testId: number, outcome: Outcome | undefined): Promise<void> {
  if (outcome) await q.update(outcomes).set(outcome).where(eq(outcomes.testId, testId));
  else await q.delete(outcomes).where(and(eq(outcomes.testId, testId), eq(outcomes.lastResultId, 0)));
}

/**
 * Counts the uncounted results of tests: those after the last counted one, so that results deleted meanwhile stay counted. In a
 * transaction.
 * @param testIds in ascending order, which is the order of the locks.
 * @returns the last result that was counted before, by test.
 */
export async function catchUp(q: Query, testIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const before = new Map<number, number>();
  for (const testId of testIds) {
    const held = await hold(q, testId);
    await store(q, testId, await foldHistory(q, testId, held, held?.changedAfter ?? 0));
    before.set(testId, held?.lastResultId ?? 0);
  }
  return before;
}

/**
 * Counts the results of tests that this transaction created, so that nobody else can count them: with two statements for many tests.
 * @param testIds few: all of their results are held.
 */
export async function countCreated(q: Query, projectId: number, testIds: readonly number[]): Promise<void> {
  const rows = await q
    .select()
    .from(results)
    .where(inValues(results.testId, testIds))
    .orderBy(asc(results.testId), asc(results.id));
  const counted = [...Map.groupBy(rows, ({ testId }) => testId)].flatMap(([testId, own]) => {
    const standings = new Map<number, Standing>();
    let outcome: Outcome | undefined;
    for (const row of own) {
      const standing = standings.get(row.runId) ?? { status: null, hasOutcome: false };
      standings.set(row.runId, standing);
      outcome = advance(outcome, { ...row, before: standing.status, newInRun: !standing.hasOutcome });
      standing.status = row.status;
      standing.hasOutcome ||= isOutcome(row.status);
    }
    return outcome ? [{ testId, projectId, ...outcome }] : [];
  });
  if (counted.length > 0) await q.insert(outcomes).values(counted);
}

/** Recounts a test from all stored results, e.g. after a merge moved the results of another test to it. In a transaction. */
export async function countAgain(q: Query, testId: number): Promise<void> {
  const held = await hold(q, testId);
  await store(q, testId, await foldHistory(q, testId, undefined, held?.changedAfter ?? 0));
}

/** The next tests with results, in ascending order. */
const testsAfter = prepared<{ after: number; limit: number }, { testId: number }>(
  (q) =>
    q
      .selectDistinct({ testId: results.testId })
      .from(results)
      .where(gt(results.testId, sql.placeholder('after')))
      .orderBy(asc(results.testId))
      .limit(sql.placeholder('limit')),
  'testmgmt_tests_with_results',
);

/** Some tests with results, after a given id. */
export async function testsWithResults(q: Query, after: number): Promise<readonly number[]> {
  return (await testsAfter(q, { after, limit: rowsPerRead })).map(({ testId }) => testId);
}

/** The next tests with a result that is newer than the last counted one. The index of results by test suffices. */
const behind = prepared<{ after: number; upTo: number }, { testId: number }>(
  (q) =>
    q
      .select({ testId: tests.id })
      .from(tests)
      .leftJoin(outcomes, eq(outcomes.testId, tests.id))
      .where(
        and(
          gt(tests.id, sql.placeholder('after')),
          lte(tests.id, sql.placeholder('upTo')),
          sql`exists (select 1 from ${results} p where p.test_id = ${tests.id}
            and p.id > coalesce(${outcomes.lastResultId}, 0))`,
        ),
      )
      .orderBy(asc(tests.id)),
  'testmgmt_tests_behind',
);

const everyTestAfter = prepared<{ after: number }, { id: number }>(
  (q) =>
    q
      .select({ id: tests.id })
      .from(tests)
      .where(gt(tests.id, sql.placeholder('after')))
      .orderBy(asc(tests.id))
      .limit(rowsPerRead),
  'testmgmt_every_test_after',
);

/** The next tests with uncounted results. @returns `last` is undefined at the end. */
export async function testsBehind(
  q: Query,
  after: number,
): Promise<{ readonly last: number | undefined; readonly testIds: readonly number[] }> {
  const last = (await everyTestAfter(q, { after })).at(-1)?.id;
  if (last === undefined) return { last, testIds: [] };
  const rows = await behind(q, { after, upTo: last });
  return { last, testIds: rows.map(({ testId }) => testId) };
}

/** Whether the oldest counted result was deleted meanwhile: then more is counted than the history contains. */
async function isShortened(q: Query, { firstResultId }: Outcome): Promise<boolean> {
  const [first] = await q.select({ id: results.id }).from(results).where(eq(results.id, firstResultId));
  return first === undefined;
}

/**
 * Compares the counts of a test with its history, as far as it is stored. In a shortened history, only the newest result can be compared.
 * @param lock in a transaction, so that no result is written in between.
 * @param repair writes the values of the history; for a shortened one, only missing results.
 * @returns the differences, e.g. `failed says 2 instead of 0`.
 */
export async function compareOutcomes(
  q: Query,
  testId: number,
  lock: boolean,
  repair = false,
): Promise<readonly string[]> {
  const [row] = lock
    ? [await holdOutcome(q, testId)]
    : await q.select().from(outcomes).where(eq(outcomes.testId, testId));
  const shortened = row !== undefined && (await isShortened(q, row));
  const actual = shortened
    ? await foldHistory(q, testId, row, row.changedAfter)
    : await foldHistory(q, testId, undefined, row?.changedAfter ?? 0);
  if (!actual) return [];
  const names = Object.keys(actual) as Array<keyof Outcome>;
  const wrong = names.filter((name) => actual[name] !== row?.[name]);
  if (repair && wrong.length > 0) {
    if (!row) await hold(q, testId);
    await store(q, testId, actual);
  }
  if (!row) return ['its results are not counted'];
  return wrong.map((name) => `${name} says ${row[name]} instead of ${actual[name]}`);
}
