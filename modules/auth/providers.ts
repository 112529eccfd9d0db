import type { Static } from '@sinclair/typebox';
import { eq } from 'drizzle-orm';
import { UsageError } from '../../core/config.ts';
import type { Db } from '../../core/db/db.ts';
import { perHost, type Host } from '../../core/host.ts';
import { coreSettings } from '../../core/settings.ts';
import { usualAlgorithms } from './algorithms.ts';
import { devProvider, devProviderName } from './dev-provider.ts';
import type { Provider } from './id-token.ts';
import { isSecureUrl, remoteKeys, type KeptKeys } from './jwks.ts';
import { providerKeys } from './schema.ts';
import { authSettings, type providerConfig } from './settings.ts';

/** Issuers that everybody writes the same way. */
const presets: Readonly<Record<string, { readonly issuer: string }>> = {
  google: { issuer: 'https://accounts.google.com' },
  apple: { issuer: 'https://appleid.apple.com' },
};

/** The configured providers by name. @throws UsageError for a provider that could not be trusted. */
export const providers = perHost((host): ReadonlyMap<string, Provider> => {
  const configured = host.config.read(authSettings).providers as
    Record<string, Static<typeof providerConfig>> | undefined;
  const found = new Map<string, Provider>();
  for (const [name, config] of Object.entries(configured ?? {})) {
    if (name === devProviderName) throw new UsageError('providers: the name "dev" belongs to --dev.');
    found.set(name, configuredProvider(host, name, config));
  }
  if (host.config.read(coreSettings).dev) found.set(devProviderName, devProvider(host));
  return found;
});

function configuredProvider(host: Host, name: string, config: Static<typeof providerConfig>): Provider {
  const issuer = config.issuer ?? presets[name]?.issuer;
  if (issuer === undefined) throw new UsageError(`providers.${name}: issuer is required.`);
  if (!isSecureUrl(issuer))
    throw new UsageError(`providers.${name}: issuer must be https, or http on this machine.`);
  return {
    name,
    issuer,
    audiences: config.audiences,
    algorithms: config.algorithms ?? usualAlgorithms,
    allowedDomains: config.allowedDomains?.map((domain) => domain.toLowerCase()) ?? null,
    requireNonce: config.requireNonce ?? false,
    keys: remoteKeys(issuer, { clock: host.clock, log: host.log, kept: keptKeys(host.db, issuer) }),
  };
}

/** The last good key set of an issuer, in the database. */
function keptKeys(db: Db, issuer: string): KeptKeys {
  return {
    load: async () => {
      const [row] = await db.q.select().from(providerKeys).where(eq(providerKeys.issuer, issuer));
      return row && { keys: row.keys, at: row.fetchedAt };
    },
    save: ({ keys, at }) =>
      db.tx(async (q) => {
        const kept = { keys, fetchedAt: at };
        await q
          .insert(providerKeys)
          .values({ issuer, ...kept })
          .onConflictDoUpdate({ target: providerKeys.issuer, set: kept });
      }),
  };
}
