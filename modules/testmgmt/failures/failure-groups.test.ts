import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { runTests } from '../base/schema.ts';
import { failureGroup } from '../rules/failure-group.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { groupFailures } from './failure-upkeep.ts';

let trivet: TestmgmtKernel;
let projectId = 0;
let testIds: readonly number[] = [];
let runId = 0;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
  testIds = await trivet.makeTests(projectId, 40);
  runId = await trivet.makeRun(projectId, testIds.slice(0, 20));
  await report(
    testIds.slice(0, 6).map((testId, n) => ({ testId, status: 'failed', comment: `expected ${n} to be 7` })),
  );
  await report(testIds.slice(6, 8).map((testId) => ({ testId, status: 'failed', comment: 'no such user' })));
  // One by one.
  await report([{ testId: testIds[8], status: 'failed', comment: 'expected 40 to be 41' }]);
  await report([{ testId: testIds[9], status: 'failed' }]);
  await report([{ testId: testIds[10], status: 'passed', comment: 'no such user' }]);
});
afterAll(() => trivet.stop());

const report = (testResults: readonly object[]) =>
  trivet.call('run-update-test-status', { projectId, runId, testResults });

const numbers = failureGroup('expected 1 to be 2');
const user = failureGroup('no such user');
const groups = async () =>
  (await trivet.call('get-failure-groups', { projectId, runId }))['groups'] as Array<{
    groupId: string | null;
    count: number;
    quarantined: number;
  }>;
const found = async (query: string) => {
  const { tests } = await trivet.call('get-run-tests-list', { projectId, runId, query });
  return (tests as Array<{ testId: number }>).map(({ testId }) => testIds.indexOf(testId));
};

test('the failures of a run are grouped by message', async () => {
  expect(await trivet.call('get-failure-groups', { projectId, runId, limit: 2 })).toMatchObject({
    total: 3,
    nextOffset: 2,
    groups: [
      {
        groupId: numbers,
        count: 7,
        pattern: 'expected <n> to be <n>',
        message: 'expected 0 to be 7',
        first: testIds
          .slice(0, 6)
          .concat(testIds.slice(8, 9))
          .map((testId) => ({ testId })),
      },
      { groupId: user, count: 2 },
    ],
  });
  expect((await groups())[2]).toMatchObject({ groupId: null, count: 1, pattern: '', message: null });
});

test.each([
  [`group:${numbers}`, [0, 1, 2, 3, 4, 5, 8]],
  [`group:${user.toUpperCase()}`, [6, 7]],
  ['group:none', [9]],
  [`group:${user},none`, [6, 7, 9]],
  [`status:failed -group:${numbers},none`, [6, 7]],
  [`-group:${numbers},${user} status:failed,passed`, [9, 10]],
])('%s', async (query, expected) => {
  expect(await found(query)).toEqual(expected);
  const { tests } = await trivet.call('get-tests', {
    projectId,
    query: query.replaceAll('status:', 'last:'),
  });
  expect((tests as Array<{ testId: number }>).map(({ testId }) => testIds.indexOf(testId))).toEqual(expected);
});

test('newly failing is what did not fail in the run before', async () => {
  const own = await trivet.makeProject();
  const ids = await trivet.makeTests(own, 5);
  const run = async (statuses: readonly string[], of: readonly number[] = ids) => {
    const id = await trivet.makeRun(own, of);
    const testResults = statuses.map((status, at) => ({ testId: of[at], status, comment: `no ${at % 2}` }));
    await trivet.call('run-update-test-status', { projectId: own, runId: id, testResults });
    return id;
  };
  const asked = async (id: number) =>
    trivet.call('get-failure-groups', { projectId: own, runId: id, limit: 1 });
  const first = await run(['failed', 'passed', 'passed'], ids.slice(0, 4));
  expect(await asked(first)).toMatchObject({
    failing: 1,
    newlyFailing: 0,
    added: 0,
    comparedWith: null,
  });
  const second = await run(['failed', 'failed', 'passed', 'failed', 'failed']);
  // The last test is not in the run before: it is added, as compare-runs has it.
  const compared = await trivet.call('compare-runs', { projectId: own, runId: second });
  expect(compared['counts']).toMatchObject({ newlyFailing: 2, stillFailing: 1 });
  expect(await asked(second)).toMatchObject({
    failing: 4,
    newlyFailing: 2,
    added: 1,
    comparedWith: { runId: first },
    groups: [{ count: 4, newlyFailing: 2 }],
  });
});

test('a group gets a defect, and a quarantine', async () => {
  const links = [{ kind: 'defect', key: 'BUG-1' }];
  expect(
    await trivet.call('add-links', { projectId, runId, query: `group:${numbers}`, links }),
  ).toMatchObject({ added: 7 });
  expect(await found('status:failed defect:none')).toEqual([6, 7, 9]);
  const quarantine = { reason: 'x', ownerId: trivet.owner.userId, until: '2026-02-01', force: true };
  expect(
    await trivet.call('set-quarantine', { projectId, query: `group:${user}`, ...quarantine }),
  ).toMatchObject({ count: 2 });
  const counts = (await groups()).map(({ groupId, count, quarantined }) => [groupId, count, quarantined]);
  expect(counts).toContainEqual([user, 2, 2]);
  expect(counts).toContainEqual([numbers, 7, 0]);
});

test('a comment keeps its group, and a new one replaces it', async () => {
  const [testId] = testIds.slice(6);
  await report([{ testId, status: 'passed' }]);
  expect(await found(`group:${user}`)).toEqual([7]);
  await report([{ testId, status: 'failed' }]);
  expect(await found(`group:${user}`)).toEqual([6, 7]);
  await report([{ testId, status: 'failed', comment: 'expected 1 to be 2' }]);
  expect(await found(`group:${user}`)).toEqual([7]);
  await report([{ testId, status: 'failed', comment: '' }]);
  expect(await found('group:none')).toEqual([6, 9]);
});

test('failures that an earlier version wrote are shown at once, and found after the upkeep', async () => {
  const { host } = trivet.kernel;
  const before = await groups();
  await host.db.tx((q) =>
    q
      .update(runTests)
      .set({ commentGroup: null })
      .where(sql`run_id = ${runId}`),
  );
  expect(await groups()).toEqual(before);
  expect(await found(`group:${numbers}`)).toEqual([]);
  expect(await groupFailures(host)).toBe(8);
  expect(await groupFailures(host)).toBe(0);
  expect(await found(`group:${numbers}`)).toEqual([0, 1, 2, 3, 4, 5, 8]);
});

test('what is no group is refused', async () => {
  const fault = await trivet.refusal('get-tests', { projectId, query: 'group:7' });
  expect([fault?.code, fault?.tip]).toEqual(['INVALID_QUERY', expect.stringContaining('get-failure-groups')]);
});
