import { range, wholeTest, type World, type Worst } from './freeze-world.ts';

/* The worst input of operations on pipeline results: inline files of 8 MiB whose cases are all new, all known, or without a test. */

const cases = 40_000;

/** Two tests with a history each. */
let pair: readonly number[] = [];

/** Cases of 200 suites, each failing with a message. */
const junit = (round: string) =>
  `<testsuites>${range(200, (suite) => {
    const written = range(
      cases / 200,
      (n) =>
        `<testcase name="${round} case ${suite * 1_000 + n}" time="0.5"><failure message="no">${'at x '.repeat(20)}</failure></testcase>`,
    );
    return `<testsuite name="suite ${suite}">${written.join('')}</testsuite>`;
  }).join('')}</testsuites>`;

export const worstResults = {
  'ingest-results': {
    args: ({ projectId }, attempt) => ({
      projectId,
      runKey: `freeze ${attempt}`,
      // Cases without a test are stored, too.
      create: attempt % 3 !== 2,
      files: [{ name: 'junit.xml', content: junit(attempt % 2 === 0 ? 'even' : `odd ${attempt}`) }],
    }),
  },
  'get-run-results': { args: ({ projectId, runId }) => ({ projectId, runId, limit: 500 }) },
  'download-results': { args: ({ projectId, runId }) => ({ projectId, runId }) },
  'get-file-durations': {
    args: ({ projectId }) => ({
      projectId,
      files: Array.from({ length: 10_000 }, (_, n) => `src/${n}.test.ts`),
    }),
  },
  'list-aliases': { args: ({ projectId }) => ({ projectId, limit: 500, offset: 500 }) },
  'merge-tests': {
    args: ({ projectId }: World) => ({ projectId, testId: pair[0], mergedTestId: pair[1] }),
    before: async (served, { projectId }) => {
      const made = await served.must('bulk-add-tests', { projectId, tests: [wholeTest(1), wholeTest(2)] });
      pair = (made['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
      for (const [n, status] of range(60, (at) => [at, at % 2 === 0 ? 'passed' : 'failed'] as const)) {
        const runName = `merged ${n}`;
        const run = await served.must('create-run', { projectId, runName, testIds: [pair[n % 2]] });
        const testResults = [{ testId: pair[n % 2], status }];
        await served.must('run-update-test-status', { projectId, runId: run['runId'], testResults });
      }
    },
  },
  'accept-rename': {
    args: ({ projectId, testIds }: World, attempt) => ({
      projectId,
      testId: testIds[12],
      key: `suite > ${'x'.repeat(4_000)} ${attempt}`,
    }),
  },
} as const satisfies Readonly<Record<string, Worst>>;
