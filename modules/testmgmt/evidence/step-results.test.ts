import { afterAll, beforeAll, expect, test } from 'bun:test';
import { resultSteps } from '../base/evidence-schema.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

interface Kept {
  readonly resultId: number;
  readonly status: string;
  readonly comment: string | null;
  readonly byName: string | null;
  readonly stepResults?: ReadonlyArray<{ step: number; status: string; comment?: string }>;
}

/** A run with a test of three steps and one of none. */
async function makeScene() {
  const projectId = await trivet.makeProject();
  const steps = ['open', 'pay', 'see the receipt'].map((action) => ({ action, expected: 'it works' }));
  const made = await trivet.call('create-test', { projectId, testName: 'Pay', steps });
  const testId = Number(made['testId']);
  const [bare = 0] = await trivet.makeTests(projectId, 1);
  const run = { projectId, runId: await trivet.makeRun(projectId, [testId, bare]) };
  const tool = 'run-update-test-status';
  return {
    testId,
    bare,
    write: (...testResults: object[]) => trivet.call(tool, { ...run, testResults }),
    refused: (...testResults: object[]) => trivet.refusal(tool, { ...run, testResults }),
    history: async (id = testId) => {
      const { history } = await trivet.call('get-test-status-history-in-run', {
        runId: run.runId,
        testId: id,
      });
      return history as Kept[];
    },
    stored: () => trivet.kernel.host.db.q.select().from(resultSteps),
    run,
  };
}

test('results of steps stay with their result, whatever comes later', async () => {
  const { testId, write, history } = await makeScene();
  const first = [
    { step: 2, status: 'failed', comment: ' the total is missing ' },
    { step: 1, status: 'passed' },
  ];
  await write({ testId, status: 'failed', comment: 'as before', stepResults: first });
  await write({
    testId,
    status: 'passed',
    stepResults: [1, 2, 3].map((step) => ({ step, status: 'passed' })),
  });
  await write({ testId, status: 'blocked' });
  const rows = await history();
  expect(rows.map(({ status, stepResults }) => [status, stepResults?.map((one) => one.status)])).toEqual([
    ['blocked', undefined],
    ['passed', ['passed', 'passed', 'passed']],
    ['failed', ['passed', 'failed']],
  ]);
  expect(rows[2]).toMatchObject({
    comment: 'as before',
    stepResults: [
      { step: 1, status: 'passed' },
      { step: 2, status: 'failed', comment: 'the total is missing' },
    ],
  });
  expect(rows[0]?.byName).not.toBeNull();
  expect(new Set(rows.map(({ resultId }) => resultId)).size).toBe(3);
});

test('a repeated call changes nothing; another result of a step is a result of the test', async () => {
  const { testId, write, history, run } = await makeScene();
  const failed = { testId, status: 'failed', stepResults: [{ step: 1, status: 'failed' }] };
  await write(failed);
  await write(failed);
  expect(await history()).toHaveLength(1);
  await write({ ...failed, stepResults: [{ step: 1, status: 'failed', comment: 'on Tuesdays' }] });
  expect(await history()).toHaveLength(2);
  const { counts } = await trivet.call('get-run-state-detail', run);
  expect(counts).toMatchObject({ failed: 1, untested: 1 });
});

test('who saw another result overwrites none, also where only a step differs', async () => {
  const { testId, write, refused, history } = await makeScene();
  await write({ testId, status: 'failed', stepResults: [{ step: 1, status: 'failed' }] });
  const late = { testId, status: 'failed', seenAt: null, stepResults: [{ step: 2, status: 'failed' }] };
  expect(await refused(late)).toMatchObject({ code: 'RESULT_CHANGED' });
  expect(await history()).toHaveLength(1);
});

test.each<[string, object[], RegExp]>([
  [
    'a step that the test lacks',
    [{ step: 4, status: 'passed' }],
    /stepResults\[0\]\.step is 4, but the test has 3 steps/,
  ],
  [
    'a step twice',
    [1, 1].map((step) => ({ step, status: 'passed' })),
    /\[1\]\.step is 1 for the second time/,
  ],
  ['step 0', [{ step: 0, status: 'passed' }], /step/],
  ['a status of no test', [{ step: 1, status: 'perfect' }], /status/],
  ['a comment of 2,001 characters', [{ step: 1, status: 'passed', comment: 'x'.repeat(2_001) }], /comment/],
])('%s is refused, and nothing is written', async (_, stepResults, message) => {
  const { testId, bare, refused, history, stored } = await makeScene();
  const before = await stored();
  const answer = await refused({ testId: bare, status: 'passed' }, { testId, status: 'passed', stepResults });
  expect(answer).toMatchObject({ code: 'INVALID_REQUEST' });
  expect(answer?.message).toMatch(message);
  expect([await history(bare), await history(), await stored()]).toEqual([[], [], before]);
});

test('a file of a result stands in the history', async () => {
  const { testId, write, history, run } = await makeScene();
  await write({ testId, status: 'failed' });
  const base64 = Buffer.from('a log').toString('base64');
  await trivet.call('add-attachment', { ...run, testId, fileName: 'run.log', base64, step: 2 });
  await write({ testId, status: 'passed' });
  const attachments = [expect.objectContaining({ fileName: 'run.log', size: 5, step: 2 })];
  expect(await history()).toEqual([
    expect.not.objectContaining({ attachments: expect.anything() }),
    expect.objectContaining({ status: 'failed', attachments }),
  ]);
});
