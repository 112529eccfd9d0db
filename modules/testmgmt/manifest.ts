import { defineModule } from '../../core/module.ts';
import { testmgmtErrors } from './errors.ts';
import { classifications, forEachListing } from './rules/classification.ts';
import { testmgmtSettings } from './settings.ts';
import { shortCalls } from './terminal/short-calls.ts';

/** Area C: tools over organizations, projects, tests and runs. */
export const testmgmt = defineModule({
  name: 'testmgmt',
  requires: ['auth'],
  errors: testmgmtErrors,
  settings: testmgmtSettings,
  mcpInstructions:
    'Test management: projects hold tests, runs hold the results of tests. Start with get-orgs-list and get-projects to ' +
    'find ids, or read the resource trivet://projects/{projectId}.',
  tools: {
    // In the order of the interface specification.
    testmgmt: [
      'get-orgs-list',
      'get-org-details',
      'get-projects',
      'get-project-detail',
      'create-project',
      'edit-project',
      'update-project-status',
      'get-tests',
      'get-test-details',
      'get-tests-count',
      'get-test-status-history',
      'get-test-status-history-in-run',
      'download-tests',
      'create-test',
      'update-test',
      'delete-test',
      'bulk-add-tests',
      'bulk-update-tests',
      'bulk-delete-tests',
      'get-runs',
      'run-detail',
      'get-run-tests-list',
      'get-run-test-status',
      'get-run-state-detail',
      'download-report',
      'create-run',
      'edit-run',
      'delete-run',
      'run-update-test-status',
      'run-lock',
      'run-reset',
      'run-remove-tests',
      'get-labels',
      'get-sections',
      'get-squads',
      ...forEachListing((kind) => classifications[kind].tool),
      'add-labels',
      'add-squads',
      'add-section',
      'edit-section',
      'get-user-details',
      'get-all-users',
    ],
    extra: [
      'unlock-run',
      'add-tests-to-run',
      'restore-test',
      'delete-section',
      'import-tests',
      'create-run-from-query',
      'change-tests',
      'delete-tests-by-query',
      'restore-tests',
      'add-classification',
      'edit-metadata',
      'merge-metadata',
      'delete-metadata',
      'list-activity',
    ],
    insights: [
      'get-pass-rate',
      'get-flaky-tests',
      'get-slowest-fixes',
      'get-longest-failing',
      'get-never-run',
      'get-automation-coverage',
      'compare-runs',
    ],
  },
  shortCalls,
  completions: async () => {
    const { completedQueries } = await import('./query/query-completion.ts');
    return (tool, parameter, text) => (parameter === 'query' ? completedQueries(tool, text) : []);
  },
  mcpContext: async () => (await import('./mcp/context.ts')).context,
  load: async () => (await import('./parts.ts')).parts,
});
