import { create } from 'axios';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startServed, type Served } from '../served.ts';

/*
 * The first example of Checkmate's documentation (website/docs/guides/api/examples.mdx at b84361a5), with axios and with its own numbers:
 * section 1, priority 2 and automation status 1 are those of a new Checkmate.
 */
let served: Served;
beforeAll(async () => {
  served = await startServed({ args: ['--checkmate-api'] });
}, 30_000);
afterAll(() => served.running.stop());

const described = [
  {
    title: 'Verify user login',
    description: 'Test login functionality',
    steps: '1. Open app\n2. Enter credentials\n3. Tap login',
    expectedResult: 'User logged in successfully',
  },
  {
    title: 'Verify profile update',
    description: 'Test profile editing',
    steps: '1. Navigate to profile\n2. Update details\n3. Save',
    expectedResult: 'Profile updated successfully',
  },
  {
    title: 'Verify logout',
    description: 'Test logout functionality',
    steps: '1. Tap logout\n2. Confirm',
    expectedResult: 'User logged out',
  },
];

interface Answer<T> {
  readonly data: T;
  readonly error: null;
  readonly warnings?: readonly string[];
}

test('a project, three tests, a run and its results', async () => {
  const api = create({
    baseURL: served.running.origin,
    headers: { Authorization: `Bearer ${served.token}`, 'Content-Type': 'application/json' },
  });
  const project = await api.post<Answer<{ projectId: number }>>('/api/v1/project/create', {
    projectName: 'Mobile App Testing',
    description: 'Test suite for iOS and Android',
    orgId: 1,
  });
  const { projectId } = project.data.data;
  const testIds: number[] = [];
  for (const one of described) {
    const made = await api.post<Answer<{ testId: number }>>('/api/v1/test/create', {
      ...one,
      projectId,
      sectionId: 1,
      priorityId: 2,
      automationStatusId: 1,
    });
    testIds.push(made.data.data.testId);
    expect(made.data.warnings).toEqual([
      expect.stringContaining('"Not automatable" has the id') as string,
      `sectionId 1 was left out: project ${projectId} has no sections.`,
    ]);
  }
  const run = await api.post<Answer<{ runId: number }>>('/api/v1/run/create', {
    runName: 'Sprint 1 Regression',
    projectId,
    testIds,
  });
  const { runId } = run.data.data;
  await api.put('/api/v1/run/update-test-status', {
    runId,
    testIdStatusArray: [
      { testId: testIds[0], status: 'Passed' },
      { testId: testIds[1], status: 'Failed' },
      { testId: testIds[2], status: 'Passed' },
    ],
    comment: 'Initial test execution',
  });
  const state = await api.get<Answer<object>>('/api/v1/run/state-detail', { params: { projectId, runId } });
  expect(state.data.data).toMatchObject({ total: 3, passed: 2, failed: 1 });
  expect(await served.must('get-test-details', { projectId, testId: testIds[0] })).toMatchObject({
    priority: 'High',
    automationStatus: 'Not automatable',
    sectionId: null,
  });
}, 30_000);

test('the values of another project of the organization mean those of the same names; a stale id is refused', async () => {
  const api = create({
    baseURL: `${served.running.origin}/api/v1/`,
    headers: { Authorization: `Bearer ${served.token}` },
    validateStatus: () => true,
  });
  const { projectId: shown } = await served.must('create-project', { orgId: 1, projectName: 'First' });
  const { projectId } = await served.must('create-project', { orgId: 1, projectName: 'Second' });
  await served.must('add-section', { projectId, sectionName: 'Payment' });
  // As Checkmate's pages ask: by organization.
  const { data: listed } =
    await api.get<Answer<Array<{ platformId: number; platformName: string }>>>('platform?orgId=1');
  const web = listed.data.find(({ platformName }) => platformName === 'Web');
  const made = await api.post<Answer<{ testId: number }>>('test/create', {
    title: 'Pay in the browser',
    projectId,
    platformId: web?.platformId,
  });
  expect(made.status).toBe(200);
  expect(await served.must('get-test-details', { projectId, testId: made.data.data.testId })).toMatchObject({
    platform: 'Web',
  });
  for (const stale of [{ platformId: 99_999 }, { sectionId: 99_999 }, { automationStatusId: 999 }]) {
    const refused = await api.post<{ error: string }>('test/create', {
      title: 'Never made',
      projectId,
      ...stale,
    });
    expect([refused.status, refused.data.error]).toEqual([
      400,
      expect.stringContaining(`is not of project ${projectId}`) as string,
    ]);
  }
  expect(shown).not.toBe(projectId);
}, 30_000);
