import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { compiled, runTrivet } from './executable.ts';
import { automatic, envelope, first, info, second, type Connected } from './mcp-clients.ts';
import { serveMcp, type McpServer } from './mcp-server.ts';

/*
 * Both eras of MCP, with the client of each SDK, over stdio and HTTP: the same tools, results and errors.
 *
 * Mutation note: seen to fail when era-2026.ts answers without structuredContent or with another error code, and when stdio does not let a
 * client fall back after it has only asked for the versions.
 */
let server: McpServer;
beforeAll(async () => {
  server = await serveMcp('eras');
});
afterAll(() => server.stop());

const clients: ReadonlyArray<readonly [string, string, () => Promise<Connected>]> = [
  ['v1 over stdio', '2025-11-25', () => first(server.stdio1())],
  ['v1 over HTTP', '2025-11-25', () => first(server.http1())],
  ['v2 over stdio, 2026-07-28', '2026-07-28', () => second(server.stdio2())],
  ['v2 over HTTP, 2026-07-28', '2026-07-28', () => second(server.http2())],
  ['v2 over stdio, which asks first', '2026-07-28', () => second(server.stdio2(), automatic)],
  ['v2 over HTTP, which asks first', '2026-07-28', () => second(server.http2(), automatic)],
  ['v2 over stdio in the first era', '2025-11-25', () => second(server.stdio2(), {})],
  ['v2 over HTTP in the first era', '2025-11-25', () => second(server.http2(), {})],
];

const calls: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
  ['get-orgs-list', {}],
  ['get-projects', { orgId: 1 }],
  ['get-tests', { projectId: 999_999 }],
  ['get-tests', { projectId: 'one' }],
  ['download-tests', { projectId: 1, format: 'csv' }],
  ['get-test', {}],
];

/** The part of a response that is equal in both eras. The second era adds fields of its own to each result. */
async function outcome({ call }: Connected, name: string, given: Record<string, unknown>) {
  try {
    const { content, structuredContent, isError } = (await call(name, given)) as Record<string, unknown>;
    return { content, structuredContent, isError: isError === true };
  } catch (error) {
    const { code, message } = error as { code?: number; message: string };
    // The SDK of the first era puts its name before the message, once in the server and once in the client.
    return { code, message: message.replaceAll(/MCP error -\d+: /g, '') };
  }
}

async function told(client: Connected) {
  const outcomes = [];
  for (const [name, given] of calls) outcomes.push(await outcome(client, name, given));
  const { resources, templates } = (await client.resources()) as Record<string, unknown>;
  const { contents } = (await client.read('trivet://projects/1')) as Record<string, unknown>;
  const asked = { projectId: '1', goal: 'release 2' };
  const { messages, description } = (await client.prompt('plan-run', asked)) as Record<string, unknown>;
  const refused = [
    await refusedWith(client.read('trivet://projects/999999')),
    await refusedWith(client.prompt('plan', {})),
  ];
  return {
    tools: await client.list(),
    instructions: client.instructions(),
    outcomes,
    context: {
      resources,
      templates,
      contents,
      prompts: await client.prompts(),
      messages,
      description,
      refused,
    },
  };
}

const refusedWith = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: Error) => error.message.replaceAll(/MCP error -\d+: /g, ''),
  );

describe('the same tools, answers and errors', () => {
  let expected: Awaited<ReturnType<typeof told>>;
  beforeAll(async () => {
    const args = ['call', 'create-project', '-a', 'orgId=1', '-a', 'projectName=Shop', '--data', server.data];
    expect((await runTrivet(compiled, args)).exitCode).toBe(0);
    const client = await first(server.http1());
    expected = await told(client);
    await client.close();
  });
  test('there is something to compare', () => {
    expect(expected.tools).toBeArray();
    expect(expected.outcomes.map((one) => ('code' in one ? one.code : one.isError))).toEqual([
      false,
      false,
      true,
      true,
      false,
      -32602,
    ]);
    expect(expected.context).toMatchObject({
      resources: [{ uri: 'trivet://projects/1', name: 'Shop' }],
      templates: [{ uriTemplate: 'trivet://projects/{projectId}' }],
      contents: [{ text: expect.stringContaining('"projectName":"Shop"') }],
      prompts: [{ name: 'triage-run' }, { name: 'plan-run' }, { name: 'write-tests' }],
      messages: [{ content: { type: 'resource' } }, { content: { type: 'text' } }],
      refused: [expect.stringContaining('There is no project'), expect.stringContaining('Known: triage-run')],
    });
  });
  test.each(clients)('%s', async (_title, version, connect) => {
    const client = await connect();
    expect(client.version()).toBe(version);
    expect(await told(client)).toEqual(expected);
    await client.close();
  });
});

describe('over stdio the first message chooses', () => {
  const message = (id: number, method: string, params: object = { _meta: envelope }) => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
  });
  const initialize = message(9, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: info,
  });
  const answers = async (...lines: readonly unknown[]) => {
    const stdin = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
    const { stdout, exitCode } = await runTrivet(compiled, ['--mcp', '--data', server.data], { stdin });
    expect(exitCode).toBe(0);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number | null; result?: object; error?: { code: number } });
  };
  test('a client that has only asked for the versions may begin a session', async () => {
    const [found, begun, pong] = await answers(
      message(1, 'server/discover'),
      initialize,
      message(2, 'ping', {}),
    );
    expect(found).toMatchObject({ id: 1, result: { supportedVersions: ['2026-07-28'] } });
    expect(begun).toMatchObject({ id: 9, result: { protocolVersion: '2025-11-25' } });
    expect(pong).toMatchObject({ id: 2, result: {} });
  });
  test('one that has used the second era may not', async () => {
    const all = await answers(message(1, 'tools/list'), initialize);
    expect(all.find(({ id }) => id === 9)?.error?.code).toBe(-32022);
  });
  test('what cannot be read is answered', async () => {
    const all = await answers(message(1, 'server/discover'), 'no json', message(2, 'tools/list'), '{}');
    expect(all.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([-32700, -32600]);
    expect(all.filter(({ id }) => id !== null)).toHaveLength(2);
  });
});

/** A stream that stays open would occupy a connection for nothing, and delay the stop of a server. */
test('a client that listens for changes is answered, and its stream ends', async () => {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: envelope },
    }),
    signal: AbortSignal.timeout(5_000),
  });
  const text = await response.text();
  expect(text).toContain('notifications/subscriptions/acknowledged');
  expect(text).toContain('"result":{');
});

describe('over HTTP the version header chooses', () => {
  const post = async (version: string | undefined, body: object) => {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const { result, error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as {
      result?: object;
      error?: { code: number };
    };
    return { status: response.status, ok: result !== undefined, code: error?.code };
  };
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const cases: ReadonlyArray<readonly [string | undefined, { status: number; ok: boolean; code?: number }]> =
    [
      [undefined, { status: 200, ok: true }],
      ['2025-06-18', { status: 200, ok: true }],
      // Neither era speaks it: the error of the second lists the versions.
      ['2099-01-01', { status: 400, ok: false }],
      ['1999-01-01', { status: 400, ok: false }],
      ['latest', { status: 400, ok: false }],
      // A request of the second era without the required information.
      ['2026-07-28', { status: 400, ok: false }],
    ];
  test.each(cases)('%p', async (version, expected) => {
    expect(await post(version, ping)).toMatchObject(expected);
  });
});
