import type { ToolName } from '../tools/tool-files.ts';
import { makeReviewed, reviewCalls, type Reviewed } from './review-calls.ts';
import { makePlanned, planningCalls, type Planned } from './planning-calls.ts';
import type { TestmgmtKernel } from './testmgmt-kernel.ts';

/** The records to which calls refer: two projects of one organization, one of another, and records in the first. */
export interface World {
  readonly projectId: number;
  readonly neighbourId: number;
  readonly abroadId: number;
  readonly sectionId: number;
  /** A subsection of the other section. */
  readonly childSectionId: number;
  readonly labelId: number;
  readonly squadId: number;
  readonly priorityId: number;
  readonly otherPriorityId: number;
  readonly automationStatusId: number;
  readonly testId: number;
  readonly otherTestId: number;
  readonly deletedTestId: number;
  /** A test of the neighbouring project. */
  readonly neighbourTestId: number;
  readonly neighbourRunId: number;
  readonly runId: number;
  readonly lockedRunId: number;
  readonly deletedRunId: number;
  readonly attachmentId: number;
  readonly shareLinkId: number;
  readonly viewId: number;
  readonly linkId: number;
  readonly userId: number;
  /** The write that renamed a section. */
  readonly activityId: number;
  readonly planned: Planned;
  readonly reviewed: Reviewed;
}

export async function makeWorld(trivet: TestmgmtKernel): Promise<World> {
  const { call } = trivet;
  const projectId = await trivet.makeProject();
  const neighbourId = await trivet.makeProject();
  const abroad = await call(
    'create-project',
    { orgId: 2, projectName: 'abroad' },
    trivet.withRole('admin', 2),
  );
  const sectionId = await trivet.makeSection(projectId, 'Section');
  const childSectionId = await trivet.makeSection(projectId, 'Sub', sectionId);
  const labels = await call('add-labels', { projectId, labels: ['Label'] });
  const squads = await call('add-squads', { projectId, squads: ['Squad'] });
  const [priorityId = 0, otherPriorityId = 0] = await trivet.optionIds(projectId, 'priority');
  const [automationStatusId = 0] = await trivet.optionIds(projectId, 'automationStatus');
  const [testId = 0, otherTestId = 0, deletedTestId = 0] = await trivet.makeTests(projectId, 3);
  const [neighbourTestId = 0] = await trivet.makeTests(neighbourId, 1);
  const runId = await trivet.makeRun(projectId, [testId]);
  const lockedRunId = await trivet.makeRun(projectId, [testId]);
  const neighbourRunId = await trivet.makeRun(neighbourId, [neighbourTestId]);
  const base64 = Buffer.from('evidence').toString('base64');
  const attached = await call('add-attachment', { projectId, testId, fileName: 'a.txt', base64 });
  const shared = await call('create-share-link', { projectId, runId });
  const view = await call('save-view', {
    projectId,
    surface: 'tests',
    name: 'Failing',
    query: 'last:failed',
  });
  await call('add-links', { projectId, testIds: [testId], links: [{ kind: 'requirement', key: 'SHOP-1' }] });
  const ownerId = trivet.owner.userId;
  const inQuarantine = { reason: 'slow', ownerId, until: '2026-01-31' };
  await call('set-quarantine', { projectId, testIds: [testId], ...inQuarantine });
  const linked = await call('list-links', { projectId });
  const deletedRunId = await trivet.makeRun(projectId, [testId]);
  await call('delete-run', { projectId, runId: deletedRunId });
  await call('run-lock', { projectId, runId: lockedRunId });
  await call('delete-test', { projectId, testId: deletedTestId });
  await call('update-test', { testId: otherTestId, preconditions: 'Later' });
  await call('edit-section', { sectionId: childSectionId, sectionName: 'Child' });
  const newest = await call('list-activity', { projectId, limit: 1 });
  return {
    projectId,
    neighbourId,
    abroadId: Number(abroad['projectId']),
    sectionId,
    childSectionId,
    labelId: Number((labels['labels'] as [{ labelId: number }])[0].labelId),
    squadId: Number((squads['squads'] as [{ squadId: number }])[0].squadId),
    priorityId,
    otherPriorityId,
    automationStatusId,
    testId,
    otherTestId,
    deletedTestId,
    neighbourTestId,
    neighbourRunId,
    runId,
    lockedRunId,
    deletedRunId,
    attachmentId: Number(attached['attachmentId']),
    shareLinkId: Number(shared['shareLinkId']),
    viewId: Number(view['viewId']),
    linkId: Number((linked['links'] as [{ linkId: number }])[0].linkId),
    userId: trivet.owner.userId,
    activityId: Number((newest['activities'] as [{ activityId: number }])[0].activityId),
    planned: await makePlanned(trivet, projectId, testId),
    reviewed: await makeReviewed(trivet, projectId, testId),
  };
}

const paged = { limit: 10, offset: 0 };

/** For each tool a call with every parameter, which succeeds once in a new {@link World}. A new tool without a row does not compile. */
const rows: { readonly [N in ToolName]: (world: World) => Record<string, unknown> } = {
  'get-orgs-list': () => paged,
  'get-org-details': () => ({ orgId: 1 }),
  'get-projects': () => ({ orgId: 1, ...paged }),
  'get-project-detail': ({ projectId }) => ({ projectId }),
  'create-project': () => ({ orgId: 1, projectName: 'Project', projectDescription: 'text' }),
  'edit-project': ({ projectId }) => ({
    projectId,
    projectName: 'Renamed',
    projectDescription: 'text',
    linkTemplates: [],
    review: 'off',
  }),
  'update-project-status': ({ projectId }) => ({ projectId, isActive: false }),
  'get-tests': ({ projectId, sectionId, priorityId }) => ({ projectId, sectionId, priorityId, ...paged }),
  'get-test-details': ({ projectId, testId }) => ({ projectId, testId }),
  'get-tests-count': ({ projectId, sectionId, priorityId, automationStatusId }) => ({
    projectId,
    sectionId,
    priorityId,
    automationStatusId,
  }),
  'get-test-status-history': ({ projectId, testId }) => ({ projectId, testId, ...paged }),
  'get-test-status-history-in-run': ({ runId, testId }) => ({ runId, testId, ...paged }),
  'download-tests': ({ projectId }) => ({ projectId, format: 'csv' }),
  'create-test': (world) => ({ projectId: world.projectId, ...wholeTest(world) }),
  'update-test': (world) => ({ testId: world.testId, ...wholeTest(world) }),
  'delete-test': ({ projectId, otherTestId }) => ({ projectId, testId: otherTestId }),
  'bulk-add-tests': (world) => ({ projectId: world.projectId, tests: [wholeTest(world)] }),
  'bulk-update-tests': (world) => ({ tests: [{ testId: world.testId, ...wholeTest(world) }] }),
  'bulk-delete-tests': ({ projectId, otherTestId }) => ({ projectId, testIds: [otherTestId] }),
  'get-runs': ({ projectId }) => ({ projectId, ...paged }),
  'run-detail': ({ projectId, runId }) => ({ projectId, runId }),
  'get-run-tests-list': ({ projectId, runId }) => ({ projectId, runId, ...paged }),
  'get-run-test-status': ({ projectId, runId }) => ({ projectId, runId, status: 'untested', ...paged }),
  'get-run-state-detail': ({ projectId, runId }) => ({ projectId, runId }),
  'download-report': ({ projectId, runId }) => ({ projectId, runId, format: 'json' }),
  'create-run': ({ projectId, testId }) => ({
    projectId,
    runName: 'Run',
    runDescription: 'text',
    dueOn: '2026-12-24',
    testIds: [testId],
  }),
  'edit-run': ({ projectId, runId, planned }) => ({
    projectId,
    runId,
    runName: 'Renamed',
    runDescription: 'text',
    milestoneId: planned.milestoneId,
    dueOn: null,
  }),
  'delete-run': ({ projectId, runId }) => ({ projectId, runId }),
  'run-update-test-status': ({ projectId, runId, testId }) => ({
    projectId,
    runId,
    testResults: [{ testId, status: 'failed', comment: 'text', fields: { os: 'Linux' } }],
  }),
  'run-lock': ({ projectId, runId }) => ({ projectId, runId }),
  'run-reset': ({ projectId, runId }) => ({ projectId, runId }),
  'run-remove-tests': ({ projectId, runId, testId }) => ({ projectId, runId, testIds: [testId] }),
  'add-attachment': ({ projectId, runId, testId }) => ({
    projectId,
    runId,
    testId,
    step: 1,
    fileName: 'log.txt',
    mediaType: 'text/plain',
    ofPipeline: true,
    base64: Buffer.from('text').toString('base64'),
  }),
  'create-share-link': ({ projectId, runId }) => ({ projectId, runId }),
  'follow-project': ({ projectId }) => ({ projectId, follow: true }),
  'list-followed-projects': () => paged,
  'list-share-links': ({ projectId }) => ({ projectId, ...paged }),
  'revoke-share-link': ({ shareLinkId }) => ({ shareLinkId }),
  'save-view': ({ projectId, viewId }) => ({
    projectId,
    surface: 'tests',
    name: 'Smoke',
    query: 'label:Label',
    shared: false,
    viewId,
  }),
  'list-views': ({ projectId }) => ({ projectId, surface: 'tests', ...paged }),
  'delete-view': ({ viewId }) => ({ viewId }),
  'list-attachments': ({ projectId, testId }) => ({ projectId, testId, ...paged }),
  'get-attachment': ({ attachmentId }) => ({ attachmentId }),
  'delete-attachment': ({ projectId, attachmentId }) => ({ projectId, attachmentId }),
  'add-links': ({ projectId, runId, testId }) => ({
    projectId,
    runId,
    testIds: [testId],
    links: [{ kind: 'defect', key: 'BUG-1', url: 'https://bugs.example/1' }],
    dryRun: false,
  }),
  'remove-links': ({ projectId, linkId }) => ({ projectId, linkIds: [linkId], dryRun: false }),
  'list-links': ({ projectId, testId, runId }) => ({
    projectId,
    testId,
    runId,
    kind: 'defect',
    key: 'BUG-1',
    ...paged,
  }),
  'get-requirement-coverage': ({ projectId, planned }) => ({
    projectId,
    query: 'has:req',
    milestoneId: planned.milestoneId,
    ...paged,
  }),
  'set-quarantine': ({ projectId, testId, userId }) => ({
    projectId,
    testIds: [testId],
    reason: 'It waits for a clock.',
    ownerId: userId,
    until: '2026-02-01',
    linkKey: 'SHOP-77',
    force: false,
    dryRun: false,
  }),
  'end-quarantine': ({ projectId, testId }) => ({ projectId, query: `id:${testId}`, dryRun: false }),
  'list-quarantined': ({ projectId, testId }) => ({ projectId, testId, ...paged }),
  'get-failure-groups': ({ projectId, runId }) => ({ projectId, runId, ...paged }),
  'get-labels': ({ projectId }) => ({ projectId, ...paged }),
  'get-sections': ({ projectId }) => ({ projectId, ...paged }),
  'get-squads': ({ projectId }) => ({ projectId, ...paged }),
  'get-priority': ({ projectId }) => ({ projectId, ...paged }),
  'get-platforms': ({ projectId }) => ({ projectId, ...paged }),
  'get-automation-status': ({ projectId }) => ({ projectId, ...paged }),
  'get-type': ({ projectId }) => ({ projectId, ...paged }),
  'get-test-covered-by': ({ projectId }) => ({ projectId, ...paged }),
  'add-labels': ({ projectId }) => ({ projectId, labels: ['New'] }),
  'add-squads': ({ projectId }) => ({ projectId, squads: ['New'] }),
  'add-section': ({ projectId, sectionId }) => ({
    projectId,
    sectionName: 'New',
    parentSectionId: sectionId,
  }),
  'edit-section': ({ sectionId }) => ({ sectionId, sectionName: 'Renamed' }),
  'get-user-details': ({ userId }) => ({ userId }),
  'get-all-users': () => ({ orgId: 1, ...paged }),
  'list-former-members': () => ({ orgId: 1, ...paged }),
  'unlock-run': ({ projectId, lockedRunId }) => ({ projectId, runId: lockedRunId }),
  'add-tests-to-run': ({ projectId, runId, otherTestId }) => ({ projectId, runId, testIds: [otherTestId] }),
  'create-run-from-query': ({ projectId, testId }) => ({
    projectId,
    query: `id:${testId}`,
    runName: 'Of a query',
    runDescription: 'All of it',
    dryRun: false,
  }),
  'change-tests': ({ projectId, testId }) => ({
    projectId,
    query: `id:${testId}`,
    set: { testDescription: 'Changed' },
    dryRun: false,
  }),
  'delete-tests-by-query': ({ projectId, testId }) => ({ projectId, query: `id:${testId}`, dryRun: false }),
  'ingest-results': ({ projectId, testId }) => ({
    projectId,
    files: [
      { name: 'junit.xml', content: `<testsuite name="s"><testcase name="a [T${testId}]"/></testsuite>` },
    ],
    runKey: 'build 1',
    runName: 'CI #1',
    create: true,
    dryRun: false,
    acceptRenames: true,
    job: 'unit',
    branch: 'main',
    baseBranch: 'main',
    commit: '1a2b3c4',
    provider: 'github',
    repository: 'acme/shop',
    workflow: 'CI',
    buildNumber: '1',
    jobUrl: 'https://ci.example/1',
    author: 'Ada',
    pullRequest: '7',
  }),
  'get-run-results': ({ projectId, runId, testId }) => ({ projectId, runId, testId, ...paged }),
  'download-results': ({ projectId, runId }) => ({ projectId, runId, format: 'ctrf' }),
  'get-file-durations': ({ projectId }) => ({ projectId, files: ['src/a.test.ts'] }),
  'list-aliases': ({ projectId, testId }) => ({ projectId, testId, ...paged }),
  'merge-tests': ({ projectId, testId, otherTestId }) => ({
    projectId,
    testId,
    mergedTestId: otherTestId,
    dryRun: false,
  }),
  'accept-rename': ({ projectId, testId }) => ({ projectId, testId, key: 's > b', dryRun: false }),
  'get-pass-rate': ({ projectId }) => ({ projectId, days: 7, by: 'week', ...paged }),
  'get-flaky-tests': ({ projectId }) => ({ projectId, query: 'has:steps', ...paged }),
  'get-slowest-fixes': ({ projectId }) => ({ projectId, query: 'has:steps', days: 7, ...paged }),
  'get-longest-failing': ({ projectId }) => ({ projectId, query: 'has:steps', ...paged }),
  'get-duplicate-tests': ({ projectId }) => ({ projectId, query: 'has:steps', ...paged }),
  'get-never-run': ({ projectId }) => ({ projectId, query: 'has:steps', ...paged }),
  'get-automation-coverage': ({ projectId, automationStatusId }) => ({
    projectId,
    query: '-has:steps',
    automationStatusId,
    ...paged,
  }),
  'compare-runs': ({ projectId, runId, lockedRunId }) => ({
    projectId,
    runId: lockedRunId,
    againstRunId: runId,
    change: 'fixed',
    ...paged,
  }),
  'add-classification': ({ projectId }) => ({ projectId, kind: 'priority', names: ['Urgent', 'low'] }),
  'edit-metadata': ({ projectId, labelId }) => ({ projectId, kind: 'label', id: labelId, name: 'Renamed' }),
  'merge-metadata': ({ projectId, priorityId, otherPriorityId }) => ({
    projectId,
    kind: 'priority',
    fromId: priorityId,
    intoId: otherPriorityId,
    dryRun: false,
  }),
  'delete-metadata': ({ projectId, squadId }) => ({ projectId, kind: 'squad', id: squadId, dryRun: false }),
  'restore-tests': ({ projectId, deletedTestId }) => ({
    projectId,
    testIds: [deletedTestId],
    dryRun: false,
  }),
  'list-activity': ({ projectId, testId, runId, userId }) => ({
    projectId,
    testId,
    runId,
    userId,
    since: '1d',
    ...paged,
  }),
  'restore-run': ({ projectId, deletedRunId }) => ({ projectId, runId: deletedRunId }),
  'restore-test': ({ projectId, deletedTestId }) => ({ projectId, testId: deletedTestId }),
  'delete-section': ({ childSectionId }) => ({
    sectionId: childSectionId,
    withContents: false,
    dryRun: false,
  }),
  'get-run-changes': ({ projectId, runId }) => ({ projectId, runId, after: '0', limit: 10 }),
  'list-test-versions': ({ testId }) => ({ testId, ...paged }),
  'compare-test-versions': ({ deletedTestId }) => ({ testId: deletedTestId, from: 1, to: 2 }),
  'revert-test': ({ otherTestId }) => ({ testId: otherTestId, version: 1 }),
  'undo-activity': ({ activityId }) => ({ activityId, dryRun: false }),
  'move-section': ({ childSectionId }) => ({ sectionId: childSectionId, parentSectionId: null }),
  ...planningCalls,
  ...reviewCalls,
  'pull-tests': ({ projectId }) => ({ projectId, after: 0, limit: 2 }),
  'push-tests': ({ projectId, testId }) => ({
    projectId,
    tests: [
      {
        testId,
        version: 1,
        testDescription: 'pushed',
        section: ['Pushed'],
        labels: ['pushed'],
        steps: [{ action: 'Do' }],
      },
    ],
    deleted: [],
    strict: false,
    dryRun: false,
  }),
  'import-tests': ({ projectId }) => ({
    projectId,
    content: 'Title\nImported\n',
    format: 'csv',
    dryRun: false,
  }),
};

export const validCalls: Readonly<Record<string, (world: World) => Record<string, unknown>>> = rows;

const wholeTest = ({ sectionId, priorityId, automationStatusId, labelId, squadId }: World) => ({
  testName: 'Test',
  testDescription: 'text',
  preconditions: 'text',
  steps: [{ action: 'do', data: 'with', expected: 'see' }],
  sectionId,
  priorityId,
  automationStatusId,
  squadId,
  estimateSeconds: 90,
  labels: [labelId],
  fields: { browser: 'Chrome' },
});

/** Tools about what the caller gets: readers have them, too. */
export const ownTools: readonly string[] = [
  'follow-project',
  'list-followed-projects',
  'save-view',
  'list-views',
  'delete-view',
];

/** Tools for administrators only. */
export const adminTools: readonly string[] = [
  'create-project',
  'edit-project',
  'update-project-status',
  'unlock-run',
];
