import type { Module } from '../core/module.ts';

/** The modules of this executable, in the order they start. A new one is one line here. */
export const builtIn: Readonly<Record<string, () => Promise<Module>>> = {
  auth: async () => (await import('./auth/index.ts')).auth,
  cta: async () => (await import('./cta/index.ts')).cta,
  testmgmt: async () => (await import('./testmgmt/index.ts')).testmgmt,
};
