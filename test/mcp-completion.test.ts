import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  cleanEnvironment,
  compiled,
  createToken,
  requireBuilt,
  serveTrivet,
  type Running,
} from './executable.ts';
import { info, pinned } from './mcp-clients.ts';
import { temporaryDirectory } from './temporary.ts';

/* Completions of arguments, and a key under which a call is done once, in both eras. @see issue 13, 57 */

const data = temporaryDirectory('completion');
let server: Running;
let token: string;
let projectId = 0;
let runId = 0;

const place = () => new URL(`${server.origin}/mcp`);
const requestInit = () => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });
const command = () => {
  const [executable = '', ...before] = compiled.command;
  const args = [...before, '--mcp', '--data', data];
  return { command: executable, args, env: cleanEnvironment(), stderr: 'ignore' as const };
};
async function api(tool: string, input: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.origin}/api/tools/${tool}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  return (await response.json()) as Record<string, unknown>;
}
beforeAll(async () => {
  requireBuilt();
  server = await serveTrivet(compiled, ['--data', data]);
  token = await createToken(compiled, ['--data', data]);
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
  ['the first era over stdio', () => opened(new Client1(info), new Stdio1(command()))],
  ['the first era over HTTP', () => opened(new Client1(info), new Http1(place(), requestInit()))],
  ['2026-07-28 over stdio', () => opened(new Client2(info, pinned), new Stdio2(command()))],
  ['2026-07-28 over HTTP', () => opened(new Client2(info, pinned), new Http2(place(), requestInit()))],
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
    await expect(valuesOf({ type: 'ref/prompt', name: 'nothing' }, 'x', '')).rejects.toThrow(
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
