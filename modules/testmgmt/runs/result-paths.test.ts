import { expect, test } from 'bun:test';
import { asc, eq, inArray } from 'drizzle-orm';
import { engine } from '../../../core/db/query/engine.ts';
import { randomFrom } from '../../../test/verify/scale.ts';
import { outcomes, runs, runTests } from '../base/schema.ts';
import { flakyFlips } from '../outcomes/outcome.ts';
import { testStatuses, type TestStatus } from '../rules/test-status.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

/*
 * A single result and several results use different statements. Both are compared with a plain model that knows neither: 16,000 calls on
 * SQLite and 4,000 on PostgreSQL, which waits for its disk. Mutation note: seen to fail when one path ignores a comment, counts a repeated
 * status, takes a result that was not seen, does not trim a comment, or counts a run twice.
 */
const scenes = 8;
const stepsPerScene = engine() === 'sqlite' ? 1_000 : 250;
const testsInAll = 6;
const runsInAll = 3;
/** A test that never gets a result: including it makes a call one with several results. */
const beside = testsInAll;

interface Given {
  readonly run: number;
  readonly test: number;
  readonly status: TestStatus;
  readonly comment?: string;
  readonly seenAt?: string | null;
}

interface Cell {
  status: TestStatus;
  comment: string | null;
  updatedAt: number | null;
}

/** The summary of results, by the plain words of docs/decisions/results-by-test.md. */
class Model {
  readonly cells: Cell[][] = Array.from({ length: runsInAll }, () =>
    Array.from({ length: testsInAll }, () => ({ status: 'untested', comment: null, updatedAt: null })),
  );
  readonly found: Array<Array<{ readonly run: number; readonly status: TestStatus; readonly at: number }>> =
    Array.from({ length: testsInAll }, () => []);
  readonly newest: Array<TestStatus | undefined> = [];

  constructor(readonly runTimes: number[]) {}

  /** @returns whether the result is refused. */
  take({ run, test: index, status, comment, seenAt }: Given, now: number): boolean {
    const cell = this.cells[run]?.[index];
    const found = this.found[index];
    if (!cell || !found) throw new Error('no such test');
    const said = comment?.trim();
    const isOther = status !== cell.status || (said !== undefined && said !== cell.comment);
    if (!isOther) return false;
    const seen = seenAt === undefined || seenAt === null ? seenAt : Date.parse(seenAt);
    if (seen !== undefined && seen !== cell.updatedAt) return true;
    if (status !== cell.status && ['passed', 'failed', 'blocked'].includes(status))
      found.push({ run, status, at: now });
    this.newest[index] = status;
    const at = Math.max(now, (this.runTimes[run] ?? 0) + 1);
    this.runTimes[run] = at;
    Object.assign(cell, { status, comment: said ?? cell.comment, updatedAt: at });
    return false;
  }

  countsOf(run: number): Record<string, number> {
    const statuses = this.cells[run]?.map(({ status }) => status) ?? [];
    const of = (status: TestStatus) => statuses.filter((each) => each === status).length;
    const counts = Object.fromEntries(testStatuses.map((status) => [status, of(status)]));
    return { ...counts, untested: of('untested') + 1, total: testsInAll + 1 };
  }

  outcomeOf(index: number) {
    const found = this.found[index] ?? [];
    let verdict = '';
    const letters = found.map(({ status }) => {
      const letter = status.slice(0, 1);
      const isFlip = letter !== 'b' && verdict !== '' && letter !== verdict;
      if (letter !== 'b') verdict = letter;
      return isFlip ? letter.toUpperCase() : letter;
    });
    const recent = letters.toReversed().slice(0, 20).join('');
    const lastOther = found.findLastIndex(({ status }) => status !== found.at(-1)?.status);
    const flips = recent.replaceAll(/[a-z]/g, '').length;
    return {
      lastStatus: this.newest[index],
      recent,
      failed: recent.replaceAll(/[^f]/gi, '').length,
      flips,
      isFlaky: flips >= flakyFlips,
      runs: new Set(found.map(({ run }) => run)).size,
      streak: found.length - 1 - lastOther,
      failingSince: found.at(-1)?.status === 'failed' ? (found[lastOther + 1]?.at ?? null) : null,
    };
  }
}

async function makeTwin(trivet: TestmgmtKernel) {
  const projectId = await trivet.makeProject();
  const testIds = await trivet.makeTests(projectId, testsInAll + 1);
  const runIds: number[] = [];
  for (let n = 0; n < runsInAll; n++) runIds.push(await trivet.makeRun(projectId, testIds));
  return { projectId, testIds, runIds };
}
type Twin = Awaited<ReturnType<typeof makeTwin>>;

/** Reports a result. @returns the counts of its run, or the refusal. */
async function report(trivet: TestmgmtKernel, twin: Twin, given: Given, isAlone: boolean) {
  const { run, test: index, ...result } = given;
  const testResults = [
    { ...result, testId: twin.testIds[index] },
    ...(isAlone ? [] : [{ testId: twin.testIds[beside], status: 'untested' }]),
  ];
  const input = { projectId: twin.projectId, runId: twin.runIds[run], testResults };
  try {
    return (await trivet.call('run-update-test-status', input))['counts'];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'RESULT_CHANGED') return 'refused';
    throw error;
  }
}

async function stored(trivet: TestmgmtKernel, { testIds, runIds }: Twin) {
  const { q } = trivet.kernel.host.db;
  const some = testIds.slice(0, testsInAll);
  const rows = await q.select().from(outcomes).where(inArray(outcomes.testId, some));
  const cells: Cell[][] = [];
  for (const runId of runIds) {
    const inRun = await q
      .select()
      .from(runTests)
      .where(eq(runTests.runId, runId))
      .orderBy(asc(runTests.testId));
    cells.push(
      inRun.slice(0, testsInAll).map(({ status, comment, updatedAt }) => ({ status, comment, updatedAt })),
    );
  }
  return {
    cells,
    outcomes: some.map((testId) => {
      const row = rows.find((each) => each.testId === testId);
      if (!row) return undefined;
      const { lastStatus, recent, failed, flips, runs: inRuns, streak, failingSince } = row;
      const isFlaky = flips >= flakyFlips;
      return { lastStatus, recent, failed, flips, isFlaky, runs: inRuns, streak, failingSince };
    }),
  };
}

async function playScene(trivet: TestmgmtKernel, seed: number): Promise<void> {
  const random = randomFrom(seed);
  const { q } = trivet.kernel.host.db;
  const twins = [await makeTwin(trivet), await makeTwin(trivet)] as const;
  const times = await q.select().from(runs).where(inArray(runs.id, twins[0].runIds)).orderBy(asc(runs.id));
  const model = new Model(times.map(({ updatedAt }) => updatedAt ?? 0));
  const timesSeen: Array<string | null> = [null];
  for (let step = 0; step < stepsPerScene; step++) {
    const [run, index] = [random.below(runsInAll), random.below(testsInAll)];
    const { updatedAt } = model.cells[run]?.[index] ?? { updatedAt: null };
    const now = updatedAt === null ? null : new Date(updatedAt).toISOString();
    timesSeen.push(now);
    const seenAt = random.pick([undefined, undefined, now, now, random.pick(timesSeen)]);
    const comment = random.pick([undefined, undefined, '', 'a', ' a ', 'b']);
    const given: Given = {
      run,
      test: index,
      status: random.pick(['passed', 'failed', 'passed', 'failed', ...testStatuses]),
      ...(comment === undefined ? {} : { comment }),
      ...(seenAt === undefined ? {} : { seenAt }),
    };
    const isRefused = model.take(given, trivet.clock.now());
    const expected = isRefused ? 'refused' : model.countsOf(run);
    const answers = await Promise.all(twins.map((twin, at) => report(trivet, twin, given, at === 0)));
    expect({ given, answers }).toEqual({ given, answers: [expected, expected] } as never);
  }
  const wanted = {
    cells: model.cells,
    outcomes: model.found.map((_, index) =>
      model.newest[index] === undefined ? undefined : model.outcomeOf(index),
    ),
  };
  for (const twin of twins) expect(await stored(trivet, twin)).toEqual(wanted as never);
}

test(`one result alone and one of many are the same on ${engine()}, as a model says`, async () => {
  const trivet = await startTestmgmtKernel();
  await Promise.all(Array.from({ length: scenes }, (_, n) => playScene(trivet, 400 + n)));
  await trivet.stop();
}, 60_000);
