// Made by npm run generate from the declarations of the operations: do not edit.
import type { OperationFile } from '../../../core/module/module.ts';
import type { CallsOf } from '../../../core/tools/operation-types.ts';

/** The files that have the tools of this module, in the order that clients see. A command loads those that it runs. */
export const toolFiles = [
  {
    load: () => import('../tenants/tenant-operations.ts'),
    tools: [{ name: 'create-tenant', toolset: 'cta' }],
  },
  {
    load: () => import('../ctas/cta-list-operations.ts'),
    tools: [{ name: 'list-ctas', toolset: 'cta' }],
  },
  {
    load: () => import('../ctas/cta-operations.ts'),
    tools: [{ name: 'create-cta', toolset: 'cta' }, { name: 'get-cta', toolset: 'cta' }, { name: 'update-cta', toolset: 'cta' }, { name: 'clone-cta', toolset: 'cta' }],
  },
  {
    load: () => import('../ctas/cta-status-operations.ts'),
    tools: [{ name: 'set-cta-status', toolset: 'cta' }, { name: 'list-cta-status-changes', toolset: 'cta' }],
  },
  {
    load: () => import('../ctas/cta-version-operations.ts'),
    tools: [{ name: 'list-cta-versions', toolset: 'cta' }, { name: 'revert-cta', toolset: 'cta' }],
  },
  {
    load: () => import('../simulation/explain-operations.ts'),
    tools: [{ name: 'explain-cta', toolset: 'cta' }],
  },
  {
    load: () => import('../simulation/simulate-operations.ts'),
    tools: [{ name: 'simulate-cta', toolset: 'cta' }],
  },
  {
    load: () => import('../tags/kill-switch-operations.ts'),
    tools: [{ name: 'set-cta-kill-switch', toolset: 'cta' }, { name: 'get-cta-kill-switches', toolset: 'cta' }],
  },
  {
    load: () => import('../tags/tag-link-operations.ts'),
    tools: [{ name: 'link-behaviour-tag', toolset: 'cta' }, { name: 'unlink-behaviour-tag', toolset: 'cta' }],
  },
  {
    load: () => import('../tags/tag-operations.ts'),
    tools: [{ name: 'create-behaviour-tag', toolset: 'cta' }, { name: 'update-behaviour-tag', toolset: 'cta' }, { name: 'get-behaviour-tag', toolset: 'cta' }, { name: 'list-behaviour-tags', toolset: 'cta' }, { name: 'delete-behaviour-tag', toolset: 'cta' }],
  },
  {
    load: () => import('../cohorts/attribute-operations.ts'),
    tools: [{ name: 'set-user-attributes', toolset: 'cta' }, { name: 'get-user-attributes', toolset: 'cta' }],
  },
  {
    load: () => import('../cohorts/cohort-count-operations.ts'),
    tools: [{ name: 'count-cohort-users', toolset: 'cta' }],
  },
  {
    load: () => import('../cohorts/cohort-member-operations.ts'),
    tools: [{ name: 'add-cohort-users', toolset: 'cta' }, { name: 'remove-cohort-users', toolset: 'cta' }],
  },
  {
    load: () => import('../cohorts/cohort-operations.ts'),
    tools: [{ name: 'create-cohort', toolset: 'cta' }, { name: 'update-cohort', toolset: 'cta' }, { name: 'get-cohort', toolset: 'cta' }, { name: 'list-cohorts', toolset: 'cta' }, { name: 'delete-cohort', toolset: 'cta' }],
  },
  {
    load: () => import('../delivery/delivery-operations.ts'),
    tools: [{ name: 'set-delivery-limits', toolset: 'cta' }, { name: 'get-delivery-limits', toolset: 'cta' }],
  },
  {
    load: () => import('../events/export-operations.ts'),
    tools: [{ name: 'export-cta-events', toolset: 'cta' }],
  },
  {
    load: () => import('../events/goal-operations.ts'),
    tools: [{ name: 'define-cta-goal', toolset: 'cta' }, { name: 'list-cta-goals', toolset: 'cta' }, { name: 'delete-cta-goal', toolset: 'cta' }],
  },
  {
    load: () => import('../events/metrics-operations.ts'),
    tools: [{ name: 'get-cta-metrics', toolset: 'cta' }, { name: 'get-cta-funnel', toolset: 'cta' }],
  },
  {
    load: () => import('../experiment-runs/experiment-operations.ts'),
    tools: [{ name: 'start-experiment', toolset: 'cta' }, { name: 'stop-experiment', toolset: 'cta' }, { name: 'get-experiment-results', toolset: 'cta' }],
  },
  {
    load: () => import('../holdouts/holdout-operations.ts'),
    tools: [{ name: 'create-holdout', toolset: 'cta' }, { name: 'list-holdouts', toolset: 'cta' }, { name: 'delete-holdout', toolset: 'cta' }],
  },
  {
    load: () => import('../previews/preview-operations.ts'),
    tools: [{ name: 'create-nudge-preview', toolset: 'cta' }, { name: 'get-nudge-preview', toolset: 'cta' }, { name: 'list-nudge-previews', toolset: 'cta' }, { name: 'delete-nudge-preview', toolset: 'cta' }],
  },
  {
    load: () => import('../user-states/purge-operations.ts'),
    tools: [{ name: 'purge-cta-user', toolset: 'cta' }],
  },
] as const satisfies readonly OperationFile[];

export type ToolName = (typeof toolFiles)[number]['tools'][number]['name'];

/** Every tool of this module with the types of its input and its output. */
export type Calls = CallsOf<typeof import('../tenants/tenant-operations.ts')> &
  CallsOf<typeof import('../ctas/cta-list-operations.ts')> &
  CallsOf<typeof import('../ctas/cta-operations.ts')> &
  CallsOf<typeof import('../ctas/cta-status-operations.ts')> &
  CallsOf<typeof import('../ctas/cta-version-operations.ts')> &
  CallsOf<typeof import('../simulation/explain-operations.ts')> &
  CallsOf<typeof import('../simulation/simulate-operations.ts')> &
  CallsOf<typeof import('../tags/kill-switch-operations.ts')> &
  CallsOf<typeof import('../tags/tag-link-operations.ts')> &
  CallsOf<typeof import('../tags/tag-operations.ts')> &
  CallsOf<typeof import('../cohorts/attribute-operations.ts')> &
  CallsOf<typeof import('../cohorts/cohort-count-operations.ts')> &
  CallsOf<typeof import('../cohorts/cohort-member-operations.ts')> &
  CallsOf<typeof import('../cohorts/cohort-operations.ts')> &
  CallsOf<typeof import('../delivery/delivery-operations.ts')> &
  CallsOf<typeof import('../events/export-operations.ts')> &
  CallsOf<typeof import('../events/goal-operations.ts')> &
  CallsOf<typeof import('../events/metrics-operations.ts')> &
  CallsOf<typeof import('../experiment-runs/experiment-operations.ts')> &
  CallsOf<typeof import('../holdouts/holdout-operations.ts')> &
  CallsOf<typeof import('../previews/preview-operations.ts')> &
  CallsOf<typeof import('../user-states/purge-operations.ts')>;
