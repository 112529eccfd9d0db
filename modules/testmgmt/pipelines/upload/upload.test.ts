import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel } from '../../testing/testmgmt-kernel.ts';
import { junitText } from '../../testing/junit-text.ts';
import type { UploadReport } from '../rows/upload-report.ts';
import { rejectionOf } from '../../../../test/rejection.ts';

let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
let projectId: number;

beforeAll(async () => {
  trivet = await startTestmgmtKernel();
});
afterEach(async () => expect(await trivet.wrongCounts()).toEqual([]));
beforeEach(async () => {
  trivet.clock.advance(1_000);
  projectId = await trivet.makeProject();
});

const upload = async (content: string, input: object = {}) =>
  (await trivet.call('ingest-results', {
    projectId,
    files: [{ name: 'junit.xml', content }],
    ...input,
  })) as unknown as UploadReport;

const testsOf = async () =>
  (await trivet.call('get-tests', { projectId }))['tests'] as Array<Record<string, unknown>>;
const names = (tests: ReadonlyArray<{ name: string }>) => tests.map(({ name }) => name);

/** The status of each test of a run, by name. */
async function statusesOf(runId: number | null): Promise<Record<string, unknown>> {
  const { tests } = (await trivet.call('get-run-tests-list', { projectId, runId: runId ?? 0 })) as {
    tests: Array<{ testName: string; status: string }>;
  };
  return Object.fromEntries(tests.map(({ testName, status }) => [testName, status]));
}

const cart = (failing?: string) =>
  junitText({
    'cart.test.ts': ['adds an item', { name: 'removes an item', ...(failing ? { failed: failing } : {}) }],
    'pay.test.ts': [{ name: 'pays by card' }, { name: 'refunds', skipped: true }],
  });

describe('the first upload of a project', () => {
  test('creates its tests in sections by suite, and a run with their results', async () => {
    const report = await upload(cart('no item'), { runKey: 'build 1', runName: 'CI #1' });
    expect(report).toMatchObject({
      dryRun: false,
      runKey: 'build 1',
      totals: { cases: 4, passed: 2, failed: 1, skipped: 1, flaky: 0 },
      files: [{ file: 'junit.xml', format: expect.any(String), cases: 4, passed: 2, failed: 1, skipped: 1 }],
      matched: 0,
      created: 4,
      unmatched: 0,
      missing: 0,
      comparedWith: null,
    });
    expect(names(report.newlyFailing)).toEqual(['cart.test.ts > removes an item']);
    expect(report.newlyFailing[0]?.message).toContain('no item');
    expect(await statusesOf(report.runId)).toEqual({
      'adds an item': 'passed',
      'removes an item': 'failed',
      'pays by card': 'passed',
      refunds: 'untested',
    });
    expect(await trivet.call('run-detail', { projectId, runId: report.runId })).toMatchObject({
      runName: 'CI #1',
      counts: { total: 4, passed: 2, failed: 1, untested: 1 },
    });
    expect((await testsOf()).map(({ testName, sectionPath }) => [testName, sectionPath])).toEqual([
      ['adds an item', ['cart.test.ts']],
      ['removes an item', ['cart.test.ts']],
      ['pays by card', ['pay.test.ts']],
      ['refunds', ['pay.test.ts']],
    ]);
  });

  test('a dry run answers the same and writes nothing', async () => {
    const before = await trivet.everything();
    const foreseen = await upload(cart('no item'), { runKey: 'build 1', dryRun: true });
    expect(await trivet.everything()).toEqual(before);
    const written = await upload(cart('no item'), { runKey: 'build 1' });
    const plain = ({ testId: _id, ...one }: UploadReport['failing'][number]) => one;
    expect(foreseen.failing.map(plain)).toEqual(written.failing.map(plain));
    const { runId, failing: _a, newlyFailing: _b, ...same } = foreseen;
    expect(runId).toBeNull();
    const { runId: _c, failing: _d, newlyFailing: _e, ...done } = written;
    expect(same).toEqual({ ...done, dryRun: true });
  });
});

describe('an upload that is repeated', () => {
  test.each([
    ['with its key', { runKey: 'build 1' }],
    ['without one: the contents are the key', {}],
  ])('%s changes nothing', async (_title, input) => {
    const first = await upload(cart('no item'), input);
    const before = await trivet.everything();
    const again = await upload(cart('no item'), input);
    expect(await trivet.everything()).toEqual(before);
    expect(again).toMatchObject({ runId: first.runId, created: 0, matched: 4 });
  });

  test('of another file: another run', async () => {
    const first = await upload(cart('no item'));
    const second = await upload(cart());
    expect(second.runId).not.toBe(first.runId);
    expect(names(second.fixed)).toEqual(['cart.test.ts > removes an item']);
    expect(second.comparedWith).toEqual({ runId: first.runId ?? 0, runName: expect.any(String) as never });
  });

  test('shards of one build meet in one run', async () => {
    const one = await upload(junitText({ a: ['first case'] }), { runKey: 'b', create: true });
    const two = await upload(junitText({ b: ['second case'] }), { runKey: 'b', create: true });
    expect(two.runId).toBe(one.runId);
    expect(await statusesOf(one.runId)).toEqual({ 'first case': 'passed', 'second case': 'passed' });
  });

  test('a job that ran again: the last attempt counts, and the test is flaky', async () => {
    const failed = junitText(
      { a: [{ name: 'first case', failed: 'no' }] },
      { timestamp: '2026-11-20T10:00:00' },
    );
    const passed = junitText({ a: ['first case'] }, { timestamp: '2026-11-20T10:05:00Z' });
    for (const [key, uploads] of Object.entries({ forth: [failed, passed], back: [passed, failed] })) {
      const reports = [];
      for (const content of uploads) reports.push(await upload(content, { runKey: key }));
      expect(reports[1]).toMatchObject({ runId: reports[0]?.runId, totals: { flaky: 1 } });
      expect(await statusesOf(reports[1]?.runId ?? null)).toEqual({ 'first case': 'passed' });
    }
  });

  test('two jobs of one build: what failed in one has failed', async () => {
    const input = { runKey: 'b' };
    await upload(junitText({ a: [{ name: 'first case', failed: 'no' }] }), { ...input, job: 'windows' });
    const { runId, failing } = await upload(junitText({ a: ['first case'] }), { ...input, job: 'linux' });
    expect(await statusesOf(runId)).toEqual({ 'first case': 'failed' });
    expect(names(failing)).toEqual(['a > first case']);
  });

  test('a status that a person set stays when the same file arrives again', async () => {
    const { runId } = await upload(cart('no item'), { runKey: 'b' });
    const [, removes] = await testsOf();
    const testResults = [{ testId: removes?.['testId'], status: 'blocked', comment: 'known' }];
    await trivet.call('run-update-test-status', { projectId, runId, testResults });
    await upload(cart('no item'), { runKey: 'b' });
    expect(await statusesOf(runId)).toMatchObject({ 'removes an item': 'blocked' });
  });
});

describe('the test of a case', () => {
  test('unknown cases create no test in a project with automation keys, unless asked', async () => {
    await upload(cart());
    const grown = junitText({ 'cart.test.ts': ['adds an item', 'empties the cart'] });
    const off = await upload(grown);
    expect(off).toMatchObject({ matched: 1, created: 0, unmatched: 1, missing: 3 });
    expect(names(off.unmatchedTests)).toEqual(['cart.test.ts > empties the cart']);
    const on = await upload(grown, { create: true, runKey: 'on' });
    expect(on).toMatchObject({ matched: 1, created: 1, unmatched: 0 });
  });

  test.each([
    ['in its name', (id: number) => ({ name: `pays [T${id}]` })],
    ['as a property', (id: number) => ({ name: 'pays', properties: { 'trivet.id': String(id) } })],
  ])('is the one that it names %s', async (_title, written) => {
    const [manual = 0] = await trivet.makeTests(projectId, 1);
    const { runId, created, matched } = await upload(junitText({ a: [written(manual)] }));
    expect({ created, matched }).toEqual({ created: 0, matched: 1 });
    expect(await statusesOf(runId)).toEqual({ t0: 'passed' });
  });

  test('an id of another project is no match, and is said so', async () => {
    const other = await trivet.makeProject();
    const [foreign = 0] = await trivet.makeTests(other, 1);
    const report = await upload(junitText({ a: [{ name: `pays [T${foreign}]` }] }));
    expect(report).toMatchObject({ created: 1, matched: 0 });
    expect(report.warnings.join()).toContain(`T${foreign}`);
    const { history } = (await trivet.call('get-test-status-history', {
      projectId: other,
      testId: foreign,
    })) as { history: unknown[] };
    expect(history).toEqual([]);
  });

  test('several cases that name one test: one failure is the result', async () => {
    const [manual = 0] = await trivet.makeTests(projectId, 1);
    const { runId } = await upload(
      junitText({
        a: [{ name: `pays by card [T${manual}]`, failed: 'no' }, { name: `pays by cash [T${manual}]` }],
      }),
    );
    expect(await statusesOf(runId)).toEqual({ t0: 'failed' });
  });

  test('cases of one name are told apart and reported', async () => {
    const report = await upload(
      junitText({ a: [{ name: 'same', failed: 'no', line: 3 }, { name: 'same', line: 9 }, 'other one'] }),
    );
    expect(report).toMatchObject({ created: 3, duplicates: [{ name: 'a > same', count: 2 }] });
    expect(await statusesOf(report.runId)).toEqual({
      same: 'failed',
      'same #2': 'passed',
      'other one': 'passed',
    });
  });

  test('a deleted test is not brought back: its case is unknown', async () => {
    await upload(cart());
    const [adds] = await testsOf();
    await trivet.call('delete-test', { projectId, testId: adds?.['testId'] });
    expect(await upload(cart(), { runKey: 'off' })).toMatchObject({ matched: 3, unmatched: 1 });
    expect(await upload(cart(), { runKey: 'on', create: true })).toMatchObject({ matched: 3, created: 1 });
  });
});

describe('a test that somebody deleted', () => {
  test.each<[string, object, object]>([
    ['is neither missing nor renamed to itself', {}, { unmatched: 1, created: 0 }],
    ['refuses no upload that accepts renames', { acceptRenames: true }, { unmatched: 1, created: 0 }],
    ['is created again', { acceptRenames: true, create: true }, { unmatched: 0, created: 1 }],
  ])('%s', async (_, input, expected) => {
    await upload(cart());
    const [adds] = await testsOf();
    await trivet.call('delete-test', { projectId, testId: adds?.['testId'] });
    const report = await upload(cart(), { runKey: 'second', ...input });
    expect(report).toMatchObject({ matched: 3, missing: 0, missingTests: [], renamed: [], ...expected });
  });

  test('is not missing in a report without it, the others are', async () => {
    await upload(cart());
    const [adds] = await testsOf();
    await trivet.call('delete-test', { projectId, testId: adds?.['testId'] });
    const report = await upload(junitText({ 'pay.test.ts': ['pays by card'] }));
    expect(names(report.missingTests)).toEqual(['cart.test.ts > removes an item', 'pay.test.ts > refunds']);
    expect(report).toMatchObject({ missing: 2, renamed: [] });
  });
});

describe('a test that is called otherwise', () => {
  const before = junitText({
    'cart.test.ts': ['adds an item to the cart', 'removes an item', 'shows the total'],
  });
  const after = junitText({
    'cart.test.ts': ['adds one item to the cart', 'removes an item', 'shows the total'],
  });

  test('is offered, and stays one of its own until somebody accepts', async () => {
    await upload(before);
    const report = await upload(after);
    expect(report.renamed).toEqual([
      {
        from: 'cart.test.ts > adds an item to the cart',
        to: 'cart.test.ts > adds one item to the cart',
        testId: expect.any(Number) as never,
        createdTestId: null,
        similarity: expect.any(Number) as never,
        accepted: false,
      },
    ]);
    expect(report).toMatchObject({ matched: 2, unmatched: 1, missing: 1 });
    expect(await testsOf()).toHaveLength(3);
  });

  test('accepted by the flag: the history follows, and both names find it', async () => {
    await upload(before);
    const [test] = await testsOf();
    const report = await upload(after, { acceptRenames: true });
    expect(report).toMatchObject({ unmatched: 0, missing: 0, created: 0, renamed: [{ accepted: true }] });
    expect((await testsOf())[0]).toMatchObject({
      testId: test?.['testId'],
      testName: 'adds one item to the cart',
    });
    const { total } = await trivet.call('get-test-status-history', { projectId, testId: test?.['testId'] });
    expect(total).toBe(2);
    expect(await upload(before, { runKey: 'old branch' })).toMatchObject({ matched: 3, unmatched: 0 });
    expect(await upload(after, { runKey: 'new branch' })).toMatchObject({ matched: 3, unmatched: 0 });
  });

  test('an old name beside the new one is another test', async () => {
    await upload(before);
    await upload(after, { acceptRenames: true });
    const both = junitText({ 'cart.test.ts': ['adds an item to the cart', 'adds one item to the cart'] });
    const report = await upload(both, { create: true, runKey: 'both' });
    expect(report).toMatchObject({ matched: 1, created: 1 });
  });
});

describe('what is refused changes nothing', () => {
  test.each([
    ['no file', { files: [] }, 'NO_RESULT_FILES'],
    ['a file that is none', { files: [{ name: 'x', content: 'hello' }] }, 'RESULT_FILE_UNREADABLE'],
    [
      'one good, one bad',
      {
        files: [
          { name: 'a', content: cart() },
          { name: 'b', content: '<testsuite' },
        ],
      },
      'RESULT_FILE_UNREADABLE',
    ],
    ['no project', { projectId: 4_711 }, 'PROJECT_NOT_FOUND'],
  ])('%s', async (_title, input, code) => {
    const before = await trivet.everything();
    expect(await rejectionOf(upload(cart(), input))).toMatchObject({ code });
    expect(await trivet.everything()).toEqual(before);
  });

  test('a locked run', async () => {
    const { runId } = await upload(cart(), { runKey: 'b' });
    await trivet.call('run-lock', { projectId, runId });
    const before = await trivet.everything();
    expect(await rejectionOf(upload(cart('no'), { runKey: 'b' }))).toMatchObject({ code: 'RUN_LOCKED' });
    expect(await trivet.everything()).toEqual(before);
  });

  test('a deleted run gives its key to a new one', async () => {
    const { runId } = await upload(cart(), { runKey: 'b' });
    await trivet.call('delete-run', { projectId, runId });
    const again = await upload(cart(), { runKey: 'b' });
    expect(again.runId).not.toBe(runId);
    expect(await statusesOf(again.runId)).toMatchObject({ 'adds an item': 'passed' });
  });
});
