import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { projects, runs } from '../base/schema.ts';
import { startTestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { countCheck } from './count-store.ts';

/** @see Finding: a server of the earlier version continued to write to a migrated database, and its counts stayed wrong. */
test('counts that drifted are found, named and put right', async () => {
  const trivet = await startTestmgmtKernel();
  const { host } = trivet.kernel;
  const projectId = await trivet.makeProject();
  const testIds = await trivet.makeTests(projectId, 5);
  const runId = await trivet.makeRun(projectId, testIds);
  await trivet.call('delete-test', { projectId, testId: testIds[0] });
  const check = (repair: boolean) => countCheck.run(host, { repair });
  expect(await check(false)).toEqual([]);

  await host.db.tx(async (q) => {
    await q.update(projects).set({ testsCount: 7 }).where(eq(projects.id, projectId));
    await q.update(runs).set({ untested: 1, failed: 2 }).where(eq(runs.id, runId));
  });
  const remedy = 'Run trivet doctor --repair.';
  const found = [
    { finding: 'wrong_count', message: `project ${projectId}: testsCount says 7 instead of 4.`, remedy },
    {
      finding: 'wrong_count',
      message: `run ${runId}: failed says 2 instead of 0, untested says 1 instead of 5.`,
      remedy,
    },
  ];
  expect(await check(false)).toEqual(found);
  expect((await trivet.wrongCounts()).length).toBe(3);
  expect(await check(true)).toEqual(found.map((each) => ({ ...each, repaired: true as const })));
  expect(await trivet.wrongCounts()).toEqual([]);
  expect(await check(false)).toEqual([]);
  await trivet.stop();
});
