import { expect, test } from 'bun:test';
import { countRows } from '../../../core/db/query/columns.ts';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { toolsOf } from '../../../test/tools.ts';
import { catchUp } from '../outcomes/outcome-history-store.ts';
import { results } from '../base/schema.ts';
import { deleteOldResults } from './result-retention.ts';

/*
 * Mutation note: seen to fail when all is deleted in one transaction, when a run has no limit, when a result that is not old does
 * not end the chunk, and when 0 deletes.
 */
const day = 86_400_000;

/** A run with one test and this many results, starting now. */
async function kernelWith(count: number, keepSeconds: number) {
  const clock = stillClock();
  const trivet = await startTestKernel({ clock, settings: { 'result-keep': String(keepSeconds) } });
  const { call } = await toolsOf(trivet);
  await call('create-project', { orgId: 1, projectName: 'p' });
  await call('create-test', { projectId: 1, testName: 't' });
  await call('create-run', { projectId: 1, runName: 'r', testIds: [1] });
  const { host } = trivet.kernel;
  const add = (status: 'passed' | 'failed') => ({
    runId: 1,
    testId: 1,
    status,
    comment: null,
    by: 1,
    at: clock.now(),
  });
  const rows = Array.from({ length: count }, () => add('passed'));
  for (let from = 0; from < count; from += 500)
    await host.db.tx(async (q) => void (await q.insert(results).values(rows.slice(from, from + 500))));
  await host.db.tx(async (q) => void (await catchUp(q, [1])));
  const left = async () => (await host.db.q.select({ n: countRows() }).from(results))[0]?.n;
  const report = (status: string) =>
    call('run-update-test-status', { projectId: 1, runId: 1, testResults: [{ testId: 1, status }] });
  return { clock, host, call, left, report, stop: trivet.stop };
}

test('the history is kept for ever unless --result-keep says otherwise', async () => {
  const { clock, host, left, stop } = await kernelWith(3, 0);
  clock.advance(36_500 * day);
  expect(await deleteOldResults(host)).toBe(0);
  expect(await left()).toBe(3);
  await stop();
});

test('what is older goes, the oldest first; the status stays', async () => {
  const { clock, host, call, report, left, stop } = await kernelWith(2_345, (10 * day) / 1_000);
  clock.advance(5 * day);
  await report('failed');
  clock.advance(5 * day);
  expect(await deleteOldResults(host)).toBe(0);
  clock.advance(1);
  expect(await deleteOldResults(host)).toBe(2_345);
  expect(await call('get-test-status-history-in-run', { runId: 1, testId: 1 })).toMatchObject({
    total: 1,
    history: [{ status: 'failed' }],
  });
  clock.advance(5 * day);
  expect(await deleteOldResults(host)).toBe(1);
  expect(await left()).toBe(0);
  expect(await call('run-detail', { projectId: 1, runId: 1 })).toMatchObject({ counts: { failed: 1 } });
  // The next result gets a new id: the ids of deleted results are not reused.
  await report('passed');
  expect(await host.db.q.select({ id: results.id }).from(results)).toEqual([{ id: 2_347 }]);
  await stop();
});

test('other writes come between its chunks, and one run has an end', async () => {
  const { clock, host, left, report, stop } = await kernelWith(41_000, 1);
  clock.advance(2_000);
  const running = deleteOldResults(host);
  while ((await left()) === 41_000) await Bun.sleep(1);
  await report('failed');
  expect(await left()).toBeGreaterThan(10_000);
  expect(await running).toBe(40_000);
  expect(await deleteOldResults(host)).toBe(1_000);
  expect(await left()).toBe(1);
  await stop();
}, 60_000);
