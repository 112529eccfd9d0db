import type { ModuleParts } from '../../core/module/module.ts';
import { assetRoutes } from './assets/asset-routes.ts';
import { demo } from './demo/demo-filling.ts';
import { pageRoutes, personOf } from './server/page-routes.ts';
import { runStreamRoutes } from './run-stream/run-stream-routes.ts';

export const parts: ModuleParts = {
  demo,
  routes: (app, host) => {
    pageRoutes(app, host);
    runStreamRoutes(app, host, (request) => personOf(host, request));
    assetRoutes(app, host);
  },
};
