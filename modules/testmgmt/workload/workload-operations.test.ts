import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
let me = 0;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  me = trivet.owner.userId;
});
afterAll(() => trivet.stop());

const junit = (cases: ReadonlyArray<readonly [testId: number, seconds: number]>) =>
  `<testsuite name="s">${cases
    .map(([testId, seconds]) => `<testcase name="t [T${testId}]" time="${seconds}"/>`)
    .join('')}</testsuite>`;

async function upload(projectId: number, key: string, cases: ReadonlyArray<readonly [number, number]>) {
  await trivet.call('ingest-results', {
    projectId,
    runKey: key,
    files: [{ name: 'r.xml', content: junit(cases) }],
  });
}

describe('the forecast', () => {
  test('is the median of the last five durations, else the estimate, else the median of the project', async () => {
    const projectId = await trivet.makeProject();
    const [automated = 0, estimated = 0, unknown = 0] = await trivet.makeTests(projectId, 3);
    // Without anything known, nothing is forecast.
    const empty = await trivet.makeRun(projectId, [unknown]);
    expect(await trivet.call('get-workload', { projectId, runId: empty })).toMatchObject({
      minutesLeft: 0,
      projectMedianSeconds: null,
      forecastBy: { none: 1 },
    });
    for (const [build, seconds] of [600, 60, 60, 120, 120, 180].entries())
      await upload(projectId, `build ${build}`, [[automated, seconds]]);
    await trivet.call('update-test', { testId: estimated, estimateSeconds: 300 });
    const runId = await trivet.makeRun(projectId, [automated, estimated, unknown]);
    const workload = await trivet.call('get-workload', { projectId, runId });
    // The first upload is not among the last five: the median of 60, 60, 120, 120, 180 is 120, that of all six too.
    expect(workload).toEqual({
      runs: 1,
      todo: 3,
      done: 0,
      leftOpen: 0,
      minutesLeft: 9,
      forecastBy: { durations: 1, estimate: 1, project: 1, none: 0 },
      projectMedianSeconds: 120,
      people: [
        {
          userId: null,
          name: null,
          todo: 3,
          done: 0,
          leftOpen: 0,
          minutesLeft: 9,
          forecastBy: { durations: 1, estimate: 1, project: 1, none: 0 },
        },
      ],
    });
  });

  test('without durations the median of the project is that of the estimates', async () => {
    const projectId = await trivet.makeProject();
    const [a = 0, b = 0, c = 0] = await trivet.makeTests(projectId, 3);
    await trivet.call('bulk-update-tests', {
      tests: [
        { testId: a, estimateSeconds: 60 },
        { testId: b, estimateSeconds: 180 },
      ],
    });
    const runId = await trivet.makeRun(projectId, [c]);
    expect(await trivet.call('get-workload', { projectId, runId })).toMatchObject({
      minutesLeft: 2,
      projectMedianSeconds: 120,
      forecastBy: { project: 1 },
    });
  });
});

describe('the workload', () => {
  test('of a milestone adds its runs and those of its parts; locked runs have nothing to do', async () => {
    const projectId = await trivet.makeProject();
    const testIds = await trivet.makeTests(projectId, 4, { estimateSeconds: 60 });
    const make = async (args: object) =>
      Number((await trivet.call('create-milestone', { projectId, ...args }))['milestoneId']);
    const milestoneId = await make({ name: '1' });
    const part = await make({ name: '1 beta', parentMilestoneId: milestoneId });
    const run = async (args: object) =>
      Number((await trivet.call('create-run', { projectId, runName: 'r', testIds, ...args }))['runId']);
    const [first, second, locked] = [
      await run({ milestoneId }),
      await run({ milestoneId: part }),
      await run({ milestoneId }),
    ];
    await trivet.call('assign-tests', { projectId, runId: first, query: '', assignTo: [me] });
    await trivet.call('run-update-test-status', {
      projectId,
      runId: first,
      testResults: [
        { testId: testIds[0], status: 'passed' },
        { testId: testIds[1], status: 'retest' },
      ],
    });
    await trivet.call('run-update-test-status', {
      projectId,
      runId: locked,
      testResults: [{ testId: testIds[0], status: 'failed' }],
    });
    await trivet.call('run-lock', { projectId, runId: locked });
    expect(await trivet.call('get-workload', { projectId, milestoneId })).toMatchObject({
      runs: 3,
      todo: 7,
      done: 2,
      leftOpen: 3,
      minutesLeft: 7,
      people: [
        { userId: me, todo: 3, done: 1, leftOpen: 0, minutesLeft: 3 },
        { userId: null, todo: 4, done: 1, leftOpen: 3, minutesLeft: 4 },
      ],
    });
    expect(await trivet.call('get-workload', { projectId, runId: second })).toMatchObject({ todo: 4 });
    expect(await trivet.call('get-workload', { projectId, milestoneId: part })).toMatchObject({ runs: 1 });
  });

  test.each([
    [{}, 'INVALID_REQUEST'],
    [{ runId: 1, planId: 1 }, 'INVALID_REQUEST'],
    [{ runId: 999_999 }, 'RUN_NOT_FOUND'],
    [{ planId: 999_999 }, 'PLAN_NOT_FOUND'],
    [{ milestoneId: 999_999 }, 'MILESTONE_NOT_FOUND'],
  ])('of %j is refused with %s', async (args, code) => {
    const projectId = await trivet.makeProject();
    expect((await trivet.refusal('get-workload', { projectId, ...args }))?.code).toBe(code);
  });
});
