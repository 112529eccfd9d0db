import { expect, test } from 'bun:test';
import { and, eq, lte } from 'drizzle-orm';
import type { TestStatus } from '../rules/test-status.ts';
import { outcomes, results, runTests } from '../base/schema.ts';
import { wrongOutcomes } from '../testing/outcome-model.ts';
import { startTestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { catchUpAll, outcomeCheck } from './outcome-check.ts';

async function started() {
  const trivet = await startTestmgmtKernel();
  const { host } = trivet.kernel;
  const projectId = await trivet.makeProject();
  const testIds = await trivet.makeTests(projectId, 4);
  const runId = await trivet.makeRun(projectId, testIds);
  const [known = 0, unknown = 0] = testIds;
  return {
    ...trivet,
    host,
    projectId,
    known,
    unknown,
    report: (testId: number, ...found: readonly TestStatus[]) =>
      found.reduce<Promise<unknown>>(
        (before, status) =>
          before.then(() =>
            trivet.call('run-update-test-status', { projectId, runId, testResults: [{ testId, status }] }),
          ),
        Promise.resolve(),
      ),
    /** Writes like a server of an earlier version. */
    reportAsEarlier: (testId: number, status: TestStatus) =>
      host.db.tx(async (q) => {
        await q.insert(results).values({ runId, testId, status, by: 1, at: trivet.clock.now() });
        await q
          .update(runTests)
          .set({ status })
          .where(and(eq(runTests.runId, runId), eq(runTests.testId, testId)));
      }),
    rowOf: async (testId: number) =>
      (await host.db.q.select().from(outcomes).where(eq(outcomes.testId, testId)))[0],
    wrong: () => wrongOutcomes(host.db.q),
    check: (repair: boolean) => outcomeCheck.run(host, { repair }),
  };
}

test('a job counts what servers of an earlier version wrote', async () => {
  const trivet = await started();
  const { known, unknown } = trivet;
  await trivet.report(known, 'passed', 'failed');
  expect(await catchUpAll(trivet.host)).toBe(0);
  for (const found of ['passed', 'failed'] as const)
    for (const testId of [known, unknown]) await trivet.reportAsEarlier(testId, found);
  expect((await trivet.wrong()).length).toBe(2);
  expect(await catchUpAll(trivet.host)).toBe(2);
  expect(await trivet.rowOf(known)).toMatchObject({ recent: 'FPFp', runs: 1 });
  expect(await trivet.wrong()).toEqual([]);
  expect(await catchUpAll(trivet.host)).toBe(0);
  await trivet.stop();
});

test('doctor finds rows that differ from their history, names them and puts them right', async () => {
  const trivet = await started();
  const { known, unknown } = trivet;
  await trivet.report(known, 'passed', 'failed', 'passed');
  await trivet.call('update-test', { testId: known, testName: 'changed' });
  await trivet.report(known, 'failed');
  await trivet.report(unknown, 'passed');
  expect(await trivet.check(false)).toEqual([]);

  await trivet.host.db.tx(async (q) => {
    await q.update(outcomes).set({ failed: 0, flips: 3 }).where(eq(outcomes.testId, known));
    await q.delete(outcomes).where(eq(outcomes.testId, unknown));
  });
  const found = await trivet.check(false);
  const finding = { finding: 'wrong_outcome', remedy: 'Run trivet doctor --repair.' };
  expect(found).toMatchObject([
    { ...finding, message: `test ${known}: failed says 0 instead of 2, flips says 3 instead of 0.` },
    {
      ...finding,
      message: `test ${unknown}: its results are not counted.`,
    },
  ]);
  expect(await trivet.check(true)).toEqual(found.map((each) => ({ ...each, repaired: true as const })));
  expect(await trivet.check(false)).toEqual([]);
  expect(await trivet.wrong()).toEqual([]);
  await trivet.stop();
});

/** `--result-keep` and the deletion of a run do not undo any count. */
test('results that are deleted stay counted', async () => {
  const trivet = await started();
  const { known, projectId } = trivet;
  await trivet.report(known, 'passed', 'failed', 'passed', 'failed');
  const [first] = await trivet.host.db.q.select().from(results);
  await trivet.host.db.tx(async (q) => void (await q.delete(results).where(lte(results.id, first?.id ?? 0))));
  expect(await trivet.check(true)).toEqual([]);
  await trivet.reportAsEarlier(known, 'passed');
  expect(await trivet.check(true)).toMatchObject([{ repaired: true }]);
  await trivet.report(known, 'failed');
  expect(await trivet.rowOf(known)).toMatchObject({ recent: 'FPFPFp', flips: 5, runs: 1 });
  const { runs } = (await trivet.call('get-runs', { projectId })) as { runs: Array<{ runId: number }> };
  await trivet.call('delete-run', { projectId, runId: runs[0]?.runId });
  expect(await trivet.call('get-tests', { projectId, limit: 2 })).toMatchObject({
    tests: [
      { lastStatus: 'failed', lastRunAt: '2026-01-01T00:00:00.000Z', flaky: true },
      { lastStatus: null, lastRunAt: null, flaky: false },
    ],
  });
  expect(await trivet.call('get-test-details', { projectId, testId: known })).toMatchObject({
    lastStatus: 'failed',
    flaky: true,
  });
  await trivet.stop();
});
