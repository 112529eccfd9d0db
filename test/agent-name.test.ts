import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { cleanEnvironment, compiled } from './executable.ts';
import { pinned } from './mcp-clients.ts';
import { serveMcp, type McpServer } from './mcp-server.ts';

/*
 * What an agent writes is marked with the name of its client, over each way and in both eras of MCP. The name is the text of a stranger:
 * one short line.
 */

let server: McpServer;
let projectId: number;
beforeAll(async () => {
  server = await serveMcp('agent-name', 'testmgmt,extra');
  projectId = Number((await server.api('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
}, 60_000);
afterAll(() => server.stop());

type Row = Record<string, unknown>;

const info = { name: 'claude-code', title: `Claude\u202e\u0007 Code\n`, version: '2' };
const shown = 'Claude Code';

const remote = () => {
  const [command = '', ...before] = compiled.command;
  return new Stdio1({
    command,
    args: [...before, '--mcp', '--url', server.url.origin, '--toolsets', 'testmgmt,extra'],
    env: cleanEnvironment({ TRIVET_TOKEN: server.token }),
    stderr: 'ignore',
  });
};

const ways: ReadonlyArray<readonly [string, () => Promise<Client1 | Client2>]> = [
  ['stdio, first era', () => connected1(server.stdio1())],
  ['HTTP, first era', () => connected1(server.http1())],
  ['stdio, second era', () => connected2(server.stdio2())],
  ['HTTP, second era', () => connected2(server.http2())],
  ['stdio with a server elsewhere', () => connected1(remote())],
];

async function connected1(transport: unknown): Promise<Client1> {
  const client = new Client1(info);
  await client.connect(transport as Parameters<Client1['connect']>[0]);
  return client;
}

async function connected2(transport: unknown): Promise<Client2> {
  const client = new Client2(info, pinned);
  await client.connect(transport as Parameters<Client2['connect']>[0]);
  return client;
}

const newest = async () =>
  ((await server.api('list-activity', { projectId, limit: 1 }))['activities'] as Row[])[0];

test.each(ways)('over %s', async (_, connect) => {
  const client = await connect();
  try {
    const call = async (name: string, args: Row) =>
      (await client.callTool({ name, arguments: args })).structuredContent as Row;
    await server.api('edit-project', { projectId, review: 'off' });
    const { testId } = await call('create-test', { projectId, testName: 'Pay' });
    const entry = await newest();
    expect(entry).toMatchObject({ operation: 'create-test', client: shown });
    expect(['mcp', 'stdio']).toContain(String(entry?.['surface']));
    await server.api('edit-project', { projectId, review: 'agents' });
    const proposed = await call('update-test', { testId, testName: 'Pay by card' });
    expect(proposed).toMatchObject({ written: false, reviews: [{ testId }] });
    const { reviewId } = (proposed['reviews'] as Row[])[0] ?? {};
    expect(await server.api('get-review', { reviewId })).toMatchObject({ client: shown, state: 'open' });
    expect(await server.api('get-test-details', { projectId, testId })).toMatchObject({ testName: 'Pay' });
  } finally {
    await client.close();
  }
});

test('a call over plain HTTP has no client, and a header only makes it that of an agent', async () => {
  await server.api('edit-project', { projectId, review: 'off' });
  await server.api('create-test', { projectId, testName: 'By hand' });
  expect(await newest()).toMatchObject({ surface: 'http', client: null });
  const post = (tool: string, input: object, agent: string) =>
    fetch(`${server.url.origin}/api/tools/${tool}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': 'application/json',
        'trivet-agent': agent,
      },
      body: JSON.stringify(input),
    });
  await post('create-test', { projectId, testName: 'By an agent' }, encodeURIComponent('x'.repeat(500)));
  expect(await newest()).toMatchObject({ surface: 'stdio', client: 'x'.repeat(80) });
  await post('create-test', { projectId, testName: 'By a nameless agent' }, '');
  expect(await newest()).toMatchObject({ surface: 'stdio', client: null });
});
