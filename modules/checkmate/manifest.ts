import { defineModule } from '../../core/module/module.ts';
import { checkmateErrors } from './base/errors.ts';
import { checkmateSettings } from './base/settings.ts';

/** The API of Checkmate, for its clients: off unless `--checkmate-api` is set or `--modules` names the module. */
export const checkmate = defineModule({
  name: 'checkmate',
  requires: ['auth', 'testmgmt'],
  errors: checkmateErrors,
  settings: checkmateSettings,
  load: async () => (await import('./parts.ts')).parts,
});
