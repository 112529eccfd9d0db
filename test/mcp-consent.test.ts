import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { info, pinned } from './mcp-clients.ts';
import { serveMcp, type McpServer } from './mcp-server.ts';

/* An irreversible call asks the person for confirmation, where the client can ask. @see issue 13, 47 */

let server: McpServer;
let projectId = 0;
let runId = 0;
beforeAll(async () => {
  server = await serveMcp('consent', 'testmgmt,extra,auth');
  projectId = Number((await server.api('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
}, 30_000);
afterAll(() => server.stop());
beforeEach(async () => {
  const { testId } = await server.api('create-test', { projectId, testName: 'Pays' });
  ({ runId } = (await server.api('create-run', { projectId, runName: 'r', testIds: [testId] })) as {
    runId: number;
  });
});

interface Asked {
  readonly call: (name: string, given: object, key?: string) => Promise<{ isError?: boolean; text: string }>;
  readonly questions: string[];
  readonly close: () => Promise<void>;
}
type Answer = 'accept' | 'decline' | 'cancel';

const textOf = (result: unknown) => {
  const { content, isError } = result as { content: Array<{ text: string }>; isError?: boolean };
  return { text: content[0]?.text ?? '', ...(isError === undefined ? {} : { isError }) };
};

const keyed = (key: string | undefined) =>
  key === undefined ? {} : { _meta: { 'trivet/idempotencyKey': key } };

async function first(
  transport: ReturnType<McpServer['stdio1' | 'http1']>,
  answer: Answer | undefined,
): Promise<Asked> {
  const questions: string[] = [];
  const client = new Client1(info, answer === undefined ? {} : { capabilities: { elicitation: {} } });
  if (answer !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message);
      return { action: answer, ...(answer === 'accept' ? { content: {} } : {}) };
    });
  await client.connect(transport as Parameters<Client1['connect']>[0]);
  return {
    call: async (name, given, key) =>
      textOf(await client.callTool({ name, arguments: { ...given }, ...keyed(key) })),
    questions,
    close: () => client.close(),
  };
}

async function second(
  transport: ReturnType<McpServer['stdio2' | 'http2']>,
  answer: Answer | undefined,
): Promise<Asked> {
  const questions: string[] = [];
  const client = new Client2(info, {
    ...pinned,
    ...(answer === undefined ? {} : { capabilities: { elicitation: { form: {} } } }),
  });
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return { action: answer, ...(answer === 'accept' ? { content: {} } : {}) };
    });
  await client.connect(transport);
  return {
    call: async (name, given, key) =>
      textOf(await client.callTool({ name, arguments: { ...given }, ...keyed(key) })),
    questions,
    close: () => client.close(),
  };
}

const clients: ReadonlyArray<readonly [string, (answer: Answer | undefined) => Promise<Asked>]> = [
  ['the first era over stdio', (answer) => first(server.stdio1(), answer)],
  ['2026-07-28 over stdio', (answer) => second(server.stdio2(), answer)],
  ['2026-07-28 over HTTP', (answer) => second(server.http2(), answer)],
];

describe.each(clients)('%s', (_title, connect) => {
  test('asks once, and goes on when the person agrees', async () => {
    const client = await connect('accept');
    const { isError, text } = await client.call('delete-run', { projectId, runId });
    expect([isError ?? false, JSON.parse(text)]).toEqual([false, { runId, deleted: true }]);
    expect(client.questions).toEqual([
      `Delete a test run (projectId ${projectId}; runId ${runId})? restore-run brings it back.`,
    ]);
    await client.close();
  });

  test('names what it is asked to do, besides the ids', async () => {
    const client = await connect('decline');
    const { sectionId } = await server.api('add-section', { projectId, sectionName: crypto.randomUUID() });
    await client.call('delete-section', { sectionId, withContents: true });
    await client.call('delete-tests-by-query', { projectId, query: 'name:Pays' });
    expect(client.questions).toEqual([
      `Delete a section (sectionId ${String(sectionId)}; withContents true)? undo-activity takes it back.`,
      `Delete the tests of a query (projectId ${projectId}; query "name:Pays")? restore-tests brings them back.`,
    ]);
    await client.close();
  });

  test.each(['decline', 'cancel'] as const)('writes nothing when the person says %s', async (answer) => {
    const client = await connect(answer);
    const { isError, text } = await client.call('run-reset', { projectId, runId });
    expect(isError).toBe(true);
    expect(text).toStartWith('❌ Error: The person did not agree to run-reset, so nothing was written.');
    expect(client.questions).toHaveLength(1);
    expect(await server.api('run-detail', { projectId, runId })).toMatchObject({
      counts: { untested: 1, retest: 0 },
    });
    await client.close();
  });

  test('asks nobody about a dry run, a call that is refused, and what can be undone', async () => {
    const client = await connect('accept');
    const dry = await client.call('delete-run', { projectId, runId, dryRun: true });
    expect(JSON.parse(dry.text)).toEqual({ runId, deleted: true, dryRun: true });
    expect((await client.call('delete-run', { projectId, runId: 999_999 })).isError).toBe(true);
    expect((await client.call('edit-run', { projectId, runId, runName: 'other' })).isError ?? false).toBe(
      false,
    );
    expect(client.questions).toEqual([]);
    expect(await server.api('run-detail', { projectId, runId })).toMatchObject({ runId });
    await client.close();
  });

  /** @see The dry run before the question refused what the first call had deleted. */
  test('a call that is repeated with its key answers the same', async () => {
    const client = await connect('accept');
    const again = () => client.call('delete-run', { projectId, runId }, `delete-${runId}`);
    const { isError, text } = await again();
    expect([isError ?? false, JSON.parse(text)]).toEqual([false, { runId, deleted: true }]);
    expect((await again()).text).toBe(text);
    await client.close();
  });

  test('goes on without asking where the client cannot ask', async () => {
    const client = await connect(undefined);
    expect((await client.call('delete-run', { projectId, runId })).isError ?? false).toBe(false);
    await client.close();
  });
});

test('over HTTP in the first era there is no session to ask in: the call goes on', async () => {
  const client = await first(server.http1(), 'decline');
  expect((await client.call('delete-run', { projectId, runId })).isError ?? false).toBe(false);
  expect(client.questions).toEqual([]);
  await client.close();
});
