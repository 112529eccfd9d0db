import { startTestKernel, type TestKernelOptions } from '../kernel.ts';
import { toolsOf } from '../tools.ts';

export type Body = Readonly<Record<string, unknown>>;

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body & { readonly data?: unknown; readonly error?: unknown };
  readonly text: string;
}

/** The headers of the unmodified MCP server of Checkmate (recorded). */
export const agentHeaders = {
  'Content-Type': 'application/json',
  Accept: 'application/json',
  'User-Agent': 'Checkmate-MCP-Server/1.0.0',
} as const;

/** The headers of a script with axios. */
export const scriptHeaders = { 'Content-Type': 'application/json', 'User-Agent': 'axios/1.7.9' } as const;

/** A served kernel with the API of Checkmate, a project with tests and runs, and people of each role. */
export async function startCheckmateWorld(options: TestKernelOptions = {}) {
  const trivet = await startTestKernel({
    ...options,
    settings: { 'checkmate-api': 'true', ...options.settings },
  });
  const { call } = await toolsOf(trivet);
  const tokenOf = async (email: string, role?: string, orgId = 1) => {
    const { accessToken } = await trivet.signIn(email);
    if (role === undefined) return accessToken;
    const { code } = await call('invite-user', { orgId, role });
    const { status } = await trivet.post('/api/tools/accept-invitation', { code }, accessToken);
    if (status !== 200) throw new Error(`accept-invitation answered ${status}`);
    return accessToken;
  };
  const tokens = {
    admin: await tokenOf('ann@example.org', 'admin'),
    member: await tokenOf('max@example.org', 'member'),
    reader: await tokenOf('rea@example.org', 'reader'),
    stranger: await tokenOf('stranger@example.org'),
  };

  /** Sends a request. A query is what a GET has, a body what the others have. */
  const send = async (
    method: string,
    path: string,
    given: Body = {},
    {
      token = tokens.admin,
      headers = scriptHeaders,
    }: { readonly token?: string | null; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Sent> => {
    const texts = Object.entries(given).map(([key, value]): [string, string] => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    const query = method === 'GET' && texts.length > 0 ? `?${new URLSearchParams(texts)}` : '';
    const response = await trivet.fetch(`/api/v1/${path}${query}`, {
      method,
      headers: { ...headers, ...(token !== null && { Authorization: `Bearer ${token}` }) },
      ...(method !== 'GET' && { body: JSON.stringify(given) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('application/json') === true;
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? (JSON.parse(text) as Sent['body']) : {},
      text,
    };
  };

  /** The data of an answer that must be a success. */
  const data = async <T>(method: string, path: string, given: Body = {}, options = {}): Promise<T> => {
    const { body, status, text } = await send(method, path, given, options);
    if (body.error !== null || status >= 300) throw new Error(`${method} ${path} answered ${status} ${text}`);
    return body.data as T;
  };

  const id = async (key: string, tool: string, input: object) => Number((await call(tool, input))[key]);
  const projectId = await id('projectId', 'create-project', { orgId: 1, projectName: 'Shop' });
  const sectionId = await id('sectionId', 'add-section', { projectId, sectionName: 'Checkout' });
  const childSectionId = await id('sectionId', 'add-section', {
    projectId,
    sectionName: 'Payment',
    parentSectionId: sectionId,
  });
  const labelIds = (
    (await call('add-labels', { projectId, labels: ['smoke', 'api'] }))['labels'] as Array<{
      labelId: number;
    }>
  ).map(({ labelId }) => labelId);
  const [squadId = 0] = (
    (await call('add-squads', { projectId, squads: ['Core'] }))['squads'] as Array<{ squadId: number }>
  ).map((one) => one.squadId);
  const valueIds = async (tool: string, property: string, field: string) =>
    ((await call(tool, { projectId }))[property] as Array<Record<string, number>>).map(
      (one) => one[field] ?? 0,
    );
  const priorityIds = await valueIds('get-priority', 'priorities', 'priorityId');
  const platformIds = await valueIds('get-platforms', 'platforms', 'platformId');
  const automationStatusIds = await valueIds(
    'get-automation-status',
    'automationStatuses',
    'automationStatusId',
  );
  const tests = Array.from({ length: 6 }, (_, n) => ({
    testName: `Test ${n}`,
    sectionId: n % 2 === 0 ? sectionId : childSectionId,
    labels: n < 2 ? labelIds : [],
    ...(n < 3 && { squadId }),
    priorityId: priorityIds[n % 4] ?? 0,
    platformId: platformIds[n % 3] ?? 0,
    steps: [{ action: 'open', expected: 'it opens' }],
  }));
  const made = await call('bulk-add-tests', { projectId, tests });
  const testIds = (made['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
  const makeRun = (runName: string) => id('runId', 'create-run', { projectId, runName, testIds });
  const runId = await makeRun('Nightly');
  await call('run-update-test-status', {
    projectId,
    runId,
    testResults: [
      { testId: testIds[0], status: 'passed', comment: 'fine' },
      { testId: testIds[1], status: 'failed', comment: 'broken' },
    ],
  });
  return {
    ...trivet,
    call,
    tokens,
    send,
    data,
    makeRun,
    ids: {
      orgId: 1,
      projectId,
      sectionId,
      childSectionId,
      labelIds,
      squadId,
      priorityIds,
      platformIds,
      automationStatusIds,
      testIds,
      runId,
    },
  };
}

export type CheckmateWorld = Awaited<ReturnType<typeof startCheckmateWorld>>;
