import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mcpTools, type McpTools } from '../../../core/mcp/mcp-tools.ts';
import { localExecutor } from '../../../core/tools/local-executor.ts';
import { junitText } from './junit-text.ts';
import { startTestmgmtKernel } from './testmgmt-kernel.ts';

/*
 * The table of questions in docs/agents.md: its calls are made over MCP as they stand there, at most two for each question, and what comes
 * back is compared with what was sent to the project.
 */
let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
let tools: McpTools;
let projectId: number;
const expected = new Map<string, unknown>();

const page = readFileSync(join(import.meta.dir, '../../../docs/agents.md'), 'utf8');
const questions = [...page.matchAll(/^\| ([^|]+\?) +\| (`[^|]+`) +\|$/gm)].map(
  ([, question = '', calls = '']) => ({
    question: question.trim(),
    calls: [...calls.matchAll(/`([a-z-]+) (\{.*?\})`/g)].map(
      ([, tool = '', args = '{}']) => [tool, JSON.parse(args) as Record<string, unknown>] as const,
    ),
  }),
);

beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  const { kernel, owner, call } = trivet;
  projectId = await trivet.makeProject();
  const names = ['Pay', 'Search', 'pay ', 'Sign in'];
  const made = await call('bulk-add-tests', { projectId, tests: names.map((testName) => ({ testName })) });
  const [pay = 0, search = 0, again = 0, signIn = 0] = (made['tests'] as Array<{ testId: number }>).map(
    ({ testId }) => testId,
  );
  const testIds = [pay, search, again, signIn];
  const [, , talkedOf] = [
    await trivet.makeRun(projectId, [pay]),
    await trivet.makeRun(projectId, [pay]),
    await trivet.makeRun(projectId, testIds),
  ];
  const { values } = await call('create-configuration-group', {
    projectId,
    name: 'Browser',
    values: ['Chrome', 'Firefox'],
  });
  const ids = (values as Array<{ valueId: number }>).map(({ valueId }) => [valueId]);
  const planned = await call('create-plan', {
    projectId,
    name: 'Browsers',
    entries: [{ testIds: [pay, search], configurations: ids }],
  });
  const [, onFirefox = 0] = (planned['runs'] as Array<{ runId: number }>).map(({ runId }) => runId);
  const run = { projectId, runId: talkedOf };
  await call('assign-tests', { ...run, testIds: [pay, search, again], assignTo: [owner.userId] });
  const failed = (id: number) => ({ testId: id, status: 'failed' });
  await call('run-update-test-status', { ...run, testResults: [failed(pay), failed(search)] });
  await call('run-update-test-status', { projectId, runId: onFirefox, testResults: [failed(search)] });
  await call('add-attachment', {
    ...run,
    testId: pay,
    fileName: 'shot.png',
    base64: 'iVBORw0KGgo=',
  });
  await call('add-links', { projectId, testIds: [pay], links: [{ kind: 'defect', key: 'SHOP-7' }] });
  await call('add-links', { projectId, testIds: [search], links: [{ kind: 'requirement', key: 'REQ-1' }] });
  await call('set-quarantine', {
    projectId,
    testIds: [search],
    reason: 'slow',
    ownerId: owner.userId,
    until: '2026-01-31',
  });
  const cases = ['fast', 'slow'].map((name, at) => ({ name, time: 1 + 8 * at }));
  const content = junitText({ timed: cases });
  await call('ingest-results', { projectId, runKey: 'b', create: true, files: [{ name: 'j.xml', content }] });
  const found = (await call('get-tests', { projectId, query: 'name:slow' }))['tests'];
  const [slow = 0] = (found as Array<{ testId: number }>).map(({ testId }) => testId);

  expect([talkedOf, onFirefox]).toEqual([3, 5]);
  for (const [question, answer] of [
    ['Who has how much left to do in this run?', [[owner.userId, 1]]],
    ['Which tests of this run has nobody?', [signIn]],
    ['Which tests fail without an issue?', [search]],
    ['Which requirements are not covered by a passing test?', [['REQ-1', 0]]],
    ['Which failures of this run have a screenshot?', [pay, 'shot.png']],
    ['What failed on Firefox?', [onFirefox, search]],
    ['Which tests are the slowest?', slow],
    ['Which tests are there twice?', [[pay, again]]],
    ['Who looks after the tests in quarantine?', [[search, owner.userId]]],
  ] as const)
    expected.set(question, answer);
  const cut = { toolsets: ['testmgmt', 'insights', 'extra'] };
  tools = mcpTools(localExecutor(kernel, owner, cut), { modules: kernel.modules, cut, log: kernel.host.log });
}, 60_000);
afterAll(() => trivet.stop());

type Row = Readonly<Record<string, unknown>>;
const rows = (answer: Row | undefined): readonly Row[] =>
  (Object.values(answer ?? {}).find(Array.isArray) ?? []) as readonly Row[];
const column = (answer: Row | undefined, name: string) => rows(answer).map((row) => row[name]);

/** What each question asks for, in its answers. */
const reads: Readonly<Record<string, (first: Row | undefined, second: Row | undefined) => unknown>> = {
  'Who has how much left to do in this run?': (first) =>
    rows(first)
      .filter(({ userId }) => userId !== null)
      .map(({ userId, todo }) => [userId, todo]),
  'Which tests of this run has nobody?': (first) => column(first, 'testId'),
  'Which tests fail without an issue?': (first) => column(first, 'testId'),
  'Which requirements are not covered by a passing test?': (first) =>
    rows(first).map(({ key, passed }) => [key, passed]),
  'Which failures of this run have a screenshot?': (first, second) => [
    ...column(first, 'testId'),
    ...column(second, 'fileName'),
  ],
  'What failed on Firefox?': (first, second) => [...column(first, 'runId'), ...column(second, 'testId')],
  'Which tests are the slowest?': (first) => column(first, 'testId')[0],
  'Which tests are there twice?': (first) =>
    rows(first).map(({ tests }) => (tests as readonly Row[]).map(({ testId }) => testId)),
  'Who looks after the tests in quarantine?': (first) =>
    rows(first).map(({ testId, ownerId }) => [testId, ownerId]),
};

test('each question of the page is asked here', () => {
  expect(questions.map(({ question }) => question)).toEqual(Object.keys(reads));
});

test.each(questions.map((one) => [one.question, one.calls] as const))('%s', async (question, calls) => {
  expect(calls.length).toBeLessThanOrEqual(2);
  const answers: Row[] = [];
  for (const [tool, args] of calls) {
    const { content, structuredContent, isError } = await tools.call(
      tool,
      { projectId, ...args },
      { signal: AbortSignal.timeout(30_000) },
    );
    expect([isError, content]).toEqual([undefined, content]);
    answers.push((structuredContent ?? {}) as Row);
  }
  expect(reads[question]?.(answers[0], answers[1])).toEqual(expected.get(question) as never);
});
