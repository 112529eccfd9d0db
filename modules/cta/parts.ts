import type { ModuleParts } from '../../core/module/module.ts';
import { operationsOf } from '../../core/tools/operation-files.ts';
import * as attributeOperations from './cohorts/attribute-operations.ts';
import * as cohortCountOperations from './cohorts/cohort-count-operations.ts';
import * as cohortMemberOperations from './cohorts/cohort-member-operations.ts';
import * as cohortOperations from './cohorts/cohort-operations.ts';
import * as ctaListOperations from './ctas/cta-list-operations.ts';
import * as ctaOperations from './ctas/cta-operations.ts';
import { scheduleEveryMs, writeClockStatusChanges } from './ctas/cta-scheduler.ts';
import * as ctaStatusOperations from './ctas/cta-status-operations.ts';
import * as ctaVersionOperations from './ctas/cta-version-operations.ts';
import { ruleSchemaRoutes } from './ctas/rule-schema-routes.ts';
import { idParameters } from './ctas/id-listings.ts';
import { ctaRoutes } from './launch/launch-routes.ts';
import { ctaMetrics } from './base/metrics.ts';
import * as previewOperations from './previews/preview-operations.ts';
import * as tables from './base/schema.ts';
import * as explainOperations from './simulation/explain-operations.ts';
import * as simulateOperations from './simulation/simulate-operations.ts';
import * as killSwitchOperations from './tags/kill-switch-operations.ts';
import * as tagLinkOperations from './tags/tag-link-operations.ts';
import * as tagOperations from './tags/tag-operations.ts';
import * as tenantOperations from './tenants/tenant-operations.ts';
import * as purgeOperations from './user-states/purge-operations.ts';
import { keepStatesBounded, upkeepEveryMs } from './user-states/state-upkeep.ts';
import { stateUsage } from './user-states/state-usage.ts';

/** What Area B does. */
export const parts: ModuleParts = {
  tables,
  metrics: ctaMetrics,
  operations: operationsOf(
    [
      attributeOperations,
      cohortOperations,
      cohortMemberOperations,
      cohortCountOperations,
      ctaOperations,
      ctaStatusOperations,
      explainOperations,
      killSwitchOperations,
      ctaListOperations,
      previewOperations,
      simulateOperations,
      purgeOperations,
      tagOperations,
      tagLinkOperations,
      tenantOperations,
      ctaVersionOperations,
    ],
    async () => idParameters,
  ),
  routes: (app, host) => {
    ctaRoutes(app, host);
    ruleSchemaRoutes(app, host);
  },
  jobs: [
    {
      name: 'cta-schedule',
      everyMs: scheduleEveryMs,
      run: async (host) => void (await writeClockStatusChanges(host)),
    },
    {
      name: 'cta-state-upkeep',
      everyMs: upkeepEveryMs,
      run: async (host) => void (await keepStatesBounded(host)),
    },
  ],
  start: (host) => Promise.resolve(() => stateUsage(host).flush()),
};
