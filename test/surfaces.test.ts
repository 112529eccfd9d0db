import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { cleanEnvironment, compiled, runTrivet, serveTrivet, type Running } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * One table of calls through all four surfaces, each on data of its own: MCP on stdio, MCP over HTTP, /api/tools and the
 * command line. What they answer is compared: the same data, the same failures in the same words.
 */
const [trivet = ''] = compiled.command;
const person = 'ann@example.org';
const toolsets = 'testmgmt,extra';

type Answer =
  { readonly data: unknown } | { readonly message: string; readonly tip: string; readonly code?: string };

interface Surface {
  readonly name: string;
  call(tool: string, args: object): Promise<Answer>;
  stop(): Promise<unknown>;
}

/** Times differ from one surface to the other; everything else must not. */
const settled = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer).replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')) as unknown;

async function prepared(name: string) {
  const data = temporaryDirectory(name);
  const made = await runTrivet(compiled, [
    'token',
    'create',
    '--email',
    person,
    '--name',
    'x',
    '--data',
    data,
  ]);
  return { data, token: made.stdout.trim() };
}

async function overMcp(name: string, client: Client, stop: () => Promise<unknown>): Promise<Surface> {
  return {
    name,
    call: async (tool, args) => {
      const result = (await client.callTool({
        name: tool,
        arguments: args as Record<string, unknown>,
      })) as CallToolResult;
      const [first, second] = result.content;
      const text = first?.type === 'text' ? first.text : '';
      const failed = /^❌ Error: (.*)\n\n💡 Tip: (.*)$/s.exec(text);
      if (result.isError) return { message: failed?.[1] ?? text, tip: failed?.[2] ?? '' };
      expect(JSON.parse(text)).toEqual(result.structuredContent);
      if (second?.type !== 'resource') return { data: settled(result.structuredContent) };
      const { resource } = second;
      return { data: settled('text' in resource ? resource.text : resource.blob) };
    },
    stop: async () => {
      await client.close();
      await stop();
    },
  };
}

async function stdio(): Promise<Surface> {
  const { data } = await prepared('stdio');
  const client = new Client({ name: 'test', version: '1' });
  const args = ['--mcp', '--data', data, '--as', person, '--toolsets', toolsets];
  await client.connect(new StdioClientTransport({ command: trivet, args, env: cleanEnvironment() }));
  return overMcp('MCP on stdio', client, async () => {});
}

async function mcpOverHttp(): Promise<Surface> {
  const { data, token } = await prepared('mcp');
  const server: Running = await serveTrivet(compiled, ['--port', '0', '--data', data]);
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.origin}/mcp?toolsets=${toolsets}`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return overMcp('MCP over HTTP', client, () => server.stop());
}

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly tip: string };
}

async function http(): Promise<Surface> {
  const { data, token } = await prepared('http');
  const server = await serveTrivet(compiled, ['--port', '0', '--data', data]);
  return {
    name: '/api/tools',
    call: async (tool, args) => {
      const response = await fetch(`${server.origin}/api/tools/${tool}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(args),
      });
      const text = await response.text();
      if (!response.ok) {
        const { message, tip, code } = (JSON.parse(text) as ErrorBody).error;
        return { message, tip, code };
      }
      const isJson = response.headers.get('content-type')?.startsWith('application/json');
      return { data: settled(isJson ? JSON.parse(text) : text) };
    },
    stop: () => server.stop(),
  };
}

async function commandLine(): Promise<Surface> {
  const { data } = await prepared('call');
  return {
    name: 'trivet call',
    call: async (tool, args) => {
      const flags = ['--args', '-', '--data', data, '--as', person];
      const { exitCode, stdout, stderr } = await runTrivet(compiled, ['call', tool, ...flags], {
        stdin: JSON.stringify(args),
      });
      if (exitCode !== 0) {
        expect(stdout).toBe('');
        const { message, tip, code } = (JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as ErrorBody)
          .error;
        return { message, tip, code };
      }
      const isJson = /^[[{]/.test(stdout);
      return { data: settled(isJson ? JSON.parse(stdout) : stdout) };
    },
    stop: async () => {},
  };
}

let surfaces: readonly Surface[];
beforeAll(async () => {
  surfaces = await Promise.all([http(), stdio(), mcpOverHttp(), commandLine()]);
}, 30_000);
afterAll(async () => void (await Promise.all(surfaces.map((surface) => surface.stop()))));

/** The answer that all give. The one with the code speaks for it, as MCP shows none. */
async function agreed(tool: string, args: object): Promise<Answer> {
  const answers = await Promise.all(surfaces.map((surface) => surface.call(tool, args)));
  const [first] = answers;
  if (!first) throw new Error('no surface');
  const shown = (answer: Answer) =>
    'data' in answer ? answer : { message: answer.message, tip: answer.tip };
  for (const [index, answer] of answers.entries()) {
    expect({ surface: surfaces[index]?.name, ...shown(answer) }).toEqual({
      surface: surfaces[index]?.name,
      ...shown(first),
    });
  }
  return first;
}

const project = { projectId: 1 };
const run = { ...project, runId: 1 };
const whole = {
  testName: 'Pay with a card',
  testDescription: '=1+1',
  preconditions: 'signed in',
  steps: [{ action: 'Pay', data: '4711', expected: 'Paid' }],
  sectionId: 2,
  priorityId: 1,
  typeId: 5,
  automationStatusId: 13,
  platformId: 17,
  testCoveredById: 22,
  squadId: 1,
  labels: [1, 2],
};

/** Every tool, in an order in which each finds what it needs: a success, or the code of a refusal. */
const calls: ReadonlyArray<readonly [tool: string, args: object, expected: object | string | RegExp]> = [
  ['get-orgs-list', {}, { total: 1 }],
  ['get-org-details', { orgId: 1 }, { orgId: 1, orgName: 'My organization' }],
  ['get-org-details', { orgId: 9 }, 'ORGANIZATION_NOT_FOUND'],
  [
    'create-project',
    { orgId: 1, projectName: ' Shop ', projectDescription: 'd' },
    { projectId: 1, projectName: 'Shop' },
  ],
  ['create-project', { orgId: 9, projectName: 'Shop' }, 'ORGANIZATION_NOT_FOUND'],
  ['create-project', { orgId: 1, projectName: 'Other' }, { projectId: 2 }],
  ['get-projects', { orgId: 1 }, { total: 2 }],
  ['get-projects', { orgId: 9 }, 'ORGANIZATION_NOT_FOUND'],
  ['get-project-detail', project, { projectDescription: 'd' }],
  ['get-project-detail', { projectId: 9 }, 'PROJECT_NOT_FOUND'],
  [
    'edit-project',
    { ...project, projectName: 'Webshop' },
    { projectName: 'Webshop', projectDescription: 'd' },
  ],
  ['edit-project', project, 'NOTHING_TO_UPDATE'],
  ['add-section', { ...project, sectionName: 'Checkout' }, { sectionId: 1 }],
  [
    'add-section',
    { ...project, sectionName: 'Payment', parentSectionId: 1 },
    { sectionPath: ['Checkout', 'Payment'] },
  ],
  ['add-section', { ...project, sectionName: 'checkout' }, 'SECTION_EXISTS'],
  ['add-section', { projectId: 2, sectionName: 'x', parentSectionId: 1 }, 'NOT_IN_PROJECT'],
  ['edit-section', { sectionId: 2, sectionName: 'Pay' }, { sectionName: 'Pay' }],
  ['edit-section', { sectionId: 9, sectionName: 'Pay' }, 'SECTION_NOT_FOUND'],
  ['get-sections', project, { total: 2 }],
  [
    'add-labels',
    { ...project, labels: ['smoke', 'ui', 'Smoke'] },
    { labels: [{ labelId: 1 }, { labelId: 2 }, { labelId: 1 }] },
  ],
  ['get-labels', project, { total: 2 }],
  ['add-squads', { ...project, squads: ['core'] }, { squads: [{ squadId: 1 }] }],
  ['get-squads', project, { total: 1 }],
  ['get-priority', project, { total: 4 }],
  ['get-type', project, { total: 8 }],
  ['get-automation-status', project, { total: 4 }],
  ['get-platforms', project, { total: 5 }],
  ['get-test-covered-by', project, { total: 4 }],
  ['get-labels', { projectId: 9 }, 'PROJECT_NOT_FOUND'],
  [
    'create-test',
    { ...project, ...whole },
    { testId: 1, sectionPath: ['Checkout', 'Pay'], priority: 'Critical' },
  ],
  ['create-test', { ...project, testName: 'x', priorityId: 5 }, 'NOT_IN_PROJECT'],
  [
    'bulk-add-tests',
    { ...project, tests: [{ testName: 'a' }, { testName: 'b' }, { testName: 'c' }] },
    { total: 3 },
  ],
  [
    'bulk-add-tests',
    { ...project, tests: [{ testName: 'a' }, { testName: 'b', squadId: 7 }] },
    'NOT_IN_PROJECT',
  ],
  ['update-test', { testId: 2, testDescription: 'new' }, { testDescription: 'new', testName: 'a' }],
  ['update-test', { testId: 2 }, 'NOTHING_TO_UPDATE'],
  ['update-test', { testId: 99, testName: 'x' }, 'TEST_NOT_FOUND'],
  ['bulk-update-tests', { tests: [{ testId: 3, testName: 'B' }] }, { total: 1 }],
  [
    'bulk-update-tests',
    {
      tests: [
        { testId: 3, testName: 'B' },
        { testId: 99, testName: 'x' },
      ],
    },
    'TEST_NOT_FOUND',
  ],
  ['get-tests', { ...project, limit: 2, offset: 1 }, { total: 4, limit: 2, offset: 1 }],
  ['get-tests', { ...project, sectionId: 2 }, { total: 1 }],
  ['get-test-details', { ...project, testId: 1 }, { steps: [{ action: 'Pay' }] }],
  ['get-test-details', { projectId: 2, testId: 1 }, 'NOT_IN_PROJECT'],
  ['get-tests-count', project, { total: 4 }],
  [
    'create-run',
    { ...project, runName: 'Nightly', testIds: [1, 2, 3] },
    { runId: 1, counts: { total: 3, untested: 3 } },
  ],
  ['create-run', { ...project, runName: 'Nightly', testIds: [1, 1] }, 'DUPLICATE_ID'],
  ['create-run', { ...project, runName: 'Nightly', testIds: [1, 99] }, 'NOT_IN_PROJECT'],
  ['create-run', { ...project, runName: 'Old', testIds: [1] }, { runId: 2 }],
  ['get-runs', project, { total: 2 }],
  ['run-detail', run, { counts: { total: 3 } }],
  ['run-detail', { ...project, runId: 9 }, 'RUN_NOT_FOUND'],
  [
    'run-update-test-status',
    {
      ...run,
      testResults: [
        { testId: 1, status: 'passed', comment: 'ok' },
        { testId: 2, status: 'failed' },
      ],
    },
    { counts: { passed: 1, failed: 1, untested: 1 } },
  ],
  ['run-update-test-status', { ...run, testResults: [{ testId: 4, status: 'passed' }] }, 'NOT_IN_RUN'],
  ['get-run-tests-list', run, { total: 3 }],
  ['get-run-test-status', { ...run, status: 'passed' }, { total: 1 }],
  ['get-run-state-detail', run, { percentages: { passed: 33.3 } }],
  ['download-report', run, { tests: [{ testId: 1, comment: 'ok' }, {}, {}] }],
  ['get-test-status-history', { ...project, testId: 1 }, { total: 1 }],
  ['get-test-status-history-in-run', { testId: 1, runId: 1 }, { total: 1 }],
  ['get-test-status-history-in-run', { testId: 4, runId: 1 }, 'NOT_IN_RUN'],
  ['edit-run', { ...run, runName: 'Weekly' }, { runName: 'Weekly' }],
  ['edit-run', run, 'NOTHING_TO_UPDATE'],
  ['run-remove-tests', { ...run, testIds: [3] }, { counts: { total: 2 } }],
  ['run-remove-tests', { ...run, testIds: [3] }, 'NOT_IN_RUN'],
  ['add-tests-to-run', { ...run, testIds: [4] }, { counts: { total: 3 } }],
  ['run-reset', run, { counts: { retest: 3 } }],
  ['run-lock', run, { status: 'locked', lockedBy: 2 }],
  ['run-reset', run, 'RUN_LOCKED'],
  ['edit-run', { ...run, runName: 'x' }, 'RUN_LOCKED'],
  ['unlock-run', run, { status: 'active' }],
  ['delete-run', { ...project, runId: 2 }, { runId: 2, deleted: true }],
  ['download-tests', project, { projectId: 1 }],
  ['download-tests', { ...project, format: 'csv' }, /^testId,testName.*'=1\+1/s],
  ['import-tests', { projectId: 2, content: 'Title\nx\n', dryRun: true }, { testsCount: 1 }],
  ['import-tests', { projectId: 2, content: 'Title,Section\nx,A > B\n' }, { added: { sections: 2 } }],
  ['import-tests', { projectId: 2, content: 'Title\n"x' }, 'IMPORT_UNREADABLE'],
  ['delete-test', { ...project, testId: 4 }, { testId: 4, deleted: true }],
  ['delete-test', { ...project, testId: 4 }, 'TEST_NOT_FOUND'],
  ['restore-test', { ...project, testId: 4 }, { testId: 4 }],
  ['bulk-delete-tests', { ...project, testIds: [3, 4] }, { deletedCount: 2 }],
  ['bulk-delete-tests', { ...project, testIds: [3] }, 'NOT_IN_PROJECT'],
  ['delete-section', { sectionId: 1 }, 'SECTION_NOT_EMPTY'],
  ['get-user-details', { userId: 2 }, { userId: 2, roles: [{ orgId: 1, role: 'admin' }] }],
  ['get-user-details', { userId: 9 }, 'USER_NOT_FOUND'],
  ['get-all-users', {}, { total: 2 }],
  ['update-project-status', { ...project, isActive: false }, { isActive: false }],
  ['create-test', { ...project, testName: 'x' }, 'PROJECT_INACTIVE'],
  ['update-project-status', { ...project, isActive: true }, { isActive: true }],
];

describe('every tool answers the same on all four surfaces', () => {
  test.each(calls)('%s %j', async (tool, args, expected) => {
    const answer = await agreed(tool, args);
    if (typeof expected === 'string') expect(answer).toMatchObject({ code: expected });
    else if (expected instanceof RegExp) expect('data' in answer ? answer.data : '').toMatch(expected);
    else expect('data' in answer ? answer.data : answer).toMatchObject(expected);
  });

  test('all of them are in the table', async () => {
    const { stdout } = await runTrivet(compiled, [
      'tools',
      '--json',
      '--toolsets',
      toolsets,
      '--data',
      temporaryDirectory('t'),
    ]);
    const { tools } = JSON.parse(stdout) as { tools: Array<{ name: string }> };
    expect(new Set(calls.map(([tool]) => tool))).toEqual(new Set(tools.map(({ name }) => name)));
    expect(tools.length).toBe(51);
  });
});

interface Schema {
  readonly properties: Readonly<Record<string, { readonly type: string; readonly enum?: unknown[] }>>;
  readonly required?: readonly string[];
}

test('wrong, missing, extra and huge arguments are refused in the same words, and nothing changes', async () => {
  const before = await agreed('get-project-detail', project);
  const { stdout } = await runTrivet(compiled, [
    'tools',
    '--json',
    '--toolsets',
    toolsets,
    '--data',
    temporaryDirectory('t'),
  ]);
  const { tools } = JSON.parse(stdout) as { tools: Array<{ name: string; inputSchema: Schema }> };
  const successes = new Map(
    calls.filter(([, , expected]) => typeof expected !== 'string').map(([tool, args]) => [tool, args]),
  );
  // A process for each would take a minute: the command line has its own rows above.
  const [first, ...others] = surfaces.filter(({ name }) => name !== 'trivet call');
  let refused = 0;
  for (const { name, inputSchema } of tools) {
    const good = successes.get(name) ?? {};
    const [parameter] = Object.keys(inputSchema.properties);
    const [required] = inputSchema.required ?? [];
    const { [required ?? '']: _, ...missing } = good as Record<string, unknown>;
    const huge = Object.entries(inputSchema.properties).map(([key, { type }]) => [
      key,
      type === 'string' ? 'x'.repeat(17 * 1024 * 1024) : type === 'array' ? Array(100_001).fill(1) : 1e300,
    ]);
    const bad = [
      { ...good, bogus: 1 },
      ...(parameter === undefined ? [] : [{ ...good, [parameter]: { wrong: 'type' } }]),
      ...(required === undefined ? [] : [missing]),
      ...(huge[0] ? [{ ...good, [String(huge[0][0])]: huge[0][1] }] : []),
    ];
    for (const args of bad) {
      const answer = await first?.call(name, args);
      expect(answer).toMatchObject({
        code: expect.stringMatching(/^(INVALID_REQUEST|PAYLOAD_TOO_LARGE)$/) as string,
      });
      if (answer && 'code' in answer && answer.code === 'PAYLOAD_TOO_LARGE') continue;
      for (const other of others) {
        const { code: __, ...words } = answer as { code: string; message: string };
        expect(await other.call(name, args)).toEqual(words as Answer);
      }
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(150);
  expect(await agreed('get-project-detail', project)).toEqual(before);
}, 120_000);
