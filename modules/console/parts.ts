import type { ModuleParts } from '../../core/module.ts';
import { assetRoutes } from './assets/asset-routes.ts';
import { signInRoutes } from './sign-in/sign-in-routes.ts';

export const parts: ModuleParts = {
  routes: (app, host) => {
    signInRoutes(app, host);
    assetRoutes(app, host);
  },
};
