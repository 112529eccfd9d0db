import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from './testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

test('one project from its sections to its locked run, and every count stays right', async () => {
  const { call, clock } = trivet;
  const projectId = await trivet.makeProject();
  const top = await trivet.makeSection(projectId, 'Shop');
  const cart = await trivet.makeSection(projectId, 'Cart', top);
  const [label, same] = (await call('add-labels', { projectId, labels: [' Smoke ', 'SMOKE'] }))[
    'labels'
  ] as Array<{ labelId: number }>;
  expect(label).toEqual(same as never);
  const [squad] = (await call('add-squads', { projectId, squads: ['Payments'] }))['squads'] as Array<{
    squadId: number;
  }>;
  const [critical = 0, high = 0] = await trivet.optionIds(projectId, 'priority');
  const [automated = 0] = await trivet.optionIds(projectId, 'automationStatus');
  const [a = 0, b = 0] = await trivet.makeTests(projectId, 2, {
    sectionId: cart,
    squadId: squad?.squadId ?? 0,
    priorityId: critical,
    automationStatusId: automated,
    labels: [label?.labelId ?? 0],
  });
  const [c = 0, d = 0] = await trivet.makeTests(projectId, 2);

  expect(await call('get-tests-count', { projectId })).toMatchObject({
    total: 4,
    byPriority: [
      { priority: 'Critical', count: 2 },
      { priority: 'High', count: 0 },
      { priority: 'Medium', count: 0 },
      { priority: 'Low', count: 0 },
      { priorityId: null, priority: null, count: 2 },
    ],
  });
  expect(await call('get-tests-count', { projectId, sectionId: cart, priorityId: critical })).toMatchObject({
    total: 2,
  });
  expect(await call('get-tests-count', { projectId, sectionId: cart, priorityId: high })).toMatchObject({
    total: 0,
  });

  const runId = await trivet.makeRun(projectId, [d, a, c]);
  expect(await call('get-runs', { projectId })).toMatchObject({
    total: 1,
    runs: [{ runId, counts: { total: 3, untested: 3 } }],
  });
  clock.advance(1000);
  await call('run-update-test-status', {
    projectId,
    runId,
    testResults: [
      { testId: a, status: 'failed', comment: ' red ' },
      { testId: d, status: 'passed' },
    ],
  });
  expect(await call('get-run-test-status', { projectId, runId, status: 'failed' })).toMatchObject({
    total: 1,
    tests: [{ testId: a, status: 'failed', comment: 'red', isDeleted: false }],
  });
  await call('delete-test', { projectId, testId: a });
  const list = await call('get-run-tests-list', { projectId, runId });
  expect(list).toMatchObject({
    total: 3,
    tests: [
      { testId: a, sectionPath: ['Shop', 'Cart'], priority: 'Critical', squad: 'Payments', isDeleted: true },
      { testId: c, status: 'untested', updatedBy: null, updatedAt: null, isDeleted: false },
      { testId: d, status: 'passed', comment: null },
    ],
  });
  expect(await call('get-run-state-detail', { projectId, runId })).toMatchObject({
    status: 'active',
    counts: { total: 3, failed: 1, passed: 1, untested: 1 },
    percentages: { failed: 33.3, passed: 33.3, untested: 33.3, blocked: 0, retest: 0 },
    bySquad: [
      { squad: 'Payments', counts: { total: 1, failed: 1 } },
      { squadId: null, counts: { total: 2, passed: 1, untested: 1 } },
    ],
    bySection: [
      { sectionId: cart, sectionPath: ['Shop', 'Cart'], counts: { total: 1 } },
      { sectionId: null, sectionPath: [], counts: { total: 2 } },
    ],
  });
  clock.advance(1000);
  expect(await call('run-reset', { projectId, runId })).toMatchObject({ counts: { total: 3, retest: 3 } });
  expect(await call('get-test-status-history', { projectId, testId: a })).toMatchObject({
    total: 2,
    history: [
      { runId, runName: 'run', status: 'retest', comment: null, at: '2026-01-01T00:00:02.000Z' },
      { status: 'failed', comment: 'red', by: trivet.owner.userId, at: '2026-01-01T00:00:01.000Z' },
    ],
  });
  expect(await call('get-run-test-status', { projectId, runId, limit: 1 })).toMatchObject({
    total: 3,
    limit: 1,
    tests: [{ testId: a, status: 'retest', comment: 'red' }],
  });
  expect(await call('run-remove-tests', { projectId, runId, testIds: [c] })).toMatchObject({
    counts: { total: 2, retest: 2 },
  });
  expect(await call('get-test-status-history-in-run', { testId: c, runId })).toMatchObject({ total: 1 });
  expect(await call('add-tests-to-run', { projectId, runId, testIds: [b, d] })).toMatchObject({
    counts: { total: 3, retest: 2, untested: 1 },
  });
  expect(await call('restore-test', { projectId, testId: a })).toMatchObject({
    testId: a,
  });

  await call('bulk-update-tests', {
    tests: [
      { testId: a, testName: 'A', labels: [] },
      { testId: b, sectionId: top, priorityId: high },
      { testId: c, testDescription: ' long ' },
    ],
  });
  expect(await call('get-test-details', { projectId, testId: a })).toMatchObject({
    testName: 'A',
    sectionId: cart,
    labels: [],
  });
  expect(await call('get-test-details', { projectId, testId: b })).toMatchObject({
    testName: 't1',
    sectionPath: ['Shop'],
    priority: 'High',
    labels: [{ labelName: 'Smoke' }],
  });
  expect(await call('get-test-details', { projectId, testId: c })).toMatchObject({ testDescription: 'long' });

  expect(await call('run-lock', { projectId, runId })).toMatchObject({
    status: 'locked',
    lockedBy: trivet.owner.userId,
  });
  expect(await call('bulk-delete-tests', { projectId, testIds: [a, c] })).toEqual({
    projectId,
    deletedCount: 2,
  });
  expect(await call('get-project-detail', { projectId })).toMatchObject({ testsCount: 2, runsCount: 1 });
  expect(await trivet.wrongCounts()).toEqual([]);
});
