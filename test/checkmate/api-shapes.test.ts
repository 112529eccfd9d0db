import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestKernel } from '../kernel.ts';
import { agentHeaders, startCheckmateWorld, type Body, type CheckmateWorld } from './checkmate-world.ts';

/* The shapes of Checkmate's own API, by key set, in the words of its pages and scripts and in those of its MCP server. */

let world: CheckmateWorld;
beforeAll(async () => void (world = await startCheckmateWorld()));
afterAll(() => world.stop());

const keys = (value: unknown): string =>
  Object.keys(value as object)
    .toSorted()
    .join(' ');
const sorted = (text: string): string => text.split(' ').toSorted().join(' ');
const at = (value: unknown, path: string): unknown =>
  path === ''
    ? value
    : path.split('.').reduce<unknown>((one, key) => (one as Record<string, unknown>)[key], value);

const nine = 'total passed failed untested blocked retest archived skipped inprogress';
const classified = (x: string) => `${x}Id ${x}Name createdBy createdOn updatedOn updatedBy orgId projectId`;

test('answers of reads have the keys of Checkmate', async () => {
  const { orgId, projectId, testIds, runId } = world.ids;
  const [testId] = testIds;
  const shapes: ReadonlyArray<readonly [path: string, given: Body, at: string, keys: string]> = [
    ['orgs', {}, '0', 'orgId orgName createdBy createdOn'],
    ['org/detail', { orgId }, '', 'orgId orgName createdBy createdOn'],
    ['user/details', {}, '', 'userId userName email profileUrl ssoId token role'],
    [
      'all-users',
      { page: 1, pageSize: 10, textSearch: 'a', userRoles: ['admin'] },
      '',
      'userData usersCount',
    ],
    ['all-users', {}, 'userData.0', 'userId userName email role'],
    ['users', { orgId, limit: 1, offset: 0 }, 'userData.0', 'userId userName email role'],
    ['projects', { orgId }, '', 'projectsList projectCount'],
    [
      'projects',
      { orgId },
      'projectsList.0',
      'projectId createdByName projectName projectDescription orgId createdOn',
    ],
    ['projects', { orgId }, 'projectCount.0', 'count'],
    [
      'project/detail',
      { projectId },
      '0',
      'projectId projectName projectDescription createdBy createdOn orgId testsCount runsCount status updatedOn updatedBy',
    ],
    ['project/tests', { projectId }, '', 'testData count'],
    ['project/tests', { projectId }, 'count', 'count'],
    [
      'project/tests',
      { projectId },
      'testData.0',
      'title testId squadId priority automationStatus createdByName testCoveredBy createdOn squadName platform labelName refCreatedByName projectId section sectionId sectionParentId',
    ],
    ['project/tests-count', { projectId }, '', 'count'],
    ['project/tests-count', { projectId, includeTestIds: true }, '', 'count testIds'],
    ['project/tests-count', { projectId, includeTestIds: true }, 'testIds.0', 'testId'],
    [
      'test/details',
      { projectId, testId },
      '',
      'testId title section squad priority automationStatus type platform testCoveredBy jiraTicket defects preConditions steps expectedResult sectionId sectionParentId automationId additionalGroups labelNames description createdBy createdOn updatedBy updatedOn',
    ],
    ['test/test-status-history', { testId }, '0', 'runName status updatedBy updatedOn comment'],
    ['runs', { projectId }, '', 'runsData projectId'],
    ['runs', { projectId }, 'runsData', 'runsData runsCount'],
    [
      'runs',
      { projectId },
      'runsData.runsData.0',
      'runId runName status createdByUserName createdOn lockedBy lockedOn runDescription refrence projectId',
    ],
    [
      'run/detail',
      { runId },
      '',
      'runId projectId status runDescription refrence createdBy createdOn updatedOn updatedBy runName lockedBy lockedOn',
    ],
    ['run/tests', { projectId, runId }, '', 'testsList totalCount'],
    [
      'run/tests',
      { projectId, runId },
      'testsList.0',
      'testStatus testId priority title platform squadName sectionId sectionName sectionParentId runStatus testCoveredBy testedBy automationStatus createdByName labelNames projectId',
    ],
    ['run/state-detail', { runId }, '', nine],
    ['run/state-detail', { runId, projectId, groupBy: 'squads' }, '', `${nine} squadData`],
    ['run/state-detail', { runId, groupBy: 'squads' }, 'squadData.0', 'squadName squadId runData'],
    ['run/state-detail', { runId, groupBy: 'squads' }, 'squadData.0.runData', nine],
    ['run/test-status', { projectId, runId, testId }, '0', 'status runStatus'],
    ['run/test-status-history', { runId, testId }, '0', 'status updatedBy updatedOn comment'],
    [
      'labels',
      { projectId },
      '0',
      'labelId labelName labelType createdOn createdBy editHistory projectId updatedOn updatedBy',
    ],
    ['project/squads', { projectId }, '0', 'squadId squadName projectId createdOn createdBy'],
    [
      'project/sections',
      { projectId },
      '0',
      'sectionId sectionName sectionDescription parentId editInfo projectId createdBy createdOn updatedOn updatedBy',
    ],
    ['priority', { orgId }, '0', 'priorityId priorityName createdBy createdOn updatedOn updatedBy orgId'],
    ['platform', { orgId }, '0', classified('platform')],
    ['type', { orgId }, '0', classified('type')],
    ['automation-status', { orgId }, '0', classified('automationStatus')],
    ['test-covered-by', { orgId }, '0', classified('testCoveredBy')],
  ];
  for (const [path, given, where, expected] of shapes)
    expect([path, keys(at(await world.data('GET', path, given), where))]).toEqual([path, sorted(expected)]);
});

test('values are in the words of Checkmate', async () => {
  const { projectId, testIds, runId, childSectionId, sectionId } = world.ids;
  expect(await world.data('GET', 'run/state-detail', { runId })).toMatchObject({
    total: 6,
    passed: 1,
    failed: 1,
    untested: 4,
    skipped: 0,
  });
  const { testsList } = await world.data<{ testsList: Body[] }>('GET', 'run/tests', {
    projectId,
    runId,
    statusArray: ['Passed', 'Failed'],
  });
  expect(testsList.map(({ testId, testStatus }) => [testId, testStatus])).toEqual([
    [testIds[0], 'Passed'],
    [testIds[1], 'Failed'],
  ]);
  expect(testsList[1]).toMatchObject({
    sectionName: 'Payment',
    sectionId: childSectionId,
    sectionParentId: sectionId,
    labelNames: 'api,smoke',
    squadName: 'Core',
  });
  const newest = await world.data<{ testData: Body[]; count: Body }>('GET', 'project/tests', {
    projectId,
    pageSize: 2,
  });
  expect(newest.testData.map(({ testId }) => testId)).toEqual(testIds.toReversed().slice(0, 2));
  expect(newest.count).toEqual({ count: 6 });
  const filtered = await world.data<{ testData: Body[] }>('GET', 'project/tests', {
    projectId,
    squadIds: [0],
    sectionIds: [sectionId],
  });
  expect(filtered.testData.map(({ testId }) => testId)).toEqual([testIds[4]]);
  expect(await world.data('GET', 'user/details')).toMatchObject({
    token: null,
    role: 'admin',
    email: 'ann@example.org',
  });
});

test('both dialects write the same test', async () => {
  const { projectId, sectionId, labelIds, priorityIds, automationStatusIds } = world.ids;
  const own = {
    projectId,
    title: 'Own words',
    sectionId,
    priorityId: priorityIds[0],
    automationStatusId: automationStatusIds[0],
    labelIds,
    steps: '1. open\n2. pay',
    expectedResult: 'paid',
    jiraTicket: 'SHOP-7',
    description: 'why',
  };
  const { testId } = await world.data<{ testId: number }>('POST', 'test/create', own);
  const details = await world.data<Body>('GET', 'test/details', { projectId, testId });
  expect(details).toMatchObject({
    title: 'Own words',
    steps: '1. open\n2. pay',
    expectedResult: 'paid',
    jiraTicket: 'SHOP-7',
    description: 'why',
    labelNames: 'api,smoke',
    section: 'Checkout',
  });
  await world.data('PUT', 'test/update', { testId, testName: 'Agent words', testDescription: 'because' });
  expect(await world.data<Body>('GET', 'test/details', { projectId, testId })).toMatchObject({
    title: 'Agent words',
    steps: '1. open\n2. pay',
    jiraTicket: 'SHOP-7',
    description: 'because',
  });
  await world.data('PUT', 'test/bulk-update', {
    testIds: [testId],
    property: 'labelId',
    value: labelIds[0],
    projectId,
  });
  const long = 'long title '.repeat(60);
  const { testId: other } = await world.data<{ testId: number }>('POST', 'test/create', {
    projectId,
    title: long,
    new_section: 'Made > Here',
    new_squad: 'Made',
  });
  expect(await world.data<Body>('GET', 'test/details', { projectId, testId: other })).toMatchObject({
    title: long.trim(),
    section: 'Here',
    squad: 'Made',
  });
});

test('a test is written again with the texts that it has', async () => {
  const { projectId, sectionId } = world.ids;
  const texts = { description: 'why', steps: 'open', expectedResult: 'opened', jiraTicket: 'SHOP-7' };
  const { testId } = await world.data<{ testId: number }>('POST', 'test/create', {
    projectId,
    sectionId,
    title: 'Written twice',
    ...texts,
  });
  const rows: ReadonlyArray<readonly [string, Body]> = [
    ['test/update', { testId, testDescription: 'why' }],
    ['test/update', { testId, jiraTicket: 'SHOP-7' }],
    ['test/update', { testId, ...texts }],
    ['test/bulk-update', { tests: [{ testId, testDescription: 'why' }] }],
    ['test/bulk-update', { tests: [{ testId, jiraTicket: 'SHOP-7' }] }],
    ['test/bulk-update', { testIds: [testId], property: 'steps', value: 'open' }],
  ];
  for (const [path, body] of rows) await world.data('PUT', path, body);
  expect(await world.data<Body>('GET', 'test/details', { projectId, testId })).toMatchObject({
    title: 'Written twice',
    ...texts,
  });
});

/** @see The squad of such a test was left out without a word, and a label was not found to exist. */
test('names are found whatever their case and the encoding of their accents', async () => {
  const { projectId, orgId } = world.ids;
  const [stored, sent] = ['\u00c9quipe', 'e\u0301QUIPE'];
  await world.call('add-squads', { projectId, squads: [stored] });
  await world.call('add-labels', { projectId, labels: [stored] });
  await world.call('add-classification', { projectId, kind: 'priority', names: [stored] });
  const named = { title: 'T', section: 'S', squad: sent, priority: sent };
  const { body } = await world.send('POST', 'test/bulk-add', { projectId, orgId, tests: [named] });
  const { testData, squadsAdded } = body.data as { testData: { testIds: number[] }; squadsAdded: string[] };
  expect([squadsAdded, body['warnings']]).toEqual([[], undefined]);
  const testId = testData.testIds[0] ?? 0;
  expect(await world.data<Body>('GET', 'test/details', { projectId, testId })).toMatchObject({
    squad: stored,
    priority: stored,
  });
  expect((await world.send('POST', 'labels/add', { projectId, labels: [sent] })).status).toBe(409);
  const squads = await world.data<Body>('POST', 'squads/add', { projectId, squads: [sent] });
  expect(squads).toMatchObject({ success: { existingSquads: [{ squadName: stored }], newSquads: [] } });
});

test('what has no equivalent is in the warnings or in the failures', async () => {
  const { projectId, orgId, testIds } = world.ids;
  const added = await world.send('POST', 'test/bulk-add', {
    projectId,
    orgId,
    tests: [{ title: 'T', section: 'S', priority: 'Urgent', testId: '7', colour: 'red' }],
  });
  expect(JSON.stringify(added.body['warnings'])).toContain('Urgent');
  expect(JSON.stringify(added.body['warnings'])).toContain('colour');
  expect(added.status).toBe(201);
  const runId = await world.makeRun('Words');
  const sent = await world.send('PUT', 'run/update-test-status', {
    runId,
    testIdStatusArray: [
      { testId: testIds[0], status: 'PASSED' },
      { testId: testIds[1], status: 'Skipped', comment: 'later' },
      { testId: testIds[2], status: 'great' },
      { testId: 999_999, status: 'Failed' },
    ],
  });
  expect(sent.body.data).toMatchObject({
    passed: { count: 2 },
    failed: { count: 2, details: [{ id: testIds[2] }, { id: 999_999 }] },
  });
  expect(JSON.stringify(sent.body['warnings'])).toContain('Skipped');
  const history = await world.data<Body[]>('GET', 'run/test-status-history', { runId, testId: testIds[1] });
  expect(history.map(({ status, comment }) => [status, comment])).toEqual([['Untested', 'Skipped: later']]);
  const reset = await world.data<Body>('PUT', 'run/reset', { runId });
  expect(reset).toMatchObject({ count: 1, testIds: [testIds[0]] });
});

test('scripts get real statuses, swapped as in Checkmate, and no Clear-Site-Data', async () => {
  const { projectId, runId, testIds } = world.ids;
  const lockedId = await world.makeRun('Locked');
  await world.data('PUT', 'run/lock', { runId: lockedId, projectId });
  const cases: ReadonlyArray<readonly [string, string, Body, string | null, number]> = [
    ['GET', 'orgs', {}, null, 403],
    ['GET', 'orgs', {}, 'trv_wrong', 403],
    ['POST', 'test/create', { projectId, title: 'No' }, world.tokens.reader, 401],
    ['GET', 'project/detail', { projectId: 999_999 }, world.tokens.admin, 404],
    ['GET', 'project/detail', {}, world.tokens.admin, 400],
    ['DELETE', 'test/delete', { testId: 999_999 }, world.tokens.admin, 400],
    ['POST', 'project/add-labels', { projectId, labels: ['Smoke'] }, world.tokens.admin, 409],
    ['POST', 'project/create', { orgId: 1, projectName: 'Shop' }, world.tokens.admin, 409],
    [
      'PUT',
      'run/update-test-status',
      { runId: lockedId, testIdStatusArray: [{ testId: testIds[0], status: 'Passed' }] },
      world.tokens.admin,
      423,
    ],
    ['PUT', 'run/reset', { runId: lockedId }, world.tokens.admin, 423],
    ['PUT', 'project/update-status', { projectId, status: 'Deleted' }, world.tokens.admin, 400],
    ['GET', 'run/create', {}, world.tokens.admin, 404],
    ['POST', 'tests/upload', {}, world.tokens.admin, 404],
    ['GET', 'project/runs', { projectId, runId }, world.tokens.admin, 404],
  ];
  for (const [method, path, given, token, expected] of cases) {
    const { status, body, headers } = await world.send(method, path, given, { token });
    expect([method, path, status, keys(body)]).toEqual([method, path, expected, 'error status']);
    expect(body['status']).toBe(expected);
    expect(headers.has('clear-site-data')).toBe(false);
  }
  const plain = await world.fetch('/api/v1/project/create', {
    method: 'POST',
    headers: { Authorization: `Bearer ${world.tokens.admin}` },
  });
  expect([plain.status, String(((await plain.json()) as Body)['error'])]).toEqual([
    400,
    expect.stringContaining('Request body is missing'),
  ]);
});

test('files: tests and results of a run as CSV, the report as PDF', async () => {
  const { projectId, runId } = world.ids;
  const tests = await world.send('GET', 'tests/download', { projectId });
  expect(tests.headers.get('content-type')).toContain('text/csv');
  expect(tests.text.split('\r\n')[0]).toBe(
    'testId,title,squadId,priority,automationStatus,createdByName,testCoveredBy,createdOn,squadName,platform,labelName,refCreatedByName,projectId,section,sectionId,sectionParentId',
  );
  const report = await world.send('GET', 'run/report-download', { runId });
  expect(report.text.split('\r\n')[0]).toBe(
    'TestId,Title,Status,Comment,Tested By,Tested On,Priority,Squad,Section,Platform',
  );
  expect(report.text.split('\r\n')).toHaveLength(8);
  expect((await world.send('GET', 'run/report', { runId, format: 'pdf' })).headers.get('content-type')).toBe(
    'application/pdf',
  );
  const shown = await world.send(
    'GET',
    'run/report',
    { runId, format: 'pdf', projectId },
    { headers: agentHeaders },
  );
  expect(keys(shown.body)).toBe('data error status warnings');
});

test('roles, foreign projects, audit and keys are those of the operations', async () => {
  const { projectId, testIds, runId } = world.ids;
  const writes: ReadonlyArray<readonly [string, Body, needsAdmin?: true]> = [
    ['test/create', { projectId, title: 'T' }],
    ['test/update', { testId: testIds[0], title: 'T' }],
    ['test/delete', { projectId, testId: testIds[0] }],
    ['test/bulk-delete', { projectId, testIds: [testIds[0]] }],
    ['test/bulk-add', { projectId, orgId: 1, tests: [{ title: 'T', section: 'S' }] }],
    ['test/bulk-update', { tests: [{ testId: testIds[0], testName: 'T' }] }],
    ['run/create', { projectId, runName: 'R', testIds: [testIds[0]] }],
    ['run/edit', { projectId, runId, runName: 'R' }],
    ['run/lock', { projectId, runId }, true],
    ['run/reset', { projectId, runId }, true],
    ['run/remove-tests', { projectId, runId, testIds: [testIds[0]] }, true],
    ['run/update-test-status', { runId, testIdStatusArray: [{ testId: testIds[0], status: 'Passed' }] }],
    ['run/delete', { projectId, runId }, true],
    ['project/add-labels', { projectId, labels: ['never'] }],
    ['project/add-squads', { projectId, squads: ['never'] }],
    ['project/add-section', { projectId, sectionName: 'never' }],
    ['project/edit', { projectId, projectName: 'never' }, true],
    ['project/update-status', { projectId, isActive: false }, true],
    ['project/create', { orgId: 1, projectName: 'never' }, true],
  ];
  for (const [path, given, needsAdmin] of writes) {
    const refused = [
      world.tokens.reader,
      world.tokens.stranger,
      ...(needsAdmin ? [world.tokens.member] : []),
    ];
    for (const token of refused)
      expect([path, (await world.send('POST', path, given, { token })).status].join()).toMatch(
        /,(401|404|400)$/,
      );
  }
  const asAdmin = async (tool: string, input: Body) =>
    (await world.post(`/api/tools/${tool}`, input, world.tokens.admin)).body;
  const { orgId } = await asAdmin('create-organization', { orgName: 'Other' });
  const other = await asAdmin('create-project', { orgId, projectName: 'Foreign' });
  const [hidden, missing] = await Promise.all(
    [other['projectId'], 999_999].map((id) =>
      world.send('GET', 'project/tests', { projectId: id }, { token: world.tokens.member }),
    ),
  );
  expect(String(hidden?.body.error).replace(String(other['projectId']), 'N')).toBe(
    String(missing?.body.error).replace('999999', 'N'),
  );

  const key = { headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'once-1' } };
  const given = { projectId, title: 'Once', new_squad: 'Once' };
  const [first, second] = [
    await world.send('POST', 'test/create', given, key),
    await world.send('POST', 'test/create', given, key),
  ];
  expect(second.body.data).toEqual(first.body.data);
  const audit = await world.call('list-audit', { event: 'operation', limit: 5 });
  expect(JSON.stringify(audit)).toContain('create-test');
});

test('requests are limited before their body is read', async () => {
  const limited = await startCheckmateWorld({ settings: { 'rate-tools': '12' } });
  try {
    const statuses: number[] = [];
    for (let n = 0; n < 14; n++) statuses.push((await limited.send('GET', 'orgs')).status);
    expect(statuses.at(-1)).toBe(429);
    const told = await limited.send('POST', 'test/create', {}, { headers: agentHeaders });
    expect([told.status, told.body['status']]).toEqual([200, 429]);
    expect(String(told.body.error)).toContain('More than 12 per minute');
  } finally {
    await limited.stop();
  }
});

test('the API is off unless its setting or its module is named', async () => {
  for (const [settings, expected] of [
    [{}, 404],
    [{ 'checkmate-api': 'true' }, 403],
    [{ modules: 'auth,testmgmt,checkmate' }, 403],
    [{ modules: 'auth,testmgmt' }, 404],
  ] as const) {
    const trivet = await startTestKernel({ settings });
    expect([settings, (await trivet.fetch('/api/v1/orgs')).status]).toEqual([settings, expected]);
    await trivet.stop();
  }
});
