import { defineModule } from '../../core/module.ts';

/** The pages under `/console/`: what the tools do, in a browser. */
export const consoleModule = defineModule({
  name: 'console',
  requires: ['auth'],
  tools: {},
  load: async () => (await import('./parts.ts')).parts,
});
