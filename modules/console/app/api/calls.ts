import type { CallsOf } from '../../../../core/tools/operation-types.ts';

/* The types of all operations, from their own declarations. Only types: nothing of a server is in the bundle. */

type Auth = CallsOf<typeof import('../../../auth/administration/account-operations.ts')> &
  CallsOf<typeof import('../../../auth/administration/audit-operations.ts')> &
  CallsOf<typeof import('../../../auth/administration/installation-operations.ts')> &
  CallsOf<typeof import('../../../auth/administration/invitation-operations.ts')> &
  CallsOf<typeof import('../../../auth/administration/member-operations.ts')> &
  CallsOf<typeof import('../../../auth/administration/organization-operations.ts')> &
  CallsOf<typeof import('../../../auth/administration/person-operations.ts')> &
  CallsOf<typeof import('../../../auth/administration/token-operations.ts')> &
  CallsOf<typeof import('../../../auth/administration/user-operations.ts')> &
  CallsOf<typeof import('../../../auth/sessions/session-operations.ts')>;

type Cta = CallsOf<typeof import('../../../cta/cohorts/attribute-operations.ts')> &
  CallsOf<typeof import('../../../cta/cohorts/cohort-count-operations.ts')> &
  CallsOf<typeof import('../../../cta/cohorts/cohort-member-operations.ts')> &
  CallsOf<typeof import('../../../cta/cohorts/cohort-operations.ts')> &
  CallsOf<typeof import('../../../cta/ctas/cta-list-operations.ts')> &
  CallsOf<typeof import('../../../cta/ctas/cta-operations.ts')> &
  CallsOf<typeof import('../../../cta/ctas/cta-status-operations.ts')> &
  CallsOf<typeof import('../../../cta/ctas/cta-version-operations.ts')> &
  CallsOf<typeof import('../../../cta/previews/preview-operations.ts')> &
  CallsOf<typeof import('../../../cta/simulation/explain-operations.ts')> &
  CallsOf<typeof import('../../../cta/simulation/simulate-operations.ts')> &
  CallsOf<typeof import('../../../cta/tags/kill-switch-operations.ts')> &
  CallsOf<typeof import('../../../cta/tags/tag-link-operations.ts')> &
  CallsOf<typeof import('../../../cta/tags/tag-operations.ts')> &
  CallsOf<typeof import('../../../cta/tenants/tenant-operations.ts')> &
  CallsOf<typeof import('../../../cta/user-states/purge-operations.ts')>;

type Tests = CallsOf<typeof import('../../../testmgmt/activity/activity-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/cases/case-bulk-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/cases/case-choice-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/cases/case-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/cases/case-restore-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/metadata-editing/metadata-editing-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/metadata/metadata-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/projects/project-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/projects/user-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/sections/section-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/section-editing/section-editing-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/transfer/export-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/transfer/import-operations.ts')>;

type Runs = CallsOf<typeof import('../../../testmgmt/insights/ranked-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/insights/summary-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/pipelines/automation-key-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/pipelines/run-results-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/pipelines/upload-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/reports/report-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/runs/result-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/runs/run-change-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/runs/run-choice-operations.ts')> &
  CallsOf<typeof import('../../../testmgmt/runs/run-operations.ts')>;

type Server = CallsOf<typeof import('../../server/server-operations.ts')>;

/** Every operation with the types of its input and its output. */
export type Calls = Auth & Cta & Tests & Runs & Server;

export type ToolName = keyof Calls & string;
export type Input<N extends ToolName> = Calls[N]['input'];
export type Output<N extends ToolName> = Calls[N]['output'];
