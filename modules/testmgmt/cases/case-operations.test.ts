import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

test('a whole test comes back as it was given, with the names of what it refers to', async () => {
  const { call } = trivet;
  const projectId = await trivet.makeProject();
  const [priorityId = 0] = await trivet.optionIds(projectId, 'priority');
  const [typeId = 0] = await trivet.optionIds(projectId, 'type');
  const [, automationStatusId = 0] = await trivet.optionIds(projectId, 'automationStatus');
  const [platformId = 0] = await trivet.optionIds(projectId, 'platform');
  const [testCoveredById = 0] = await trivet.optionIds(projectId, 'testCoveredBy');
  const top = await trivet.makeSection(projectId, 'Top');
  const sectionId = await trivet.makeSection(projectId, 'In/ner', top);
  const { labels } = await call('add-labels', { projectId, labels: ['Smoke'] });
  const { squads } = await call('add-squads', { projectId, squads: ['Payments'] });
  const label = (labels as [{ labelId: number }])[0];
  const { squadId } = (squads as [{ squadId: number }])[0];
  const record = await call('create-test', {
    projectId,
    testName: ' Sign in ',
    testDescription: ' With a password ',
    preconditions: 'An account',
    steps: [{ action: 'open', expected: 'a form' }],
    sectionId,
    priorityId,
    typeId,
    automationStatusId,
    platformId,
    testCoveredById,
    squadId,
    labels: [label.labelId, label.labelId],
  });
  expect(record).toEqual({
    testId: record['testId'],
    links: [],
    version: 1,
    fields: null,
    estimateSeconds: null,
    projectId,
    testName: 'Sign in',
    sectionId,
    sectionPath: ['Top', 'In/ner'],
    priorityId,
    priority: 'Critical',
    typeId,
    type: 'Functional',
    automationStatusId,
    automationStatus: 'Automatable',
    platformId,
    platform: 'Web',
    testCoveredById,
    testCoveredBy: 'Unit',
    squadId,
    squad: 'Payments',
    labels: [{ labelId: label.labelId, labelName: 'Smoke' }],
    createdBy: trivet.owner.userId,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedBy: trivet.owner.userId,
    updatedAt: '2026-01-01T00:00:00.000Z',
    deletedAt: null,
    lastStatus: null,
    lastRunAt: null,
    flaky: false,
    testDescription: 'With a password',
    preconditions: 'An account',
    steps: [{ action: 'open', expected: 'a form' }],
  });
  expect(await call('get-test-details', { projectId, testId: record['testId'] })).toEqual(record);
  const {
    testDescription: _,
    preconditions: __,
    fields: _fields,
    steps: ___,
    deletedAt: ____,
    links: _____,
    version: _______,
    estimateSeconds: ______,
    ...slim
  } = record;
  expect(await call('get-tests', { projectId, sectionId })).toEqual({
    total: 1,
    limit: 50,
    offset: 0,
    tests: [slim],
  });
  expect(await call('get-tests', { projectId, sectionId, priorityId })).toMatchObject({ total: 1 });
  expect(await call('get-tests', { projectId, sectionId: top })).toMatchObject({ total: 0, tests: [] });
});

test('an update changes the given fields alone; labels are replaced', async () => {
  const { call, clock } = trivet;
  const projectId = await trivet.makeProject();
  const { labels } = await call('add-labels', { projectId, labels: ['a', 'b'] });
  const [a, b] = (labels as Array<{ labelId: number }>).map(({ labelId }) => labelId);
  const made = await call('create-test', {
    projectId,
    testName: 'before',
    testDescription: 'text',
    steps: [{ action: 'x' }],
    labels: [a],
  });
  const { testId } = made;
  clock.advance(1000);
  const renamed = await call('update-test', { testId, testName: 'after' });
  expect(renamed).toEqual({ ...made, testName: 'after', updatedAt: '2026-01-01T00:00:01.000Z', version: 2 });
  expect(await call('update-test', { testId, labels: [b] })).toMatchObject({
    testName: 'after',
    labels: [{ labelId: b }],
  });
  expect(await call('update-test', { testId, labels: [], testDescription: '' })).toMatchObject({
    labels: [],
    testDescription: '',
    steps: [{ action: 'x' }],
  });
});

test('a bulk update gives each test its own values and leaves the rest', async () => {
  const { call } = trivet;
  const [one, two] = [await trivet.makeProject(), await trivet.makeProject()];
  const ids = await trivet.makeTests(one, 1_600, { testDescription: 'kept' });
  const [elsewhere = 0] = await trivet.makeTests(two, 1);
  const [low = 0] = (await trivet.optionIds(one, 'priority')).slice(-1);
  const tests = ids.map((testId, n) => (n % 2 ? { testId, testName: `n${n}` } : { testId, priorityId: low }));
  const answer = await call('bulk-update-tests', {
    tests: [...tests, { testId: elsewhere, testName: 'other project' }],
    return: 'records',
  });
  expect(answer['total']).toBe(1_601);
  expect((answer['tests'] as object[]).slice(0, 2)).toEqual([
    { testId: ids[0], testName: 't0' },
    { testId: ids[1], testName: 'n1' },
  ]);
  expect(await call('get-test-details', { projectId: one, testId: ids[1599] })).toMatchObject({
    testName: 'n1599',
    testDescription: 'kept',
    priorityId: null,
  });
  expect(await call('get-tests', { projectId: one, priorityId: low, limit: 1 })).toMatchObject({
    total: 800,
    tests: [{ testId: ids[0], testName: 't0' }],
  });
  expect(await call('get-test-details', { projectId: two, testId: elsewhere })).toMatchObject({
    testName: 'other project',
  });
});

test('a bulk update over projects needs the right in each of them', async () => {
  const [one, two] = [await trivet.makeProject(), await trivet.makeProject()];
  const [a = 0] = await trivet.makeTests(one, 1);
  const [b = 0] = await trivet.makeTests(two, 1);
  const tests = [a, b].map((testId) => ({ testId, testName: 'x' }));
  await trivet.call('update-project-status', { projectId: two, isActive: false });
  const before = await trivet.everything();
  expect((await trivet.refusal('bulk-update-tests', { tests }))?.code).toBe('PROJECT_INACTIVE');
  expect(await trivet.everything()).toBe(before);
});

test('pages join up without gap or overlap, and deleted tests are in none', async () => {
  const { call } = trivet;
  const projectId = await trivet.makeProject();
  const [gone = 0, ...ids] = await trivet.makeTests(projectId, 8);
  expect(await call('delete-test', { projectId, testId: gone })).toEqual({ testId: gone, deleted: true });
  const seen: unknown[] = [];
  for (let offset = 0; offset < 9; offset += 3) {
    const page = await call('get-tests', { projectId, limit: 3, offset });
    expect(page).toMatchObject({ total: 7, limit: 3, offset });
    seen.push(...(page['tests'] as Array<{ testId: number }>).map(({ testId }) => testId));
  }
  expect(seen).toEqual(ids);
  expect(await call('get-tests', { projectId, offset: Number.MAX_SAFE_INTEGER })).toMatchObject({
    total: 7,
    tests: [],
  });
  expect(await call('get-tests-count', { projectId })).toMatchObject({ total: 7 });
});

test('a deleted test keeps its history and its place in runs, and comes back', async () => {
  const { call } = trivet;
  const projectId = await trivet.makeProject();
  const sectionId = await trivet.makeSection(projectId, 'S');
  const [testId = 0] = await trivet.makeTests(projectId, 1, { sectionId });
  const runId = await trivet.makeRun(projectId, [testId]);
  await call('bulk-delete-tests', { projectId, testIds: [testId] });
  // A result of a deleted test still counts: the run shows everything that was tested.
  const testResults = [{ testId, status: 'passed' }];
  expect(await call('run-update-test-status', { projectId, runId, testResults })).toMatchObject({
    counts: { total: 1, passed: 1 },
  });
  expect(await call('get-test-status-history', { projectId, testId })).toMatchObject({ total: 1 });
  expect(await call('get-run-test-status', { projectId, runId })).toMatchObject({
    tests: [{ testId, isDeleted: true }],
  });
  expect(await call('delete-section', { sectionId })).toEqual({ sectionId, deleted: true });
  expect(await call('restore-test', { projectId, testId })).toMatchObject({
    sectionId: null,
    sectionPath: [],
  });
  expect(await call('restore-test', { projectId, testId })).toMatchObject({ testId });
  expect(await call('get-project-detail', { projectId })).toMatchObject({ testsCount: 1 });
  expect(await trivet.wrongCounts()).toEqual([]);
});
