import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

interface Result {
  readonly status: string;
  readonly comment?: string;
}

/** A project with a run of two tests, and the calls of people who read it. */
async function makeRunScene() {
  const projectId = await trivet.makeProject();
  const testIds = await trivet.makeTests(projectId, 2);
  const run = { projectId, runId: await trivet.makeRun(projectId, testIds) };
  const report = (testResults: readonly object[]) => ({ ...run, testResults });
  const tool = 'run-update-test-status';
  return {
    testIds,
    write: (testResults: readonly object[]) => trivet.call(tool, report(testResults)),
    refused: (testResults: readonly object[]) => trivet.refusal(tool, report(testResults)),
    /** The tests as get-run-tests-list returns them. */
    seen: async () => {
      const list = await trivet.call('get-run-tests-list', run);
      return list['tests'] as Array<Result & { testId: number; updatedAt: string | null }>;
    },
  };
}

type Seen = 'now' | 'before' | 'nothing' | 'unsaid';

/** The test's result, another user's later write, what the caller saw and writes, and whether it is stored. */
const cases: ReadonlyArray<
  readonly [title: string, before: Result[], meanwhile: Result[], Seen, Result, 'stored' | 'refused']
> = [
  ['the first result', [], [], 'nothing', { status: 'passed' }, 'stored'],
  [
    'a first result beside another first',
    [],
    [{ status: 'failed' }],
    'nothing',
    { status: 'passed' },
    'refused',
  ],
  ['a result that was seen', [{ status: 'failed' }], [], 'now', { status: 'passed' }, 'stored'],
  ['none was seen, there is one', [{ status: 'failed' }], [], 'nothing', { status: 'passed' }, 'refused'],
  [
    'another result meanwhile, in the same millisecond',
    [{ status: 'failed' }],
    [{ status: 'blocked' }],
    'before',
    { status: 'passed' },
    'refused',
  ],
  [
    'another comment meanwhile',
    [{ status: 'failed' }],
    [{ status: 'failed', comment: 'theirs' }],
    'before',
    { status: 'failed', comment: 'mine' },
    'refused',
  ],
  [
    'there and back meanwhile',
    [{ status: 'failed' }],
    [{ status: 'passed' }, { status: 'failed' }],
    'before',
    { status: 'blocked' },
    'refused',
  ],
  [
    'the same result again, e.g. after a lost response',
    [{ status: 'failed' }],
    [{ status: 'passed' }],
    'before',
    { status: 'passed' },
    'stored',
  ],
  [
    'who does not say',
    [{ status: 'failed' }],
    [{ status: 'blocked' }],
    'unsaid',
    { status: 'passed' },
    'stored',
  ],
];

for (const [way, beside] of [
  ['alone', false],
  ['beside another', true],
] as const)
  test.each(cases)(`${way}: %s`, async (_, before, meanwhile, seen, mine, outcome) => {
    const { testIds, write, refused, seen: look } = await makeRunScene();
    const [testId = 0, other = 0] = testIds;
    for (const result of before) await write([{ testId, ...result }]);
    const [looked] = await look();
    for (const result of meanwhile) await write([{ testId, ...result }]);
    const stored = await trivet.everything();
    const seenAt = { now: looked?.updatedAt, before: looked?.updatedAt, nothing: null, unsaid: undefined }[
      seen
    ];
    const call = [
      ...(beside ? [{ testId: other, status: 'retest' }] : []),
      { testId, ...mine, ...(seenAt === undefined ? {} : { seenAt }) },
    ];
    if (outcome === 'refused') {
      const at = beside ? 1 : 0;
      expect(await refused(call)).toMatchObject({
        code: 'RESULT_CHANGED',
        causeWord: 'testResults',
        message: expect.stringContaining(`testResults[${at}].testId is ${testId}`),
      });
      expect(await trivet.everything()).toBe(stored);
    } else {
      await write(call);
      expect((await look())[0]).toMatchObject(mine);
    }
  });

test.each([1, 2])('of calls at once that saw the same, one is stored (%d results each)', async (size) => {
  const { testIds, write, seen } = await makeRunScene();
  const some = testIds.slice(0, size);
  for (let round = 0; round < 8; round++) {
    const looked = await seen();
    const answers = await Promise.allSettled(
      ['passed', 'failed', 'blocked', 'retest'].map((status, n) =>
        write(
          some.map((testId, at) => ({
            testId,
            status,
            comment: `${round} ${n}`,
            seenAt: looked[at]?.updatedAt ?? null,
          })),
        ),
      ),
    );
    const stored = answers.flatMap(({ status }, n) => (status === 'fulfilled' ? [`${round} ${n}`] : []));
    expect(stored).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'RESULT_CHANGED' });
    expect((await seen()).slice(0, size).map(({ comment }) => comment)).toEqual(some.map(() => stored[0]));
  }
});

test('a time that is none is refused', async () => {
  const { testIds, refused } = await makeRunScene();
  const results = testIds.map((testId) => ({ testId, status: 'passed', seenAt: 'yesterday' }));
  for (const call of [results, results.slice(0, 1)])
    expect(await refused(call)).toMatchObject({ code: 'INVALID_REQUEST', causeWord: 'testResults' });
});

test('a test is changed only as its editor saw it', async () => {
  const projectId = await trivet.makeProject();
  const [testId = 0] = await trivet.makeTests(projectId, 1);
  const change = (testName: string, seenAt?: unknown) => ({
    testId,
    testName,
    ...(seenAt === undefined ? {} : { seenAt }),
  });
  const read = () => trivet.call('get-test-details', { projectId, testId });
  const first = (await read())['updatedAt'];
  // The clock is stopped: each change must still have a different time.
  const second = (await trivet.call('update-test', change('b', first)))['updatedAt'];
  expect(second).not.toBe(first);
  const stored = await trivet.everything();
  expect(await trivet.refusal('update-test', change('c', first))).toMatchObject({
    code: 'TEST_CHANGED',
    causeWord: 'seenAt',
    message: expect.stringContaining(`Test ${testId}`),
  });
  expect(await trivet.refusal('update-test', { testId, seenAt: second })).toMatchObject({
    code: 'NOTHING_TO_UPDATE',
  });
  expect(await trivet.refusal('update-test', change('c', 'soon'))).toMatchObject({ code: 'INVALID_REQUEST' });
  expect(await trivet.everything()).toBe(stored);
  await trivet.call('bulk-update-tests', { tests: [{ testId, preconditions: 'p' }] });
  expect(await trivet.refusal('update-test', change('c', second))).toMatchObject({ code: 'TEST_CHANGED' });
  await trivet.call('update-test', change('d'));
  const answers = await Promise.allSettled(
    await read().then((seen) =>
      ['e', 'f', 'g'].map((name) => trivet.call('update-test', change(name, seen['updatedAt']))),
    ),
  );
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
