import type { ModuleParts } from '../../core/module/module.ts';
import { scheduleEveryMs, writeClockStatusChanges } from './ctas/cta-scheduler.ts';
import { ruleSchemaRoutes } from './ctas/rule-schema-routes.ts';
import { ctaRoutes } from './launch/launch-routes.ts';
import { ctaMetrics } from './base/metrics.ts';
import * as tables from './base/schema.ts';
import { keepStatesBounded, upkeepEveryMs } from './user-states/state-upkeep.ts';
import { stateUsage } from './user-states/state-usage.ts';

/** The implementation of Area B. */
export const parts: ModuleParts = {
  tables,
  metrics: ctaMetrics,
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
