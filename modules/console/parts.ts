import type { ModuleParts } from '../../core/module/module.ts';
import { operationsOf } from '../../core/tools/operation-files.ts';
import { assetRoutes } from './assets/asset-routes.ts';
import { demo } from './demo/demo-filling.ts';
import * as serverOperations from './server/server-operations.ts';
import { pageRoutes, personOf } from './server/page-routes.ts';
import { runStreamRoutes } from './run-stream/run-stream-routes.ts';

export const parts: ModuleParts = {
  demo,
  operations: operationsOf([serverOperations], async () => ({})),
  routes: (app, host) => {
    pageRoutes(app, host);
    runStreamRoutes(app, host, (request) => personOf(host, request));
    assetRoutes(app, host);
  },
};
