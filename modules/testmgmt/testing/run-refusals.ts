import type { World } from './valid-calls.ts';

/** An id that does not exist. */
export const beyond = 999_999;
/** A code, its cause, and the required content of the message and the tip. */
type Refusal = readonly [code: string, cause: string | undefined, message: RegExp, tip?: RegExp];
export type RefusalCase = readonly [
  title: string,
  tool: string,
  input: (w: World) => object,
  refusal: Refusal,
];

/** Calls about runs that are refused. */
export const runRefusals: readonly RefusalCase[] = [
  [
    'a run that is not there',
    'run-detail',
    (w) => ({ projectId: w.projectId, runId: beyond }),
    ['RUN_NOT_FOUND', undefined, /no run 999999/, /get-runs/],
  ],
  [
    'a run of the neighbouring project',
    'run-reset',
    (w) => ({ projectId: w.projectId, runId: w.neighbourRunId }),
    ['NOT_IN_PROJECT', 'runId', /is of project/, /get-runs/],
  ],
  [
    'a run of unknown, foreign and deleted tests',
    'create-run',
    (w) => ({
      projectId: w.projectId,
      runName: 'x',
      testIds: [w.testId, beyond, w.neighbourTestId, w.deletedTestId],
    }),
    ['NOT_IN_PROJECT', 'testIds', /testIds\[1\] is 999999; testIds\[2\] is \d+; testIds\[3\] is \d+/],
  ],
  [
    'a run that names a test twice',
    'create-run',
    (w) => ({ projectId: w.projectId, runName: 'x', testIds: [w.testId, w.otherTestId, w.testId] }),
    ['DUPLICATE_ID', 'testIds', /testIds\[2\] is \d+, as in testIds\[0\]/],
  ],
  [
    'adding a test of the neighbour to a run',
    'add-tests-to-run',
    (w) => ({ projectId: w.projectId, runId: w.runId, testIds: [w.testId, w.neighbourTestId] }),
    ['NOT_IN_PROJECT', 'testIds', /testIds\[1\]/],
  ],
  [
    'a result of a test that is not in the run',
    'run-update-test-status',
    (w) => ({
      projectId: w.projectId,
      runId: w.runId,
      testResults: [w.testId, w.otherTestId].map((testId) => ({ testId, status: 'passed' })),
    }),
    ['NOT_IN_RUN', 'testResults', /testResults\[1\]\.testId is \d+/, /get-run-tests-list/],
  ],
  [
    'two results of one test',
    'run-update-test-status',
    (w) => ({
      projectId: w.projectId,
      runId: w.runId,
      testResults: ['passed', 'failed'].map((status) => ({ testId: w.testId, status })),
    }),
    ['DUPLICATE_ID', 'testResults', /testResults\[1\]\.testId/],
  ],
  [
    'removing a test that is not in the run',
    'run-remove-tests',
    (w) => ({ projectId: w.projectId, runId: w.runId, testIds: [w.testId, w.otherTestId] }),
    ['NOT_IN_RUN', 'testIds', /testIds\[1\]/],
  ],
  [
    'history in a run of a test that never was in it',
    'get-test-status-history-in-run',
    (w) => ({ runId: w.runId, testId: w.otherTestId }),
    ['NOT_IN_RUN', 'testId', /not in run/],
  ],
];
