import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/db.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import type { TestStatus } from '../rules/test-status.ts';
import { outcomes, results, tests } from '../schema.ts';
import { rowsPerRead } from '../statement-sizes.ts';
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

/** The results of a test in one run, as far as they were read. */
interface Standing {
  status: TestStatus | null;
  hasOutcome: boolean;
}

const isOutcome = (status: TestStatus) => status in letters;

/** The results of a test in a run up to one. */
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
 * Counts the history of a test by the rule of outcome.ts: all of it, or what follows after `from`. Yields to other requests between
 * its chunks.
 * @param changedAfter the result after which the test was changed; 0 for none.
 * @returns undefined when there is nothing to count.
 */
export async function foldHistory(
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

/** The state when the test was changed after this result, if it was. */
const changed = (outcome: Outcome | undefined, changedAfter: number): Outcome | undefined =>
  outcome && outcome.lastResultId <= changedAfter ? { ...forgetFlips(outcome), changedAfter } : outcome;

/** A row of no result, to be locked where a test has none. It is never committed. */
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

/** Locks the row of a test, and makes one if it has none. @returns what is counted; undefined for nothing. */
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
 * Counts the results of tests that were not: those after the last counted one, so that results which are deleted by now stay counted. In a
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

/** Counts the history of a test again, from its beginning. In a transaction. @returns what is stored now. */
export async function recount(q: Query, testId: number): Promise<Outcome | undefined> {
  const held = await hold(q, testId);
  const outcome = await foldHistory(q, testId, undefined, held?.changedAfter ?? 0);
  if (outcome) await store(q, testId, outcome);
  return outcome;
}
