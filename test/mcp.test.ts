import { beforeAll, describe, expect, test } from 'bun:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import {
  cleanEnvironment,
  createToken,
  compiled,
  requireBuilt,
  runTrivet,
  serveTrivet,
} from './executable.ts';
import { settled } from './rejection.ts';
import { temporaryDirectory } from './temporary.ts';

beforeAll(requireBuilt);

type Transport = Parameters<Client['connect']>[0];

async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return client;
}

async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  const [content] = result.content;
  const text = content?.type === 'text' ? content.text : '';
  if (result.isError) throw new Error(text);
  expect(JSON.parse(text)).toEqual(result.structuredContent);
  return result.structuredContent as Record<string, unknown>;
}

/** create-project → create-test → create-run → run-update-test-status, as the official client drives it. */
async function flow(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'get-orgs-list',
      'create-project',
      'create-test',
      'create-run',
      'run-update-test-status',
    ]),
  );
  // By default, MCP offers only the toolset testmgmt.
  expect(tools.map(({ name }) => name)).not.toContain('invite-user');
  expect(tools.find(({ name }) => name === 'get-tests')?.annotations).toMatchObject({ readOnlyHint: true });

  const { organizations } = (await call(client, 'get-orgs-list')) as {
    organizations: Array<{ orgId: number }>;
  };
  const { projectId } = await call(client, 'create-project', {
    orgId: organizations[0]?.orgId,
    projectName: 'Flow',
  });
  const { testId } = await call(client, 'create-test', { projectId, testName: 'Sign in' });
  const { runId } = await call(client, 'create-run', { projectId, runName: 'First', testIds: [testId] });
  const testResults = [{ testId, status: 'passed', comment: 'ok' }];
  const run = await call(client, 'run-update-test-status', { projectId, runId, testResults });
  expect(run['counts']).toMatchObject({ total: 1, passed: 1, untested: 0 });

  expect(await settled(call(client, 'get-tests', { projectId: 999_999 }))).toThrow(
    /^❌ Error: There is no project 999999\.\n\n💡 Tip: Use get-projects/,
  );
  expect(await settled(call(client, 'get-tests', { projectId: 'one' }))).toThrow(
    /^❌ Error: Invalid arguments for get-tests: projectId must be a whole number\.\n\n💡 Tip: get-tests takes projectId \(integer, required\)/,
  );
  expect(await settled(client.callTool({ name: 'get-test', arguments: {} }))).toThrow(
    /Did you mean "get-tests"\?/,
  );
}

describe.each([compiled].map((executable) => [executable.name, executable] as const))(
  'from %s',
  (_name, executable) => {
    test('over stdio on a data directory', async () => {
      const [command = '', ...before] = executable.command;
      const args = [...before, '--mcp', '--data', temporaryDirectory('mcp')];
      const client = await connected(
        new StdioClientTransport({ command, args, env: cleanEnvironment(), stderr: 'ignore' }),
      );
      await flow(client);
      await client.close();
    });

    test('over /mcp with a personal access token', async () => {
      const data = temporaryDirectory('mcp');
      const server = await serveTrivet(executable, ['--data', data]);
      const token = await createToken(executable, ['--data', data]);
      const transport = new StreamableHTTPClientTransport(new URL(`${server.origin}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      });
      const client = await connected(transport as Transport);
      await flow(client);
      await client.close();

      const choosing = new StreamableHTTPClientTransport(new URL(`${server.origin}/mcp?toolsets=auth`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      });
      const other = await connected(choosing as Transport);
      const offered = (await other.listTools()).tools.map(({ name }) => name);
      expect(offered).toContain('invite-user');
      expect(offered).not.toContain('get-orgs-list');
      await other.close();
      expect(await server.stop()).toBe(0);
    });

    test('over stdio against a server somewhere else', async () => {
      const data = temporaryDirectory('mcp');
      const server = await serveTrivet(executable, ['--data', data]);
      const token = await createToken(executable, ['--data', data]);
      const [command = '', ...before] = executable.command;
      const transport = new StdioClientTransport({
        command,
        args: [...before, '--mcp', '--url', server.origin],
        env: cleanEnvironment({ TRIVET_TOKEN: token }),
        stderr: 'ignore',
      });
      const client = await connected(transport);
      await flow(client);
      await client.close();
      await server.stop();
    });

    test('every line of stdout is JSON-RPC, also when nonsense comes in, and the process ends with its input', async () => {
      const lines = [
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: {
            protocolVersion: '2025-06-18',
            capabilities: {},
            clientInfo: { name: 'x', version: '1' },
          },
        },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', id: 2, method: 'tools/list' },
        {
          jsonrpc: '2.0',
          id: 3,
          method: 'tools/call',
          params: { name: 'create-project', arguments: { orgId: 1, projectName: 'x' } },
        },
        { jsonrpc: '2.0', id: 4, method: 'no/such/method' },
      ].map((message) => JSON.stringify(message));
      const stdin = [...lines.slice(0, 2), 'no json', '{}', '[]', ...lines.slice(2), ''].join('\n');
      const { stdout, exitCode } = await runTrivet(
        executable,
        ['--mcp', '--data', temporaryDirectory('mcp')],
        { stdin },
      );
      expect(exitCode).toBe(0);
      const answers = stdout
        .trimEnd()
        .split('\n')
        .map(
          (line) =>
            JSON.parse(line) as { jsonrpc: string; id?: number; result?: unknown; error?: { code: number } },
        );
      expect(answers.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
      const byId = new Map(answers.map((answer) => [answer.id, answer]));
      expect(byId.get(3)?.result).toMatchObject({ structuredContent: { projectName: 'x' } });
      expect(byId.get(4)?.error?.code).toBe(-32601);
    });
  },
);

/** The SDK is loaded by the first request, which must not be the only one to wait for it. */
test('the first requests of a server, all at once', async () => {
  const data = temporaryDirectory('mcp');
  const executable = compiled;
  const server = await serveTrivet(executable, ['--data', data]);
  const token = await createToken(executable, ['--data', data]);
  const ping = async (id: number) => {
    const response = await fetch(`${server.origin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }),
    });
    return /"id":(\d+)/.exec(await response.text())?.[1];
  };
  const ids = Array.from({ length: 20 }, (_, id) => id);
  expect(await Promise.all(ids.map(ping))).toEqual(ids.map(String));
  expect(await server.stop()).toBe(0);
});

describe('/mcp is guarded', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  };
  const cases: ReadonlyArray<readonly [string, Record<string, string>, number, string]> = [
    ['no token', {}, 401, 'UNAUTHENTICATED'],
    ['a wrong token', { authorization: 'Bearer trv_nothing' }, 401, 'UNAUTHENTICATED'],
    ['a foreign Host, as after DNS rebinding', { host: 'evil.example' }, 403, 'HOST_NOT_ALLOWED'],
    ['a foreign Origin', { origin: 'https://evil.example' }, 403, 'ORIGIN_NOT_ALLOWED'],
    ['the opaque Origin of a sandboxed page', { origin: 'null' }, 403, 'ORIGIN_NOT_ALLOWED'],
  ];
  test.each(cases)('%s', async (_title, headers, status, code) => {
    const server = await serveTrivet(compiled, ['--data', temporaryDirectory('mcp')]);
    for (const path of ['/mcp', '/api/tools/get-orgs-list']) {
      const response = await fetch(`${server.origin}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(initialize),
      });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error: { code } });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
    await server.stop();
  });
});

/** @see An agent over stdio kept the rights that its person had when it was started, for as long as it ran. */
test('an agent over stdio loses the rights that its person loses', async () => {
  const data = temporaryDirectory('mcp-rights');
  const at = ['--data', data];
  const as = ['--as', 'bob@example.org'];
  const words = 'token create --email bob@example.org --name x --role member --json'.split(' ');
  const made = await runTrivet(compiled, words.concat(at));
  const { userId } = JSON.parse(made.stdout) as { userId: number };
  await runTrivet(compiled, ['call', 'create-project', '-a', 'orgId=1', '-a', 'projectName=Shop', ...at]);
  const [command = ''] = compiled.command;
  const env = cleanEnvironment();
  const client = await connected(new StdioClientTransport({ command, args: ['--mcp', ...at, ...as], env }));
  const create = (testName: string) => call(client, 'create-test', { projectId: 1, testName });
  expect(await create('As a member')).toMatchObject({ testId: 1 });
  await runTrivet(compiled, [
    'call',
    'set-user-role',
    '-a',
    'orgId=1',
    '-a',
    `userId=${userId}`,
    '-a',
    'role=reader',
    ...at,
  ]);
  expect(await settled(create('As a reader'))).toThrow(/❌ Error/);
  await runTrivet(compiled, ['call', 'remove-member', '-a', 'orgId=1', '-a', `userId=${userId}`, ...at]);
  expect(await settled(call(client, 'get-projects', { orgId: 1 }))).toThrow(/❌ Error/);
  await client.close();
}, 30_000);
