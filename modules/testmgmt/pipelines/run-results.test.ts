import { beforeAll, expect, test } from 'bun:test';
import { bytesOf, isFile } from '../../../core/tools/file-answer.ts';
import { startTestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { junitText } from '../testing/junit-text.ts';

let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
let projectId: number;
let runId: number;

const build = {
  provider: 'github',
  repository: 'acme/shop',
  workflow: 'CI',
  branch: 'main',
  commit: '1a2b3c4',
  buildNumber: '12',
  jobUrl: 'https://ci.example/12',
  author: 'ada',
};

const file = junitText({
  'cart.test.ts': [
    { name: 'adds', time: 1.25, file: 'cart.test.ts', line: 7, properties: { owner: 'ada' } },
    { name: 'removes', failed: 'no\u0007 item', file: 'cart.test.ts', line: 9 },
    { name: 'refunds', skipped: true },
  ],
});

beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  projectId = await trivet.makeProject();
  const report = await trivet.call('ingest-results', {
    projectId,
    runKey: 'b',
    runName: 'CI <12>',
    ...build,
    files: [{ name: 'a.xml', content: file }],
  });
  runId = Number(report['runId']);
});

test('the name of a run is cut between two letters', async () => {
  const files = [{ name: 'a.xml', content: file }];
  const named = { workflow: 'CI', branch: `${'b'.repeat(249)}🙂` };
  const { runId: id } = await trivet.call('ingest-results', { projectId, runKey: 'long', ...named, files });
  const { runName } = await trivet.call('run-detail', { projectId, runId: id });
  expect(runName).toBe(`CI · ${'b'.repeat(249)}`);
});

test.each<[build: Record<string, string>, name: RegExp]>([
  [
    { workflow: 'CI', buildNumber: '12', branch: 'main', commit: '1a2b3c4d5e6f' },
    /^CI #12 · main @ 1a2b3c4$/,
  ],
  [{ branch: 'main', commit: '1a2b3c4d5e6f' }, /^main @ 1a2b3c4$/],
  // Nothing tells it from the run before, which a person would see under the same name.
  [{ branch: 'main' }, /^main · \d{4}-\d\d-\d\d \d\d:\d\d UTC$/],
  [{ workflow: 'CI' }, /^CI · \d{4}-\d\d-\d\d \d\d:\d\d UTC$/],
  [{}, /^Results of \d{4}-\d\d-\d\d \d\d:\d\d UTC$/],
])('a run of %j is named %p', async (build, name) => {
  const files = [{ name: 'a.xml', content: file }];
  const runKey = `named ${JSON.stringify(build)}`;
  const { runId: id } = await trivet.call('ingest-results', { projectId, runKey, ...build, files });
  expect((await trivet.call('run-detail', { projectId, runId: id }))['runName']).toMatch(name);
});

test('what a pipeline reported is read with its build', async () => {
  const answer = await trivet.call('get-run-results', { projectId, runId });
  expect(answer).toMatchObject({
    source: { runKey: 'b', ...build, baseBranch: null, pullRequest: null },
    total: 3,
    results: [
      {
        key: 'cart.test.ts > adds',
        status: 'passed',
        flaky: false,
        durationMs: 1_250,
        file: 'cart.test.ts',
        line: 7,
        attempts: [{ status: 'passed', durationMs: 1_250 }],
        properties: { owner: 'ada' },
        output: null,
      },
      { status: 'failed', attempts: [{ status: 'failed', message: expect.stringContaining('no') }] },
      { status: 'skipped' },
    ],
  });
});

async function downloaded(format: 'junit' | 'ctrf'): Promise<string> {
  const answer: unknown = await trivet.call('download-results', { projectId, runId, format });
  if (!isFile(answer)) throw new Error('no file');
  return (await bytesOf(answer)).toString();
}

test.each(['junit', 'ctrf'] as const)(
  '%s of a run finds the same tests when it is uploaded',
  async (format) => {
    const content = await downloaded(format);
    const again = await trivet.call('ingest-results', {
      projectId,
      runKey: `again ${format}`,
      ...build,
      files: [{ name: format, content }],
    });
    expect(again).toMatchObject({
      matched: 3,
      created: 0,
      missing: 0,
      totals: { cases: 3, passed: 1, failed: 1, skipped: 1 },
      newlyFailing: [],
      fixed: [],
    });
  },
);

/** @see Finding: the reason of a skipped test got another "untested: " each time. */
test.each(['junit', 'ctrf'] as const)('%s that was uploaded is downloaded as it was', async (format) => {
  const results = async (run: number) => {
    const answer: unknown = await trivet.call('download-results', { projectId, runId: run, format });
    if (!isFile(answer)) throw new Error('no file');
    return (await bytesOf(answer)).toString();
  };
  const first = await trivet.call('ingest-results', {
    projectId,
    runKey: `skipped ${format}`,
    runName: 'same',
    files: [
      {
        name: 'ctrf',
        content: JSON.stringify({
          results: {
            tool: { name: 'a' },
            tests: [
              { name: 'refunds', suite: ['cart.test.ts'], status: 'skipped', duration: 2, message: 'later' },
            ],
          },
        }),
      },
    ],
  });
  const content = await results(Number(first['runId']));
  expect(content).toContain('untested: later');
  const again = await trivet.call('ingest-results', {
    projectId,
    runKey: `skipped again ${format}`,
    runName: 'same',
    files: [{ name: format, content }],
  });
  expect(await results(Number(again['runId']))).toBe(content);
});

/** @see The message of a flaky test was empty: that of the last attempt, which passed, was taken. */
test.each(['junit', 'ctrf'] as const)(
  '%s says why a test, and a case of no test, was flaky',
  async (format) => {
    const upload = (name: string, create: boolean) => {
      const failed = `<flakyFailure message="${name} is late">${name} is late</flakyFailure>`;
      const content = `<testsuite name="late"><testcase name="${name}">${failed}</testcase></testsuite>`;
      const files = [{ name: `${name}.xml`, content }];
      return trivet.call('ingest-results', { projectId, runKey: `flaky ${format}`, create, files });
    };
    await upload('of a test', true);
    const run = await upload(`of no test in ${format}`, false);
    expect(run).toMatchObject({ unmatched: 1 });
    const answer: unknown = await trivet.call('download-results', { projectId, runId: run['runId'], format });
    const text = isFile(answer) ? (await bytesOf(answer)).toString() : '';
    expect(text).toContain('of a test is late');
    expect(text).toContain('of no test in');
    expect(text.split(' is late').length - 1).toBe(format === 'junit' ? 4 : 2);
  },
);

test('a run of people has no build, and can be downloaded, too', async () => {
  const testIds = await trivet.makeTests(projectId, 2);
  const run = await trivet.makeRun(projectId, testIds);
  expect(await trivet.call('get-run-results', { projectId, runId: run })).toMatchObject({
    source: null,
    total: 0,
  });
  const answer: unknown = await trivet.call('download-results', { projectId, runId: run });
  expect(isFile(answer) && (await bytesOf(answer)).toString()).toContain('tests="2"');
});

test.each(['junit', 'ctrf'] as const)('%s of a run of people brings no durations', async (format) => {
  const project = await trivet.makeProject();
  const testIds = await trivet.makeTests(project, 2, { estimateSeconds: 600 });
  const run = await trivet.makeRun(project, testIds);
  const testResults = testIds.map((testId) => ({ testId, status: 'passed' }));
  await trivet.call('run-update-test-status', { projectId: project, runId: run, testResults });
  const file: unknown = await trivet.call('download-results', { projectId: project, runId: run, format });
  if (!isFile(file)) throw new Error('no file');
  const content = (await bytesOf(file)).toString();
  const files = [{ name: format, content }];
  expect(await trivet.call('ingest-results', { projectId: project, runKey: 'again', files })).toMatchObject({
    matched: 2,
  });
  const next = await trivet.makeRun(project, testIds);
  expect(await trivet.call('get-workload', { projectId: project, runId: next })).toMatchObject({
    minutesLeft: 20,
    forecastBy: { durations: 0, estimate: 2 },
  });
});
