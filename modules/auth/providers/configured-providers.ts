import { addressKey } from '../../../core/text/letter-case.ts';
import { readFileSync } from 'node:fs';
import type { Static } from '@sinclair/typebox';
import { UsageError } from '../../../core/base/errors.ts';
import { perHost, type Host } from '../../../core/host/host.ts';
import { refuseReadableByOthers } from '../../../core/settings/settings-file.ts';
import { coreSettings } from '../../../core/settings/settings.ts';
import { authSettings, type providerConfig } from '../base/settings.ts';
import { isReservedClaim } from '../claims/claim-rules.ts';
import { usualAlgorithms } from '../base/signing-algorithms.ts';
import { groupMappingOf } from './group-mapping.ts';
import { devProvider, devProviderName } from './dev-provider.ts';
import type { BrowserSignIn, IdProvider } from './id-token.ts';
import { isSecureUrl, remoteKeys } from './jwks.ts';
import { providerKeysOf } from './provider-key-store.ts';

/** The provider of the sessions of guests (modules/auth/people/user-store.ts). */
const guestProviderName = 'guest';

interface Preset {
  readonly issuer?: string;
  readonly issuerAliases?: readonly string[];
  readonly jwksUri?: string;
  /** The scope requested in a browser, unless it is {@link usualScope}. */
  readonly scope?: string;
}

const usualScope = 'openid email profile';

/** Settings that are the same for every installation. */
const presets: Readonly<Record<string, Preset>> = {
  // Google documents both spellings of its issuer.
  google: { issuer: 'https://accounts.google.com', issuerAliases: ['accounts.google.com'] },
  // For scopes beyond openid, Apple posts a form from its own site, and our cookie is not sent with that.
  apple: { issuer: 'https://appleid.apple.com', scope: 'openid' },
  microsoft: {},
  // Limited Login. Its discovery document redirects, and redirects are not followed.
  facebook: {
    issuer: 'https://www.facebook.com',
    issuerAliases: ['https://facebook.com', 'https://limited.facebook.com'],
    jwksUri: 'https://limited.facebook.com/.well-known/oauth/openid/jwks/',
  },
};

/** The configured providers by name. @throws UsageError for an invalid or insecure configuration. */
export const providers = perHost((host): ReadonlyMap<string, IdProvider> => {
  const configured = host.config.read(authSettings).providers as Record<string, ProviderConfig> | undefined;
  const found = new Map<string, IdProvider>();
  for (const [name, config] of Object.entries(configured ?? {})) {
    if (name === devProviderName) throw new UsageError('providers: the name "dev" belongs to --dev.');
    if (name === guestProviderName) throw new UsageError('providers: the name "guest" belongs to --guests.');
    found.set(name, configuredProvider(host, name, config));
  }
  if (host.config.read(coreSettings).dev) found.set(devProviderName, devProvider(host));
  return found;
});

/** The configured type of a provider: the name of a preset, "openid" for any other issuer, "dev" for the local machine. */
export function providerKind(host: Host, name: string): string {
  if (name === devProviderName) return devProviderName;
  const configured = host.config.read(authSettings).providers as Record<string, ProviderConfig> | undefined;
  return presets[name] && configured?.[name]?.issuer === undefined ? name : 'openid';
}

type ProviderConfig = Static<typeof providerConfig>;

function configuredProvider(host: Host, name: string, config: ProviderConfig): IdProvider {
  const preset = config.issuer === undefined ? presets[name] : undefined;
  const issuer = issuerOf(name, config);
  const jwksUri = config.jwksUri ?? preset?.jwksUri;
  for (const url of [issuer, jwksUri ?? issuer]) {
    if (!isSecureUrl(url))
      throw new UsageError(`providers.${name}: ${url} must be https, or http on this machine.`);
  }
  const keysOf = (words: readonly string[] | undefined) => words?.map(addressKey) ?? null;
  const algorithms = config.algorithms ?? usualAlgorithms;
  return {
    name,
    issuer,
    issuerAliases: preset?.issuerAliases ?? [],
    audiences: audiencesOf(name, config),
    algorithms,
    allowedDomains: keysOf(config.allowedDomains),
    allowedEmails: keysOf(config.allowedEmails),
    requireNonce: config.requireNonce ?? false,
    singleUse: config.singleUse ?? false,
    copyClaims: copyClaimsOf(name, config),
    groupMapping: groupMappingOf(config),
    place: { issuer, jwksUri },
    browser: browserSignInOf(name, config, config.scope ?? preset?.scope ?? usualScope),
    keys: remoteKeys(
      { issuer, jwksUri, algorithms },
      { clock: host.clock, log: host.log, kept: providerKeysOf(host.db, issuer) },
    ),
  };
}

/** @throws UsageError for a claim that we issue ourselves. */
function copyClaimsOf(name: string, { copyClaims = [] }: ProviderConfig): readonly string[] {
  for (const claim of copyClaims)
    if (isReservedClaim(claim))
      throw new UsageError(
        `providers.${name}: copyClaims: "${claim}" is a claim that Trivet decides about. Leave it out.`,
      );
  return copyClaims;
}

/** @throws UsageError when the configuration names no issuer, or an unexpected tenant. */
function issuerOf(name: string, { issuer, tenant }: ProviderConfig): string {
  if (tenant !== undefined) {
    if (name !== 'microsoft' || issuer !== undefined) {
      throw new UsageError(`providers.${name}: tenant belongs to the preset microsoft, without issuer.`);
    }
    return `https://login.microsoftonline.com/${tenant}/v2.0`;
  }
  const found = issuer ?? presets[name]?.issuer;
  if (found !== undefined) return found;
  if (name === 'microsoft') {
    // With "common" the administrator of any directory in the world could sign in with any e-mail address.
    throw new UsageError(
      'providers.microsoft: tenant is required, the directory (tenant) ID of the accounts to accept ' +
        '(9188040d-6c67-4c5b-b112-36a304b66dad stands for personal accounts).',
    );
  }
  throw new UsageError(`providers.${name}: issuer is required.`);
}

/** @throws UsageError when neither a client nor an audience is named. */
function audiencesOf(name: string, { audiences, clientId }: ProviderConfig): readonly string[] {
  const all = new Set([...(audiences ?? []), ...(clientId === undefined ? [] : [clientId])]);
  if (all.size === 0)
    throw new UsageError(
      `providers.${name}: name the client ids whose ID tokens are accepted (audiences), or the client that Trivet itself is ` +
        '(clientId), or both.',
    );
  return [...all];
}

/** @throws UsageError for a secret without a client, an unreadable one, or one that others can read. */
function browserSignInOf(name: string, config: ProviderConfig, scope: string): BrowserSignIn | null {
  const { clientId, clientSecret, clientSecretFile } = config;
  if (clientSecret !== undefined && clientSecretFile !== undefined)
    throw new UsageError(`providers.${name}: give clientSecret or clientSecretFile, not both.`);
  if (clientId === undefined) {
    if (clientSecret === undefined && clientSecretFile === undefined) return null;
    throw new UsageError(`providers.${name}: clientSecret needs the clientId that it belongs to.`);
  }
  const secret = clientSecretFile === undefined ? clientSecret : secretOf(name, clientSecretFile);
  return { clientId, clientSecret: secret, scope };
}

function secretOf(name: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch {
    throw new UsageError(`providers.${name}: the clientSecretFile ${path} cannot be read.`);
  }
  refuseReadableByOthers(`providers.${name}`, path);
  if (text === '') throw new UsageError(`providers.${name}: the clientSecretFile ${path} is empty.`);
  return text;
}
