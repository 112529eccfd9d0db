import { isLoopback } from '../../core/base/loopback.ts';
import type { Command } from '../../core/module/command.ts';
import { defineModule } from '../../core/module/module.ts';
import {
  auditVerifySettings,
  devIdTokenSettings,
  keysRewrapSettings,
  keysRotateSettings,
  letterTestSettings,
  tokenCreateSettings,
  tokenListSettings,
  tokenRevokeSettings,
} from './base/command-settings.ts';
import { authErrors } from './base/errors.ts';
import { authSettings, masterKeyFile } from './base/settings.ts';
import { toolFiles } from './tools/tool-files.ts';

const tokens = () => import('./personal-tokens/token-commands.ts');
const auditExport = () => import('./audit-export/export-commands.ts');
const keys = () => import('./keys/key-commands.ts');

/** Their code is loaded on demand. */
const commands: readonly Command[] = [
  {
    name: 'auth doctor',
    needs: 'configuration',
    summary: 'Ask each identity provider for its keys and report what would be accepted, and why not',
    settings: {},
    run: async (host) => (await import('./providers/provider-doctor.ts')).examineProviders(host),
  },
  {
    name: 'token create',
    needs: 'writable data',
    summary: 'Create a personal access token for a pipeline or an agent',
    settings: tokenCreateSettings,
    run: async (host) => (await tokens()).createToken(host),
  },
  {
    name: 'token list',
    needs: 'data',
    summary: 'List personal access tokens, never the tokens themselves',
    settings: tokenListSettings,
    run: async (host) => (await tokens()).listTokens(host),
  },
  {
    name: 'token revoke',
    needs: 'writable data',
    summary: 'Revoke a personal access token at once',
    settings: tokenRevokeSettings,
    run: async (host) => (await tokens()).revokeToken(host),
  },
  {
    name: 'dev id-token',
    needs: 'writable data',
    summary: 'Mint an ID token that a server started with --dev accepts as idProvider "dev"',
    settings: devIdTokenSettings,
    run: async (host) => (await import('./providers/dev-id-token-command.ts')).createDevIdToken(host),
  },
  {
    name: 'letter test',
    needs: 'configuration',
    summary: 'Send a test letter through the server of --smtp-url, and show what it answers',
    settings: letterTestSettings,
    run: async (host) => (await import('./letters/letter-commands.ts')).sendTestLetter(host),
  },
  {
    name: 'audit status',
    needs: 'data',
    summary: 'Show how far --audit-export is, and with --json the keys that verify its batches',
    settings: {},
    run: async (host) => (await auditExport()).showExport(host),
  },
  {
    name: 'audit verify',
    words: '<file>…',
    needs: 'configuration',
    summary: 'Check that files of --audit-export are whole and unchanged',
    settings: auditVerifySettings,
    run: async (host) => (await auditExport()).verifyExport(host),
  },
  {
    name: 'keys list',
    needs: 'data',
    summary: 'List the keys that sign our tokens',
    settings: {},
    run: async (host) => (await keys()).listKeys(host),
  },
  {
    name: 'keys rewrap',
    needs: 'writable data',
    summary: 'Replace the master key while servers run; --finish ends the overlap',
    settings: keysRewrapSettings,
    run: async (host, progress) => (await keys()).rewrapKeys(host, progress),
  },
  {
    name: 'keys rotate',
    needs: 'writable data',
    summary: 'Publish the next signing key; it signs a day later, or at once with --now',
    settings: keysRotateSettings,
    run: async (host) => (await keys()).rotateKeysByHand(host),
  },
];

/** A warning about an audit log that others on the way can read. It is signed, so they cannot change it. */
function openExport(target: string | undefined): readonly string[] {
  if (target === undefined || !URL.canParse(target)) return [];
  const { protocol, hostname, host } = new URL(target);
  if (!/^(?:http|syslog):$/.test(protocol) || isLoopback(hostname)) return [];
  return [
    `--audit-export sends the audit log to ${host} without TLS: others on the way can read it. Use ${protocol === 'http:' ? 'https' : 'syslog+tls'}://.`,
  ];
}

/** Area A: exchanges ID tokens for our own; stores users, organizations, sessions and tokens. */
export const auth = defineModule({
  name: 'auth',
  errors: authErrors,
  settings: authSettings,
  files: [masterKeyFile],
  // The `sub` of tokens: apps and services know people by it.
  keptIds: ['auth_users'],
  restorable: async (host) => (await import('./keys/master-key-check.ts')).requireMasterKey(host),
  restored: async (host, choice, before) =>
    (await import('./sessions/restore-note.ts')).noteRestored(host, choice, before),
  letters: [
    {
      name: 'invitation',
      title: 'Invitations to an organization',
      for: 'addresses',
      write: async (...given) => (await import('./letters/invitation-letter.ts')).writeInvitation(...given),
    },
  ],
  onUsersMerged: async (q, merged) => {
    await (await import('../../core/letters/letter-store.ts')).moveRefusedLetters(q, merged);
    await (await import('./people/invitation-store.ts')).moveInvitations(q, merged);
  },
  operationFiles: toolFiles,
  ids: async () => (await import('./people/id-listings.ts')).idParameters,
  commands,
  identity: async () => (await import('./sessions/identity.ts')).identity,
  // On every surface: the configured providers are checked, and the first use of a data directory creates its owner.
  start: async (host) => {
    (await import('./providers/configured-providers.ts')).providers(host);
    await (await import('./people/owner-store.ts')).ensureOwner(host);
    if (host.config.read(authSettings)['audit-export'] === undefined) return undefined;
    return (await import('./audit-export/export-job.ts')).startExport(host);
  },
  warnings: ({ config }) => openExport(config.read(authSettings)['audit-export']),
  load: async () => (await import('./parts.ts')).parts,
});
