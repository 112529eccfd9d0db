// Made by npm run generate from the declarations of the operations: do not edit.
import type { OperationFile } from '../../../core/module/module.ts';
import type { CallsOf } from '../../../core/tools/operation-types.ts';

/** The files that have the tools of this module, in the order that clients see. A command loads those that it runs. */
export const toolFiles = [
  {
    load: () => import('../projects/project-operations.ts'),
    tools: [{ name: 'get-orgs-list', toolset: 'testmgmt', effect: 'read' }, { name: 'get-org-details', toolset: 'testmgmt', effect: 'read' }, { name: 'get-projects', toolset: 'testmgmt', effect: 'read' }, { name: 'get-project-detail', toolset: 'testmgmt', effect: 'read' }, { name: 'create-project', toolset: 'testmgmt', effect: 'create' }, { name: 'edit-project', toolset: 'testmgmt', effect: 'update' }, { name: 'update-project-status', toolset: 'testmgmt', effect: 'update' }],
  },
  {
    load: () => import('../projects/user-operations.ts'),
    tools: [{ name: 'get-user-details', toolset: 'testmgmt', effect: 'read' }, { name: 'get-all-users', toolset: 'testmgmt', effect: 'read' }, { name: 'list-former-members', toolset: 'extra', effect: 'read' }],
  },
  {
    load: () => import('../cases/case-bulk-operations.ts'),
    tools: [{ name: 'bulk-add-tests', toolset: 'testmgmt', effect: 'create' }, { name: 'bulk-update-tests', toolset: 'testmgmt', effect: 'update' }, { name: 'bulk-delete-tests', toolset: 'testmgmt', effect: 'delete' }],
  },
  {
    load: () => import('../cases/case-choice-operations.ts'),
    tools: [{ name: 'change-tests', toolset: 'extra', effect: 'update' }, { name: 'delete-tests-by-query', toolset: 'extra', effect: 'delete' }],
  },
  {
    load: () => import('../cases/case-operations.ts'),
    tools: [{ name: 'get-tests', toolset: 'testmgmt', effect: 'read' }, { name: 'get-test-details', toolset: 'testmgmt', effect: 'read' }, { name: 'get-tests-count', toolset: 'testmgmt', effect: 'read' }, { name: 'create-test', toolset: 'testmgmt', effect: 'create' }, { name: 'update-test', toolset: 'testmgmt', effect: 'update' }, { name: 'delete-test', toolset: 'testmgmt', effect: 'delete' }, { name: 'restore-test', toolset: 'extra', alsoIn: 'testmgmt', effect: 'update' }],
  },
  {
    load: () => import('../cases/case-restore-operations.ts'),
    tools: [{ name: 'restore-tests', toolset: 'extra', effect: 'update' }],
  },
  {
    load: () => import('../runs/result-operations.ts'),
    tools: [{ name: 'run-update-test-status', toolset: 'testmgmt', effect: 'update' }, { name: 'run-reset', toolset: 'testmgmt', effect: 'update' }, { name: 'get-run-tests-list', toolset: 'testmgmt', effect: 'read' }, { name: 'get-run-test-status', toolset: 'testmgmt', effect: 'read' }, { name: 'get-run-state-detail', toolset: 'testmgmt', effect: 'read' }, { name: 'get-test-status-history', toolset: 'testmgmt', effect: 'read' }, { name: 'get-test-status-history-in-run', toolset: 'testmgmt', effect: 'read' }],
  },
  {
    load: () => import('../runs/run-change-operations.ts'),
    tools: [{ name: 'get-run-changes', toolset: 'extra', effect: 'read' }],
  },
  {
    load: () => import('../runs/run-choice-operations.ts'),
    tools: [{ name: 'create-run-from-query', toolset: 'extra', alsoIn: 'testmgmt', effect: 'create' }],
  },
  {
    load: () => import('../runs/run-operations.ts'),
    tools: [{ name: 'get-runs', toolset: 'testmgmt', effect: 'read' }, { name: 'run-detail', toolset: 'testmgmt', effect: 'read' }, { name: 'create-run', toolset: 'testmgmt', effect: 'create' }, { name: 'edit-run', toolset: 'testmgmt', effect: 'update' }, { name: 'delete-run', toolset: 'testmgmt', effect: 'delete' }, { name: 'restore-run', toolset: 'extra', effect: 'update' }, { name: 'run-lock', toolset: 'testmgmt', effect: 'update' }, { name: 'run-remove-tests', toolset: 'testmgmt', effect: 'delete' }, { name: 'unlock-run', toolset: 'extra', effect: 'update' }, { name: 'add-tests-to-run', toolset: 'extra', effect: 'update' }],
  },
  {
    load: () => import('../reports/report-operations.ts'),
    tools: [{ name: 'download-report', toolset: 'testmgmt', effect: 'read' }],
  },
  {
    load: () => import('../sections/section-operations.ts'),
    tools: [{ name: 'get-sections', toolset: 'testmgmt', effect: 'read' }, { name: 'add-section', toolset: 'testmgmt', effect: 'create' }, { name: 'edit-section', toolset: 'testmgmt', effect: 'update' }],
  },
  {
    load: () => import('../metadata/metadata-operations.ts'),
    tools: [{ name: 'get-labels', toolset: 'testmgmt', effect: 'read' }, { name: 'add-labels', toolset: 'testmgmt', effect: 'create' }, { name: 'get-squads', toolset: 'testmgmt', effect: 'read' }, { name: 'add-squads', toolset: 'testmgmt', effect: 'create' }, { name: 'get-priority', toolset: 'testmgmt', effect: 'read' }, { name: 'get-platforms', toolset: 'testmgmt', effect: 'read' }, { name: 'get-automation-status', toolset: 'testmgmt', effect: 'read' }, { name: 'get-type', toolset: 'testmgmt', effect: 'read' }, { name: 'get-test-covered-by', toolset: 'testmgmt', effect: 'read' }],
  },
  {
    load: () => import('../transfer/export-operations.ts'),
    tools: [{ name: 'download-tests', toolset: 'testmgmt', effect: 'read' }],
  },
  {
    load: () => import('../transfer/import-operations.ts'),
    tools: [{ name: 'import-tests', toolset: 'extra', effect: 'create' }],
  },
  {
    load: () => import('../pipelines/automation-key-operations.ts'),
    tools: [{ name: 'list-aliases', toolset: 'results', effect: 'read' }, { name: 'merge-tests', toolset: 'results', effect: 'delete' }, { name: 'accept-rename', toolset: 'results', effect: 'update' }],
  },
  {
    load: () => import('../pipelines/file-duration-operations.ts'),
    tools: [{ name: 'get-file-durations', toolset: 'results', effect: 'read' }],
  },
  {
    load: () => import('../pipelines/run-results-operations.ts'),
    tools: [{ name: 'get-run-results', toolset: 'results', effect: 'read' }, { name: 'download-results', toolset: 'results', effect: 'read' }],
  },
  {
    load: () => import('../pipelines/upload-operations.ts'),
    tools: [{ name: 'ingest-results', toolset: 'results', effect: 'update' }],
  },
  {
    load: () => import('../insights/duplicate-operations.ts'),
    tools: [{ name: 'get-duplicate-tests', toolset: 'insights', effect: 'read' }],
  },
  {
    load: () => import('../insights/ranked-operations.ts'),
    tools: [{ name: 'get-flaky-tests', toolset: 'insights', alsoIn: 'testmgmt', effect: 'read' }, { name: 'get-longest-failing', toolset: 'insights', effect: 'read' }, { name: 'get-never-run', toolset: 'insights', effect: 'read' }, { name: 'get-slowest-fixes', toolset: 'insights', effect: 'read' }],
  },
  {
    load: () => import('../insights/summary-operations.ts'),
    tools: [{ name: 'get-pass-rate', toolset: 'insights', effect: 'read' }, { name: 'get-automation-coverage', toolset: 'insights', effect: 'read' }, { name: 'compare-runs', toolset: 'insights', alsoIn: 'testmgmt', effect: 'read' }],
  },
  {
    load: () => import('../activity/activity-operations.ts'),
    tools: [{ name: 'list-activity', toolset: 'extra', effect: 'read' }],
  },
  {
    load: () => import('../assignments/assignment-operations.ts'),
    tools: [{ name: 'assign-tests', toolset: 'extra', effect: 'update' }],
  },
  {
    load: () => import('../attachments/attachment-operations.ts'),
    tools: [{ name: 'add-attachment', toolset: 'extra', alsoIn: 'results', effect: 'create' }, { name: 'list-attachments', toolset: 'extra', effect: 'read' }, { name: 'get-attachment', toolset: 'extra', effect: 'read' }, { name: 'delete-attachment', toolset: 'extra', effect: 'delete' }],
  },
  {
    load: () => import('../case-files/pull-operations.ts'),
    tools: [{ name: 'pull-tests', toolset: 'extra', effect: 'read' }],
  },
  {
    load: () => import('../case-files/push-operations.ts'),
    tools: [{ name: 'push-tests', toolset: 'extra', effect: 'update' }],
  },
  {
    load: () => import('../configurations/configuration-operations.ts'),
    tools: [{ name: 'create-configuration-group', toolset: 'extra', effect: 'create' }, { name: 'edit-configuration-group', toolset: 'extra', effect: 'update' }, { name: 'delete-configuration-group', toolset: 'extra', effect: 'delete' }, { name: 'get-configuration-groups', toolset: 'extra', effect: 'read' }],
  },
  {
    load: () => import('../failures/failure-operations.ts'),
    tools: [{ name: 'get-failure-groups', toolset: 'extra', effect: 'read' }],
  },
  {
    load: () => import('../fields/field-operations.ts'),
    tools: [{ name: 'create-field', toolset: 'extra', effect: 'create' }, { name: 'edit-field', toolset: 'extra', effect: 'update' }, { name: 'delete-field', toolset: 'extra', effect: 'delete' }, { name: 'list-fields', toolset: 'extra', effect: 'read' }],
  },
  {
    load: () => import('../following/follow-operations.ts'),
    tools: [{ name: 'follow-project', toolset: 'extra', effect: 'update' }, { name: 'list-followed-projects', toolset: 'extra', effect: 'read' }],
  },
  {
    load: () => import('../link-editing/coverage-operations.ts'),
    tools: [{ name: 'get-requirement-coverage', toolset: 'extra', effect: 'read' }],
  },
  {
    load: () => import('../link-editing/link-operations.ts'),
    tools: [{ name: 'add-links', toolset: 'extra', effect: 'create' }, { name: 'remove-links', toolset: 'extra', effect: 'delete' }, { name: 'list-links', toolset: 'extra', effect: 'read' }],
  },
  {
    load: () => import('../metadata-editing/metadata-editing-operations.ts'),
    tools: [{ name: 'add-classification', toolset: 'extra', effect: 'create' }, { name: 'edit-metadata', toolset: 'extra', effect: 'update' }, { name: 'merge-metadata', toolset: 'extra', effect: 'delete' }, { name: 'delete-metadata', toolset: 'extra', effect: 'delete' }],
  },
  {
    load: () => import('../milestones/milestone-operations.ts'),
    tools: [{ name: 'create-milestone', toolset: 'extra', effect: 'create' }, { name: 'edit-milestone', toolset: 'extra', effect: 'update' }, { name: 'close-milestone', toolset: 'extra', effect: 'update' }, { name: 'delete-milestone', toolset: 'extra', effect: 'delete' }, { name: 'get-milestones', toolset: 'extra', effect: 'read' }],
  },
  {
    load: () => import('../plans/plan-creation-operations.ts'),
    tools: [{ name: 'create-plan', toolset: 'extra', effect: 'create' }],
  },
  {
    load: () => import('../plans/plan-operations.ts'),
    tools: [{ name: 'get-plan', toolset: 'extra', effect: 'read' }, { name: 'get-plans', toolset: 'extra', effect: 'read' }, { name: 'close-plan', toolset: 'extra', effect: 'update' }],
  },
  {
    load: () => import('../quarantine/quarantine-operations.ts'),
    tools: [{ name: 'set-quarantine', toolset: 'extra', effect: 'update' }, { name: 'end-quarantine', toolset: 'extra', effect: 'update' }, { name: 'list-quarantined', toolset: 'extra', effect: 'read' }],
  },
  {
    load: () => import('../reviews/review-operations.ts'),
    tools: [{ name: 'propose-test-change', toolset: 'extra', effect: 'create' }, { name: 'review-test-change', toolset: 'extra', effect: 'update' }, { name: 'merge-test-change', toolset: 'extra', effect: 'update' }, { name: 'list-reviews', toolset: 'extra', effect: 'read' }, { name: 'get-review', toolset: 'extra', effect: 'read' }],
  },
  {
    load: () => import('../saved-views/saved-view-operations.ts'),
    tools: [{ name: 'save-view', toolset: 'extra', effect: 'update' }, { name: 'list-views', toolset: 'extra', effect: 'read' }, { name: 'delete-view', toolset: 'extra', effect: 'delete' }],
  },
  {
    load: () => import('../section-editing/section-editing-operations.ts'),
    tools: [{ name: 'delete-section', toolset: 'extra', effect: 'delete' }, { name: 'move-section', toolset: 'extra', effect: 'update' }],
  },
  {
    load: () => import('../sharing/share-link-operations.ts'),
    tools: [{ name: 'create-share-link', toolset: 'extra', effect: 'create' }, { name: 'list-share-links', toolset: 'extra', effect: 'read' }, { name: 'revoke-share-link', toolset: 'extra', effect: 'delete' }],
  },
  {
    load: () => import('../version-history/undo-operations.ts'),
    tools: [{ name: 'undo-activity', toolset: 'extra', effect: 'update' }],
  },
  {
    load: () => import('../version-history/version-operations.ts'),
    tools: [{ name: 'list-test-versions', toolset: 'extra', effect: 'read' }, { name: 'compare-test-versions', toolset: 'extra', effect: 'read' }, { name: 'revert-test', toolset: 'extra', effect: 'update' }],
  },
  {
    load: () => import('../workload/workload-operations.ts'),
    tools: [{ name: 'get-workload', toolset: 'extra', effect: 'read' }],
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
