import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf, isFile } from '../../../core/tools/file-answer.ts';
import { localExecutor } from '../../../core/tools/local-executor.ts';
import type { TestRecord } from '../cases/case-record.ts';
import { testStatuses, type TestStatus } from '../rules/test-status.ts';
import { startTestmgmtKernel } from './testmgmt-kernel.ts';

/*
 * Thousands of real tests through the public tools: imported, exported, copied into a second project, and run for a year. The sample is
 * located next to the checkout; without it, tests of the same shape are generated.
 */
interface Case {
  readonly title: string;
  readonly section: readonly string[];
  readonly priority: string;
  readonly automation: string;
  readonly labels: readonly string[];
  readonly description: string;
  readonly preconditions: string;
  readonly steps: ReadonlyArray<{
    readonly action: string;
    readonly data: string;
    readonly expected: string;
  }>;
}

const sample = join(import.meta.dir, '../../../shared/samples/mattermost-cases.jsonl');

function cases(): readonly Case[] {
  if (existsSync(sample)) {
    return readFileSync(sample, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Case);
  }
  return Array.from({ length: 2_000 }, (_, n) => ({
    title: `Case ${n} "quoted", =1+1`,
    section: [`Area ${n % 7}`, `Part > ${n % 31}`, ...(n % 3 === 0 ? [`Deep ${n % 5}`] : [])],
    priority: ['Normal', 'High', 'Low'][n % 3] ?? 'Normal',
    automation: n % 2 === 0 ? 'manual' : 'automated',
    labels: [`label ${n % 13}`, 'e2e, ui'],
    description: `-Description ${n}\nwith lines`,
    preconditions: n % 4 === 0 ? '@somebody' : '',
    steps: Array.from({ length: n % 6 }, (_step, at) => ({
      action: `Do ${at}`,
      data: '',
      expected: `See ${at}`,
    })),
  }));
}

let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
const all = cases();
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

async function download(tool: string, input: object): Promise<string> {
  const executor = localExecutor(trivet.kernel, trivet.owner, {});
  const answer = await executor.call(tool, input, { signal: AbortSignal.timeout(60_000) });
  if (!isFile(answer)) throw new Error('no file');
  return (await bytesOf(answer)).toString('utf8');
}

/** The fields of a test that do not depend on its project. */
const portable = ({ testName, testDescription, preconditions, steps, sectionPath, ...rest }: TestRecord) => ({
  testName,
  testDescription,
  preconditions,
  steps,
  sectionPath,
  priority: rest.priority,
  type: rest.type,
  automationStatus: rest.automationStatus,
  platform: rest.platform,
  testCoveredBy: rest.testCoveredBy,
  squad: rest.squad,
  labels: rest.labels.map(({ labelName }) => labelName).toSorted(),
});
const testsOf = async (projectId: number) =>
  (JSON.parse(await download('download-tests', { projectId })) as { tests: TestRecord[] }).tests;

describe(`${all.length} test cases`, () => {
  const withoutEmpty = (step: Case['steps'][number]) =>
    Object.fromEntries(Object.entries(step).filter(([, value]) => value !== ''));
  const loaded = all.map((one) => ({
    testName: one.title.slice(0, 255),
    testDescription: one.description,
    preconditions: one.preconditions,
    steps: one.steps.map((step) => withoutEmpty({ ...step, action: step.action || '–' })),
    sectionPath: one.section,
    priority: one.priority === '' ? null : one.priority,
    automationStatus: one.automation === '' ? null : one.automation,
    labels: one.labels,
  }));
  let first: number;
  let second: number;
  let third: number;

  test('load through import-tests, previewed before', async () => {
    [first, second, third] = [
      await trivet.makeProject(),
      await trivet.makeProject(),
      await trivet.makeProject(),
    ];
    const content = JSON.stringify(loaded);
    const preview = await trivet.call('import-tests', {
      projectId: first,
      content,
      format: 'json',
      dryRun: true,
    });
    expect(preview).toMatchObject({ dryRun: true, testsCount: all.length, faultsCount: 0 });
    expect(await trivet.call('get-tests-count', { projectId: first })).toMatchObject({ total: 0 });
    const { dryRun: _, ...written } = await trivet.call('import-tests', {
      projectId: first,
      content,
      format: 'json',
    });
    const { dryRun: __, ...previewed } = preview;
    expect(written).toEqual(previewed);
    expect(await trivet.call('get-tests-count', { projectId: first })).toMatchObject({ total: all.length });
  }, 60_000);

  test('come out as they went in', async () => {
    const stored = await testsOf(first);
    expect(stored.length).toBe(loaded.length);
    for (const [index, one] of stored.entries()) {
      const given = loaded[index];
      expect(one.testName).toBe(given?.testName.trim() ?? '');
      expect(one.steps).toEqual((given?.steps ?? []) as never);
      expect(one.sectionPath.map((name) => name.toLowerCase())).toEqual(
        (given?.sectionPath ?? []).map((name) => name.trim().toLowerCase()),
      );
    }
  }, 60_000);

  test.each(['json', 'csv'] as const)(
    'go into another project as %s and compare equal',
    async (format) => {
      const content = await download('download-tests', { projectId: first, format });
      const into = format === 'json' ? second : third;
      const answer = await trivet.call('import-tests', { projectId: into, content, format });
      expect(answer).toMatchObject({ testsCount: all.length, ignoredColumns: [] });
      const [here, there] = [await testsOf(first), await testsOf(into)];
      expect(there.map(portable)).toEqual(here.map(portable));
    },
    60_000,
  );

  test('a year of weekly runs over them: counts, history and reports agree with what was reported', async () => {
    const ids = (await testsOf(first)).map(({ testId }) => testId);
    const expected = new Map<number, Map<number, TestStatus>>();
    const histories = new Map<number, string[]>();
    let last = 0;
    for (let week = 0; week < 52; week++) {
      trivet.clock.advance(7 * 86_400_000);
      const { runId } = await trivet.call('create-run', {
        projectId: first,
        runName: `Week ${week}`,
        testIds: ids,
      });
      last = Number(runId);
      const results = ids
        .filter((id) => (id + week) % 5 < 3)
        .map((testId) => ({ testId, status: testStatuses[(testId * 7 + week) % 4] ?? 'passed' }));
      const reported = new Map(ids.map((id) => [id, 'untested' as TestStatus]));
      for (let at = 0; at < results.length; at += 5_000) {
        const testResults = results.slice(at, at + 5_000);
        await trivet.call('run-update-test-status', { projectId: first, runId, testResults });
      }
      for (const { testId, status } of results) {
        reported.set(testId, status);
        const history = histories.get(testId) ?? [];
        history.unshift(`${last} ${status}`);
        histories.set(testId, history);
      }
      expected.set(last, reported);
    }
    for (const [runId, reported] of expected) {
      const counts = Object.fromEntries(testStatuses.map((status) => [status, 0])) as Record<
        TestStatus,
        number
      >;
      for (const status of reported.values()) counts[status]++;
      const detail = await trivet.call('run-detail', { projectId: first, runId });
      expect(detail['counts']).toEqual({ total: ids.length, ...counts });
    }
    for (const testId of [ids[0], ids[1], ids.at(-1)]) {
      const { history } = await trivet.call('get-test-status-history', {
        projectId: first,
        testId,
        limit: 500,
      });
      const lines = (history as Array<{ runId: number; status: string }>).map(
        (row) => `${row.runId} ${row.status}`,
      );
      expect(lines).toEqual(histories.get(testId ?? 0) ?? []);
    }
    const report = JSON.parse(await download('download-report', { projectId: first, runId: last })) as {
      counts: Record<string, number>;
      bySection: Array<{ counts: { total: number } }>;
      tests: Array<{ testId: number; status: TestStatus }>;
    };
    expect(new Map(report.tests.map(({ testId, status }) => [testId, status]))).toEqual(
      expected.get(last) ?? new Map(),
    );
    expect(report.bySection.reduce((sum, { counts }) => sum + counts.total, 0)).toBe(ids.length);
    const html = await download('download-report', { projectId: first, runId: last, format: 'html' });
    expect(html).toContain(`failed</td><td>${report.counts['failed']}</td>`);
    const pdf = await download('download-report', { projectId: first, runId: last, format: 'pdf' });
    expect(pdf.slice(0, 5)).toBe('%PDF-');
  }, 120_000);
});
