import type { Module } from '../core/module/module.ts';

/** The modules of this executable, in the order they start. A new one is one line here. */
export const builtIn: Readonly<Record<string, () => Promise<Module>>> = {
  auth: async () => (await import('./auth/manifest.ts')).auth,
  cta: async () => (await import('./cta/manifest.ts')).cta,
  testmgmt: async () => (await import('./testmgmt/manifest.ts')).testmgmt,
  checkmate: async () => (await import('./checkmate/manifest.ts')).checkmate,
  console: async () => (await import('./console/manifest.ts')).consoleModule,
};
