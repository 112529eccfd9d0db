import { defineModule } from '../../core/module/module.ts';
import { consoleLinkSettings } from './base/settings.ts';
import { consoleErrors } from './base/errors.ts';
import { toolFiles } from './tools/tool-files.ts';

/** The pages under `/console/`: what the tools do, for people in a browser. */
export const consoleModule = defineModule({
  name: 'console',
  requires: ['auth'],
  commands: [
    {
      name: 'console link',
      needs: 'writable data',
      summary: 'Print a link that signs a person in to the console, once and within 30 minutes',
      settings: consoleLinkSettings,
      run: async (host) => (await import('./sign-in/link-command.ts')).createLink(host),
    },
  ],
  errors: consoleErrors,
  operationFiles: toolFiles,
  load: async () => (await import('./parts.ts')).parts,
});
