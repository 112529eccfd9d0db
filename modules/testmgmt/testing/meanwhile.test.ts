import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Query } from '../../../core/db/query/db.ts';
import { meanwhile } from '../../../test/meanwhile.ts';
import { requireOpenMilestone } from '../milestones/milestone-store.ts';
import { changeRun } from '../runs/run-store.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from './testmgmt-kernel.ts';

/* A call beside a transaction of another process that is about to commit. What the call has read by then must still hold when it writes. */

let trivet: TestmgmtKernel;
let projectId: number;
let testIds: readonly number[];
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
  testIds = await trivet.makeTests(projectId, 1);
});
afterAll(() => trivet.stop());

const call = (tool: string, args: object) => trivet.call(tool, { projectId, ...args });
const beside = <T>(change: (q: Query) => Promise<unknown>, ask: () => Promise<T>): Promise<T> =>
  meanwhile(trivet.kernel.host.db, change, ask);

test('a run that gets a milestone while that is deleted has none', async () => {
  const milestoneId = Number((await call('create-milestone', { name: 'gone' }))['milestoneId']);
  const runId = await trivet.makeRun(projectId, testIds);
  const edited = async (q: Query) => {
    await requireOpenMilestone(q, projectId, milestoneId);
    await changeRun(q, runId, { milestoneId }, { by: 1, now: 1 });
  };
  expect(await beside(edited, () => call('delete-milestone', { milestoneId }))).toMatchObject({ runs: 1 });
  expect(await call('run-detail', { runId })).toMatchObject({ milestoneId: null });
});
