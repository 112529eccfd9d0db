import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Actor } from '../../../core/base/actor.ts';
import { mcpContext, NotOffered } from '../../../core/mcp/mcp-context.ts';
import type { ToolCut } from '../../../core/tools/executor.ts';
import { localExecutor } from '../../../core/tools/local-executor.ts';
import { startTestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { context } from './context.ts';
import { settled } from '../../../test/rejection.ts';

let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
let projectId: number;
let runId: number;
let smoke: number;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
  const { labels } = await trivet.call('add-labels', { projectId, labels: ['smoke'] });
  [{ labelId: smoke } = { labelId: 0 }] = labels as Array<{ labelId: number }>;
  const payment = await trivet.makeSection(
    projectId,
    'Payment',
    await trivet.makeSection(projectId, 'Checkout'),
  );
  const [one = 0, two = 0] = await trivet.makeTests(projectId, 3, { sectionId: payment, labels: [smoke] });
  runId = await trivet.makeRun(projectId, [one, two]);
  const testResults = [{ testId: one, status: 'failed', comment: 'timeout' }];
  await trivet.call('run-update-test-status', { projectId, runId, testResults });
});
afterAll(() => trivet.stop());

const contextFor = (actor?: Actor, cut: ToolCut = {}) =>
  mcpContext(localExecutor(trivet.kernel, actor ?? trivet.owner, cut), trivet.kernel.modules);
/** A reader of another organization. */
const stranger = (): Actor => ({ ...trivet.owner, roles: new Map([[77, 'reader']]) });
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: unknown) => (error instanceof NotOffered ? error.message : Promise.reject(error as Error)),
  );

describe('the resource of a project', () => {
  test('spares the calls with which an agent begins', async () => {
    const { contents } = await contextFor().read(`trivet://projects/${projectId}`);
    const [{ text, mimeType } = { text: '', mimeType: '' }] = contents;
    expect(mimeType).toBe('application/json');
    expect(JSON.parse(text)).toMatchObject({
      projectId,
      isActive: true,
      tests: { total: 3, lastFailed: 1, flaky: 0, neverRun: 2 },
      activeRuns: { total: 1, newest: [{ runId, counts: { failed: 1, untested: 1 } }] },
      labels: { smoke },
      sections: { Checkout: expect.any(Number), 'Checkout > Payment': expect.any(Number) },
      priorities: { Critical: expect.any(Number), Low: expect.any(Number) },
      automationStatuses: { Automated: expect.any(Number) },
      coverageTypes: { Unit: expect.any(Number) },
    });
    // It is sent repeatedly in a conversation, so it must stay small.
    expect(text.length).toBeLessThan(4_000);
  });

  test('names no two sections alike', async () => {
    const project = await trivet.makeProject();
    const outer = await trivet.makeSection(project, 'A');
    const inner = await trivet.makeSection(project, 'B', outer);
    const odd = await trivet.makeSection(project, 'A > B');
    const { contents } = await contextFor().read(`trivet://projects/${project}`);
    const { sections } = JSON.parse(contents[0]?.text ?? '') as { sections: object };
    expect(sections).toEqual({ A: outer, 'A > B': inner, 'A \\> B': odd });
  });

  test('says how many names are left out', async () => {
    const crowded = await trivet.makeProject();
    const labels = Array.from({ length: 203 }, (_, n) => `label ${n}`);
    await trivet.call('add-labels', { projectId: crowded, labels });
    const { contents } = await contextFor().read(`trivet://projects/${crowded}`);
    const found = JSON.parse(contents[0]?.text ?? '') as { labels: object };
    expect(Object.keys(found.labels)).toHaveLength(201);
    expect(Object.keys(found.labels)).toContain('… 3 more in get-labels');
  });

  test('is listed page by page, over all organizations', async () => {
    const org = await trivet.call('create-organization', { orgName: 'Second' });
    const [here, there] = [101, 2];
    for (let n = 0; n < here; n++) await trivet.call('create-project', { orgId: 1, projectName: `p ${n}` });
    const actor: Actor = {
      ...trivet.owner,
      roles: new Map([...trivet.owner.roles, [Number(org['orgId']), 'admin']]),
    };
    for (let n = 0; n < there; n++)
      await trivet.call('create-project', { orgId: org['orgId'], projectName: `q ${n}` }, actor);
    const all = contextFor(actor);
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await all.resources(cursor);
      seen.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
      pages++;
    } while (cursor !== undefined && pages < 10);
    expect(pages).toBe(3);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toContain(`trivet://projects/${projectId}`);
    expect(seen.length).toBeGreaterThanOrEqual(here + there + 1);
    for (const wrong of ['0/x/y', '0/-1/0', '0/1e99/1'])
      expect((await all.resources(wrong)).resources).toBeArray();
    for (const unknown of ['', 'x', '9', '-1'])
      expect(await settled(all.resources(unknown))).toThrow('without a cursor');
  });

  test.each([
    ['trivet://projects/999999', 'There is no project 999999'],
    ['trivet://projects/0', 'Known: trivet://projects/{projectId}'],
    ['trivet://projects/1/../2', 'Known: trivet://projects/{projectId}'],
    ['trivet://projects/', 'Known: trivet://projects/{projectId}'],
    ['file:///etc/passwd', 'Known: trivet://projects/{projectId}'],
    ['', 'Known: trivet://projects/{projectId}'],
  ])('%p is refused', async (uri, message) => {
    expect(await refusal(contextFor().read(uri))).toContain(message);
  });

  test('is as hidden as the project', async () => {
    const other = contextFor(stranger());
    expect(await refusal(other.read(`trivet://projects/${projectId}`))).toContain('There is no project');
    expect(await other.resources(undefined)).toEqual({ resources: [] });
  });

  test('and the prompts are offered to who may use all their tools', async () => {
    const cut = contextFor(undefined, { tools: ['get-projects', 'run-detail'] });
    expect(await cut.templates()).toEqual({ resourceTemplates: [] });
    expect(await cut.prompts()).toEqual({ prompts: [] });
    expect(await refusal(cut.read(`trivet://projects/${projectId}`))).toBe(
      'There is no resource of this URI.',
    );
    expect(await refusal(cut.prompt('plan-run', {}))).toBe('There is no prompt of this name.');
    const reading = contextFor(undefined, { readOnly: true });
    expect((await reading.prompts()).prompts.map(({ name }) => name)).toEqual(['triage-run']);
    expect((await contextFor().prompts()).prompts.map(({ name }) => name)).toEqual([
      'triage-run',
      'plan-run',
      'write-tests',
    ]);
  });
});

describe('a prompt', () => {
  const given = () => ({
    projectId: String(projectId),
    runId: String(runId),
    goal: 'release 2',
    text: 'As a buyer',
  });

  test.each(['triage-run', 'plan-run', 'write-tests'])(
    '%s: its queries and fields are right',
    async (name) => {
      const { messages } = await contextFor().prompt(name, given());
      const texts = messages.flatMap(({ content }) => (content.type === 'text' ? [content.text] : []));
      for (const [, tool, json] of texts.join('\n').matchAll(/\b(get-[a-z-]+) (\{.*\})/g))
        expect(await trivet.call(tool ?? '', JSON.parse(json ?? '') as object)).toMatchObject({ limit: 500 });
      // Every tool named in it exists and is one of its declared tools.
      const kind = context.prompts.find((one) => one.name === name);
      const named = new Set(texts.join('\n').match(/\b(?:get|run|create|bulk)-[a-z-]+/g));
      for (const tool of named) if (trivet.kernel.operations.has(tool)) expect(kind?.tools).toContain(tool);
    },
  );

  test.each([
    ['the newest of the test', 0],
    ['older than the last 20 of the test', 20],
  ])('triage-run lists each failure once: %s', async (_, later) => {
    const project = await trivet.makeProject();
    const testIds = await trivet.makeTests(project, 3);
    const [failed = 0, blocked = 0, deleted = 0] = testIds;
    const run = await trivet.makeRun(project, testIds);
    const record = (into: number, testResults: readonly object[]) =>
      trivet.call('run-update-test-status', { projectId: project, runId: into, testResults });
    await record(run, [
      { testId: failed, status: 'failed' },
      { testId: blocked, status: 'blocked' },
      { testId: deleted, status: 'failed' },
    ]);
    for (let n = 0; n < later; n++) {
      const next = await trivet.makeRun(project, [failed]);
      await record(next, [{ testId: failed, status: 'passed' }]);
    }
    await trivet.call('delete-test', { projectId: project, testId: deleted });
    const { messages } = await contextFor().prompt('triage-run', {
      projectId: String(project),
      runId: String(run),
    });
    const listed: number[] = [];
    const [text = ''] = messages.flatMap(({ content }) => (content.type === 'text' ? [content.text] : []));
    for (const [, json = ''] of text.matchAll(/get-run-tests-list (\{.*\})/g)) {
      const list = await trivet.call('get-run-tests-list', JSON.parse(json) as object);
      listed.push(...(list['tests'] as Array<{ testId: number }>).map(({ testId }) => testId));
    }
    expect(listed.toSorted((left, right) => left - right)).toEqual([failed, blocked, deleted]);
  });

  test('says what the run is, or has the project beside it', async () => {
    const triage = await contextFor().prompt('triage-run', given());
    expect(JSON.stringify(triage.messages)).toContain(`\\"runId\\":${runId}`);
    for (const name of ['plan-run', 'write-tests']) {
      const { messages } = await contextFor().prompt(name, given());
      expect(messages[0]?.content).toMatchObject({
        type: 'resource',
        resource: { uri: `trivet://projects/${projectId}`, mimeType: 'application/json' },
      });
      expect(JSON.stringify(messages[1])).toContain(name === 'plan-run' ? 'release 2' : 'As a buyer');
    }
  });

  test.each<[string, Record<string, string>, string]>([
    ['triage', {}, 'Known: triage-run, plan-run, write-tests.'],
    [
      'triage-run',
      {},
      'triage-run also takes projectId (The id of the project.), runId (The id of the run.)',
    ],
    ['triage-run', { projectId: '1', runId: ' ' }, 'triage-run also takes runId'],
    ['triage-run', { projectId: '1', runId: '999999' }, 'get-runs'],
    ['plan-run', { projectId: 'Nowhere', goal: 'x' }, 'get-projects'],
  ])('%s of %p is refused: %s', async (name, wrong, message) => {
    expect(await refusal(contextFor().prompt(name, wrong))).toContain(message);
  });
});
