import type { Host } from '../../../core/host/host.ts';
import { tokenParts } from '../keys/compact-jws.ts';
import { keyRing } from '../keys/key-ring.ts';
import { personalTokenPrefix } from '../personal-tokens/personal-token-store.ts';
import { refreshType } from './refresh-token.ts';

/**
 * Whether a credential looks like one of ours, even if expired, revoked or altered. Verifies nothing: use it only to recognize
 * foreign credentials.
 */
export async function claimsToBeOurs(host: Host, bearer: string): Promise<boolean> {
  if (bearer.startsWith(personalTokenPrefix)) return true;
  const parts = tokenParts(bearer);
  if (!parts) return false;
  const { typ, kid } = parts.header;
  if (parts.payload['iss'] === host.origin() || typ === refreshType) return true;
  // The origin may have changed since, but not the keys. Only keys in memory are used: a foreign kid must not cost a read each time.
  const { keys } = await keyRing(host).published();
  return keys.some((key) => key.kid === kid);
}
