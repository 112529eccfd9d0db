import { defineModule } from '../../core/module/module.ts';
import { checkmateErrors } from './base/errors.ts';
import { checkmateSettings, importCheckmateSettings } from './base/settings.ts';

/** The API of Checkmate, for its clients, and the import of its database. The API is off unless `--checkmate-api` is set or `--modules` names the module. */
export const checkmate = defineModule({
  name: 'checkmate',
  requires: ['auth', 'testmgmt'],
  errors: checkmateErrors,
  settings: checkmateSettings,
  commands: [
    {
      name: 'import checkmate',
      summary: 'Import a database of Checkmate; a second import brings what is new',
      settings: importCheckmateSettings,
      needs: 'writable data',
      run: async (host, progress) =>
        (await import('./moving/import-command.ts')).importCheckmate(host, progress),
    },
  ],
  load: async () => (await import('./parts.ts')).parts,
});
