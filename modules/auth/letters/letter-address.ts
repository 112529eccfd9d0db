import type { Query } from '../../../core/db/query/db.ts';
import { isAddress } from '../../../core/letters/letter-address.ts';
import { localIssuer, userById } from '../people/user-store.ts';

/**
 * The address to which letters of a user go; null: none. It is an address that the identity provider has verified, or that the owner of the
 * machine gave: a person could otherwise make this server write to strangers.
 */
export async function letterAddress(q: Query, userId: number): Promise<string | null> {
  const user = await userById(q, userId);
  if (!user || user.status !== 'active' || user.mergedInto !== null || user.email === null) return null;
  if (!user.emailVerified && user.issuer !== localIssuer) return null;
  return isAddress(user.email) ? user.email : null;
}
