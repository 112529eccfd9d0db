import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { addLocalMember } from '../../auth/index.ts';
import { rowsPerChange } from '../base/statement-sizes.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
let projectId = 0;
let testIds: readonly number[] = [];
let runId = 0;
let me = 0;
let ann = 0;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  me = trivet.owner.userId;
  ann = await join('ann@example.org', 'Ann Lee');
});
afterAll(() => trivet.stop());
beforeEach(async () => {
  projectId = await trivet.makeProject();
  testIds = await trivet.makeTests(projectId, 6);
  runId = await trivet.makeRun(projectId, testIds);
});

/** Adds a member of the first organization. @returns the id. */
async function join(email: string, name: string): Promise<number> {
  await addLocalMember(trivet.kernel.host, { email, name, role: 'member' });
  const { users } = (await trivet.call('get-all-users', { orgId: 1, limit: 500 })) as {
    users: Array<{ userId: number; email: string }>;
  };
  return users.find((user) => user.email === email)?.userId ?? 0;
}

const call = (tool: string, args: object = {}) => trivet.call(tool, { projectId, runId, ...args });
const refusal = async (args: object) =>
  (await trivet.refusal('assign-tests', { projectId, runId, ...args }))?.code;
const assigned = async (query?: string) => {
  const { tests } = (await call('get-run-tests-list', query === undefined ? {} : { query })) as {
    tests: Array<{ testId: number; assigneeId?: number }>;
  };
  return tests.map(({ testId, assigneeId }) => [testIds.indexOf(testId), assigneeId ?? null]);
};

test('the work of an account that is merged is that of the account that stays', async () => {
  const double = await join('ann.lee@example.org', 'Ann Lee');
  await call('assign-tests', { testIds: testIds.slice(0, 2), assignTo: [double] });
  await call('assign-tests', { testIds: testIds.slice(2, 3), assignTo: [ann] });
  const until = new Date(trivet.clock.now() + 86_400_000).toISOString();
  const quarantine = { projectId, testIds: [testIds[0]], reason: 'slow', ownerId: double, until };
  await trivet.call('set-quarantine', { ...quarantine, force: true });
  await trivet.call('merge-users', { userId: ann, duplicateId: double });
  expect(await assigned(`assigned:${ann}`)).toEqual([0, 1, 2].map((index) => [index, ann]));
  const { people } = await call('get-workload');
  expect(people).toMatchObject([
    { userId: ann, todo: 3 },
    { userId: null, todo: 3 },
  ]);
  expect(await trivet.call('list-quarantined', { projectId })).toMatchObject({ tests: [{ ownerId: ann }] });
});

test('also of more tests than one statement changes', async () => {
  const double = await join('ann.lee.2@example.org', 'Ann Lee');
  const many = await trivet.makeProject();
  const tests = Array.from({ length: 2 * rowsPerChange + 1 }, (_, nth) => ({ testName: `t${nth}` }));
  await trivet.call('bulk-add-tests', { projectId: many, tests });
  const made = await trivet.call('create-run-from-query', {
    projectId: many,
    runName: 'All of them',
    query: '',
  });
  const all = (made['run'] as { runId: number }).runId;
  await trivet.call('assign-tests', { projectId: many, runId: all, query: '', assignTo: [double] });
  await trivet.call('merge-users', { userId: ann, duplicateId: double });
  const asked = { projectId: many, runId: all, query: `assigned:${ann}`, limit: 1 };
  expect(await trivet.call('get-run-tests-list', asked)).toMatchObject({ total: tests.length });
});

describe('tests of a run are assigned', () => {
  test('in turns to several people, and taken again', async () => {
    expect(await call('assign-tests', { query: '', assignTo: [me, ann] })).toEqual({
      dryRun: false,
      count: 6,
      changed: 6,
      shares: [
        { userId: me, tests: 3, minutes: null },
        { userId: ann, tests: 3, minutes: null },
      ],
    });
    const dealt = [me, ann, me, ann, me, ann].map((userId, index) => [index, userId]);
    expect(await assigned()).toEqual(dealt);
    // Again the same changes nothing.
    expect((await call('assign-tests', { query: '', assignTo: [me, ann] }))['changed']).toBe(0);
    expect((await call('assign-tests', { testIds: [testIds[0]], assignTo: null }))['changed']).toBe(1);
    expect((await assigned())[0]).toEqual([0, null]);
  });

  test('by estimate: as much time to each', async () => {
    for (const [index, estimateSeconds] of [600, 60, 60, 120, 240, 120].entries())
      await trivet.call('update-test', { testId: testIds[index], estimateSeconds });
    const { shares } = await call('assign-tests', { query: '', assignTo: [me, ann], by: 'estimate' });
    expect(shares).toEqual([
      { userId: me, tests: 1, minutes: 10 },
      { userId: ann, tests: 5, minutes: 10 },
    ]);
  });

  test('only in a trial with dryRun', async () => {
    const before = await trivet.everything();
    const { count, changed } = await call('assign-tests', { query: '', assignTo: [ann], dryRun: true });
    expect([count, changed, await trivet.everything()]).toEqual([6, 0, before]);
  });

  test('by a query that selects who has nobody', async () => {
    await call('assign-tests', { testIds: testIds.slice(0, 2), assignTo: [ann] });
    expect((await call('assign-tests', { query: 'assigned:none', assignTo: [me] }))['count']).toBe(4);
    expect(await assigned('assigned:me')).toEqual([2, 3, 4, 5].map((index) => [index, me]));
  });

  test.each([
    [{ assignTo: [1] }, 'INVALID_REQUEST'],
    [{ query: '', testIds: [1], assignTo: [1] }, 'INVALID_REQUEST'],
    [{ query: '', assignTo: [] }, 'INVALID_REQUEST'],
    [{ query: '', assignTo: [1, 1] }, 'DUPLICATE_ID'],
    [{ query: '', assignTo: [999_999] }, 'NOT_A_MEMBER'],
    [{ testIds: [999_999], assignTo: null }, 'NOT_IN_RUN'],
    [{ query: 'assigned:nobody-here', assignTo: null }, 'INVALID_QUERY'],
    [{ query: '', assignTo: [1], by: 'luck' }, 'INVALID_REQUEST'],
  ])('%j is refused with %s', async (args, code) => {
    const before = await trivet.everything();
    expect(await refusal(args)).toBe(code);
    expect(await trivet.everything()).toBe(before);
  });

  test('not in a locked run', async () => {
    await call('run-lock');
    expect(await refusal({ query: '', assignTo: [me] })).toBe('RUN_LOCKED');
  });

  test('and whoever follows the run reads the list again', async () => {
    const { cursor } = await call('get-run-changes');
    trivet.clock.advance(5);
    await call('assign-tests', { query: '', assignTo: [me] });
    expect(await call('get-run-changes', { after: cursor })).toMatchObject({
      membershipChanged: true,
      results: [],
    });
  });
});

describe('the query field assigned', () => {
  beforeEach(() => call('assign-tests', { testIds: testIds.slice(0, 2), assignTo: [ann] }));

  test.each([
    ['assigned:"ann lee"', 2],
    ['assigned:ann@example.org', 2],
    ['-assigned:ann@example.org', 4],
    ['assigned:none', 4],
    ['-assigned:none', 2],
    ['assigned:me', 0],
    ['assigned:me,ann@example.org', 2],
    ['assigned:none status:untested', 4],
  ])('%s finds %d tests', async (query, count) => {
    expect((await assigned(query)).length).toBe(count);
  });

  test.each([
    ['assigned:"Ann Lee"', 1],
    ['assigned:me', 0],
    ['assigned:none', 1],
    ['-assigned:"Ann Lee"', 0],
  ])('%s finds %d runs', async (query, total) => {
    expect(await trivet.call('get-runs', { projectId, query })).toMatchObject({ total });
  });

  test('by id', async () => {
    expect((await assigned(`assigned:${ann}`)).length).toBe(2);
    expect((await assigned(`assigned:${me}`)).length).toBe(0);
  });

  test('an unknown name is refused', async () => {
    const fault = await trivet.refusal('get-run-tests-list', { projectId, runId, query: 'assigned:bert' });
    expect(fault?.message).toContain('Nobody here has the name "bert"');
  });
});

test('a locked run has nothing to do, in queries as in the workload', async () => {
  await call('assign-tests', { testIds: testIds.slice(0, 3), assignTo: [ann] });
  const found = async (query: string) => (await trivet.call('get-runs', { projectId, query }))['total'];
  const queries = [`todo:${ann}`, 'todo:none', `-todo:${ann}`];
  expect(await Promise.all(queries.map(found))).toEqual([1, 1, 0]);
  await call('run-lock');
  // Nobody did them either: of a plan that was closed with 34 of 36 tests open, the share done was 100 %.
  expect(await call('get-workload')).toMatchObject({ todo: 0, done: 0, leftOpen: 6 });
  expect(await Promise.all(queries.map(found))).toEqual([0, 0, 1]);
});

test('whoever has left the organization has no tests', async () => {
  const bob = await join(`bob.${projectId}@example.org`, 'Bob');
  await call('assign-tests', { testIds: testIds.slice(0, 3), assignTo: [bob] });
  expect((await assigned())[0]).toEqual([0, bob]);
  await trivet.call('remove-member', { orgId: 1, userId: bob });
  expect(await assigned()).toEqual(testIds.map((_, index) => [index, null]));
  expect((await assigned('assigned:none')).length).toBe(6);
  expect((await assigned(`assigned:${bob}`)).length).toBe(0);
  expect(await call('get-workload', {})).toMatchObject({ todo: 6, people: [{ userId: null, todo: 6 }] });
  expect(await refusal({ query: '', assignTo: [bob] })).toBe('NOT_A_MEMBER');
  const report = await call('download-report', { format: 'json' });
  expect(JSON.stringify(report)).not.toContain(`"assigneeId":${bob}`);
});

test('merged tests keep the assignee of the run', async () => {
  await call('assign-tests', { testIds: [testIds[1]], assignTo: [ann] });
  await call('run-remove-tests', { testIds: [testIds[0]] });
  await trivet.call('merge-tests', { projectId, testId: testIds[0], mergedTestId: testIds[1] });
  expect(await assigned('assigned:ann@example.org')).toEqual([[0, ann]]);
});

describe('an estimate', () => {
  test('is stored, changed, cleared and found', async () => {
    const one = { projectId, testName: 'Pay', estimateSeconds: 900 };
    const { testId } = await trivet.call('create-test', one);
    expect(await trivet.call('get-test-details', { projectId, testId })).toMatchObject({
      estimateSeconds: 900,
    });
    const total = async (query: string) => (await trivet.call('get-tests', { projectId, query }))['total'];
    expect([
      await total('estimate:>10m'),
      await total('estimate:>=15m'),
      await total('estimate:>15m'),
    ]).toEqual([1, 1, 0]);
    expect([await total('estimate:none'), await total('-estimate:none')]).toEqual([6, 1]);
    await trivet.call('change-tests', { projectId, query: 'estimate:none', set: { estimateSeconds: 60 } });
    await trivet.call('bulk-update-tests', { tests: [{ testId, estimateSeconds: 30 }] });
    expect([await total('estimate:60s'), await total('estimate:<1m')]).toEqual([6, 1]);
    const sorted = await trivet.call('get-tests', {
      projectId,
      query: 'sort:estimate-desc',
      fields: ['estimateSeconds'],
      limit: 1,
    });
    expect(sorted['tests']).toEqual([{ estimateSeconds: 60 }]);
    expect(await trivet.call('update-test', { testId, estimateSeconds: null })).toMatchObject({
      estimateSeconds: null,
    });
  });

  test('is exported and imported', async () => {
    const content = 'Title,Estimate\nA,1h 30m\nB,\nC,45\n';
    await trivet.call('import-tests', { projectId, content });
    const { tests } = (await trivet.call('get-tests', {
      projectId,
      query: '-estimate:none',
      fields: ['testName', 'estimateSeconds'],
    })) as {
      tests: unknown[];
    };
    expect(tests).toEqual([
      { testName: 'A', estimateSeconds: 5_400 },
      { testName: 'C', estimateSeconds: 45 },
    ]);
    const soon = 'Title,Estimate\nA,soon\n';
    expect((await trivet.refusal('import-tests', { projectId, content: soon }))?.code).toBe('IMPORT_FAULTY');
  });
});
