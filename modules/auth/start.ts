import type { Host } from '../../core/host.ts';
import { ensureOwner } from './people/user-store.ts';
import { providers } from './providers/provider-store.ts';

/** Checks the configured identity providers and makes the first organization and its owner. @throws UsageError. */
export async function start(host: Host): Promise<void> {
  providers(host);
  await ensureOwner(host);
}
