import { afterAll, beforeAll, expect, test } from 'bun:test';
import { asc } from 'drizzle-orm';
import { isFile } from '../../../core/tools/file-answer.ts';
import { localExecutor } from '../../../core/tools/local-executor.ts';
import { tests } from '../base/schema.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from './testmgmt-kernel.ts';
import { longestBlock } from '../../../test/longest-block.ts';
import { settled } from '../../../test/rejection.ts';

/*
 * How long the event loop is blocked while a tool runs its largest call. The default size is that of a large project, so that the test
 * takes seconds; TRIVET_FREEZE_SIZE=100000 measures the largest calls that are allowed.
 */
const size = Number(process.env['TRIVET_FREEZE_SIZE'] ?? 15_000);
/** Measured at 100,000 on two shared cores: 10 to 60 ms. One statement over the whole list took 100 to 900. */
const longest = 60;

let trivet: TestmgmtKernel;
let projectId: number;
let ids: readonly number[];
let runId: number;

beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
  const content = [
    'Title,Section,Priority,Squad,Labels,Description,Steps',
    ...Array.from(
      { length: size },
      (_, n) =>
        `Test ${n},Area ${n % 50} > Part ${n % 1_000} > Deep,High,Squad ${n % 20},"smoke, l${n % 7}",What it is about ${n},Open it and look`,
    ),
  ].join('\n');
  await blocked('import-tests', { projectId, content });
  const rows = await trivet.kernel.host.db.q.select({ id: tests.id }).from(tests).orderBy(asc(tests.id));
  ids = rows.map(({ id }) => id);
  expect(ids.length).toBe(size);
}, 300_000);
afterAll(() => trivet.stop());

const report: string[] = [];
afterAll(() => {
  if (process.env['TRIVET_FREEZE_SIZE']) process.stdout.write(`${report.join('\n')}\n`);
});

/** Runs a tool to the end of its result. @returns the longest time for which the event loop was blocked, and the result. */
async function blocked(tool: string, input: object): Promise<{ ms: number; answer: unknown }> {
  const { kernel, owner } = trivet;
  let answer: unknown;
  const began = performance.now();
  const ms = await longestBlock(async () => {
    answer = await localExecutor(kernel, owner, {}).call(tool, input, {
      signal: AbortSignal.timeout(290_000),
    });
    if (isFile(answer)) for await (const chunk of answer.chunks()) void chunk;
  });
  const took = performance.now() - began;
  report.push(`${tool.padEnd(32)} ${ms.toFixed(0).padStart(6)} ms of ${took.toFixed(0).padStart(7)} ms`);
  return { ms, answer };
}

/** The longest block of each writing tool, with its largest call. */
async function writeEverything(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const measure = async (tool: string, input: object) => {
    const { ms, answer } = await blocked(tool, input);
    found[tool] = Math.max(ms, found[tool] ?? 0);
    return answer as Record<string, number>;
  };
  const content = Array.from({ length: size }, (_, n) => `Again ${n},High`).join('\n');
  await measure('import-tests', {
    projectId: await trivet.makeProject(),
    content: `Title,Priority\n${content}`,
  });
  runId = Number((await measure('create-run', { projectId, runName: 'all', testIds: ids }))['runId']);
  const testResults = ids.slice(0, 5_000).map((testId, n) => ({
    testId,
    status: (['failed', 'blocked', 'passed'] as const)[n % 3],
    comment: 'x'.repeat(500),
  }));
  await measure('run-update-test-status', { projectId, runId, testResults });
  await measure('run-reset', { projectId, runId });
  await measure('run-remove-tests', { projectId, runId, testIds: ids });
  await measure('add-tests-to-run', { projectId, runId, testIds: ids });
  await measure('run-update-test-status', { projectId, runId, testResults });
  const items = ids.slice(0, 5_000).map((testId, n) => ({
    testId,
    testName: `Changed ${n}`,
    ...(n % 2 ? { preconditions: 'text '.repeat(50) } : { steps: [{ action: 'do' }] }),
  }));
  await measure('bulk-update-tests', { tests: items });
  const added = items.map(({ testName }) => ({ testName, testDescription: 'text '.repeat(100) }));
  await measure('bulk-add-tests', { projectId: await trivet.makeProject(), tests: added });
  const faulty = { projectId, runName: 'x', testIds: ids.map((id) => id + 1e9) };
  expect(await settled(measure('create-run', faulty))).toThrow('Not tests of project');
  return found;
}

test('writes of everything let others in', async () => {
  const once = await writeEverything();
  const slow = Object.values(once).some((ms) => ms > longest);
  // The better of two: sometimes the garbage collector runs.
  const again = slow ? await writeEverything() : once;
  const found = Object.entries(once).map(([tool, ms]) => [tool, Math.min(ms, again[tool] ?? ms)] as const);
  expect(found.filter(([, ms]) => ms > longest)).toEqual([]);
}, 300_000);

test('reads of everything let others in', async () => {
  const [first] = await trivet.kernel.host.db.q.select().from(tests).orderBy(asc(tests.id)).limit(1);
  const sectionId = first?.sectionId;
  const [priorityId] = await trivet.optionIds(projectId, 'priority');
  const run = { projectId, runId };
  const calls: ReadonlyArray<readonly [string, object]> = [
    ['get-tests', { projectId, limit: 500, offset: size - 500 }],
    ['get-tests', { projectId, sectionId, priorityId }],
    ['get-tests-count', { projectId }],
    ['get-tests-count', { projectId, sectionId, priorityId }],
    ['get-sections', { projectId }],
    ['get-run-tests-list', { ...run, limit: 500, offset: size - 500 }],
    ['get-run-test-status', { ...run, status: 'untested', offset: size - 5_500 }],
    ['get-run-state-detail', run],
    ['download-tests', { projectId, format: 'csv' }],
    ['download-tests', { projectId, format: 'json' }],
    ['download-report', { ...run, format: 'json' }],
    ['download-report', { ...run, format: 'html' }],
    ['download-report', { ...run, format: 'pdf' }],
  ];
  for (const [tool, input] of calls) {
    // The better of two: sometimes other programs run.
    const once = (await blocked(tool, input)).ms;
    const ms = once > longest ? Math.min(once, (await blocked(tool, input)).ms) : once;
    expect([tool, input, ms > longest ? `${ms} ms` : 'lets others in']).toEqual([
      tool,
      input,
      'lets others in',
    ]);
  }
}, 300_000);

test('deleting everything lets others in', async () => {
  const half = Math.floor(size / 2);
  const once = (await blocked('bulk-delete-tests', { projectId, testIds: ids.slice(0, half) })).ms;
  const again = (await blocked('bulk-delete-tests', { projectId, testIds: ids.slice(half) })).ms;
  expect(Math.min(once, again)).toBeLessThan(longest);
}, 120_000);
