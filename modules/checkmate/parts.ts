import { coreSettings } from '../../core/settings/settings.ts';
import type { ModuleParts } from '../../core/module/module.ts';
import { imported } from './base/schema.ts';
import { checkmateSettings } from './base/settings.ts';
import { projectNameRoutes } from './metadata/metadata-routes.ts';
import { sectionRoutes } from './metadata/section-routes.ts';
import { accountRoutes } from './organizations/account-routes.ts';
import { organizationRoutes } from './organizations/organization-routes.ts';
import { projectRoutes } from './projects/project-routes.ts';
import { resultRoutes } from './runs/result-routes.ts';
import { runChangeRoutes } from './runs/run-change-routes.ts';
import { runListRoutes } from './runs/run-list-routes.ts';
import { testBulkRoutes } from './tests/test-bulk-routes.ts';
import { testChangeRoutes } from './tests/test-change-routes.ts';
import { testListRoutes } from './tests/test-list-routes.ts';
import { mountApi } from './wire/api-mounting.ts';

/** Every path of Checkmate's API that is served. */
export const apiRoutes = [
  ...organizationRoutes,
  ...accountRoutes,
  ...projectRoutes,
  ...testListRoutes,
  ...testChangeRoutes,
  ...testBulkRoutes,
  ...runListRoutes,
  ...runChangeRoutes,
  ...resultRoutes,
  ...projectNameRoutes,
  ...sectionRoutes,
];

export const parts: ModuleParts = {
  tables: { imported },
  routes: (app, host, toolsOf) => {
    const { 'checkmate-api': isAsked } = host.config.read(checkmateSettings);
    // Whoever names the modules wants what they name.
    if (isAsked || host.config.read(coreSettings).modules?.includes('checkmate'))
      mountApi(app, host, toolsOf, apiRoutes);
  },
};
