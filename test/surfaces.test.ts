import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { compiled, runTrivet } from './executable.ts';
import { agreedBy, startSurfaces, toolsets, type Answer, type Surface } from './four-surfaces.ts';
import { temporaryDirectory } from './temporary.ts';
import { calls, project } from './tool-calls.ts';

/*
 * One table of calls through all four surfaces, each on its own data: MCP on stdio, MCP over HTTP, /api/tools and the command line. Their
 * responses are compared: the same data, the same failures in the same words.
 */
let surfaces: readonly Surface[];
beforeAll(async () => {
  surfaces = await startSurfaces();
}, 30_000);
afterAll(async () => void (await Promise.all(surfaces.map((surface) => surface.stop()))));

/** Without the command line, which takes a process for each call: the rows of the table cover it. */
const inProcess = () => surfaces.filter(({ name }) => name !== 'trivet call');

/** Over MCP, lists are shorter unless the call gives their length (test/mcp-brief.test.ts). */
let parameters: ReadonlyMap<string, Schema['properties']> | undefined;
async function agreed(tool: string, args: object, by = surfaces): Promise<Answer> {
  parameters ??= new Map((await everyTool()).map(({ name, inputSchema }) => [name, inputSchema.properties]));
  const takes = parameters.get(tool) ?? {};
  const page = 'limit' in takes ? { limit: 50 } : {};
  // A list, and not the values of a project's own fields.
  const fields = takes['fields']?.type === 'array' ? { fields: ['*'] } : {};
  return agreedBy(by, tool, { ...page, ...fields, ...args });
}

interface Schema {
  readonly properties: Readonly<Record<string, { readonly type: string; readonly enum?: unknown[] }>>;
  readonly required?: readonly string[];
}

interface Listed {
  readonly name: string;
  readonly effect: string;
  readonly inputSchema: Schema;
}

/** The tools that the executable offers in the toolsets of the table. */
async function everyTool(): Promise<readonly Listed[]> {
  const where = ['--data', temporaryDirectory('t')];
  const { stdout } = await runTrivet(compiled, ['tools', '--json', '--toolsets', toolsets, ...where]);
  return (JSON.parse(stdout) as { tools: Listed[] }).tools;
}

describe('every tool answers the same on all four surfaces', () => {
  test.each(calls)('%s %j', async (tool, args, expected) => {
    const answer = await agreed(tool, args);
    if (typeof expected === 'string') expect(answer).toMatchObject({ code: expected });
    else if (expected instanceof RegExp) expect('data' in answer ? answer.data : '').toMatch(expected);
    else expect('data' in answer ? answer.data : answer).toMatchObject(expected);
  });

  test('all of them are in the table', async () => {
    const tools = await everyTool();
    expect(new Set(calls.map(([tool]) => tool))).toEqual(new Set(tools.map(({ name }) => name)));
    expect(tools.length).toBe(129);
  });
});

test('what is not there is refused in the same words, whichever tool names it', async () => {
  const codes = new Map<string, number>();
  for (const [tool, args, expected] of calls) {
    if (typeof expected === 'string') continue;
    for (const id of [
      'orgId',
      'projectId',
      'testId',
      'runId',
      'sectionId',
      'userId',
      'parentSectionId',
      'squadId',
    ]) {
      if (!(id in args)) continue;
      const answer = await agreed(tool, { ...args, [id]: 9_999 }, inProcess());
      // A filter without matches gives an empty list.
      if (tool === 'get-tests' && id === 'sectionId') continue;
      if (!('code' in answer)) throw new Error(`${tool} did not refuse ${id} 9999`);
      const { code = '' } = answer;
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  }
  expect([...codes.keys()].toSorted()).toEqual([
    'NOT_IN_PROJECT',
    'NOT_IN_RUN',
    'ORGANIZATION_NOT_FOUND',
    'PROJECT_NOT_FOUND',
    'RUN_NOT_FOUND',
    'SECTION_NOT_FOUND',
    'TEST_NOT_FOUND',
    'USER_NOT_FOUND',
  ]);
}, 120_000);

test('a locked run and an inactive project are refused in the same words by every tool that writes', async () => {
  const tools = await everyTool();
  const writes = new Set(tools.filter(({ effect }) => effect !== 'read').map(({ name }) => name));
  await agreed('create-run', { ...project, runName: 'Locked', testIds: [1, 2] });
  const { data } = (await agreed('get-runs', project)) as { data: { runs: Array<{ runId: number }> } };
  const runId = data.runs[0]?.runId ?? 0;
  const refusals = async (change: (args: object) => object | null) => {
    const found: string[] = [];
    for (const [tool, args, expected] of calls) {
      const changed = writes.has(tool) && typeof expected !== 'string' ? change(args) : null;
      // Who follows a project, and what one saves for oneself, changes nothing of it.
      const others = [
        'run-lock',
        'unlock-run',
        'restore-run',
        'update-project-status',
        'follow-project',
        'save-view',
        'delete-view',
      ];
      if (!changed || others.includes(tool)) continue;
      const answer = await agreed(tool, changed, inProcess());
      found.push(`${tool} ${'code' in answer ? answer.code : 'done'}`);
    }
    return new Set(found);
  };
  await agreed('run-lock', { ...project, runId });
  expect(await refusals((args) => ('runId' in args ? { ...args, runId } : null))).toEqual(
    new Set(
      [
        'run-update-test-status',
        'edit-run',
        'run-remove-tests',
        'add-tests-to-run',
        'run-reset',
        'delete-run',
        'assign-tests',
      ].map((tool) => `${tool} RUN_LOCKED`),
    ),
  );
  await agreed('update-project-status', { ...project, isActive: false });
  const inactive = await refusals((args) =>
    'projectId' in args && !('dryRun' in args) ? { ...args, ...project } : null,
  );
  await agreed('update-project-status', { ...project, isActive: true });
  expect([...inactive].filter((line) => !line.endsWith(' PROJECT_INACTIVE'))).toEqual([]);
  expect(inactive.size).toBeGreaterThan(15);
}, 120_000);

test('wrong, missing, extra and huge arguments are refused in the same words, and nothing changes', async () => {
  const before = await agreed('get-project-detail', project);
  const tools = await everyTool();
  const successes = new Map(
    calls.filter(([, , expected]) => typeof expected !== 'string').map(([tool, args]) => [tool, args]),
  );
  const [first, ...others] = inProcess();
  let refused = 0;
  for (const [at, { name, inputSchema }] of tools.entries()) {
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
      // 17 MB each: the limit of a body is the same for all of them.
      ...(huge[0] && at % 10 === 0 ? [{ ...good, [String(huge[0][0])]: huge[0][1] }] : []),
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
