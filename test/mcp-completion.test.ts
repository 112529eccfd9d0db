import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { info, pinned } from './mcp-clients.ts';
import { serveMcp, type McpServer } from './mcp-server.ts';
import { settled } from './rejection.ts';

/* Completions of arguments, and idempotency keys, in both eras. @see issue 13, 57 */

let server: McpServer;
let projectId = 0;
let runId = 0;
beforeAll(async () => {
  server = await serveMcp('completion');
  const { api } = server;
  for (const projectName of ['Shop', 'Shipping', 'Web'])
    projectId = Number((await api('create-project', { orgId: 1, projectName }))['projectId']);
  const { testId } = await api('create-test', { projectId, testName: 'Pays' });
  for (const runName of ['Nightly', 'Release 2.4'])
    runId = Number((await api('create-run', { projectId, runName, testIds: [testId] }))['runId']);
}, 30_000);
afterAll(() => server.stop());

type Client = Client1 | Client2;
const opened = async (client: Client, transport: unknown): Promise<Client> => {
  await client.connect(transport as never);
  return client;
};
const clients: ReadonlyArray<readonly [string, () => Promise<Client>]> = [
  ['the first era over stdio', () => opened(new Client1(info), server.stdio1())],
  ['the first era over HTTP', () => opened(new Client1(info), server.http1())],
  ['2026-07-28 over stdio', () => opened(new Client2(info, pinned), server.stdio2())],
  ['2026-07-28 over HTTP', () => opened(new Client2(info, pinned), server.http2())],
];

describe.each(clients)('%s', (_title, connect) => {
  test('arguments of prompts and the expression of a resource are completed', async () => {
    const client = await connect();
    const valuesOf = async (ref: object, name: string, value: string, given?: Record<string, string>) => {
      const context = given === undefined ? {} : { context: { arguments: given } };
      const { completion } = await client.complete({ ref, argument: { name, value }, ...context } as never);
      return completion.values;
    };
    const prompt = { type: 'ref/prompt', name: 'triage-run' };
    expect(await valuesOf(prompt, 'projectId', 'sh')).toEqual(['Shop', 'Shipping']);
    expect(await valuesOf(prompt, 'projectId', '')).toEqual(['1', '2', '3']);
    const inWeb = { projectId: String(projectId) };
    expect(await valuesOf(prompt, 'runId', 'release', inWeb)).toEqual([String(runId)]);
    expect(await valuesOf(prompt, 'runId', 'release', { projectId: 'web' })).toEqual([String(runId)]);
    expect(await valuesOf(prompt, 'runId', '')).toEqual([]);
    expect(await valuesOf(prompt, 'runId', '', { projectId: '999' })).toEqual([]);
    const resource = { type: 'ref/resource', uri: 'trivet://projects/{projectId}' };
    expect(await valuesOf(resource, 'projectId', 'WEB')).toEqual([String(projectId)]);
    expect(await settled(valuesOf({ type: 'ref/prompt', name: 'nothing' }, 'x', ''))).toThrow(
      'no such prompt',
    );
    await client.close();
  });

  test('a call is done once under its key', async () => {
    const client = await connect();
    const key = crypto.randomUUID();
    const add = async (testName: string, given: unknown = key) => {
      const meta = { 'trivet/idempotencyKey': given };
      const answer = (await client.callTool({
        name: 'create-test',
        arguments: { projectId, testName },
        _meta: meta,
      } as never)) as { isError?: boolean; content: Array<{ text: string }> };
      return { isError: answer.isError ?? false, text: answer.content[0]?.text ?? '' };
    };
    const first = await add('Once');
    const second = await add('Once');
    expect([first.isError, second.text]).toEqual([false, first.text]);
    expect(await add('Another')).toMatchObject({
      isError: true,
      text: expect.stringContaining('used for another'),
    });
    expect(await add('No text', 7)).toMatchObject({
      isError: true,
      text: expect.stringContaining('idempotency key is'),
    });
    await client.close();
  });
});
