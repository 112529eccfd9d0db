import type { Query } from '../../../core/db/query/db.ts';
import { isAddress } from '../../../core/base/mail-address.ts';
import { recipientOf } from '../../../core/letters/letter-address.ts';
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

/** Who gets what was addressed to a recipient: the account that stayed, for one that was merged. */
export async function presentRecipient(q: Query, recipient: string): Promise<string> {
  const [, id] = /^user:(\d+)$/.exec(recipient) ?? [];
  const into = id === undefined ? null : ((await userById(q, Number(id)))?.mergedInto ?? null);
  return into === null ? recipient : recipientOf({ userId: into });
}
