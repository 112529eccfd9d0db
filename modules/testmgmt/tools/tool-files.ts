// Made by npm run generate from the declarations of the operations: do not edit.
import type { OperationFile } from '../../../core/module/module.ts';
import type { CallsOf } from '../../../core/tools/operation-types.ts';

/** The files that have the tools of this module, in the order that clients see. A command loads those that it runs. */
export const toolFiles = [
  {
    load: () => import('../projects/project-operations.ts'),
    tools: [{ name: 'get-orgs-list', toolset: 'testmgmt' }, { name: 'get-org-details', toolset: 'testmgmt' }, { name: 'get-projects', toolset: 'testmgmt' }, { name: 'get-project-detail', toolset: 'testmgmt' }, { name: 'create-project', toolset: 'testmgmt' }, { name: 'edit-project', toolset: 'testmgmt' }, { name: 'update-project-status', toolset: 'testmgmt' }],
  },
  {
    load: () => import('../projects/user-operations.ts'),
    tools: [{ name: 'get-user-details', toolset: 'testmgmt' }, { name: 'get-all-users', toolset: 'testmgmt' }],
  },
  {
    load: () => import('../cases/case-bulk-operations.ts'),
    tools: [{ name: 'bulk-add-tests', toolset: 'testmgmt' }, { name: 'bulk-update-tests', toolset: 'testmgmt' }, { name: 'bulk-delete-tests', toolset: 'testmgmt' }],
  },
  {
    load: () => import('../cases/case-choice-operations.ts'),
    tools: [{ name: 'change-tests', toolset: 'extra' }, { name: 'delete-tests-by-query', toolset: 'extra' }],
  },
  {
    load: () => import('../cases/case-operations.ts'),
    tools: [{ name: 'get-tests', toolset: 'testmgmt' }, { name: 'get-test-details', toolset: 'testmgmt' }, { name: 'get-tests-count', toolset: 'testmgmt' }, { name: 'create-test', toolset: 'testmgmt' }, { name: 'update-test', toolset: 'testmgmt' }, { name: 'delete-test', toolset: 'testmgmt' }, { name: 'restore-test', toolset: 'extra', alsoIn: 'testmgmt' }],
  },
  {
    load: () => import('../cases/case-restore-operations.ts'),
    tools: [{ name: 'restore-tests', toolset: 'extra' }],
  },
  {
    load: () => import('../runs/result-operations.ts'),
    tools: [{ name: 'run-update-test-status', toolset: 'testmgmt' }, { name: 'run-reset', toolset: 'testmgmt' }, { name: 'get-run-tests-list', toolset: 'testmgmt' }, { name: 'get-run-test-status', toolset: 'testmgmt' }, { name: 'get-run-state-detail', toolset: 'testmgmt' }, { name: 'get-test-status-history', toolset: 'testmgmt' }, { name: 'get-test-status-history-in-run', toolset: 'testmgmt' }],
  },
  {
    load: () => import('../runs/run-change-operations.ts'),
    tools: [{ name: 'get-run-changes', toolset: 'extra' }],
  },
  {
    load: () => import('../runs/run-choice-operations.ts'),
    tools: [{ name: 'create-run-from-query', toolset: 'extra', alsoIn: 'testmgmt' }],
  },
  {
    load: () => import('../runs/run-operations.ts'),
    tools: [{ name: 'get-runs', toolset: 'testmgmt' }, { name: 'run-detail', toolset: 'testmgmt' }, { name: 'create-run', toolset: 'testmgmt' }, { name: 'edit-run', toolset: 'testmgmt' }, { name: 'delete-run', toolset: 'testmgmt' }, { name: 'restore-run', toolset: 'extra' }, { name: 'run-lock', toolset: 'testmgmt' }, { name: 'run-remove-tests', toolset: 'testmgmt' }, { name: 'unlock-run', toolset: 'extra' }, { name: 'add-tests-to-run', toolset: 'extra' }],
  },
  {
    load: () => import('../reports/report-operations.ts'),
    tools: [{ name: 'download-report', toolset: 'testmgmt' }],
  },
  {
    load: () => import('../sections/section-operations.ts'),
    tools: [{ name: 'get-sections', toolset: 'testmgmt' }, { name: 'add-section', toolset: 'testmgmt' }, { name: 'edit-section', toolset: 'testmgmt' }],
  },
  {
    load: () => import('../metadata/metadata-operations.ts'),
    tools: [{ name: 'get-labels', toolset: 'testmgmt' }, { name: 'add-labels', toolset: 'testmgmt' }, { name: 'get-squads', toolset: 'testmgmt' }, { name: 'add-squads', toolset: 'testmgmt' }, { name: 'get-priority', toolset: 'testmgmt' }, { name: 'get-platforms', toolset: 'testmgmt' }, { name: 'get-automation-status', toolset: 'testmgmt' }, { name: 'get-type', toolset: 'testmgmt' }, { name: 'get-test-covered-by', toolset: 'testmgmt' }],
  },
  {
    load: () => import('../transfer/export-operations.ts'),
    tools: [{ name: 'download-tests', toolset: 'testmgmt' }],
  },
  {
    load: () => import('../transfer/import-operations.ts'),
    tools: [{ name: 'import-tests', toolset: 'extra' }],
  },
  {
    load: () => import('../pipelines/automation-key-operations.ts'),
    tools: [{ name: 'list-aliases', toolset: 'results' }, { name: 'merge-tests', toolset: 'results' }, { name: 'accept-rename', toolset: 'results' }],
  },
  {
    load: () => import('../pipelines/file-duration-operations.ts'),
    tools: [{ name: 'get-file-durations', toolset: 'results' }],
  },
  {
    load: () => import('../pipelines/run-results-operations.ts'),
    tools: [{ name: 'get-run-results', toolset: 'results' }, { name: 'download-results', toolset: 'results' }],
  },
  {
    load: () => import('../pipelines/upload-operations.ts'),
    tools: [{ name: 'ingest-results', toolset: 'results' }],
  },
  {
    load: () => import('../insights/duplicate-operations.ts'),
    tools: [{ name: 'get-duplicate-tests', toolset: 'insights' }],
  },
  {
    load: () => import('../insights/ranked-operations.ts'),
    tools: [{ name: 'get-flaky-tests', toolset: 'insights', alsoIn: 'testmgmt' }, { name: 'get-longest-failing', toolset: 'insights' }, { name: 'get-never-run', toolset: 'insights' }, { name: 'get-slowest-fixes', toolset: 'insights' }],
  },
  {
    load: () => import('../insights/summary-operations.ts'),
    tools: [{ name: 'get-pass-rate', toolset: 'insights' }, { name: 'get-automation-coverage', toolset: 'insights' }, { name: 'compare-runs', toolset: 'insights', alsoIn: 'testmgmt' }],
  },
  {
    load: () => import('../activity/activity-operations.ts'),
    tools: [{ name: 'list-activity', toolset: 'extra' }],
  },
  {
    load: () => import('../assignments/assignment-operations.ts'),
    tools: [{ name: 'assign-tests', toolset: 'extra' }],
  },
  {
    load: () => import('../attachments/attachment-operations.ts'),
    tools: [{ name: 'add-attachment', toolset: 'extra', alsoIn: 'results' }, { name: 'list-attachments', toolset: 'extra' }, { name: 'get-attachment', toolset: 'extra' }, { name: 'delete-attachment', toolset: 'extra' }],
  },
  {
    load: () => import('../case-files/pull-operations.ts'),
    tools: [{ name: 'pull-tests', toolset: 'extra' }],
  },
  {
    load: () => import('../case-files/push-operations.ts'),
    tools: [{ name: 'push-tests', toolset: 'extra' }],
  },
  {
    load: () => import('../configurations/configuration-operations.ts'),
    tools: [{ name: 'create-configuration-group', toolset: 'extra' }, { name: 'edit-configuration-group', toolset: 'extra' }, { name: 'delete-configuration-group', toolset: 'extra' }, { name: 'get-configuration-groups', toolset: 'extra' }],
  },
  {
    load: () => import('../failures/failure-operations.ts'),
    tools: [{ name: 'get-failure-groups', toolset: 'extra' }],
  },
  {
    load: () => import('../fields/field-operations.ts'),
    tools: [{ name: 'create-field', toolset: 'extra' }, { name: 'edit-field', toolset: 'extra' }, { name: 'delete-field', toolset: 'extra' }, { name: 'list-fields', toolset: 'extra' }],
  },
  {
    load: () => import('../following/follow-operations.ts'),
    tools: [{ name: 'follow-project', toolset: 'extra' }, { name: 'list-followed-projects', toolset: 'extra' }],
  },
  {
    load: () => import('../link-editing/coverage-operations.ts'),
    tools: [{ name: 'get-requirement-coverage', toolset: 'extra' }],
  },
  {
    load: () => import('../link-editing/link-operations.ts'),
    tools: [{ name: 'add-links', toolset: 'extra' }, { name: 'remove-links', toolset: 'extra' }, { name: 'list-links', toolset: 'extra' }],
  },
  {
    load: () => import('../metadata-editing/metadata-editing-operations.ts'),
    tools: [{ name: 'add-classification', toolset: 'extra' }, { name: 'edit-metadata', toolset: 'extra' }, { name: 'merge-metadata', toolset: 'extra' }, { name: 'delete-metadata', toolset: 'extra' }],
  },
  {
    load: () => import('../milestones/milestone-operations.ts'),
    tools: [{ name: 'create-milestone', toolset: 'extra' }, { name: 'edit-milestone', toolset: 'extra' }, { name: 'close-milestone', toolset: 'extra' }, { name: 'delete-milestone', toolset: 'extra' }, { name: 'get-milestones', toolset: 'extra' }],
  },
  {
    load: () => import('../plans/plan-creation-operations.ts'),
    tools: [{ name: 'create-plan', toolset: 'extra' }],
  },
  {
    load: () => import('../plans/plan-operations.ts'),
    tools: [{ name: 'get-plan', toolset: 'extra' }, { name: 'get-plans', toolset: 'extra' }, { name: 'close-plan', toolset: 'extra' }],
  },
  {
    load: () => import('../quarantine/quarantine-operations.ts'),
    tools: [{ name: 'set-quarantine', toolset: 'extra' }, { name: 'end-quarantine', toolset: 'extra' }, { name: 'list-quarantined', toolset: 'extra' }],
  },
  {
    load: () => import('../reviews/review-operations.ts'),
    tools: [{ name: 'propose-test-change', toolset: 'extra' }, { name: 'review-test-change', toolset: 'extra' }, { name: 'merge-test-change', toolset: 'extra' }, { name: 'list-reviews', toolset: 'extra' }, { name: 'get-review', toolset: 'extra' }],
  },
  {
    load: () => import('../saved-views/saved-view-operations.ts'),
    tools: [{ name: 'save-view', toolset: 'extra' }, { name: 'list-views', toolset: 'extra' }, { name: 'delete-view', toolset: 'extra' }],
  },
  {
    load: () => import('../section-editing/section-editing-operations.ts'),
    tools: [{ name: 'delete-section', toolset: 'extra' }, { name: 'move-section', toolset: 'extra' }],
  },
  {
    load: () => import('../sharing/share-link-operations.ts'),
    tools: [{ name: 'create-share-link', toolset: 'extra' }, { name: 'list-share-links', toolset: 'extra' }, { name: 'revoke-share-link', toolset: 'extra' }],
  },
  {
    load: () => import('../version-history/undo-operations.ts'),
    tools: [{ name: 'undo-activity', toolset: 'extra' }],
  },
  {
    load: () => import('../version-history/version-operations.ts'),
    tools: [{ name: 'list-test-versions', toolset: 'extra' }, { name: 'compare-test-versions', toolset: 'extra' }, { name: 'revert-test', toolset: 'extra' }],
  },
  {
    load: () => import('../workload/workload-operations.ts'),
    tools: [{ name: 'get-workload', toolset: 'extra' }],
  },
] as const satisfies readonly OperationFile[];

export type ToolName = (typeof toolFiles)[number]['tools'][number]['name'];

/** Every tool of this module with the types of its input and its output. */
export type Calls = CallsOf<typeof import('../projects/project-operations.ts')> &
  CallsOf<typeof import('../projects/user-operations.ts')> &
  CallsOf<typeof import('../cases/case-bulk-operations.ts')> &
  CallsOf<typeof import('../cases/case-choice-operations.ts')> &
  CallsOf<typeof import('../cases/case-operations.ts')> &
  CallsOf<typeof import('../cases/case-restore-operations.ts')> &
  CallsOf<typeof import('../runs/result-operations.ts')> &
  CallsOf<typeof import('../runs/run-change-operations.ts')> &
  CallsOf<typeof import('../runs/run-choice-operations.ts')> &
  CallsOf<typeof import('../runs/run-operations.ts')> &
  CallsOf<typeof import('../reports/report-operations.ts')> &
  CallsOf<typeof import('../sections/section-operations.ts')> &
  CallsOf<typeof import('../metadata/metadata-operations.ts')> &
  CallsOf<typeof import('../transfer/export-operations.ts')> &
  CallsOf<typeof import('../transfer/import-operations.ts')> &
  CallsOf<typeof import('../pipelines/automation-key-operations.ts')> &
  CallsOf<typeof import('../pipelines/file-duration-operations.ts')> &
  CallsOf<typeof import('../pipelines/run-results-operations.ts')> &
  CallsOf<typeof import('../pipelines/upload-operations.ts')> &
  CallsOf<typeof import('../insights/duplicate-operations.ts')> &
  CallsOf<typeof import('../insights/ranked-operations.ts')> &
  CallsOf<typeof import('../insights/summary-operations.ts')> &
  CallsOf<typeof import('../activity/activity-operations.ts')> &
  CallsOf<typeof import('../assignments/assignment-operations.ts')> &
  CallsOf<typeof import('../attachments/attachment-operations.ts')> &
  CallsOf<typeof import('../case-files/pull-operations.ts')> &
  CallsOf<typeof import('../case-files/push-operations.ts')> &
  CallsOf<typeof import('../configurations/configuration-operations.ts')> &
  CallsOf<typeof import('../failures/failure-operations.ts')> &
  CallsOf<typeof import('../fields/field-operations.ts')> &
  CallsOf<typeof import('../following/follow-operations.ts')> &
  CallsOf<typeof import('../link-editing/coverage-operations.ts')> &
  CallsOf<typeof import('../link-editing/link-operations.ts')> &
  CallsOf<typeof import('../metadata-editing/metadata-editing-operations.ts')> &
  CallsOf<typeof import('../milestones/milestone-operations.ts')> &
  CallsOf<typeof import('../plans/plan-creation-operations.ts')> &
  CallsOf<typeof import('../plans/plan-operations.ts')> &
  CallsOf<typeof import('../quarantine/quarantine-operations.ts')> &
  CallsOf<typeof import('../reviews/review-operations.ts')> &
  CallsOf<typeof import('../saved-views/saved-view-operations.ts')> &
  CallsOf<typeof import('../section-editing/section-editing-operations.ts')> &
  CallsOf<typeof import('../sharing/share-link-operations.ts')> &
  CallsOf<typeof import('../version-history/undo-operations.ts')> &
  CallsOf<typeof import('../version-history/version-operations.ts')> &
  CallsOf<typeof import('../workload/workload-operations.ts')>;
