import type { ModuleParts } from '../../core/module/module.ts';
import { assetRoutes } from './assets/asset-routes.ts';
import { pageRoutes, personOf } from './server/page-routes.ts';
import { runStreamRoutes } from './run-stream/run-stream-routes.ts';

export const parts: ModuleParts = {
  demo: {
    toolsets: ['testmgmt', 'extra', 'results', 'cta'],
    // Loaded when it is asked for: an idle server needs none of it.
    make: async (stage) => (await import('./demo/demo-filling.ts')).makeDemoShop(stage),
  },
  routes: (app, host, toolsOf) => {
    pageRoutes(app, host, toolsOf);
    runStreamRoutes(app, host, (request) => personOf(host, request));
    assetRoutes(app, host);
  },
};
