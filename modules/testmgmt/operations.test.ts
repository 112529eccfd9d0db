import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import type { Actor } from '../../core/actor.ts';
import { countRows } from '../../core/db/columns.ts';
import { Fault } from '../../core/errors.ts';
import { localExecutor } from '../../core/kernel.ts';
import { check } from '../../core/schema.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../test/kernel.ts';
import { labels, options, projects, results, runs, runTests, sections, tests } from './schema.ts';

let trivet: TestKernel;
let owner: Actor;
const clock = stillClock();

beforeAll(async () => {
  trivet = await startTestKernel({ clock });
  owner = await trivet.kernel.identity.local(trivet.kernel.host, undefined);
});
afterAll(() => trivet.stop());

/** Runs a tool and checks its answer against the schema that it promises. */
async function call(
  tool: string,
  input: object = {},
  actor: Actor = owner,
): Promise<Record<string, unknown>> {
  const executor = localExecutor(trivet.kernel, actor, {});
  const output = await executor.call(tool, input, { signal: AbortSignal.timeout(10_000) });
  const schema = trivet.kernel.operations.get(tool)?.output;
  if (schema) expect(check(schema, output)).toMatchObject({ ok: true });
  return output as Record<string, unknown>;
}

const refusal = (tool: string, input: object, actor?: Actor) =>
  call(tool, input, actor).then(
    () => null,
    (error: unknown) => (error instanceof Fault ? error : Promise.reject(error as Error)),
  );

const withRole = (role: 'reader' | 'member' | 'admin', orgId = 1): Actor => ({
  ...owner,
  roles: new Map([[orgId, role]]),
});

async function project(): Promise<number> {
  return Number(
    (await call('create-project', { orgId: 1, projectName: `p ${crypto.randomUUID()}` }))['projectId'],
  );
}
async function someTests(projectId: number, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let i = 0; i < count; i++)
    ids.push(Number((await call('create-test', { projectId, testName: `t${i}` }))['testId']));
  return ids;
}

/** How many rows everything has: what a refused call must leave alone. */
async function rowCounts() {
  const { q } = trivet.kernel.host.db;
  const counts: number[] = [];
  for (const table of [projects, tests, runs, runTests, results]) {
    const [row] = await q.select({ n: countRows() }).from(table);
    counts.push(row?.n ?? -1);
  }
  return counts;
}

describe('projects', () => {
  test('a new one has its record, the usual options, and is in the list without description', async () => {
    const record = await call('create-project', {
      orgId: 1,
      projectName: '  Shop  ',
      projectDescription: 'Checkout',
    });
    expect(record).toMatchObject({
      orgId: 1,
      projectName: 'Shop',
      projectDescription: 'Checkout',
      isActive: true,
      testsCount: 0,
      runsCount: 0,
      createdBy: owner.userId,
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    const projectId = Number(record['projectId']);
    await someTests(projectId, 2);
    const list = (await call('get-projects', { orgId: 1 }))['projects'] as Array<Record<string, unknown>>;
    const listed = list.find((one) => one['projectId'] === projectId);
    expect(listed).toMatchObject({ testsCount: 2 });
    expect(listed).not.toHaveProperty('projectDescription');
    const rows = await trivet.kernel.host.db.q
      .select()
      .from(options)
      .where(eq(options.projectId, projectId))
      .orderBy(asc(options.position));
    expect(rows.filter(({ kind }) => kind === 'priority').map(({ name }) => name)).toEqual([
      'Critical',
      'High',
      'Medium',
      'Low',
    ]);
  });

  test('the organizations of a caller, and nobody else’s', async () => {
    expect(await call('get-orgs-list')).toEqual({
      total: 1,
      limit: 50,
      offset: 0,
      organizations: [{ orgId: 1, orgName: 'My organization', createdAt: '2026-01-01T00:00:00.000Z' }],
    });
    expect(await call('get-orgs-list', {}, { ...owner, roles: new Map() })).toMatchObject({
      total: 0,
      organizations: [],
    });
  });
});

describe('tests', () => {
  test('a whole test comes back as it was given, with the names of what it refers to', async () => {
    const projectId = await project();
    const { q, tx } = trivet.kernel.host.db;
    const choices = await q.select().from(options).where(eq(options.projectId, projectId));
    const priority = choices.find(({ kind }) => kind === 'priority');
    const { section, label } = await tx(async (w) => {
      const [top] = await w.insert(sections).values({ projectId, name: 'Top', createdAt: 0 }).returning();
      const [inner] = await w
        .insert(sections)
        .values({ projectId, name: 'In/ner', parentId: top?.id ?? 0, createdAt: 0 })
        .returning();
      const [made] = await w
        .insert(labels)
        .values({ projectId, name: 'Smoke', nameKey: 'smoke' })
        .returning();
      return { section: inner?.id ?? 0, label: made?.id ?? 0 };
    });
    const record = await call('create-test', {
      projectId,
      testName: 'Sign in',
      testDescription: 'With a password',
      preconditions: 'An account',
      steps: [{ action: 'open', expected: 'a form' }],
      sectionId: section,
      priorityId: priority?.id ?? 0,
      labels: [label, label],
    });
    expect(record).toMatchObject({
      testName: 'Sign in',
      testDescription: 'With a password',
      preconditions: 'An account',
      steps: [{ action: 'open', expected: 'a form' }],
      sectionPath: ['Top', 'In/ner'],
      priority: priority?.name ?? '',
      labels: [{ labelId: label, labelName: 'Smoke' }],
      squad: null,
    });
    const listed = await call('get-tests', { projectId, sectionId: section });
    expect(listed).toMatchObject({ total: 1, limit: 50, offset: 0 });
    const [slim] = listed['tests'] as object[];
    expect(slim).not.toHaveProperty('testDescription');
    expect(slim).not.toHaveProperty('steps');
    expect(await call('get-tests', { projectId, sectionId: section + 1000 })).toMatchObject({
      total: 0,
      tests: [],
    });
  });

  test('pages join up without gap or overlap', async () => {
    const projectId = await project();
    const ids = await someTests(projectId, 7);
    const seen: unknown[] = [];
    for (let offset = 0; offset < 9; offset += 3) {
      const page = await call('get-tests', { projectId, limit: 3, offset });
      expect(page).toMatchObject({ total: 7, limit: 3, offset });
      seen.push(...(page['tests'] as Array<{ testId: number }>).map(({ testId }) => testId));
    }
    expect(seen).toEqual(ids);
  });
});

describe('runs', () => {
  test('take exactly their tests; results are counted and every change is kept', async () => {
    const projectId = await project();
    const [a = 0, b = 0, c = 0] = await someTests(projectId, 3);
    const made = await call('create-run', { projectId, runName: 'Nightly', testIds: [c, a] });
    const runId = Number(made['runId']);
    expect(made).toMatchObject({
      status: 'active',
      counts: { total: 2, untested: 2, passed: 0, failed: 0, blocked: 0, retest: 0 },
      lockedBy: null,
      lockedAt: null,
    });
    clock.advance(1000);
    const report = (testResults: object[]) =>
      call('run-update-test-status', { projectId, runId, testResults });
    await report([{ testId: a, status: 'failed', comment: 'red' }]);
    const after = await report([
      { testId: a, status: 'passed' },
      { testId: c, status: 'blocked' },
    ]);
    expect(after['counts']).toEqual({ total: 2, untested: 0, passed: 1, failed: 0, blocked: 1, retest: 0 });
    expect(await call('run-detail', { projectId, runId })).toEqual(after);
    const { q } = trivet.kernel.host.db;
    const history = await q.select().from(results).where(eq(results.runId, runId)).orderBy(asc(results.id));
    expect(history.map(({ testId, status, comment, by }) => ({ testId, status, comment, by }))).toEqual([
      { testId: a, status: 'failed', comment: 'red', by: owner.userId },
      { testId: a, status: 'passed', comment: null, by: owner.userId },
      { testId: c, status: 'blocked', comment: null, by: owner.userId },
    ]);
    const [kept] = await q.select().from(runTests).where(eq(runTests.testId, a));
    expect(kept).toMatchObject({ status: 'passed', comment: 'red' });
    expect(
      await refusal('run-update-test-status', {
        projectId,
        runId,
        testResults: [{ testId: b, status: 'passed' }],
      }),
    ).toMatchObject({
      code: 'NOT_IN_RUN',
    });
  });

  test('a run of 5,000 tests takes all its results at once', async () => {
    const projectId = await project();
    const { tx, q } = trivet.kernel.host.db;
    const row = {
      projectId,
      description: '',
      preconditions: '',
      steps: [],
      createdBy: 1,
      createdAt: 0,
      updatedAt: 0,
    };
    await tx(async (w) => {
      for (let i = 0; i < 5; i++) {
        await w
          .insert(tests)
          .values(Array.from({ length: 1000 }, (_, n) => ({ ...row, name: `t${i * 1000 + n}` })));
      }
    });
    const ids = (await q.select({ id: tests.id }).from(tests).where(eq(tests.projectId, projectId))).map(
      ({ id }) => id,
    );
    const { runId } = await call('create-run', { projectId, runName: 'All', testIds: ids });
    const testResults = ids.map((testId) => ({ testId, status: 'passed' }));
    const after = await call('run-update-test-status', { projectId, runId, testResults });
    expect(after['counts']).toMatchObject({ total: 5000, passed: 5000 });
  });
});

describe('a refused call names its cause and changes nothing', () => {
  let mine: number;
  let foreign: number;
  let test1: number;
  let foreignTest: number;
  let runId: number;
  let locked: number;
  let inactive: number;
  beforeAll(async () => {
    mine = await project();
    foreign = await project();
    inactive = await project();
    [test1 = 0] = await someTests(mine, 1);
    [foreignTest = 0] = await someTests(foreign, 1);
    runId = Number((await call('create-run', { projectId: mine, runName: 'r', testIds: [test1] }))['runId']);
    locked = Number((await call('create-run', { projectId: mine, runName: 'l', testIds: [test1] }))['runId']);
    await trivet.kernel.host.db.tx(async (q) => {
      await q.update(runs).set({ lockedAt: 1, lockedBy: 1 }).where(eq(runs.id, locked));
      await q.update(projects).set({ isActive: false }).where(eq(projects.id, inactive));
    });
  });
  const passed = (testId: number) => [{ testId, status: 'passed' }];
  const cases: ReadonlyArray<readonly [string, string, () => object, string, (Actor | undefined)?]> = [
    ['an organization that is not there', 'get-projects', () => ({ orgId: 99 }), 'ORGANIZATION_NOT_FOUND'],
    ['an organization of others', 'get-projects', () => ({ orgId: 1 }), 'ORGANIZATION_NOT_FOUND', undefined],
    ['a project that is not there', 'get-tests', () => ({ projectId: 99_999 }), 'PROJECT_NOT_FOUND'],
    [
      'a project name of blanks',
      'create-project',
      () => ({ orgId: 1, projectName: '   ' }),
      'INVALID_REQUEST',
    ],
    [
      'a project name of 256 characters',
      'create-project',
      () => ({ orgId: 1, projectName: 'x'.repeat(256) }),
      'INVALID_REQUEST',
    ],
    ['an id as text', 'get-tests', () => ({ projectId: String(mine) }), 'INVALID_REQUEST'],
    [
      'an unknown parameter',
      'create-test',
      () => ({ projectId: mine, testName: 'x', color: 1 }),
      'INVALID_REQUEST',
    ],
    ['a limit of 501', 'get-tests', () => ({ projectId: mine, limit: 501 }), 'INVALID_REQUEST'],
    [
      'a step without action',
      'create-test',
      () => ({ projectId: mine, testName: 'x', steps: [{}] }),
      'INVALID_REQUEST',
    ],
    [
      'a label of nowhere',
      'create-test',
      () => ({ projectId: mine, testName: 'x', labels: [9999] }),
      'NOT_IN_PROJECT',
    ],
    [
      'a section of nowhere',
      'create-test',
      () => ({ projectId: mine, testName: 'x', sectionId: 9999 }),
      'NOT_IN_PROJECT',
    ],
    [
      'a write to an inactive project',
      'create-test',
      () => ({ projectId: inactive, testName: 'x' }),
      'PROJECT_INACTIVE',
    ],
    [
      'a run of no test',
      'create-run',
      () => ({ projectId: mine, runName: 'r', testIds: [] }),
      'INVALID_REQUEST',
    ],
    [
      'a run of a foreign test',
      'create-run',
      () => ({ projectId: mine, runName: 'r', testIds: [test1, foreignTest] }),
      'NOT_IN_PROJECT',
    ],
    [
      'a run that names a test twice',
      'create-run',
      () => ({ projectId: mine, runName: 'r', testIds: [test1, test1] }),
      'DUPLICATE_ID',
    ],
    ['a run of another project', 'run-detail', () => ({ projectId: foreign, runId }), 'NOT_IN_PROJECT'],
    [
      'a result of an unknown word',
      'run-update-test-status',
      () => ({ projectId: mine, runId, testResults: [{ testId: test1, status: 'green' }] }),
      'INVALID_REQUEST',
    ],
    [
      'a result of a foreign test',
      'run-update-test-status',
      () => ({ projectId: mine, runId, testResults: [...passed(test1), ...passed(foreignTest)] }),
      'NOT_IN_RUN',
    ],
    [
      'two results of one test',
      'run-update-test-status',
      () => ({ projectId: mine, runId, testResults: [...passed(test1), ...passed(test1)] }),
      'DUPLICATE_ID',
    ],
    [
      'a result in a locked run',
      'run-update-test-status',
      () => ({ projectId: mine, runId: locked, testResults: passed(test1) }),
      'RUN_LOCKED',
    ],
  ];
  test.each(cases)('%s', async (title, tool, input, code) => {
    const actor = title === 'an organization of others' ? withRole('admin', 2) : owner;
    const before = await rowCounts();
    const fault = await refusal(tool, input(), actor);
    expect(fault?.code).toBe(code);
    expect(fault?.tip.length).toBeGreaterThan(10);
    expect(await rowCounts()).toEqual(before);
  });

  test('roles: a reader reads, a member writes, a stranger finds nothing, a read-only token cannot write', async () => {
    const write = { projectId: mine, testName: 'by role' };
    expect((await refusal('create-test', write, withRole('reader')))?.code).toBe('FORBIDDEN');
    expect(await refusal('get-tests', { projectId: mine }, withRole('reader'))).toBeNull();
    expect(await refusal('create-test', write, withRole('member'))).toBeNull();
    expect((await refusal('create-test', write, withRole('admin', 2)))?.code).toBe('PROJECT_NOT_FOUND');
    expect((await refusal('create-test', write, { ...owner, readOnly: true }))?.code).toBe('READ_ONLY');
    expect((await refusal('create-test', write, { ...owner, toolsets: ['cta'] }))?.code).toBe('FORBIDDEN');
    const names = async (actor: Actor) =>
      (await localExecutor(trivet.kernel, actor, {}).tools()).map(({ name }) => name);
    expect(await names(withRole('reader'))).toContain('get-tests');
    expect(await names(withRole('reader'))).not.toContain('create-test');
    expect(await names({ ...owner, readOnly: true })).not.toContain('create-test');
  });
});
