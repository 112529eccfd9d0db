import { range, type World } from './freeze-world.ts';

/** The worst requests to the API of Checkmate. */
export function checkmateRoutes({ projectId, runId, testIds, sectionId, labelId }: World) {
  const base = '/api/v1/';
  const manyIds = JSON.stringify(range(140, (n) => n + 1));
  const read = (name: string, path: string, status = 200) => ({
    name: `Checkmate: ${name}`,
    path: `${base}${path}`,
    status,
  });
  const write = (name: string, path: string, body: object | string, status = 200) => ({
    ...read(name, path, status),
    method: 'PUT',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const steps = range(19, (n) => `${n % 999}. step`).join('\n');
  const of = `projectId=${projectId}`;
  const inRun = `${of}&runId=${runId}`;
  const [testId = 1] = testIds;
  return [
    ...['orgs', 'org/detail?orgId=1', 'user/details', 'all-users?pageSize=5000', 'users?limit=5000'].map(
      (path) => read(path, path),
    ),
    read(
      'all projects',
      `projects?orgId=1&pageSize=5000&textSearch=${'x'.repeat(5_000)}&projectDescription=x`,
    ),
    read('a project', `project/detail?${of}`),
    read('2,000 tests', `project/tests?${of}&pageSize=5000`),
    read('a search of 1,900 letters', `project/tests?${of}&pageSize=5000&textSearch=${'x'.repeat(1_900)}`),
    read('2,000 ids', `project/tests-count?${of}&includeTestIds=true`),
    read('too many ids', `project/tests?${of}&labelIds=${JSON.stringify(range(3_000, () => 1))}`, 400),
    read('140 labels', `project/tests?${of}&labelIds=${manyIds}`),
    read('a test', `test/details?${of}&testId=${testId}`),
    read('the history of a test', `test/test-status-history?testId=${testId}`),
    read('tests as CSV', `tests/download?${of}`),
    read('tests as JSON', `test/download?${of}`),
    read('runs', `runs?${of}`),
    read('a run', `run/detail?runId=${runId}`),
    read('2,000 tests of a run', `run/tests?${inRun}&pageSize=5000`),
    read('the state of a run', `run/state-detail?${inRun}&groupBy=squads`),
    read('a test of a run', `run/test-status?${inRun}&testId=${testId}`),
    read('its history', `run/test-status-history?runId=${runId}&testId=${testId}`),
    read('results as CSV', `run/report-download?${inRun}`),
    read('the report', `run/report?${inRun}`),
    ...['labels', 'project/squads', 'project/sections'].map((path) => read(path, `${path}?${of}`)),
    ...[
      'priority',
      'platform',
      'type',
      'automation-status',
      'automationStatus',
      'test-covered-by',
      'testCoveredBy',
    ].map((path) => read(path, `${path}?orgId=1`)),
    read('no route', `${'x/'.repeat(3_000)}`, 404),
    write(
      '5,000 new tests',
      'test/bulk-add',
      {
        projectId,
        orgId: 1,
        labelIds: [labelId],
        tests: range(5_000, (n) => ({
          title: `t${n} ${'x'.repeat(500)}`,
          section: `s${n % 50} > t${n % 9}`,
          steps,
          priority: `p${n}`,
          jiraTicket: 'x'.repeat(200),
        })),
      },
      201,
    ),
    write(
      'new tests of more than 100,000 steps',
      'test/bulk-add',
      {
        projectId,
        tests: range(5_000, (n) => ({ title: `t${n}`, section: 's', steps: '1. a\n'.repeat(450) })),
      },
      413,
    ),
    write('changes of 2,000 tests with their texts', 'test/bulk-update', {
      tests: testIds.slice(0, 2_000).map((one) => ({ testId: one, testDescription: 'x'.repeat(2_000) })),
    }),
    write('a property of 5,000 tests', 'test/bulk-update', {
      projectId,
      testIds: testIds.slice(0, 5_000),
      property: 'sectionId',
      value: sectionId,
    }),
    write('a run of many tests', 'run/create', {
      projectId,
      runName: 'r',
      testIds: testIds.slice(0, 20_000),
    }),
    // Not of the project: the rows before this one have made more tests there than a run may have.
    write('a run of every test of a section', 'run/create', {
      projectId,
      runName: 'r',
      sectionIds: [sectionId],
    }),
    write('5,000 results', 'run/update-test-status', {
      runId,
      testIdStatusArray: testIds
        .slice(0, 5_000)
        .map((one) => ({ testId: one, status: 'Passed', comment: 'x'.repeat(1_000) })),
    }),
    write(
      'results of tests that are not in the run',
      'run/update-test-status',
      {
        runId,
        testIdStatusArray: range(5_000, (n) => ({ testId: 900_000_000 + n, status: 'Passed' })),
      },
      200,
    ),
    write('a reset', 'run/reset', { runId }),
    write(
      '500 labels',
      'project/add-labels',
      { projectId, labels: range(500, (n) => `${n} ${crypto.randomUUID()}`) },
      201,
    ),
    write(
      '500 squads',
      'project/add-squads',
      { projectId, squads: range(500, (n) => `${n} ${crypto.randomUUID()}`) },
      201,
    ),
    write(
      'steps of 750,000 letters',
      'test/create',
      { projectId, title: 'x'.repeat(750), steps: '1. x\n'.repeat(150_000) },
      400,
    ),
    write('16 MiB of [', 'test/bulk-add', '['.repeat(16 * 1024 * 1024), 413),
    write('2 MiB to a small route', 'test/create', `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`, 413),
  ];
}
