import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { tests } from '../base/schema.ts';
import { testVersions } from '../base/version-schema.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { forgetOldVersions } from './version-upkeep-store.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

test('the oldest versions beyond 10,000 go; the others stay, with their texts', async () => {
  const { db } = trivet.kernel.host;
  const projectId = await trivet.makeProject();
  const made = await trivet.call('create-test', { projectId, testName: 'a', testDescription: 'one' });
  const testId = Number(made['testId']);
  for (const testDescription of ['two', 'three', 'four'])
    await trivet.call('update-test', { testId, testDescription });
  expect(await forgetOldVersions({ db })).toBe(0);
  // As if it had been changed 9,999 times before the last two changes.
  await db.tx(async (q) => {
    for (const [version, later] of [
      [3, 10_002],
      [2, 10_001],
    ] as const)
      await q.update(testVersions).set({ version: later }).where(eq(testVersions.version, version));
    await q.update(tests).set({ version: 10_003 }).where(eq(tests.id, testId));
  });
  expect(await forgetOldVersions({ db })).toBe(1);
  expect(await forgetOldVersions({ db })).toBe(0);
  const { total, versions } = await trivet.call('list-test-versions', { testId });
  expect(total).toBe(3);
  expect((versions as Array<{ version: number }>).map(({ version }) => version)).toEqual([
    10_003, 10_002, 10_001,
  ]);
  expect(await trivet.call('get-test-details', { projectId, testId, version: 10_001 })).toMatchObject({
    testDescription: 'two',
  });
  const gone = await trivet.refusal('get-test-details', { projectId, testId, version: 1 });
  expect(gone?.code).toBe('VERSION_NOT_FOUND');
});
