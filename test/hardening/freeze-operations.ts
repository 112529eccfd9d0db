import type { Served } from '../served.ts';
import { scaled } from '../verify/scale.ts';
import { worstAccounts } from './freeze-accounts.ts';
import { worstInsights } from './freeze-insights.ts';
import { worstPlanning } from './freeze-planning.ts';
import { slowFoldedQuery, slowOwnQuery, slowQuery, windowQuery, worstByQuery } from './freeze-queries.ts';
import { worstLinks } from './freeze-links.ts';
import { worstResults } from './freeze-results.ts';
import { worstSections } from './freeze-sections.ts';
import type { ToolName } from '../tool-names.ts';
import { worstReviews } from './freeze-reviews.ts';
import { worstVersions } from './freeze-versions.ts';
import { long, range, ruleOf, wholeTest, type World, type Worst } from './freeze-world.ts';

/* The worst accepted input for every operation. A new operation without an entry here does not compile. */

const results = (
  { projectId, runId, testIds }: Pick<World, 'projectId' | 'runId' | 'testIds'>,
  n: number,
) => ({
  projectId,
  runId,
  testResults: testIds.slice(0, 5_000).map((testId, index) => ({
    testId,
    status: (['failed', 'passed', 'blocked', 'retest'] as const)[(index + n) % 4],
    comment: `${n} ${'why it failed. '.repeat(20)}`,
  })),
});

const page = { limit: 500 };
const inProject = { args: ({ projectId }: World) => ({ projectId, ...page }) };
const ofRun = { args: ({ projectId, runId }: World) => ({ projectId, runId }) };
const bigRule = { args: (_world: World, n: number) => ({ name: `big ${n}`, rule: ruleOf(380) }) };
const spare = async (served: Served, { projectId, testIds }: World, n: number) => {
  const made = await served.must('create-run', { projectId, runName: `spare ${n}`, testIds });
  spareRun = Number(made['runId']);
};
const spareTests = async (served: Served, { projectId }: World) => {
  const made = await served.must('bulk-add-tests', { projectId, tests: range(5_000, wholeTest) });
  spareTestIds = (made['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
};
let spareProjectId = 0;
const spareExperiment = async (served: Served, _world: World, n: number) => {
  const rule = ruleOf(190);
  const experiment = {
    key: `freeze-${n}`,
    seed: `freeze-${n}`,
    coverage: 1,
    variants: [
      { key: 'a', weight: 0.5 },
      { key: 'b', weight: 0.5, actions: (rule as { actions: object[] }).actions },
    ],
  };
  const made = await served.must('create-cta', { name: `tried ${n}`, rule, experiment });
  spareId = String(made['ctaId']);
};
/** 3 MiB, the largest file in arguments; another one each time. */
const largeFile = (n: number) => Buffer.alloc(3 * 1024 * 1024, `${n} evidence `).toString('base64');
const spareAttachment = async (served: Served, { projectId, testIds }: World, n: number) => {
  const args = { projectId, testId: testIds[n % 100], fileName: `${n}.bin`, base64: largeFile(n) };
  spareAttachmentId = Number((await served.must('add-attachment', args))['attachmentId']);
};
let spareAttachmentId = 0;
let spareTestIds: readonly number[] = [];
let spareRun = 0;
let spareLinkId = 0;
let spareViewId = 0;
let spareId = '';
const csv = (rows: number) =>
  `Title,Section,Steps\n${range(rows, (n) => `"Imported ${n}","A > B${n % 50}","do, then ""look"""`).join('\n')}\n`;

const rows: { readonly [N in ToolName]: Worst } = {
  ...worstAccounts,
  // cta
  'create-tenant': { args: (_w, n) => ({ tenantId: `tenant-${n}` }) },
  'create-cta': bigRule,
  'update-cta': {
    args: async ({ draftIds }) => ({
      ctaId: draftIds[0],
      version: spareId === '' ? 1 : Number(spareId),
      rule: ruleOf(380),
    }),
    before: async (served, { draftIds }) => {
      spareId = String((await served.must('get-cta', { ctaId: draftIds[0] }))['version']);
    },
  },
  'clone-cta': { args: ({ ctaIds }) => ({ ctaId: ctaIds[0] }) },
  'set-cta-status': {
    args: () => ({ ctaId: spareId, status: 'LIVE' }),
    before: async (served, _world, n) => {
      spareId = String((await served.must('create-cta', { name: `live ${n}`, rule: ruleOf(380) }))['ctaId']);
    },
  },
  'get-cta': { args: ({ ctaIds }) => ({ ctaId: ctaIds[0] }) },
  'list-ctas': { args: () => ({ search: 'no such name anywhere', ...page }) },
  'list-cta-versions': { args: ({ draftIds }) => ({ ctaId: draftIds[0], ...page }) },
  'revert-cta': {
    args: async ({ draftIds }) => ({ ctaId: draftIds[0], version: Number(spareId), toVersion: 1 }),
    before: async (served, { draftIds }) => {
      spareId = String((await served.must('get-cta', { ctaId: draftIds[0] }))['version']);
    },
  },
  'list-cta-status-changes': { args: ({ ctaIds }) => ({ ctaId: ctaIds[0], ...page }) },
  'explain-cta': { args: () => ({ userId: '1', ...page }) },
  'simulate-cta': {
    args: ({ ctaIds }) => ({
      ctaIds: ctaIds.slice(0, 100),
      steps: range(300, (n) => ({
        kind: 'event',
        event: n % 2 ? 'go' : 'back',
        properties: { g: `g${n % 40}`, p1: n },
      })),
    }),
  },
  'create-behaviour-tag': { args: (_w, n) => ({ behaviourTagName: `new ${n}` }) },
  'update-behaviour-tag': {
    args: () => ({
      behaviourTagName: 'tag 1',
      version: Number(spareId),
      exposureRule: { lifespan: { limit: 3 } },
    }),
    before: async (served) => {
      spareId = String((await served.must('get-behaviour-tag', { behaviourTagName: 'tag 1' }))['version']);
    },
  },
  'get-behaviour-tag': { args: () => ({ behaviourTagName: 'tag 1' }) },
  'list-behaviour-tags': { args: () => page },
  'delete-behaviour-tag': { args: (_w, n) => ({ behaviourTagName: `tag ${80 + n}` }) },
  'link-behaviour-tag': { args: ({ draftIds }) => ({ behaviourTagName: 'tag 2', ctaIds: draftIds }) },
  'unlink-behaviour-tag': {
    args: ({ draftIds }) => ({ ctaIds: draftIds }),
    before: (served, { draftIds }) =>
      served.tool('link-behaviour-tag', { behaviourTagName: 'tag 3', ctaIds: draftIds }),
  },
  'create-cohort': {
    args: (_w, n) => ({ cohortName: `list ${n}`, kind: 'list', userIds: range(100_000, (m) => String(m)) }),
  },
  'update-cohort': { args: () => ({ cohortName: 'many', description: long }) },
  'get-cohort': { args: () => ({ cohortName: 'many' }) },
  'list-cohorts': { args: () => page },
  'count-cohort-users': { args: () => ({ cohortName: 'half' }) },
  'delete-cohort': {
    args: () => ({ cohortName: 'spare' }),
    before: async (served) => {
      await served.tool('create-cohort', { cohortName: 'spare', kind: 'list' });
      for (let made = 0; made < scaled(200_000, 1_000_000); made += 100_000) {
        const userIds = range(100_000, (n) => String(made + n));
        await served.must('add-cohort-users', { cohortName: 'spare', userIds });
      }
    },
  },
  'add-cohort-users': {
    args: (_w, n) => ({
      cohortName: 'many',
      userIds: range(100_000, (m) => String(10_000_000 * (n + 1) + m)),
    }),
  },
  'remove-cohort-users': {
    args: (_w, n) => ({ cohortName: 'many', userIds: range(100_000, (m) => String(n * 100_000 + m)) }),
  },
  'set-user-attributes': {
    args: () => ({
      users: range(10_000, (n) => ({
        userId: String(n),
        attributes: { city: 'Rome', age: n, tier: 'gold', note: 'x'.repeat(700), more: 'y'.repeat(700) },
      })),
    }),
  },
  'get-user-attributes': { args: () => ({ userId: '1' }) },
  'get-cta-metrics': { args: ({ ctaIds }) => ({ ctaId: ctaIds[0], by: 'day', breakdown: 'version' }) },
  'get-cta-funnel': { args: ({ ctaIds }) => ({ ctaId: ctaIds[0] }) },
  'export-cta-events': { args: () => ({}) },
  'define-cta-goal': {
    args: ({ ctaIds }, n) => ({
      ctaId: ctaIds[n % ctaIds.length],
      name: `goal ${n}`,
      on: { event: 'bought' },
    }),
  },
  'list-cta-goals': { args: ({ ctaIds }) => ({ ctaId: ctaIds[0] }) },
  'delete-cta-goal': {
    args: ({ ctaIds }, n) => ({ ctaId: ctaIds[n % ctaIds.length], name: `goal ${n}` }),
  },
  'purge-cta-user': { args: () => ({ userId: '1' }) },
  'start-experiment': { args: () => ({ ctaId: spareId }), before: spareExperiment },
  'stop-experiment': {
    args: () => ({ ctaId: spareId, ship: 'b' }),
    before: async (served, world, n) => {
      await spareExperiment(served, world, n);
      await served.must('start-experiment', { ctaId: spareId });
    },
  },
  'get-experiment-results': { args: () => ({ ctaId: spareId }), before: spareExperiment },
  'create-holdout': {
    args: (_w, n) => ({ name: `h${n}`, percentage: 0.01, seed: 's' }),
    before: (served) => served.tool('delete-holdout', { name: 'h0' }),
  },
  'list-holdouts': { args: () => page },
  'delete-holdout': {
    args: () => ({ name: 'spare' }),
    before: (served) => served.tool('create-holdout', { name: 'spare', percentage: 0.01, seed: 's' }),
  },
  'set-delivery-limits': { args: () => ({}) },
  'get-delivery-limits': { args: () => ({}) },
  'set-cta-kill-switch': { args: (_w, n) => ({ killed: n % 2 === 1 }) },
  'get-cta-kill-switches': { args: () => ({}) },
  'create-nudge-preview': { args: (_w, n) => ({ id: `big${n}`, template: 'x'.repeat(500_000) }) },
  'get-nudge-preview': { args: () => ({ id: 'p1' }) },
  'list-nudge-previews': { args: () => page },
  'update-nudge-preview': { args: (_w, n) => ({ id: `p${n % 50}`, template: 'x'.repeat(500_000) }) },
  'delete-nudge-preview': { args: (_w, n) => ({ id: `p${100 + n}` }) },
  // testmgmt
  'get-orgs-list': { args: () => page },
  'get-org-details': { args: () => ({ orgId: 1 }) },
  'get-projects': { args: () => ({ orgId: 1, ...page }) },
  'get-project-detail': { args: ({ projectId }) => ({ projectId }) },
  'create-project': { args: (_w, n) => ({ orgId: 1, projectName: `p${n}`, projectDescription: long }) },
  'edit-project': { args: ({ projectId }, n) => ({ projectId, projectDescription: `${n}${long}` }) },
  'update-project-status': { args: ({ projectId }) => ({ projectId, isActive: true }) },
  'get-tests': {
    args: ({ projectId, sectionId, priorityId }, n) =>
      n % 2 === 1
        ? { projectId, sectionId, priorityId, ...page }
        : {
            projectId,
            query: n % 4 === 0 ? `${slowOwnQuery} sort:cf.notes` : `${slowQuery} sort:name-desc`,
            limit: 500,
            offset: 9_500,
          },
  },
  'get-test-details': { args: ({ projectId, testIds }) => ({ projectId, testId: testIds[0] }) },
  'get-tests-count': {
    args: ({ projectId, sectionId }, n) => ({
      projectId,
      ...(n % 4 === 1
        ? { sectionId }
        : { query: [slowOwnQuery, '', slowQuery, slowFoldedQuery][n % 4] ?? slowQuery }),
    }),
  },
  'get-test-status-history': {
    args: ({ projectId, testIds }) => ({ projectId, testId: testIds[0], ...page }),
  },
  'get-test-status-history-in-run': {
    args: ({ runId, testIds }) => ({ runId, testId: testIds[0], ...page }),
  },
  'download-tests': {
    args: ({ projectId }, n) => ({
      projectId,
      ...(n === 1 ? { query: slowQuery } : n === 2 ? { query: windowQuery } : {}),
      format: n % 2 ? 'csv' : 'json',
    }),
  },
  'create-test': {
    args: ({ projectId, sectionId, labelId }, n) => ({
      projectId,
      ...wholeTest(n),
      sectionId,
      labels: [labelId],
    }),
  },
  'update-test': { args: ({ testIds }, n) => ({ testId: testIds[0], testDescription: `${n}${long}` }) },
  'delete-test': {
    before: spareTests,
    args: ({ projectId }) => ({ projectId, testId: spareTestIds[0] }),
  },
  'bulk-add-tests': {
    args: ({ projectId, sectionId }, n) =>
      n % 2 === 1
        ? { projectId, tests: range(5_000, (m) => ({ ...wholeTest(m), sectionId })) }
        : {
            projectId,
            tests: range(5_000, (m) => ({ testName: `t${m}`, section: `Deep > a${m % 40} > b${m % 1_000}` })),
            create: true,
          },
  },
  'bulk-update-tests': {
    args: ({ testIds }, n) => ({
      tests: testIds
        .slice(200, 5_200)
        .map((testId) => ({ testId, testDescription: `${n} ${'changed '.repeat(40)}` })),
    }),
  },
  'bulk-delete-tests': {
    before: spareTests,
    args: ({ projectId }) => ({ projectId, testIds: spareTestIds }),
  },
  'get-runs': { args: ({ projectId }) => ({ projectId, query: slowQuery }) },
  'run-detail': ofRun,
  'get-run-tests-list': { args: (world) => ({ ...ofRun.args(world), query: slowQuery }) },
  'get-run-test-status': { args: (world) => ({ ...ofRun.args(world), status: 'untested' }) },
  'get-run-state-detail': ofRun,
  'add-attachment': {
    args: ({ projectId, testIds }, n) => ({
      projectId,
      testId: testIds[100 + n],
      fileName: 'x'.repeat(255),
      base64: largeFile(1_000 + n),
    }),
  },
  'create-share-link': ofRun,
  'list-share-links': inProject,
  'follow-project': { args: ({ projectId }) => ({ projectId, follow: true }) },
  'list-followed-projects': { args: () => ({ limit: 500, offset: 1_000_000 }) },
  'revoke-share-link': {
    args: () => ({ shareLinkId: spareLinkId }),
    before: async (served, world) => {
      spareLinkId = Number((await served.must('create-share-link', ofRun.args(world)))['shareLinkId']);
    },
  },
  'save-view': {
    args: ({ projectId }, n) => ({
      projectId,
      surface: 'tests',
      name: `view ${n}`,
      query: slowQuery,
      shared: true,
    }),
  },
  'list-views': inProject,
  'delete-view': {
    args: () => ({ viewId: spareViewId }),
    before: async (served, { projectId }) => {
      const view = { projectId, surface: 'runs', name: 'spare', query: 'status:active' };
      spareViewId = Number((await served.must('save-view', view))['viewId']);
    },
  },
  'list-attachments': inProject,
  'get-attachment': { args: () => ({ attachmentId: spareAttachmentId }), before: spareAttachment },
  'delete-attachment': {
    args: ({ projectId }) => ({ projectId, attachmentId: spareAttachmentId }),
    before: (served, world, n) => spareAttachment(served, world, 500 + n),
  },
  ...worstLinks,
  ...worstReviews,
  ...worstVersions,
  'get-run-changes': { args: (world) => ({ ...ofRun.args(world), after: '0' }) },
  'download-report': {
    args: (world, n) => ({ ...ofRun.args(world), format: (['pdf', 'html', 'json'] as const)[n % 3] }),
  },
  'create-run': { args: ({ projectId, testIds }, n) => ({ projectId, runName: `n${n}`, testIds }) },
  'edit-run': { args: (world, n) => ({ ...ofRun.args(world), runDescription: `${n}${long}` }) },
  'delete-run': { args: ({ projectId }) => ({ projectId, runId: spareRun }), before: spare },
  'restore-run': {
    args: ({ projectId }) => ({ projectId, runId: spareRun }),
    before: async (served, world, n) => {
      await spare(served, world, n);
      await served.must('delete-run', { projectId: world.projectId, runId: spareRun });
    },
  },
  'run-update-test-status': { args: (world, n) => results(world, n + 1) },
  'run-lock': { args: ({ projectId }) => ({ projectId, runId: spareRun }), before: spare },
  'unlock-run': {
    args: ({ projectId }) => ({ projectId, runId: spareRun }),
    before: async (served, world, n) => {
      await spare(served, world, n);
      await served.must('run-lock', { projectId: world.projectId, runId: spareRun });
    },
  },
  'run-reset': { args: ({ projectId }) => ({ projectId, runId: spareRun }), before: spare },
  'run-remove-tests': {
    args: ({ projectId, testIds }) => ({ projectId, runId: spareRun, testIds }),
    before: spare,
  },
  'add-tests-to-run': {
    args: ({ projectId, testIds }) => ({ projectId, runId: spareRun, testIds }),
    before: async (served, { projectId, testIds }) => {
      spareRun = Number(
        (await served.must('create-run', { projectId, runName: 'few', testIds: testIds.slice(0, 1) }))[
          'runId'
        ],
      );
    },
  },
  'get-labels': inProject,
  'get-sections': inProject,
  'get-squads': inProject,
  'get-priority': inProject,
  'get-platforms': inProject,
  'get-automation-status': inProject,
  'get-type': inProject,
  'get-test-covered-by': inProject,
  'add-labels': { args: ({ projectId }, n) => ({ projectId, labels: range(500, (m) => `l${n} ${m}`) }) },
  'add-squads': { args: ({ projectId }, n) => ({ projectId, squads: range(500, (m) => `s${n} ${m}`) }) },
  'add-section': {
    args: ({ projectId, sectionId }, n) => ({
      projectId,
      sectionName: `new ${n}`,
      parentSectionId: sectionId,
    }),
  },
  'edit-section': { args: ({ sectionId }, n) => ({ sectionId, sectionName: `All ${n}` }) },
  ...worstSections,
  ...worstByQuery,
  ...worstInsights,
  ...worstResults,
  ...worstPlanning,
  'restore-test': {
    args: ({ projectId }) => ({ projectId, testId: spareTestIds[1] }),
    before: async (served, world) => {
      await spareTests(served, world);
      await served.must('delete-test', { projectId: world.projectId, testId: spareTestIds[1] });
    },
  },
  'pull-tests': { args: ({ projectId }) => ({ projectId, limit: 1_000 }) },
  'push-tests': {
    args: ({ projectId }, n) => ({
      projectId,
      tests: range(5_000, (m) => ({
        testName: `pushed ${n} ${m}`,
        section: ['Pushed', `${m % 50}`],
        labels: [`l${m % 20}`],
        testDescription: 'x'.repeat(200),
      })),
    }),
  },
  'import-tests': {
    // A project of its own: on a slow machine four attempts would make more tests than a run may have.
    before: async (served) => {
      const made = await served.must('create-project', { orgId: 1, projectName: 'Imported' });
      spareProjectId = Number(made['projectId']);
    },
    args: () => ({ projectId: spareProjectId, content: csv(scaled(20_000, 100_000)) }),
  },
  'get-user-details': { args: ({ userId }) => ({ userId }) },
  'get-all-users': { args: () => page },
  'list-former-members': { args: () => page },
};

export const worst: Readonly<Record<string, Worst>> = rows;
