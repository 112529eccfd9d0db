import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { failsBy, verdictOf } from '../../ci/report-verdict.ts';
import { reportGithub } from '../../ci/report-github.ts';
import { reportGitlab } from '../../ci/report-gitlab.ts';
import { reportMarkdown } from '../../ci/report-markdown.ts';
import { reportTable } from '../../ci/report-table.ts';
import { startTestmgmtKernel } from '../../testing/testmgmt-kernel.ts';
import { junitText } from '../../testing/junit-text.ts';
import type { UploadReport } from '../rows/upload-report.ts';
import { rejectionOf } from '../../../../test/rejection.ts';

/* Cases without a test. @see issue 13, 40 and 44: a new test that failed was not reported anywhere. */

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

let builds = 0;
const upload = async (content: string, input: object = {}) =>
  (await trivet.call('ingest-results', {
    projectId,
    runKey: `build ${++builds}`,
    files: [{ name: 'junit.xml', content }],
    ...input,
  })) as unknown as UploadReport;
const known = ['adds an item', 'removes an item', 'shows the total'];
const plain = junitText({ cart: known });
const withNew = (failed?: string) =>
  junitText({ cart: [...known, { name: 'empties the cart', ...(failed ? { failed } : {}) }] });
const names = (tests: ReadonlyArray<{ name: string }>) => tests.map(({ name }) => name);
const read = (tool: string, runId: number | null, input: object = {}) =>
  trivet.call(tool, { projectId, runId, ...input });

describe('a new test that fails', () => {
  test.each([false, true])('fails newly, with its message, in every output (dry run: %p)', async (dryRun) => {
    await upload(plain);
    const report = await upload(withNew('the cart has 2 items'), { dryRun });
    const one = {
      testId: null,
      name: 'cart > empties the cart',
      message: expect.stringContaining('2 items'),
    };
    expect(report).toMatchObject({
      unmatched: 1,
      unmatchedTests: [one],
      failing: [one],
      newlyFailing: [one],
      newlyFailingCount: 1,
      totals: { failed: 1 },
    });
    expect([failsBy(report, 'new'), failsBy(report, 'any')]).toEqual([true, true]);
    expect(verdictOf(report)).toStartWith('Failed: 1 of 4 tests, 1 of them newly');
    for (const text of [
      reportTable(report, { width: 100 }),
      reportGithub(report),
      reportGitlab(report, { now: 0 }),
      reportMarkdown(report),
    ]) {
      expect(text).toContain('empties the cart');
      expect(text).toContain('the cart has 2 items');
    }
    expect(reportGithub(report)).toContain('::error title=Newly failing%3A cart > empties the cart');
  });

  test('is newly failing once, then still failing, then fixed', async () => {
    await upload(plain);
    const said = [];
    for (const failed of ['no', 'no', undefined, 'no']) {
      const { newlyFailing, failing, fixed } = await upload(withNew(failed));
      said.push([names(newlyFailing).length, names(failing).length, names(fixed).length]);
    }
    expect(said).toEqual([
      [1, 1, 0],
      [0, 1, 0],
      [0, 0, 1],
      [1, 1, 0],
    ]);
  });

  test('counts in its run, wherever a run is read', async () => {
    await upload(plain);
    const { runId } = await upload(withNew('the cart has 2 items'));
    const unmatched = { passed: 0, failed: 1, skipped: 0 };
    expect(await read('run-detail', runId)).toMatchObject({ counts: { total: 3, failed: 0 }, unmatched });
    expect(await read('get-run-state-detail', runId)).toMatchObject({ unmatched });
    const { runs } = (await trivet.call('get-runs', { projectId })) as { runs: object[] };
    expect(runs[0]).toMatchObject({ runId, unmatched });
    expect(runs[1]).not.toHaveProperty('unmatched');
    expect(await read('get-run-results', runId)).toMatchObject({
      total: 3,
      unmatchedTotal: 1,
      unmatched: [
        { key: 'cart > empties the cart', status: 'failed', message: expect.stringContaining('2 items') },
      ],
    });
  });

  test('is in a comparison of runs', async () => {
    await upload(plain);
    const compared = async (runId: number | null) => (await read('compare-runs', runId))['unmatched'];
    const first = await upload(withNew('the cart has 2 items'));
    const one = { key: 'cart > empties the cart', message: expect.stringContaining('2 items') };
    expect(await compared(first.runId)).toEqual([{ ...one, change: 'newly-failing' }]);
    const second = await upload(withNew('the cart has 2 items'));
    expect(await compared(second.runId)).toEqual([{ ...one, change: 'still-failing' }]);
    expect(await compared((await upload(withNew())).runId)).toBeUndefined();
  });

  test('a run without such cases says nothing of them', async () => {
    const { runId } = await upload(plain);
    expect(await read('run-detail', runId)).not.toHaveProperty('unmatched');
  });

  test.each(['forth', 'back'])(
    'the same file twice is the same; the last attempt counts (%s)',
    async (way) => {
      await upload(plain);
      const at = (minute: number, failed?: string) =>
        junitText(
          { cart: [...known, { name: 'empties the cart', ...(failed ? { failed } : {}) }] },
          { timestamp: `2026-11-20T10:0${minute}:00Z` },
        );
      const files = [at(1, 'no'), at(1, 'no'), at(5)];
      const reports = [];
      for (const content of way === 'forth' ? files : files.toReversed())
        reports.push(await upload(content, { runKey: `same ${way} ${projectId}` }));
      const { runId } = reports[0] ?? {};
      expect(await read('get-run-results', runId ?? null)).toMatchObject({
        unmatched: [{ key: 'cart > empties the cart', status: 'passed', flaky: true }],
      });
    },
  );

  test('two jobs: what failed in one has failed', async () => {
    await upload(plain);
    const runKey = `jobs ${projectId}`;
    await upload(withNew('no'), { runKey, job: 'windows' });
    const { runId, failing } = await upload(withNew(), { runKey, job: 'linux' });
    expect(names(failing)).toEqual(['cart > empties the cart']);
    expect(await read('run-detail', runId)).toMatchObject({ unmatched: { failed: 1 } });
  });

  test('becomes the result of the test that is created for it in the same run', async () => {
    await upload(plain);
    const runKey = `created ${projectId}`;
    await upload(withNew('no'), { runKey, job: 'windows' });
    const { runId, created } = await upload(withNew('no'), { runKey, job: 'windows', create: true });
    expect(created).toBe(1);
    expect(await read('run-detail', runId)).toMatchObject({ counts: { total: 4, failed: 1 } });
    expect(await read('run-detail', runId)).not.toHaveProperty('unmatched');
  });

  test('a run keeps at most 1,000 that failed and 1,000 others, and the upload says so', async () => {
    await upload(plain);
    const many = Array.from({ length: 2_600 }, (_, at) => ({
      name: `case of its own number ${at}`,
      ...(at % 2 === 0 ? { failed: 'no' } : {}),
    }));
    const { runId, newlyFailingCount, warnings } = await upload(junitText({ other: many }));
    expect(newlyFailingCount).toBe(1_300);
    expect(warnings).toEqual([expect.stringContaining('2600 cases belong to no test')]);
    expect(await read('run-detail', runId)).toMatchObject({ unmatched: { failed: 1_000, passed: 1_000 } });
    const kept = new Set<string>();
    for (let offset: unknown = 0; offset !== undefined;) {
      const page = await read('get-run-results', runId, { limit: 400, offset });
      for (const { key } of page['unmatched'] as ReadonlyArray<{ key: string }>) kept.add(key);
      offset = page['nextOffset'];
    }
    expect(kept.size).toBe(2_000);
  });
});

describe('a rename that nobody answered', () => {
  const older = junitText({ cart: ['adds an item to the cart', 'removes an item', 'shows the total'] });
  const renamed = (failed?: string) =>
    junitText({
      cart: [
        { name: 'adds one item to the cart', ...(failed ? { failed } : {}) },
        'removes an item',
        'shows the total',
      ],
    });
  const key = 'cart > adds one item to the cart';
  const historyOf = async (testId: number) => {
    const { history } = (await trivet.call('get-test-status-history', { projectId, testId })) as {
      history: Array<{ status: string; runId: number; comment: string | null }>;
    };
    return history.map(({ runId, status }) => [runId, status]);
  };

  test('is offered again by every upload, and its results are joined when it is accepted', async () => {
    const first = await upload(older);
    const missed = [await upload(renamed('no')), await upload(renamed()), await upload(renamed('no'))];
    const { testId = 0 } = missed[0]?.renamed[0] ?? {};
    for (const { renamed: offers } of missed)
      expect(offers).toMatchObject([{ testId, to: key, accepted: false, createdTestId: null }]);
    const runId = missed[2]?.runId ?? null;
    expect(await read('get-run-results', runId)).toMatchObject({ unmatched: [{ key, renameOf: testId }] });
    await trivet.call('run-lock', { projectId, runId: missed[0]?.runId });

    const before = await trivet.everything();
    const input = { projectId, testId, key };
    expect(await trivet.call('accept-rename', { ...input, dryRun: true })).toMatchObject({
      joinedResults: 2,
    });
    expect(await trivet.everything()).toEqual(before);
    expect(await trivet.call('accept-rename', input)).toMatchObject({ joinedResults: 2 });
    expect(await historyOf(testId)).toEqual([
      [missed[2]?.runId ?? 0, 'failed'],
      [missed[1]?.runId ?? 0, 'passed'],
      [first.runId ?? 0, 'passed'],
    ]);
    expect(await read('run-detail', runId)).toMatchObject({ counts: { total: 3, failed: 1 } });
    expect(await read('run-detail', runId)).not.toHaveProperty('unmatched');
    // A locked run is not changed.
    expect(await read('run-detail', missed[0]?.runId ?? null)).toMatchObject({ unmatched: { failed: 1 } });
    expect(await upload(renamed('no'))).toMatchObject({ renamed: [], unmatched: 0, newlyFailing: [] });
  });

  test('is joined by a later upload with acceptRenames', async () => {
    const first = await upload(older);
    const missed = await upload(renamed('no'));
    await upload(junitText({ cart: ['removes an item', 'shows the total'] }));
    const late = await upload(renamed(), { acceptRenames: true });
    expect(late).toMatchObject({ renamed: [{ accepted: true }], unmatched: 0 });
    expect(await historyOf(late.renamed[0]?.testId ?? 0)).toEqual([
      [late.runId ?? 0, 'passed'],
      [missed.runId ?? 0, 'failed'],
      [first.runId ?? 0, 'passed'],
    ]);
  });

  test('is offered no more when somebody says no', async () => {
    await upload(older);
    const { testId = 0 } = (await upload(renamed())).renamed[0] ?? {};
    const input = { projectId, testId, key, decline: true };
    expect(await trivet.call('accept-rename', input)).toMatchObject({ declined: true, mergedTestId: null });
    expect((await upload(renamed())).renamed).toEqual([]);
    await upload(older);
    expect((await upload(renamed())).renamed).toEqual([]);
    expect(await rejectionOf(trivet.call('accept-rename', { ...input, key: 'nothing' }))).toMatchObject({
      code: 'NOTHING_TO_UPDATE',
    });
  });

  test('is no rename while the old name is reported', async () => {
    await upload(older);
    await upload(renamed());
    const both = junitText({ cart: ['adds an item to the cart', 'adds one item to the cart'] });
    expect((await upload(both)).renamed).toEqual([]);
  });
});
