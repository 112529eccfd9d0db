import type { Host } from '../../../core/host.ts';
import { keyRing } from '../keys/key-ring.ts';
import { personalTokenPrefix } from '../personal-tokens/personal-token-store.ts';
import { refreshType } from './refresh-token.ts';
import { tokenParts } from '../keys/compact-jws.ts';

/**
 * Whether a credential claims to be one of ours, valid or not: an expired, revoked or altered one does.
 * Nothing is verified: use it only to tell foreign credentials apart.
 */
export async function claimsToBeOurs(host: Host, bearer: string): Promise<boolean> {
  if (bearer.startsWith(personalTokenPrefix)) return true;
  const parts = tokenParts(bearer);
  if (!parts) return false;
  const { typ, kid } = parts.header;
  if (parts.payload['iss'] === host.origin() || typ === refreshType) return true;
  // Our origin may have changed since; our keys have not. Those in memory: a foreign kid must not cost a read each time.
  const { keys } = await keyRing(host).published();
  return keys.some((key) => key.kid === kid);
}
