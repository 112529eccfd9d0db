import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startCheckmateWorld, type CheckmateWorld } from './checkmate-world.ts';

/*
 * Drives the unmodified MCP server of Checkmate, which is not part of this project: TRIVET_TEST_CHECKMATE_MCP names the file build/index.js
 * of a checkout of it (docs/decisions/checkmate.md says how to build one). Without it, recorded-requests.test.ts replays what it sends.
 */
const program = process.env['TRIVET_TEST_CHECKMATE_MCP'];
test.skipIf(program !== undefined)(
  'is skipped: TRIVET_TEST_CHECKMATE_MCP names no built MCP server',
  () => {},
);

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
}

describe.skipIf(program === undefined)('the unmodified MCP server of Checkmate', () => {
  let world: CheckmateWorld;
  const clients: Client[] = [];
  beforeAll(async () => void (world = await startCheckmateWorld()));
  afterAll(async () => {
    for (const client of clients) await client.close();
    await world.stop();
  });

  const connect = async (token: string) => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: 'node',
        args: [program ?? ''],
        env: {
          PATH: process.env['PATH'] ?? '',
          CHECKMATE_API_BASE: world.origin,
          CHECKMATE_API_TOKEN: token,
          LOG_LEVEL: 'error',
        },
        stderr: 'ignore',
      }),
    );
    clients.push(client);
    return client;
  };

  const textOf = async (client: Client, name: string, args: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: args });
    return (content as Array<{ text?: string }>).map(({ text = '' }) => text).join('\n');
  };

  /** An argument from its schema, with ids of the project where the name says which. */
  const valueOf = (name: string, schema: Schema, tool: string): unknown => {
    const { ids } = world;
    const byName: Readonly<Record<string, unknown>> = {
      orgId: ids.orgId,
      projectId: ids.projectId,
      testId: ids.testIds[2],
      testIds: tool === 'run-remove-tests' ? [ids.testIds[5]] : [ids.testIds[3], ids.testIds[4]],
      runId: ids.runId,
      sectionId: ids.sectionId,
      parentSectionId: ids.sectionId,
      squadId: ids.squadId,
      priorityId: ids.priorityIds[0],
      platformId: ids.platformIds[0],
      automationStatusId: ids.automationStatusIds[0],
      platformIds: ids.platformIds.slice(0, 2),
      squadIds: [ids.squadId],
      labelIds: ids.labelIds,
      labels: tool === 'add-labels' ? [`label ${crypto.randomUUID()}`] : ids.labelIds,
      status: tool === 'get-runs' ? 'Active' : 'Passed',
      page: 1,
      pageSize: 10,
      projectName: `project ${crypto.randomUUID()}`,
      sectionName: `section ${crypto.randomUUID()}`,
    };
    if (['typeId', 'testCoveredById'].includes(name)) return undefined;
    if (Object.hasOwn(byName, name)) return byName[name];
    const one = schema.anyOf?.[0] ?? schema;
    if (one.enum) return one.enum[0];
    if (one.type === 'array') return [valueOf('', one.items ?? {}, tool)];
    if (one.type === 'object') return argumentsOf(one, tool, true);
    if (one.type === 'boolean') return true;
    if (one.type === 'number' || one.type === 'integer') return 1;
    return `text of ${name}`;
  };

  const argumentsOf = (schema: Schema, tool: string, whole: boolean): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(schema.properties ?? {})
        .filter(([name]) => whole || schema.required?.includes(name))
        .map(([name, one]) => [name, valueOf(name, one, tool)])
        .filter(([, value]) => value !== undefined),
    );

  test(
    'has 46 tools, and each is answered with all arguments and with the required ones',
    async () => {
      const client = await connect(world.tokens.admin);
      const { tools } = await client.listTools();
      expect(tools).toHaveLength(46);
      const lost: string[] = [];
      const refused: string[] = [];
      // What ends a run or a test comes last.
      const last = [
        'run-reset',
        'run-remove-tests',
        'run-lock',
        'delete-run',
        'delete-test',
        'bulk-delete-tests',
        'update-project-status',
      ];
      // A run that has ended takes no second call.
      const endsRun = new Set(['run-remove-tests', 'run-lock', 'delete-run']);
      const place = (name: string) => last.indexOf(name);
      for (const { name, inputSchema } of tools.toSorted((a, b) => place(a.name) - place(b.name)))
        for (const whole of [true, false]) {
          const own = endsRun.has(name) ? { runId: await world.makeRun('own') } : {};
          const [testId] =
            name === 'delete-test' || name === 'bulk-delete-tests' ? await freshTests(world) : [];
          const given = {
            ...argumentsOf(inputSchema as Schema, name, whole),
            ...own,
            ...(name === 'delete-test' && { testId }),
            ...(name === 'bulk-delete-tests' && { testIds: [testId] }),
          };
          const text = await textOf(client, name, given);
          if (/No response from server|Network request failed|HTTP error|MCP error/.test(text))
            lost.push(`${name} ${whole}: ${text}`);
          else if (!text.includes('✅'))
            refused.push(`${name} ${JSON.stringify(given)}: ${text.slice(0, 300)}`);
        }
      expect(lost).toEqual([]);
      expect(refused.map((one) => one.split(' ', 1)[0])).toEqual(['edit-project', 'edit-run', 'update-test']);
      for (const one of refused) expect(one).toMatch(/No field of the (?:run|test|project) is given/);
    },
    { timeout: 120_000 },
  );

  const freshTests = async ({ call, ids }: CheckmateWorld) => {
    const made = await call('bulk-add-tests', { projectId: ids.projectId, tests: [{ testName: 'fresh' }] });
    return (made['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
  };

  test('what one tool writes, another reads', async () => {
    const client = await connect(world.tokens.member);
    const { projectId } = world.ids;
    const testIds = [...(await freshTests(world)), ...(await freshTests(world))];
    const dataOf = (text: string) =>
      (JSON.parse(text.slice(text.indexOf('{'))) as { data: Record<string, unknown> }).data;
    const { runId, testsAdded } = dataOf(
      await textOf(client, 'create-run', { projectId, runName: 'Written', testIds }),
    );
    expect(testsAdded).toBe(2);
    await textOf(client, 'run-update-test-status', {
      runId,
      testIdStatusArray: [{ testId: testIds[0], status: 'Passed' }],
    });
    expect(dataOf(await textOf(client, 'get-run-state-detail', { runId }))).toMatchObject({
      total: 2,
      passed: 1,
      untested: 1,
    });
  });

  test('a refusal shows our own sentence', async () => {
    const { projectId, testIds } = world.ids;
    const lockedId = await world.makeRun('locked');
    await world.call('run-lock', { projectId, runId: lockedId });
    const admin = await connect(world.tokens.admin);
    const reader = await connect(world.tokens.reader);
    const stranger = await connect(world.tokens.stranger);
    const nobody = await connect('trv_nothing');
    expect(await textOf(admin, 'get-run-detail', { runId: 999_999 })).toContain('There is no run 999999.');
    expect(
      await textOf(admin, 'run-update-test-status', {
        runId: lockedId,
        testIdStatusArray: [{ testId: testIds[1], status: 'Passed' }],
      }),
    ).toContain('locked');
    expect(await textOf(reader, 'delete-test', { projectId, testId: testIds[1] })).toContain(
      'This needs the role "member"',
    );
    expect(await textOf(stranger, 'get-tests', { projectId })).toContain('belong to no organization');
    expect(await textOf(nobody, 'get-orgs-list', {})).toContain('The bearer token is invalid');
    for (const [client, name, args] of [
      [admin, 'get-project-detail', { projectId: 999_999 }],
      [admin, 'get-test-details', { projectId, testId: 999_999 }],
    ] as const)
      expect(await textOf(client, name, args)).toContain('There is no');
  });

  test('health is healthy', async () => {
    const client = await connect(world.tokens.reader);
    const { contents } = await client.readResource({ uri: 'checkmate://health' });
    expect(JSON.stringify(contents)).toContain('healthy');
    expect(JSON.stringify(contents)).not.toContain('unhealthy');
  });
});
