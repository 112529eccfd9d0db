import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { reportGithub } from '../ci/report-github.ts';
import { reportGitlab } from '../ci/report-gitlab.ts';
import { reportMarkdown } from '../ci/report-markdown.ts';
import { reportTable } from '../ci/report-table.ts';
import { failsBy } from '../ci/report-verdict.ts';
import type { UploadReport } from '../pipelines/rows/upload-report.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
let projectId = 0;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
});
afterAll(() => trivet.stop());

const day = 86_400_000;
const inDays = (days: number) => new Date(trivet.clock.now() + days * day).toISOString();
const set = (input: object, project = projectId) =>
  trivet.call('set-quarantine', {
    projectId: project,
    reason: 'It waits for a clock.',
    ownerId: trivet.owner.userId,
    until: inDays(30),
    ...input,
  });
const refusal = async (input: object) =>
  (
    await trivet.refusal('set-quarantine', {
      projectId,
      reason: 'slow',
      ownerId: trivet.owner.userId,
      until: inDays(1),
      ...input,
    })
  )?.code;

let build = 0;
async function upload(failing: readonly string[], input: object = {}): Promise<UploadReport> {
  const cases = ['a', 'b', 'c'].map(
    (name) =>
      `<testcase name="${name}">${failing.includes(name) ? '<failure message="no"/>' : ''}</testcase>`,
  );
  return (await trivet.call('ingest-results', {
    projectId,
    runKey: `build ${++build}`,
    branch: 'main',
    files: [{ name: 'junit.xml', content: `<testsuite name="s">${cases.join('')}</testsuite>` }],
    ...input,
  })) as unknown as UploadReport;
}
const idOf = async (name: string) => {
  const { tests } = await trivet.call('get-tests', { projectId, query: `name:=${name}` });
  return (tests as Array<{ testId: number }>)[0]?.testId ?? 0;
};
const listed = async () =>
  (await trivet.call('list-quarantined', { projectId })) as {
    total: number;
    defaultBranch: string | null;
    tests: Array<Record<string, unknown>>;
  };

describe('a test in quarantine', () => {
  test('fails no build, and every output says so', async () => {
    expect(failsBy(await upload(['a']), 'any')).toBe(true);
    const testId = await idOf('a');
    expect(await set({ testIds: [testId] })).toMatchObject({ count: 1, quarantined: 1, most: 1 });
    await upload([]);
    const report = await upload(['a']);
    expect(report).toMatchObject({
      totals: { failed: 1, quarantined: 1 },
      failing: [],
      newlyFailing: [],
      newlyFailingCount: 0,
      quarantined: [{ testId, name: 's > a' }],
      quarantinedCount: 1,
    });
    expect([failsBy(report, 'any'), failsBy(report, 'new')]).toEqual([false, false]);
    for (const text of [
      reportTable(report, { width: 100 }),
      reportMarkdown(report),
      reportGithub(report),
      reportGitlab(report, { now: 0 }),
    ])
      expect(text.replaceAll(/\s+/g, ' ')).toMatch(
        /Passed: 2 of 3 tests, 1 failed in quarantine.*Failed in quarantine \(?1?/,
      );
    expect(await trivet.call('get-tests', { projectId, query: 'last:failed is:quarantined' })).toMatchObject({
      total: 1,
    });
    expect(
      await trivet.call('get-run-tests-list', { projectId, runId: report.runId, query: 'status:failed' }),
    ).toMatchObject({ total: 1 });
  });

  test('does not hide the failures of others', async () => {
    const report = await upload(['a', 'b']);
    expect(report).toMatchObject({ totals: { failed: 2, quarantined: 1 }, newlyFailingCount: 1 });
    expect([failsBy(report, 'any'), failsBy(report, 'new')]).toEqual([true, true]);
    const still = await upload(['a', 'b']);
    expect([failsBy(still, 'any'), failsBy(still, 'new')]).toEqual([true, false]);
    expect(reportTable(still, { width: 100 })).toContain(
      'Failed: 1 of 3 tests, none of them newly, 1 failed in quarantine',
    );
  });

  test('is proposed for its end after ten passes in a row on the default branch', async () => {
    await upload(['a']);
    for (let n = 0; n < 9; n++) await upload([]);
    await upload([], { branch: 'feature' });
    expect(await listed()).toMatchObject({
      total: 1,
      defaultBranch: 'main',
      tests: [{ passesInRow: 9, proposesEnd: false, isOver: false, lastStatus: 'passed' }],
    });
    await upload([]);
    expect((await listed()).tests).toMatchObject([{ passesInRow: 10, proposesEnd: true }]);
  });

  test('fails builds again after its end, and when it is ended', async () => {
    trivet.clock.advance(30 * day);
    const late = await upload(['a']);
    expect(failsBy(late, 'any')).toBe(true);
    expect(late.totals.quarantined).toBeUndefined();
    expect((await listed()).tests).toMatchObject([{ isOver: true }]);
    expect(await trivet.call('get-tests', { projectId, query: 'is:quarantined' })).toMatchObject({
      total: 0,
    });
    await set({ query: 'name:=a' });
    expect(failsBy(await upload(['a']), 'any')).toBe(false);
    const end = { projectId, query: '' };
    expect(await trivet.call('end-quarantine', { ...end, dryRun: true })).toMatchObject({
      dryRun: true,
      count: 1,
    });
    expect(await trivet.call('end-quarantine', end)).toMatchObject({ count: 1, first: [{ testName: 'a' }] });
    expect(await trivet.call('end-quarantine', end)).toMatchObject({ count: 0 });
    expect(failsBy(await upload(['a']), 'any')).toBe(true);
  });

  test('keeps its quarantine when it is merged into another', async () => {
    const [one = 0, other = 0] = await trivet.makeTests(projectId, 2);
    await set({ testIds: [one] });
    await trivet.call('merge-tests', { projectId, testId: other, mergedTestId: one });
    expect((await listed()).tests).toMatchObject([{ testId: other }]);
    await trivet.call('end-quarantine', { projectId, testIds: [other] });
  });
});

describe('the limits', () => {
  test('a deleted test takes no room, and has its quarantine again when it is restored', async () => {
    const project = await trivet.makeProject();
    const [deleted, other] = await trivet.makeTests(project, 2);
    await set({ testIds: [deleted] }, project);
    await trivet.call('delete-test', { projectId: project, testId: deleted });
    const total = async () => (await trivet.call('list-quarantined', { projectId: project }))['total'];
    expect(await total()).toBe(0);
    expect(await set({ testIds: [other] }, project)).toMatchObject({ quarantined: 1 });
    await trivet.call('restore-test', { projectId: project, testId: deleted });
    expect(await total()).toBe(2);
  });

  test('5 % of a project, unless forced', async () => {
    const large = await trivet.makeProject();
    const ids = await trivet.makeTests(large, 100);
    expect(await set({ testIds: ids.slice(0, 5) }, large)).toMatchObject({ quarantined: 5, most: 5 });
    // The same again needs no room.
    expect(await set({ testIds: ids.slice(0, 5), dryRun: true }, large)).toMatchObject({ quarantined: 5 });
    const more = { projectId: large, testIds: ids.slice(5, 6) };
    expect(await refusal(more)).toBe('QUARANTINE_FULL');
    expect(await set({ ...more, force: true }, large)).toMatchObject({ quarantined: 6 });
    trivet.clock.advance(31 * day);
    expect(await set({ testIds: ids.slice(6, 11) }, large)).toMatchObject({ quarantined: 5 });
  });

  test.each([
    ['an end in the past', () => ({ query: 'a', until: inDays(-1) }), 'INVALID_REQUEST'],
    ['more than 90 days', () => ({ query: 'a', until: inDays(91) }), 'INVALID_REQUEST'],
    ['a stranger as owner', () => ({ query: 'a', ownerId: 999_999 }), 'USER_NOT_FOUND'],
    ['no test', () => ({}), 'INVALID_REQUEST'],
    ['no test that fits', () => ({ query: 'id:999999' }), 'NOTHING_TO_UPDATE'],
    ['an unknown test', () => ({ testIds: [999_999] }), 'NOT_IN_PROJECT'],
  ] as const)('refused: %s', async (_, input, code) => {
    expect(await refusal(input())).toBe(code);
  });
});
