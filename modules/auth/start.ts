import type { Host } from '../../core/host.ts';
import { ensureOwner } from './people/owner-store.ts';
import { providers } from './providers/configured-providers.ts';

/** Checks the configured identity providers and creates the first organization and its owner. @throws UsageError. */
export async function start(host: Host): Promise<void> {
  providers(host);
  await ensureOwner(host);
}
