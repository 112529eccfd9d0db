import { defineModule } from '../../core/module.ts';
import { commands } from './commands.ts';
import { authErrors } from './errors.ts';
import { authSettings, masterKeyFile } from './settings.ts';

/** Area A: exchanges ID tokens for our own; stores users, organizations, sessions and tokens. */
export const auth = defineModule({
  name: 'auth',
  errors: authErrors,
  settings: authSettings,
  files: [masterKeyFile],
  restorable: async (host) => (await import('./keys/master-key-check.ts')).requireMasterKey(host),
  restored: async (host, choice, before) =>
    (await import('./sessions/restore-note.ts')).noteRestored(host, choice, before),
  tools: {
    auth: [
      'create-organization',
      'list-members',
      'remove-member',
      'merge-users',
      'erase-user',
      'invite-user',
      'list-invitations',
      'revoke-invitation',
      'accept-invitation',
      'list-sessions',
      'revoke-session',
      'create-access-token',
      'list-access-tokens',
      'revoke-access-token',
      'get-user',
      'set-user-status',
      'set-user-role',
      'list-audit',
      'list-signing-keys',
      'list-identity-providers',
    ],
  },
  commands,
  identity: async () => (await import('./sessions/identity.ts')).identity,
  // On every surface: the first use of a data directory creates its owner.
  start: async (host) => (await import('./start.ts')).start(host),
  load: async () => (await import('./parts.ts')).parts,
});
