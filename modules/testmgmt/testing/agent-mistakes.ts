import type { Mistake, MistakeWorld } from './mistakes.ts';

/*
 * Mistakes of models that know Jira, GitHub, TestRail or SQL: the vocabulary, query language or parameters of other tools.
 * @see issue 13, 58: 27 of 118 such calls were not repaired by the text of their error.
 */

const inProject =
  (args: object) =>
  ({ projectId }: MistakeWorld) => ({ projectId, ...args });
const ofRun =
  (args: object) =>
  ({ projectId, runId }: MistakeWorld) => ({ projectId, runId, ...args });

/** Queries of tests in other query languages. */
const foreignQueries: readonly string[] = [
  'label:smoke and last:failed',
  'label:smoke And last:failed',
  'label:smoke && last:failed',
  'label:smoke & last:failed',
  'label:smoke + last:failed',
  'label:smoke or last:failed',
  'label:smoke || last:failed',
  'label:smoke | last:failed',
  'not label:smoke',
  '! label:smoke',
  '!label:smoke',
  'label:!smoke',
  'priority:!=High',
  'priority=High',
  'priority = High',
  'priority==High',
  'priority != High',
  'priority!=High',
  'last=failed',
  'status=failed',
  'status:failed',
  'state:failed',
  'result:failed',
  'tag:smoke',
  'tags:smoke',
  'folder:Checkout',
  'suite:Checkout',
  'component:Checkout',
  'title:Pay',
  'summary:Pay',
  'failed>2',
  'failed > 2',
  'failed >= 2',
  'failures:>=2',
  'section:Checkout > Payment',
  'section = Checkout',
  'sort:updated desc',
  'sort:name ASC',
  'sort:-updated',
  'orderby:name',
  'sort=updated',
  'updated:>2026-11-01 <2026-11-08',
  'updated>2026-11-01',
  'updated:last-week',
  'updated:today',
  'created:1week',
  'priority:High|Low',
  'last:failed|blocked',
  'smoke|checkout',
  'label:*',
  '*',
  'pay*',
  'name:Pay*',
  'label:smoke, checkout',
  'label: smoke',
  '+label:smoke',
  'since:7d',
  'failed:>=2 within:7d',
  'last:fail',
  'last:pass',
  'last:skipped',
  'flaky:true',
  'flaky:1',
  'runs:none',
  'has:label:smoke',
  'priority:high team:Payments',
  'owner:me',
  'author:me',
  'in-run:latest',
  'is:open',
  'label:"smoke',
  "label:'smoke'",
  'label:smoke;last:failed',
];

const queries = foreignQueries.map((text): Mistake => [
  `the query ${text}`,
  'get-tests',
  inProject({ query: text }),
]);

const runQueries = [
  'status:open',
  'status=active',
  'is:locked',
  'state:active',
  'has:failures',
  'progress<100',
].map((text): Mistake => [`the query of runs ${text}`, 'get-runs', inProject({ query: text })]);

/** Parameters of other tools. */
const foreignParameters: readonly Mistake[] = [
  ['q', 'get-tests', inProject({ q: 'label:smoke' })],
  ['search', 'get-tests', inProject({ search: 'pay' })],
  ['page_size', 'get-tests', inProject({ page_size: 10 })],
  ['per_page', 'get-runs', inProject({ per_page: 10 })],
  ['pageSize', 'get-tests', inProject({ pageSize: 10 })],
  ['max_results', 'get-tests', inProject({ max_results: 10 })],
  ['sort', 'get-tests', inProject({ sort: 'name' })],
  ['orderBy', 'get-tests', inProject({ orderBy: 'name' })],
  ['status', 'get-tests', inProject({ status: 'failed' })],
  ['label', 'get-tests', inProject({ label: 'smoke' })],
  ['priority', 'get-tests', inProject({ priority: 'High' })],
  ['priority in a new test', 'create-test', inProject({ testName: 'x', priority: 'High' })],
  ['type in a new test', 'create-test', inProject({ testName: 'x', type: 'Smoke' })],
  ['squad in a new test', 'create-test', inProject({ testName: 'x', squad: 'Payments' })],
  ['tags in a new test', 'create-test', inProject({ testName: 'x', tags: ['smoke'] })],
  ['title in a new test', 'create-test', inProject({ title: 'x' })],
  ['test_name', 'create-test', inProject({ test_name: 'x' })],
  ['test_id', 'get-test-details', ({ projectId, testId }) => ({ projectId, test_id: testId })],
  ['id of a test', 'get-test-details', ({ projectId, testId }) => ({ projectId, id: testId })],
  ['id of a run', 'run-detail', ({ projectId, runId }) => ({ projectId, id: runId })],
  ['run', 'run-detail', ({ projectId, runId }) => ({ projectId, run: runId })],
  ['run_id', 'get-run-tests-list', ({ projectId, runId }) => ({ projectId, run_id: runId })],
  ['project_name', 'create-project', () => ({ orgId: 1, project_name: 'New' })],
  ['name of a project', 'create-project', () => ({ orgId: 1, name: 'New' })],
  ['name of a section', 'add-section', inProject({ name: 'New section' })],
  [
    'parentId',
    'add-section',
    ({ projectId, sectionId }) => ({ projectId, sectionName: 'y', parentId: sectionId }),
  ],
  ['names of labels', 'add-labels', inProject({ names: ['another'] })],
  ['label for labels', 'add-labels', inProject({ label: 'another one' })],
  [
    'tests for testIds',
    'create-run',
    ({ projectId, testId }) => ({ projectId, runName: 'r', tests: [testId] }),
  ],
  ['test_ids', 'create-run', ({ projectId, testId }) => ({ projectId, runName: 'r', test_ids: [testId] })],
  [
    'a comment beside results',
    'run-update-test-status',
    ({ projectId, runId, testId }) => ({
      projectId,
      runId,
      testResults: [{ testId, status: 'passed' }],
      comment: 'x',
    }),
  ],
  [
    'result for status',
    'run-update-test-status',
    ({ projectId, runId, testId }) => ({ projectId, runId, testResults: [{ testId, result: 'passed' }] }),
  ],
  [
    'baseline',
    'compare-runs',
    ({ projectId, runId, lockedRunId }) => ({ projectId, runId: lockedRunId, baseline: runId }),
  ],
  ['type of a report', 'download-report', ofRun({ type: 'pdf' })],
  ['format csv of a report', 'download-report', ofRun({ format: 'csv' })],
  [
    'confirm',
    'delete-test',
    ({ projectId, otherTestId }) => ({ projectId, testId: otherTestId, confirm: true, dryRun: true }),
  ],
  [
    'dry_run',
    'delete-test',
    ({ projectId, otherTestId }) => ({ projectId, testId: otherTestId, dry_run: true }),
  ],
];

/** Names of tools in other products. */
const foreignTools: readonly Mistake[] = [
  ['list-runs', 'list-runs', inProject({})],
  ['get-project', 'get-project', inProject({})],
  ['search-tests', 'search-tests', inProject({ query: 'pay' })],
  ['find-tests', 'find-tests', inProject({ query: 'pay' })],
  ['get-test-case', 'get-test-case', ({ projectId, testId }) => ({ projectId, testId })],
  ['update-run', 'update-run', ofRun({ runName: 'Nightly 2' })],
  ['lock-run', 'lock-run', ({ projectId, lockedRunId }) => ({ projectId, runId: lockedRunId })],
  ['list-labels', 'list-labels', inProject({})],
  ['get-flaky', 'get-flaky', inProject({})],
  [
    'compare-run',
    'compare-run',
    ({ projectId, runId, lockedRunId }) => ({ projectId, runId: lockedRunId, againstRunId: runId }),
  ],
  ['get-run-details', 'get-run-details', ofRun({})],
  ['get-organizations', 'get-organizations', () => ({})],
  ['list_test_runs', 'list_test_runs', inProject({})],
];

export const agentMistakes: readonly Mistake[] = [
  ...queries,
  ...runQueries,
  ...foreignParameters,
  ...foreignTools,
];
