import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as AiSdkStdio } from '@ai-sdk/mcp/mcp-stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { cleanEnvironment, compiled, createToken, serveTrivet, type Running } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * Third-party MCP clients, as installed from npm, against the executable: the Inspector's command line, mcp-remote and the AI SDK.
 * mcp.test.ts tests the official client.
 */
const [trivet = ''] = compiled.command;
const bin = (name: string) => join(import.meta.dir, '..', 'node_modules', '.bin', name);
const refusal =
  '❌ Error: There is no organization 99.\n\n💡 Tip: Use get-orgs-list to see the organizations you belong to.';

let data: string;
let server: Running;
let token: string;
beforeAll(async () => {
  data = temporaryDirectory('clients');
  server = await serveTrivet(compiled, ['--port', '0', '--data', data]);
  token = await createToken(compiled, ['--data', data]);
});
afterAll(() => server.stop());

describe('the Inspector', () => {
  const inspect = async (...args: string[]) => {
    const child = Bun.spawn(['node', bin('mcp-inspector'), '--cli', ...args], {
      env: cleanEnvironment(),
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const stdout = await new Response(child.stdout).text();
    return { exitCode: await child.exited, answer: JSON.parse(stdout) as Record<string, unknown> };
  };
  const overStdio = () => [trivet, '--mcp', '--data', data];
  const overHttp = () => [
    `${server.origin}/mcp`,
    '--transport',
    'http',
    '--header',
    `Authorization: Bearer ${token}`,
  ];

  test.each([
    ['stdio', overStdio],
    ['HTTP', overHttp],
  ])(
    'lists and calls over %s',
    async (name, target) => {
      const listed = await inspect(...target(), '--method', 'tools/list');
      expect((listed.answer['tools'] as unknown[]).length).toBe(50);
      const call = ['--method', 'tools/call', '--tool-name'];
      const made = await inspect(
        ...target(),
        ...call,
        'create-project',
        '--tool-arg',
        'orgId=1',
        '--tool-arg',
        `projectName=${name}`,
      );
      expect(made.answer['structuredContent']).toMatchObject({ projectName: name, isActive: true });
      const refused = await inspect(...target(), ...call, 'get-projects', '--tool-arg', 'orgId=99');
      expect(refused.answer).toMatchObject({ isError: true, content: [{ text: refusal }] });
    },
    60_000,
  );
});

test('mcp-remote: a client that only speaks stdio reaches a server', async () => {
  const client = new Client({ name: 'test', version: '1' });
  const headers = ['--header', `Authorization: Bearer ${token}`];
  await client.connect(
    new StdioClientTransport({
      command: 'node',
      args: [
        bin('mcp-remote'),
        `${server.origin}/mcp`,
        ...headers,
        '--allow-http',
        '--transport',
        'http-only',
      ],
      // It stores its data in the home directory.
      env: cleanEnvironment({ HOME: temporaryDirectory('home') }),
      stderr: 'ignore',
    }),
  );
  expect((await client.listTools()).tools.length).toBe(50);
  const answer = await client.callTool({ name: 'get-orgs-list', arguments: {} });
  expect(answer['structuredContent']).toMatchObject({ total: 1, organizations: [{ orgId: 1 }] });
  expect(await client.callTool({ name: 'get-projects', arguments: { orgId: 99 } })).toMatchObject({
    isError: true,
    content: [{ text: refusal }],
  });
  await client.close();
}, 60_000);

test.each(['stdio', 'HTTP'])(
  'the AI SDK over %s',
  async (name) => {
    const client = await createMCPClient({
      transport:
        name === 'stdio'
          ? new AiSdkStdio({ command: trivet, args: ['--mcp', '--data', data], env: cleanEnvironment() })
          : { type: 'http', url: `${server.origin}/mcp`, headers: { Authorization: `Bearer ${token}` } },
    });
    const tools = await client.tools();
    expect(Object.keys(tools).length).toBe(50);
    const options = { messages: [], toolCallId: '1', context: {} };
    const call = (tool: string, args: object) => tools[tool]?.execute(args, options as never);
    expect(await call('get-orgs-list', {})).toMatchObject({ structuredContent: { total: 1 } });
    expect(await call('get-projects', { orgId: 99 })).toMatchObject({
      isError: true,
      content: [{ text: refusal }],
    });
    await client.close();
  },
  60_000,
);
