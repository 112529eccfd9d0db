// Made by npm run generate from the declarations of the operations: do not edit.
import type { OperationFile } from '../../../core/module/module.ts';
import type { CallsOf } from '../../../core/tools/operation-types.ts';

/** The files that have the tools of this module, in the order that clients see. A command loads those that it runs. */
export const toolFiles = [
  {
    load: () => import('../tenants/tenant-operations.ts'),
    tools: [{ name: 'create-tenant', toolset: 'cta', effect: 'create' }],
  },
  {
    load: () => import('../ctas/cta-list-operations.ts'),
    tools: [{ name: 'list-ctas', toolset: 'cta', effect: 'read' }],
  },
  {
    load: () => import('../ctas/cta-operations.ts'),
    tools: [{ name: 'create-cta', toolset: 'cta', effect: 'create' }, { name: 'get-cta', toolset: 'cta', effect: 'read' }, { name: 'update-cta', toolset: 'cta', effect: 'update' }, { name: 'clone-cta', toolset: 'cta', effect: 'create' }],
  },
  {
    load: () => import('../ctas/cta-status-operations.ts'),
    tools: [{ name: 'set-cta-status', toolset: 'cta', effect: 'update' }, { name: 'list-cta-status-changes', toolset: 'cta', effect: 'read' }],
  },
  {
    load: () => import('../ctas/cta-version-operations.ts'),
    tools: [{ name: 'list-cta-versions', toolset: 'cta', effect: 'read' }, { name: 'revert-cta', toolset: 'cta', effect: 'update' }],
  },
  {
    load: () => import('../simulation/explain-operations.ts'),
    tools: [{ name: 'explain-cta', toolset: 'cta', effect: 'read' }],
  },
  {
    load: () => import('../simulation/simulate-operations.ts'),
    tools: [{ name: 'simulate-cta', toolset: 'cta', effect: 'read' }],
  },
  {
    load: () => import('../tags/kill-switch-operations.ts'),
    tools: [{ name: 'set-cta-kill-switch', toolset: 'cta', effect: 'update' }, { name: 'get-cta-kill-switches', toolset: 'cta', effect: 'read' }],
  },
  {
    load: () => import('../tags/tag-link-operations.ts'),
    tools: [{ name: 'link-behaviour-tag', toolset: 'cta', effect: 'update' }, { name: 'unlink-behaviour-tag', toolset: 'cta', effect: 'update' }],
  },
  {
    load: () => import('../tags/tag-operations.ts'),
    tools: [{ name: 'create-behaviour-tag', toolset: 'cta', effect: 'create' }, { name: 'update-behaviour-tag', toolset: 'cta', effect: 'update' }, { name: 'get-behaviour-tag', toolset: 'cta', effect: 'read' }, { name: 'list-behaviour-tags', toolset: 'cta', effect: 'read' }, { name: 'delete-behaviour-tag', toolset: 'cta', effect: 'delete' }],
  },
  {
    load: () => import('../cohorts/attribute-operations.ts'),
    tools: [{ name: 'set-user-attributes', toolset: 'cta', effect: 'update' }, { name: 'get-user-attributes', toolset: 'cta', effect: 'read' }],
  },
  {
    load: () => import('../cohorts/cohort-count-operations.ts'),
    tools: [{ name: 'count-cohort-users', toolset: 'cta', effect: 'read' }],
  },
  {
    load: () => import('../cohorts/cohort-member-operations.ts'),
    tools: [{ name: 'add-cohort-users', toolset: 'cta', effect: 'update' }, { name: 'remove-cohort-users', toolset: 'cta', effect: 'update' }],
  },
  {
    load: () => import('../cohorts/cohort-operations.ts'),
    tools: [{ name: 'create-cohort', toolset: 'cta', effect: 'create' }, { name: 'update-cohort', toolset: 'cta', effect: 'update' }, { name: 'get-cohort', toolset: 'cta', effect: 'read' }, { name: 'list-cohorts', toolset: 'cta', effect: 'read' }, { name: 'delete-cohort', toolset: 'cta', effect: 'delete' }],
  },
  {
    load: () => import('../delivery/delivery-operations.ts'),
    tools: [{ name: 'set-delivery-limits', toolset: 'cta', effect: 'update' }, { name: 'get-delivery-limits', toolset: 'cta', effect: 'read' }],
  },
  {
    load: () => import('../events/export-operations.ts'),
    tools: [{ name: 'export-cta-events', toolset: 'cta', effect: 'read' }],
  },
  {
    load: () => import('../events/goal-operations.ts'),
    tools: [{ name: 'define-cta-goal', toolset: 'cta', effect: 'create' }, { name: 'list-cta-goals', toolset: 'cta', effect: 'read' }, { name: 'delete-cta-goal', toolset: 'cta', effect: 'delete' }],
  },
  {
    load: () => import('../events/metrics-operations.ts'),
    tools: [{ name: 'get-cta-metrics', toolset: 'cta', effect: 'read' }, { name: 'get-cta-funnel', toolset: 'cta', effect: 'read' }],
  },
  {
    load: () => import('../experiment-runs/experiment-operations.ts'),
    tools: [{ name: 'start-experiment', toolset: 'cta', effect: 'update' }, { name: 'stop-experiment', toolset: 'cta', effect: 'update' }, { name: 'get-experiment-results', toolset: 'cta', effect: 'read' }],
  },
  {
    load: () => import('../holdouts/holdout-operations.ts'),
    tools: [{ name: 'create-holdout', toolset: 'cta', effect: 'create' }, { name: 'list-holdouts', toolset: 'cta', effect: 'read' }, { name: 'delete-holdout', toolset: 'cta', effect: 'delete' }],
  },
  {
    load: () => import('../previews/preview-operations.ts'),
    tools: [{ name: 'create-nudge-preview', toolset: 'cta', effect: 'create' }, { name: 'update-nudge-preview', toolset: 'cta', effect: 'update' }, { name: 'get-nudge-preview', toolset: 'cta', effect: 'read' }, { name: 'list-nudge-previews', toolset: 'cta', effect: 'read' }, { name: 'delete-nudge-preview', toolset: 'cta', effect: 'delete' }],
  },
  {
    load: () => import('../user-states/purge-operations.ts'),
    tools: [{ name: 'purge-cta-user', toolset: 'cta', effect: 'delete' }],
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
