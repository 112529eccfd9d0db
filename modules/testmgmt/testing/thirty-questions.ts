import type { AskedCase } from './asked-project.ts';
import {
  byQuery,
  changed,
  chosen,
  idsAndTotal,
  ofRun,
  ofRuns,
  ranked,
  rowsOf,
  shown,
  type ThirtyQuestion,
} from './question-kinds.ts';

const last = (test: AskedCase) => test.lastStatus;
const texts = ({ name, description, steps }: AskedCase) =>
  [name, description, ...steps].join('\n').toLowerCase();
const inCheckout = ({ path }: AskedCase) => path[0] === 'Checkout';
const percent = (part: number, whole: number) =>
  whole === 0 ? null : Math.round((1_000 * part) / whole) / 10;

/** Questions that users of GitHub, Linear, Jira, Testomatio, Qase and TestRail ask about their tests. */
export const thirtyQuestions: readonly ThirtyQuestion[] = [
  changed(
    'What failed in both of the last two runs?',
    'still-failing',
    (a, b) => a === 'failed' && b === 'failed',
  ),
  changed(
    'What fails now and did not before?',
    'newly-failing',
    (a, b) => a !== undefined && a !== 'failed' && b === 'failed',
  ),
  changed('What was fixed since the run before?', 'fixed', (a, b) => a === 'failed' && b === 'passed'),
  changed('What was added since the run before?', 'added', (a, b) => a === undefined && b !== undefined),
  changed('What was left out since the run before?', 'removed', (a, b) => a !== undefined && b === undefined),
  byQuery(
    'What was never run and matters?',
    'runs:0 priority:High,Critical',
    (test) => test.runs === 0 && ['High', 'Critical'].includes(test.priority ?? ''),
  ),
  byQuery(
    'What was changed since 1 November by somebody else?',
    'updated:>=2026-11-01 -updated-by:me',
    (test, { me }) => test.updatedAt >= Date.parse('2026-11-01') && test.updatedBy !== me,
  ),
  byQuery(
    'Which smoke tests have no steps?',
    'label:smoke -has:steps',
    (test) => test.labels.includes('smoke') && test.steps.length === 0,
  ),
  ranked(
    'Which flaky tests of Checkout were slowest to be fixed?',
    'get-slowest-fixes',
    { query: 'flaky:yes section:Checkout', days: 400 },
    ({ live }) =>
      live
        .filter((test) => test.flips >= 3 && inCheckout(test) && test.longestFix > 0)
        .toSorted((a, b) => b.longestFix - a.longestFix || a.id - b.id),
  ),
  ofRun(
    'What is open for Payments in this run?',
    'squad:Payments status:untested,retest',
    ({ id, squad }, { standing }) =>
      squad === 'Payments' && ['untested', 'retest'].includes(standing.get(id)?.status ?? ''),
  ),
  byQuery(
    'Which smoke tests failed last time?',
    'label:smoke last:failed',
    (test) => test.labels.includes('smoke') && last(test) === 'failed',
  ),
  ranked('Which tests are flaky, the worst first?', 'get-flaky-tests', {}, ({ live }) =>
    live
      .filter(({ flips }) => flips >= 3)
      .toSorted((a, b) => b.flips - a.flips || b.failed - a.failed || a.id - b.id),
  ),
  ranked('What has been failing the longest?', 'get-longest-failing', {}, ({ live }) =>
    live
      .filter(({ failingSince }) => failingSince !== null)
      .toSorted((a, b) => (a.failingSince ?? 0) - (b.failingSince ?? 0) || a.id - b.id),
  ),
  ranked(
    'What has no run ever had in Checkout?',
    'get-never-run',
    { query: 'section:Checkout' },
    ({ live }) => live.filter((test) => test.runs === 0 && inCheckout(test)),
  ),
  {
    question: 'How many of the tests of each section are automated?',
    ask: async (ask, { projectId }) =>
      rowsOf(await ask('get-automation-coverage', { projectId, limit: 500 })).map((row) => [
        (row['sectionPath'] as readonly string[]).join(' > '),
        row['coverage'],
      ]),
    read: ({ live, paths }) =>
      [...paths, []].flatMap((path) => {
        const inside = live.filter((test) =>
          path.length === 0 ? test.path.length === 0 : path.every((name, at) => test.path[at] === name),
        );
        return inside.length === 0
          ? []
          : [
              [
                path.join(' > '),
                percent(inside.filter(({ automation }) => automation === 'Automated').length, inside.length),
              ],
            ];
      }),
  },
  {
    question: 'How did the pass rate change from week to week in the last month?',
    ask: async (ask, { projectId }) =>
      rowsOf(await ask('get-pass-rate', { projectId, days: 28, by: 'week' })).map((row) => [
        row['from'],
        row['passRate'],
      ]),
    read: ({ runs, now }) => {
      const week = 7 * 86_400_000;
      // The first Monday of the epoch was its fifth day.
      const monday = (time: number) => Math.floor((time - 4 * 86_400_000) / week) * week + 4 * 86_400_000;
      const points = [];
      for (let at = monday(now - 27 * 86_400_000); at <= now; at += week) {
        const found = runs
          .filter(({ createdAt }) => monday(createdAt) === at)
          .flatMap(({ standing }) => [...standing.values()].map(({ status }) => status));
        const count = (status: string) => found.filter((one) => one === status).length;
        points.push([
          new Date(at).toISOString(),
          percent(count('passed'), count('passed') + count('failed') + count('blocked')),
        ]);
      }
      return points;
    },
  },
  {
    question: 'How many tests fail today, by priority?',
    ask: async (ask, { projectId }) =>
      (await ask('get-tests-count', { projectId, query: 'last:failed' }))['total'],
    read: ({ live }) => live.filter((test) => last(test) === 'failed').length,
  },
  ofRuns(
    'Which runs are not finished?',
    'status:active progress:<100',
    (run) =>
      !run.locked && [...run.standing.values()].some(({ status }) => ['untested', 'retest'].includes(status)),
  ),
  ofRuns(
    'Which locked runs had failures?',
    'status:locked has:failed',
    (run) => run.locked && [...run.standing.values()].some(({ status }) => status === 'failed'),
  ),
  ofRun(
    'What did others report as blocked in this run?',
    'status:blocked -by:me',
    ({ id }, { standing }, { me }) => standing.get(id)?.status === 'blocked' && standing.get(id)?.by !== me,
  ),
  byQuery(
    'What has nobody run since the middle of November?',
    'last-run:<2026-11-15',
    (test) => test.lastAt !== null && test.lastAt < Date.parse('2026-11-15'),
  ),
  byQuery('Which tests are about refunds?', 'refund', (test) => texts(test).includes('refund')),
  byQuery(
    'Which tests of Checkout speak of a gift card?',
    '"gift card" section:Checkout',
    (test) => texts(test).includes('gift card') && inCheckout(test),
  ),
  byQuery('What has no label?', 'label:none', (test) => test.labels.length === 0),
  byQuery(
    'What has neither a squad nor a section?',
    'squad:none section:none',
    (test) => test.squad === null && test.path.length === 0,
  ),
  byQuery(
    'Which critical tests pass?',
    'priority:Critical last:passed',
    (test) => test.priority === 'Critical' && last(test) === 'passed',
  ),
  byQuery(
    'What failed most often lately?',
    'failed:>=3 sort:failed-desc',
    (test) => test.failed >= 3,
    (a, b) => b.failed - a.failed,
  ),
  {
    question: 'Which smoke tests does this run lack?',
    ask: async (ask, { projectId, runId }) =>
      idsAndTotal(
        await ask('get-tests', {
          projectId,
          query: `label:smoke not-in-run:${runId}`,
          fields: ['testId'],
          limit: shown,
        }),
      ),
    read: ({ live, talkedOf }) =>
      chosen(live.filter((test) => test.labels.includes('smoke') && !talkedOf.standing.has(test.id))),
  },
  byQuery(
    'What did I write that fails or is blocked?',
    'created-by:me last:failed,blocked',
    (test, { me }) => test.createdBy === me && ['failed', 'blocked'].includes(last(test) ?? ''),
  ),
  byQuery(
    'Which stable tests could leave the nightly run?',
    'runs:>=5 failed:0 flaky:no -label:smoke',
    (test) => test.runs >= 5 && test.failed === 0 && test.flips < 3 && !test.labels.includes('smoke'),
  ),
  byQuery(
    'Which automated tests of the team Payments fail?',
    'squad:Payments automation:Automated last:failed',
    (test) => test.squad === 'Payments' && test.automation === 'Automated' && last(test) === 'failed',
  ),
  {
    question: 'Which tests were deleted?',
    ask: async (ask, { projectId }) =>
      idsAndTotal(
        await ask('get-tests', { projectId, query: 'is:deleted', fields: ['testId'], limit: shown }),
      ),
    read: ({ all, live }) => chosen(all.filter((test) => !live.includes(test))),
  },
  {
    question: 'What were the last five results of this test?',
    ask: async (ask, { projectId, testId }) =>
      rowsOf(await ask('get-test-status-history', { projectId, testId, limit: 5 })).map((row) => [
        row['runId'],
        row['status'],
      ]),
    read: ({ sent, talkedOfTest }) =>
      sent
        .filter(({ testId }) => testId === talkedOfTest)
        .slice(-5)
        .toReversed()
        .map(({ runId, status }) => [runId, status]),
  },
];
