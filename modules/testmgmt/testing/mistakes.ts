/** The records used by the mistakes: a project, a neighbouring project, and the records of the first. */
export interface MistakeWorld {
  readonly projectId: number;
  readonly neighbourId: number;
  readonly testId: number;
  readonly otherTestId: number;
  readonly deletedTestId: number;
  readonly neighbourTestId: number;
  readonly runId: number;
  readonly lockedRunId: number;
  readonly neighbourRunId: number;
  readonly sectionId: number;
  readonly neighbourSectionId: number;
  readonly labelId: number;
  readonly squadId: number;
}

/** A mistaken call of an agent, a pipeline or a person: a description, the tool, its arguments. */
export type Mistake = readonly [what: string, tool: string, args: (w: MistakeWorld) => object];

const inProject =
  (args: object) =>
  ({ projectId }: MistakeWorld) => ({ projectId, ...args });
const ofRun =
  (args: object) =>
  ({ projectId, runId }: MistakeWorld) => ({ projectId, runId, ...args });
const query = (text: string) => inProject({ query: text });
const create = (args: object) => inProject({ testName: 'Pays', ...args });

const namesForIds: readonly Mistake[] = [
  ['a misspelt name of a project', 'get-runs', () => ({ projectId: 'Shpo' })],
  ['an id in quotes', 'get-tests', ({ projectId }) => ({ projectId: String(projectId) })],
  ['the name of an organization', 'get-projects', () => ({ orgId: 'My organization' })],
  ['a misspelt section', 'create-test', create({ sectionId: 'Chekout' })],
  ['a misspelt priority', 'create-test', create({ priorityId: 'Hihg' })],
  ['names of labels, one misspelt', 'create-test', create({ labels: ['smoke', 'chekout'] })],
  ['the name of a test', 'get-test-details', inProject({ testId: 'Pay with a card' })],
  ['the name of a run', 'run-detail', inProject({ runId: 'Nightly' })],
  ['the name of a test in a run', 'create-run', inProject({ runName: 'r', testIds: ['Pay with a card'] })],
  ['the e-mail address of a user', 'get-user-details', () => ({ userId: 'owner@example.org' })],
  ['the name of a run to compare with', 'compare-runs', ofRun({ againstRunId: 'Locked' })],
];

const wrongWords: readonly Mistake[] = [
  [
    'a status that is near',
    'run-update-test-status',
    ({ projectId, runId, testId }) => ({ projectId, runId, testResults: [{ testId, status: 'pass' }] }),
  ],
  [
    'a status in capitals',
    'run-update-test-status',
    ({ projectId, runId, testId }) => ({ projectId, runId, testResults: [{ testId, status: 'FAILED' }] }),
  ],
  [
    'a status that is none',
    'run-update-test-status',
    ({ projectId, runId, testId }) => ({ projectId, runId, testResults: [{ testId, status: 'green' }] }),
  ],
  ['a status of a filter', 'get-run-test-status', ofRun({ status: 'fail' })],
  ['a format of tests', 'download-tests', inProject({ format: 'xlsx' })],
  ['a format of a report', 'download-report', ofRun({ format: 'PDF' })],
  ['a period', 'get-pass-rate', inProject({ by: 'weekly' })],
  [
    'a kind of change',
    'compare-runs',
    ({ projectId, lockedRunId }) => ({ projectId, runId: lockedRunId, change: 'newlyFailing' }),
  ],
  ['a field', 'get-tests', inProject({ fields: ['testId', 'name'] })],
  ['a misspelt field', 'get-tests', inProject({ fields: ['testid', 'testNmae'] })],
  ['a field of another list', 'get-runs', inProject({ fields: ['runId', 'testName'] })],
  ['what to return', 'bulk-add-tests', inProject({ tests: [{ testName: 'x' }], return: 'record' })],
];

const wrongShapes: readonly Mistake[] = [
  [
    'one label for a list',
    'create-test',
    ({ projectId, labelId }) => ({ projectId, testName: 'x', labels: labelId }),
  ],
  [
    'one id for a list',
    'create-run',
    ({ projectId, testId }) => ({ projectId, runName: 'r', testIds: testId }),
  ],
  [
    'a list as JSON text',
    'create-run',
    ({ projectId, testId }) => ({ projectId, runName: 'r', testIds: `[${testId}]` }),
  ],
  ['one test for a list', 'bulk-add-tests', inProject({ tests: { testName: 'x' } })],
  ['names for tests', 'bulk-add-tests', inProject({ tests: ['x', 'y'] })],
  [
    'one result for a list',
    'run-update-test-status',
    ({ projectId, runId, testId }) => ({ projectId, runId, testResults: { testId, status: 'passed' } }),
  ],
  ['texts for steps', 'create-test', create({ steps: ['open the page'] })],
  ['one text for steps', 'create-test', create({ steps: 'open the page' })],
  ['one label to add', 'add-labels', inProject({ labels: 'new label' })],
  ['one squad to add', 'add-squads', inProject({ squads: 'new squad' })],
  ['one field for a list', 'get-tests', inProject({ fields: 'testName' })],
  ['a yes for true', 'update-project-status', inProject({ isActive: 'yes' })],
  ['true in quotes', 'update-project-status', inProject({ isActive: 'true' })],
  [
    'a number for a text',
    'create-run',
    ({ projectId, testId }) => ({ projectId, runName: 7, testIds: [testId] }),
  ],
  ['a limit that is too large', 'get-tests', inProject({ limit: 10_000 })],
  ['a limit of 0', 'get-tests', inProject({ limit: 0 })],
  ['a limit as text', 'get-tests', inProject({ limit: '20' })],
  ['a negative offset', 'get-runs', inProject({ offset: -1 })],
  ['an empty name', 'create-test', inProject({ testName: '' })],
  ['a blank name', 'create-test', inProject({ testName: '   ' })],
  ['a name that is too long', 'create-test', inProject({ testName: 'x'.repeat(300) })],
  ['an empty list', 'create-run', inProject({ runName: 'r', testIds: [] })],
  ['a fraction', 'get-tests', inProject({ limit: 2.5 })],
  ['too many days', 'get-pass-rate', inProject({ days: 1_000 })],
];

const wrongParameters: readonly Mistake[] = [
  ['the case of a parameter', 'get-tests', ({ projectId }) => ({ projectID: projectId })],
  ['underscores', 'get-tests', ({ projectId }) => ({ project_id: projectId })],
  ['a short parameter', 'get-tests', ({ projectId }) => ({ project: projectId })],
  ['name for testName', 'create-test', inProject({ name: 'Pays' })],
  ['description for testDescription', 'create-test', create({ description: 'text' })],
  [
    'labelIds for labels',
    'create-test',
    ({ projectId, labelId }) => ({ projectId, testName: 'x', labelIds: [labelId] }),
  ],
  [
    'testId for testIds',
    'create-run',
    ({ projectId, testId }) => ({ projectId, runName: 'r', testId: [testId] }),
  ],
  [
    'name for runName',
    'create-run',
    ({ projectId, testId }) => ({ projectId, name: 'r', testIds: [testId] }),
  ],
  ['filter for query', 'get-tests', inProject({ filter: 'label:smoke' })],
  [
    'results for testResults',
    'run-update-test-status',
    ({ projectId, runId, testId }) => ({ projectId, runId, results: [{ testId, status: 'passed' }] }),
  ],
  ['a page that is none', 'get-tests', inProject({ page: 2 })],
  ['no project', 'get-tests', () => ({})],
  ['no run', 'run-detail', inProject({})],
  ['no name', 'create-test', inProject({})],
  ['a misspelt member of an item', 'bulk-add-tests', inProject({ tests: [{ testname: 'x' }] })],
  ['nothing to change', 'update-test', ({ testId }) => ({ testId })],
  ['no field of a run', 'edit-run', ofRun({})],
];

const foreignIds: readonly Mistake[] = [
  ['a project that is not there', 'get-tests', () => ({ projectId: 999_999 })],
  ['a test that is not there', 'get-test-details', inProject({ testId: 999_999 })],
  ['a run that is not there', 'run-detail', inProject({ runId: 999_999 })],
  [
    'a test of another project',
    'get-test-details',
    ({ projectId, neighbourTestId }) => ({ projectId, testId: neighbourTestId }),
  ],
  [
    'a run of another project',
    'run-detail',
    ({ projectId, neighbourRunId }) => ({ projectId, runId: neighbourRunId }),
  ],
  [
    'a section of another project',
    'create-test',
    ({ projectId, neighbourSectionId }) => ({ projectId, testName: 'x', sectionId: neighbourSectionId }),
  ],
  ['a priority for a type', 'create-test', create({ typeId: 1 })],
  ['a label that is not there', 'create-test', create({ labels: [999_999] })],
  [
    'a run of a foreign test',
    'create-run',
    ({ projectId, testId, neighbourTestId }) => ({
      projectId,
      runName: 'r',
      testIds: [testId, neighbourTestId],
    }),
  ],
  [
    'a deleted test',
    'get-test-details',
    ({ projectId, deletedTestId }) => ({ projectId, testId: deletedTestId }),
  ],
  [
    'a test twice',
    'create-run',
    ({ projectId, testId }) => ({ projectId, runName: 'r', testIds: [testId, testId] }),
  ],
  [
    'a result of a test that is not in the run',
    'run-update-test-status',
    ({ projectId, runId, otherTestId }) => ({
      projectId,
      runId,
      testResults: [{ testId: otherTestId, status: 'passed' }],
    }),
  ],
  [
    'a result in a locked run',
    'run-update-test-status',
    ({ projectId, lockedRunId, testId }) => ({
      projectId,
      runId: lockedRunId,
      testResults: [{ testId, status: 'passed' }],
    }),
  ],
];

const wrongTools: readonly Mistake[] = [
  ['get-test', 'get-test', inProject({})],
  ['get_tests', 'get_tests', inProject({})],
  ['getTests', 'getTests', inProject({})],
  ['list-tests', 'list-tests', inProject({})],
  ['get-run', 'get-run', inProject({})],
  ['list-projects', 'list-projects', () => ({ orgId: 1 })],
  ['create-tests', 'create-tests', inProject({ testName: 'x' })],
  ['get-label', 'get-label', inProject({})],
];

const wrongQueries: readonly Mistake[] = [
  ['a misspelt field of a query', 'get-tests', query('lable:smoke')],
  ['a field of another language', 'get-tests', query('status:failed')],
  ['a misspelt value', 'get-tests', query('last:faild')],
  ['a value of another language', 'get-tests', query('last:fail')],
  ['a misspelt label', 'get-tests', query('label:smok')],
  ['a misspelt section', 'get-tests', query('section:Chekout')],
  ['a parenthesis that is not closed', 'get-tests', query('(label:smoke OR last:failed')],
  ['a parenthesis too many', 'get-tests', query('label:smoke)')],
  ['a quote that is not closed', 'get-tests', query('name:"Pay with')],
  ['a field without a value', 'get-tests', query('label:')],
  ['a sort that is none', 'get-tests', query('sort:updatd')],
  ['a wrong time', 'get-tests', query('updated:>=yesterday')],
  ['a wrong number', 'get-tests', query('failed:>=two')],
  ['a wrong yes', 'get-tests', query('flaky:true')],
  ['an OR with nothing after it', 'get-tests', query('label:smoke OR')],
  ['a comparison of a name', 'get-tests', query('priority:>High')],
  ['a run by its name', 'get-tests', query('in-run:Nightly')],
  ['a misspelt state of a run', 'get-runs', query('status:activ')],
];

/** At least 93, the number that an outsider once tried. */
export const mistakes: readonly Mistake[] = [
  ...namesForIds,
  ...wrongWords,
  ...wrongShapes,
  ...wrongParameters,
  ...foreignIds,
  ...wrongTools,
  ...wrongQueries,
];
