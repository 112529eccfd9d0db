import type { Command } from '../../core/module.ts';
import {
  devIdTokenSettings,
  keysRotateSettings,
  tokenCreateSettings,
  tokenListSettings,
  tokenRevokeSettings,
} from './command-settings.ts';

const tokens = () => import('./personal-tokens/token-commands.ts');
const keys = () => import('./keys/key-commands.ts');

/** The commands of this module. Their code is loaded when one runs. */
export const commands: readonly Command[] = [
  {
    verb: 'auth doctor',
    reads: 'configuration',
    summary: 'Ask each identity provider for its keys and report what would be accepted, and why not',
    settings: {},
    run: async (host) => (await import('./providers/provider-doctor.ts')).examineProviders(host),
  },
  {
    verb: 'token create',
    summary: 'Create a personal access token for a pipeline or an agent',
    settings: tokenCreateSettings,
    run: async (host) => (await tokens()).createToken(host),
  },
  {
    verb: 'token list',
    reads: 'data',
    summary: 'List personal access tokens, never the tokens themselves',
    settings: tokenListSettings,
    run: async (host) => (await tokens()).listTokens(host),
  },
  {
    verb: 'token revoke',
    summary: 'Revoke a personal access token at once',
    settings: tokenRevokeSettings,
    run: async (host) => (await tokens()).revokeToken(host),
  },
  {
    verb: 'dev id-token',
    summary: 'Mint an ID token that a server started with --dev accepts as idProvider "dev"',
    settings: devIdTokenSettings,
    run: async (host) => (await import('./providers/dev-id-token-command.ts')).createDevIdToken(host),
  },
  {
    verb: 'keys list',
    reads: 'data',
    summary: 'List the keys that sign our tokens',
    settings: {},
    run: async (host) => (await keys()).listKeys(host),
  },
  {
    verb: 'keys rotate',
    summary: 'Publish the next signing key; it signs a day later, or at once with --now',
    settings: keysRotateSettings,
    run: async (host) => (await keys()).rotateKeysByHand(host),
  },
];
