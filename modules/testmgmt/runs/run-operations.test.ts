import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import { results } from '../base/schema.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

test('a run takes exactly its tests; results are counted and every change is kept', async () => {
  const { call, clock } = trivet;
  const projectId = await trivet.makeProject();
  const [a = 0, , c = 0] = await trivet.makeTests(projectId, 3);
  const made = await call('create-run', { projectId, runName: ' Nightly ', testIds: [c, a] });
  const runId = Number(made['runId']);
  expect(made).toEqual({
    runId,
    projectId,
    runName: 'Nightly',
    runDescription: '',
    status: 'active',
    counts: { total: 2, untested: 2, passed: 0, failed: 0, blocked: 0, retest: 0 },
    milestoneId: null,
    planId: null,
    dueOn: null,
    createdBy: trivet.owner.userId,
    createdAt: '2026-01-01T00:00:00.000Z',
    lockedBy: null,
    lockedAt: null,
    updatedBy: trivet.owner.userId,
    updatedAt: '2026-01-01T00:00:00.000Z',
  });
  clock.advance(1000);
  const report = (testResults: object[]) => call('run-update-test-status', { projectId, runId, testResults });
  await report([{ testId: a, status: 'failed', comment: 'red' }]);
  const after = await report([
    { testId: a, status: 'passed' },
    { testId: c, status: 'blocked' },
  ]);
  expect(after['counts']).toEqual({ total: 2, untested: 0, passed: 1, failed: 0, blocked: 1, retest: 0 });
  expect(await call('run-detail', { projectId, runId })).toEqual(after);
  const history = await trivet.kernel.host.db.q
    .select()
    .from(results)
    .where(eq(results.runId, runId))
    .orderBy(asc(results.id));
  expect(history.map(({ testId, status, comment, by }) => ({ testId, status, comment, by }))).toEqual([
    { testId: a, status: 'failed', comment: 'red', by: trivet.owner.userId },
    { testId: a, status: 'passed', comment: null, by: trivet.owner.userId },
    { testId: c, status: 'blocked', comment: null, by: trivet.owner.userId },
  ]);
  expect(await call('get-run-test-status', { projectId, runId, status: 'passed' })).toMatchObject({
    total: 1,
    tests: [{ testId: a, comment: 'red' }],
  });
  // A result with the current status of the test is a valid result.
  expect((await report([{ testId: a, status: 'passed', comment: '' }]))['counts']).toEqual(after['counts']);
  expect(await call('get-test-status-history', { projectId, testId: a })).toMatchObject({ total: 3 });
});

test('5,000 results in one call, of every status, with and without comment', async () => {
  const projectId = await trivet.makeProject();
  const ids = await trivet.makeTests(projectId, 5_000);
  const runId = await trivet.makeRun(projectId, ids);
  const statuses = ['passed', 'failed', 'blocked', 'retest', 'untested'];
  const testResults = ids.map((testId, n) => ({
    testId,
    status: statuses[n % 5],
    ...(n % 2 ? { comment: `n${n}` } : {}),
  }));
  const after = await trivet.call('run-update-test-status', { projectId, runId, testResults });
  expect(after['counts']).toEqual({
    total: 5000,
    passed: 1000,
    failed: 1000,
    blocked: 1000,
    retest: 1000,
    untested: 1000,
  });
  const page = await trivet.call('get-run-tests-list', { projectId, runId, limit: 3, offset: 4_996 });
  expect(page['tests']).toMatchObject([
    { testId: ids[4996], status: 'failed', comment: null },
    { testId: ids[4997], status: 'blocked', comment: 'n4997' },
    { testId: ids[4998], status: 'retest', comment: null },
  ]);
  expect(await trivet.call('run-reset', { projectId, runId })).toMatchObject({
    counts: { total: 5000, retest: 5000 },
  });
  expect(await trivet.call('get-test-status-history-in-run', { testId: ids[4997], runId })).toMatchObject({
    total: 2,
    history: [
      { status: 'retest', comment: null },
      { status: 'blocked', comment: 'n4997' },
    ],
  });
  expect(await trivet.wrongCounts()).toEqual([]);
}, 60_000);

test('results that many callers report at once to one run are all kept and counted', async () => {
  const projectId = await trivet.makeProject();
  const ids = await trivet.makeTests(projectId, 24);
  const runId = await trivet.makeRun(projectId, ids);
  await Promise.all(
    ids.map((testId) =>
      trivet.call('run-update-test-status', {
        projectId,
        runId,
        testResults: [{ testId, status: 'passed' }],
      }),
    ),
  );
  expect(await trivet.call('run-detail', { projectId, runId })).toMatchObject({
    counts: { total: 24, passed: 24, untested: 0 },
  });
  await Promise.all([
    ...ids.slice(0, 4).map((testId) => trivet.call('delete-test', { projectId, testId })),
    ...ids.slice(4, 8).map(() => trivet.call('create-test', { projectId, testName: 'x' })),
    trivet.call('run-remove-tests', { projectId, runId, testIds: ids.slice(8, 12) }),
    trivet.call('run-reset', { projectId, runId }),
  ]);
  expect(await trivet.wrongCounts()).toEqual([]);
}, 60_000);

test('deleted runs are in no list and in no history; the newest run comes first', async () => {
  const { call } = trivet;
  const projectId = await trivet.makeProject();
  const [testId = 0] = await trivet.makeTests(projectId, 1);
  const first = await trivet.makeRun(projectId, [testId]);
  const second = await trivet.makeRun(projectId, [testId]);
  const third = await trivet.makeRun(projectId, [testId]);
  for (const runId of [first, second]) {
    await call('run-update-test-status', { projectId, runId, testResults: [{ testId, status: 'passed' }] });
  }
  expect(await call('delete-run', { projectId, runId: second })).toEqual({ runId: second, deleted: true });
  const list = await call('get-runs', { projectId });
  expect(list['total']).toBe(2);
  expect((list['runs'] as Array<{ runId: number }>).map(({ runId }) => runId)).toEqual([third, first]);
  expect((list['runs'] as object[])[0]).not.toHaveProperty('runDescription');
  expect(await call('get-test-status-history', { projectId, testId })).toMatchObject({ total: 1 });
  expect((await trivet.refusal('run-detail', { projectId, runId: second }))?.code).toBe('RUN_NOT_FOUND');
  expect((await trivet.refusal('delete-run', { projectId, runId: second }))?.code).toBe('RUN_NOT_FOUND');
  expect(await call('edit-run', { projectId, runId: first, runDescription: ' why ' })).toMatchObject({
    runName: 'run',
    runDescription: 'why',
  });
});

test('an empty run has no percentages', async () => {
  const projectId = await trivet.makeProject();
  const ids = await trivet.makeTests(projectId, 2);
  const runId = await trivet.makeRun(projectId, ids);
  await trivet.call('run-remove-tests', { projectId, runId, testIds: ids });
  expect(await trivet.call('get-run-state-detail', { projectId, runId })).toMatchObject({
    counts: { total: 0 },
    percentages: { passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 },
    bySquad: [],
    bySection: [],
  });
  expect(await trivet.call('run-reset', { projectId, runId })).toMatchObject({ counts: { total: 0 } });
});

test('a status that is there already is no change: repeated calls add no history, whoever sends them', async () => {
  const { call } = trivet;
  const projectId = await trivet.makeProject();
  const ids = await trivet.makeTests(projectId, 3);
  const [a = 0, b = 0] = ids;
  const runId = await trivet.makeRun(projectId, ids);
  const report = (testResults: object[]) => call('run-update-test-status', { projectId, runId, testResults });
  const history = async (testId: number) =>
    ((await call('get-test-status-history-in-run', { testId, runId }))['history'] as object[]).length;

  const cases: ReadonlyArray<readonly [object[], number]> = [
    [[{ testId: a, status: 'untested' }], 0],
    [[{ testId: a, status: 'failed', comment: 'red' }], 1],
    [[{ testId: a, status: 'failed', comment: ' red ' }], 1],
    [[{ testId: a, status: 'failed' }], 1],
    [[{ testId: a, status: 'failed', comment: 'red again' }], 2],
    [[{ testId: a, status: 'passed' }], 3],
    [
      [
        { testId: a, status: 'passed' },
        { testId: b, status: 'passed' },
      ],
      3,
    ],
    [
      [
        { testId: a, status: 'passed', comment: 'ok' },
        { testId: b, status: 'passed' },
      ],
      4,
    ],
  ];
  for (const [testResults, rows] of cases) {
    await report(testResults);
    expect(await history(a)).toBe(rows);
  }
  expect(await history(b)).toBe(1);
  const before = await trivet.everything();
  trivet.clock.advance(1_000);
  await report([
    { testId: a, status: 'passed' },
    { testId: b, status: 'passed' },
  ]);
  expect(await trivet.everything()).toBe(before);

  await Promise.all(
    Array.from({ length: 8 }, () => report([{ testId: b, status: 'blocked', comment: 'why' }])),
  );
  expect(await history(b)).toBe(2);

  await call('run-reset', { projectId, runId });
  expect(await history(a)).toBe(5);
  const reset = await trivet.everything();
  trivet.clock.advance(1_000);
  await Promise.all([call('run-reset', { projectId, runId }), call('run-reset', { projectId, runId })]);
  expect(await trivet.everything()).toBe(reset);
  expect(await trivet.wrongCounts()).toEqual([]);
});

test('the history of a test with thousands of results is paged and counted in parts', async () => {
  const { call, kernel } = trivet;
  const projectId = await trivet.makeProject();
  const [testId = 0] = await trivet.makeTests(projectId, 1);
  const runId = await trivet.makeRun(projectId, [testId]);
  const gone = await trivet.makeRun(projectId, [testId]);
  const count = 5_000;
  await kernel.host.db.tx(async (q) => {
    for (let at = 0; at < count; at += 500) {
      const rows = Array.from({ length: 500 }, (_, n) => ({
        runId: (at + n) % 10 === 0 ? gone : runId,
        testId,
        status: 'passed' as const,
        comment: `n${at + n}`,
        by: 1,
        at: at + n,
      }));
      await q.insert(results).values(rows);
    }
  });
  await call('delete-run', { projectId, runId: gone });
  const page = await call('get-test-status-history', { projectId, testId, limit: 2, offset: 4_498 });
  expect(page).toMatchObject({ total: 4_500, history: [{ comment: 'n2' }, { comment: 'n1' }] });
  expect(await call('get-test-status-history', { projectId, testId, limit: 2, offset: 9_000 })).toMatchObject(
    {
      total: 4_500,
      history: [],
    },
  );
  expect(await call('get-test-status-history-in-run', { testId, runId, limit: 1 })).toMatchObject({
    total: 4_500,
    history: [{ comment: 'n4999' }],
  });
});

/** @see issue 13, 47: a deleted run could not be restored. */
describe('a deleted run', () => {
  test('comes back with its results, and the project counts it again', async () => {
    const trivet = await startTestmgmtKernel();
    const projectId = await trivet.makeProject();
    const [testId = 0] = await trivet.makeTests(projectId, 1);
    const runId = await trivet.makeRun(projectId, [testId]);
    await trivet.call('run-update-test-status', {
      projectId,
      runId,
      testResults: [{ testId, status: 'failed', comment: 'no' }],
    });
    const before = await trivet.call('run-detail', { projectId, runId });
    await trivet.call('delete-run', { projectId, runId });
    expect(await trivet.refusal('run-detail', { projectId, runId })).toMatchObject({
      code: 'RUN_NOT_FOUND',
    });
    for (let twice = 0; twice < 2; twice++)
      expect(await trivet.call('restore-run', { projectId, runId })).toMatchObject({
        runId,
        counts: { total: 1, failed: 1 },
      });
    const { updatedAt: _now, ...same } = await trivet.call('run-detail', { projectId, runId });
    expect(before).toMatchObject(same);
    expect(await trivet.call('get-project-detail', { projectId })).toMatchObject({ runsCount: 1 });
    expect(await trivet.wrongCounts()).toEqual([]);
    const other = await trivet.makeProject();
    expect(await trivet.refusal('restore-run', { projectId: other, runId })).toMatchObject({
      code: 'RUN_NOT_FOUND',
    });
    await trivet.stop();
  });
});
