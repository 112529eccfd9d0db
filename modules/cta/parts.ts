import type { ModuleParts } from '../../core/module/module.ts';
import { appSdkRoutes } from './app-sdk/app-sdk-routes.ts';
import { scheduleEveryMs, writeClockStatusChanges } from './ctas/cta-scheduler.ts';
import { ruleSchemaRoutes } from './ctas/rule-schema-routes.ts';
import { eventUsage } from './counts/event-usage.ts';
import { eventRoutes } from './events/event-routes.ts';
import { eventUpkeepEveryMs, keepEventsBounded } from './events/event-upkeep.ts';
import { ctaRoutes } from './launch/launch-routes.ts';
import { ctaMetrics } from './base/metrics.ts';
import * as tables from './base/schema.ts';
import { keepStatesBounded, upkeepEveryMs } from './user-states/state-upkeep.ts';
import { aliasEveryMs, keepAliases } from './user-states/user-merge.ts';
import { stateUsage } from './user-states/state-usage.ts';

/** The implementation of Area B. */
export const parts: ModuleParts = {
  tables,
  metrics: ctaMetrics,
  routes: (app, host) => {
    ctaRoutes(app, host);
    eventRoutes(app, host);
    ruleSchemaRoutes(app, host);
    appSdkRoutes(app, host);
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
    {
      name: 'cta-event-upkeep',
      everyMs: eventUpkeepEveryMs,
      run: async (host) => void (await keepEventsBounded(host)),
    },
    { name: 'cta-user-aliases', everyMs: aliasEveryMs, run: keepAliases },
  ],
  start: (host) =>
    Promise.resolve(async () => {
      await stateUsage(host).flush();
      await eventUsage(host).flush();
    }),
};
