import { afterAll, beforeAll, expect, test } from 'bun:test';
import { agentHeaders, startCheckmateWorld, type Body, type CheckmateWorld } from './checkmate-world.ts';

/*
 * What the unmodified MCP server of Checkmate sends, as it was recorded: 46 tools with all and with only the required parameters. The verbs,
 * paths, headers and keys are its own; checkmate-mcp.test.ts drives the server itself where it is at hand.
 */

let world: CheckmateWorld;
beforeAll(async () => void (world = await startCheckmateWorld()));
afterAll(() => world.stop());

interface Recorded {
  readonly tool: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Sent always. */
  readonly required: Body;
  /** Sent if the agent gave it. */
  readonly others?: Body;
  /** The answer to only the required ones, if it is a refusal. */
  readonly refusal?: RegExp;
}

const fresh = () => crypto.randomUUID().slice(0, 8);
/** A test and a run of their own, for requests that end them. */
const ownTest = async ({ call, ids }: CheckmateWorld) => {
  const made = await call('bulk-add-tests', { projectId: ids.projectId, tests: [{ testName: 'own' }] });
  return (made['tests'] as Array<{ testId: number }>)[0]?.testId ?? 0;
};

const reads = ({ ids }: CheckmateWorld): readonly Recorded[] => {
  const { orgId, projectId, testIds, runId } = ids;
  const [testId] = testIds;
  const get = (tool: string, path: string, required: Body = {}, others: Body = {}): Recorded => ({
    tool,
    method: 'GET',
    path,
    required,
    others,
  });
  const paging = { page: 1, pageSize: 10 };
  return [
    get('get-orgs-list', 'orgs'),
    get('get-org-details', 'org/detail', { orgId }),
    get('get-user-details', 'user/details'),
    get('get-all-users', 'users', {}, { orgId, limit: 10, offset: 0 }),
    get('get-projects', 'projects', { orgId }, { ...paging, textSearch: 'Sh', projectDescription: '' }),
    get('get-project-detail', 'project/detail', { projectId }),
    get('get-tests', 'project/tests', { projectId }, { ...paging, textSearch: 'Test 1' }),
    get(
      'get-tests-count',
      'project/tests-count',
      { projectId },
      {
        platformIds: ids.platformIds.slice(0, 2),
        squadIds: [ids.squadId],
        labelIds: ids.labelIds,
        filterType: 'or',
        includeTestIds: true,
      },
    ),
    get('get-test-details', 'test/details', { projectId, testId }),
    get('get-test-status-history', 'test/test-status-history', { testId }),
    get('download-tests', 'test/download', { projectId, format: 'csv' }),
    get('download-tests', 'test/download', { projectId, format: 'json' }),
    get('get-runs', 'runs', { projectId }, { ...paging, search: 'Night', status: 'Active' }),
    get('get-run-detail', 'run/detail', { runId }),
    get('get-run-tests-list', 'run/tests', { projectId, runId }, { ...paging, textSearch: 'Test' }),
    get('get-run-test-status', 'run/test-status', { projectId, runId, testId }),
    get('get-run-state-detail', 'run/state-detail', { runId }, { projectId, groupBy: 'squads' }),
    get('get-test-status-history-in-run', 'run/test-status-history', { runId, testId }),
    ...['json', 'pdf', 'html'].map((format) =>
      get('download-report', 'run/report', { projectId, runId, format }),
    ),
    get('get-labels', 'labels', { projectId }),
    get('get-squads', 'project/squads', { projectId }),
    get('get-sections', 'project/sections', { projectId }, { runId }),
    get('get-priority', 'priority', { orgId }),
    get('get-platforms', 'platform', { orgId }),
    get('get-type', 'type', { orgId }),
    get('get-automation-status', 'automationStatus', { orgId }),
    get('get-test-covered-by', 'testCoveredBy', { orgId }),
  ];
};

const writesOfTests = async (given: CheckmateWorld): Promise<readonly Recorded[]> => {
  const { ids } = given;
  const { orgId, projectId, testIds, sectionId, squadId, labelIds } = ids;
  const fields = {
    testDescription: 'about',
    sectionId,
    priorityId: ids.priorityIds[1],
    automationStatusId: ids.automationStatusIds[0],
    platformId: ids.platformIds[0],
    squadId,
    labels: labelIds,
  };
  const steps = { steps: '1. open\n2. pay', preConditions: 'signed in', expectedResult: 'paid' };
  return [
    {
      tool: 'create-project',
      method: 'POST',
      path: 'project/create',
      required: { orgId, projectName: `p ${fresh()}` },
    },
    {
      tool: 'edit-project',
      method: 'PUT',
      path: 'project/edit',
      required: { projectId },
      others: { projectName: 'Shop', projectDescription: 'new' },
      refusal: /No field of the project is given/,
    },
    {
      tool: 'update-project-status',
      method: 'PUT',
      path: 'project/update-status',
      required: { projectId, isActive: true },
    },
    {
      tool: 'create-test',
      method: 'POST',
      path: 'test/create',
      required: { projectId, testName: 'Named' },
      others: fields,
    },
    {
      tool: 'update-test',
      method: 'PUT',
      path: 'test/update',
      required: { testId: testIds[2] },
      others: { testName: 'Renamed', ...fields },
      refusal: /No field of the test is given/,
    },
    {
      tool: 'delete-test',
      method: 'DELETE',
      path: 'test/delete',
      required: { testId: await ownTest(given), projectId },
    },
    {
      tool: 'bulk-add-tests',
      method: 'POST',
      path: 'test/bulk-add',
      required: { projectId, orgId, tests: [{ title: 'Bulk', section: 'Checkout > Cart', steps: null }] },
      others: {
        labelIds,
        tests: [
          {
            title: 'Bulk',
            section: 'Checkout',
            squad: 'New squad',
            priority: 'high',
            platform: 'Web',
            type: 'Smoke',
            ...steps,
            jiraTicket: 'SHOP-1',
          },
        ],
      },
    },
    {
      tool: 'bulk-update-tests',
      method: 'PUT',
      path: 'test/bulk-update',
      required: { tests: [{ testId: testIds[3], testName: 'Bulk changed', ...fields }] },
    },
    {
      tool: 'bulk-delete-tests',
      method: 'DELETE',
      path: 'test/bulk-delete',
      required: { projectId, testIds: [await ownTest(given)] },
    },
    {
      tool: 'add-labels',
      method: 'POST',
      path: 'labels/add',
      required: { projectId, labels: [`l ${fresh()}`] },
    },
    {
      tool: 'add-squads',
      method: 'POST',
      path: 'squads/add',
      required: { projectId, squads: [`s ${fresh()}`] },
    },
    {
      tool: 'add-section',
      method: 'POST',
      path: 'section/add',
      required: { projectId, sectionName: `s ${fresh()}` },
    },
    {
      tool: 'add-section',
      method: 'POST',
      path: 'section/add',
      required: { projectId, sectionName: `s ${fresh()}`, parentSectionId: sectionId },
    },
    {
      tool: 'edit-section',
      method: 'PUT',
      path: 'section/edit',
      required: { sectionId, sectionName: 'Checkout' },
    },
  ];
};

const writesOfRuns = async ({ ids, makeRun }: CheckmateWorld): Promise<readonly Recorded[]> => {
  const { projectId, testIds, runId } = ids;
  return [
    {
      tool: 'create-run',
      method: 'POST',
      path: 'run/create',
      required: { projectId, runName: 'Made', testIds: testIds.slice(0, 2) },
      others: { runDescription: 'why' },
    },
    {
      tool: 'edit-run',
      method: 'PUT',
      path: 'run/edit',
      required: { runId, projectId },
      others: { runName: 'Nightly', runDescription: 'why' },
      refusal: /No field of the run is given/,
    },
    {
      tool: 'run-update-test-status',
      method: 'POST',
      path: 'run/update-test-status',
      required: { runId, testIdStatusArray: [{ testId: testIds[4], status: 'passed' }] },
      others: { projectId, comment: 'all' },
    },
    { tool: 'run-reset', method: 'POST', path: 'run/reset', required: { runId } },
    {
      tool: 'run-remove-tests',
      method: 'PUT',
      path: 'run/remove-tests',
      required: { runId: await makeRun('r'), projectId, testIds: [testIds[5]] },
    },
    { tool: 'run-lock', method: 'PUT', path: 'run/lock', required: { runId: await makeRun('l'), projectId } },
    {
      tool: 'delete-run',
      method: 'DELETE',
      path: 'run/delete',
      required: { runId: await makeRun('d'), projectId },
    },
  ];
};

test('the requests of all 46 tools are answered, with all and with the required parameters', async () => {
  const recorded = [...reads(world), ...(await writesOfTests(world)), ...(await writesOfRuns(world))];
  expect(new Set(recorded.map(({ tool }) => tool)).size).toBe(46);
  const wrong: string[] = [];
  for (const { tool, method, path, required, others, refusal } of recorded)
    for (const given of others ? [{ ...required, ...others }, required] : [required]) {
      const { status, headers, body, text } = await world.send(method, path, given, {
        headers: agentHeaders,
      });
      const isRefused = refusal !== undefined && given === required;
      const isRight =
        status === (body['status'] === 201 ? 201 : 200) &&
        headers.get('content-type')?.startsWith('application/json') === true &&
        !headers.has('clear-site-data') &&
        (isRefused
          ? refusal.test(String(body.error)) && !('data' in body)
          : body.error === null && 'data' in body && body.data !== null);
      if (!isRight) wrong.push(`${tool} ${JSON.stringify(given)} → ${status} ${text}`);
    }
  expect(wrong).toEqual([]);
});

test('a refusal to the agent is HTTP 200 with our sentence and tip, and without data', async () => {
  const { projectId } = world.ids;
  const cases: ReadonlyArray<readonly [string, string, Body, string | null | undefined, RegExp, number]> = [
    ['GET', 'run/detail', { runId: 999_999 }, undefined, /^There is no run 999999\. Use get-runs/, 404],
    ['GET', 'run/detail', { runId: 'x' }, undefined, /^Data validation error: runId must be/, 400],
    ['GET', 'project/tests', { projectId }, world.tokens.stranger, /belong to no organization/, 401],
    ['DELETE', 'test/delete', { projectId, testId: 1 }, world.tokens.reader, /needs the role "member"/, 401],
    ['GET', 'orgs', {}, null, /^A bearer token is required\./, 403],
    ['GET', 'no/such', {}, undefined, /^Not found: there is no GET route/, 404],
  ];
  for (const [method, path, given, token, sentence, inside] of cases) {
    const options = { headers: agentHeaders, ...(token !== undefined && { token }) };
    const { status, body } = await world.send(method, path, given, options);
    expect([path, status, Object.keys(body).toSorted(), body['status']]).toEqual([
      path,
      200,
      ['error', 'status'],
      inside,
    ]);
    expect(String(body.error)).toMatch(sentence);
  }
});
