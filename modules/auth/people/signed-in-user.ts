import { later, type Query } from '../../../core/db/query/db.ts';
import { isAlreadyThere } from '../../../core/base/foreign-errors.ts';
import type { IdTokenUser } from '../providers/id-token.ts';
import { insertFirstIdentity, userByIdentity, type KnownUser, type SignedInUser } from './identity-store.ts';
import { insertUserOnce, profileOf, updateUser } from './user-store.ts';

/**
 * Creates or finds the user of a verified ID token by issuer and subject alone, and updates the profile from the token. A disabled user is
 * not changed. If somebody else takes the identity at the same moment, the transaction fails: see {@link repeatIfTaken}.
 * @param known the user of that issuer and subject, as this transaction has read it.
 */
export async function signInUser(
  q: Query,
  identified: IdTokenUser,
  {
    known: found,
    provider,
    now,
  }: { readonly known: KnownUser | undefined; readonly provider: string; readonly now: number },
): Promise<SignedInUser> {
  const { issuer, subject } = identified;
  const profile = { ...profileOf(identified), lastSignInAt: now };
  if (!found) {
    const created = await insertUserOnce(q, now, { issuer, subject, provider, ...profile });
    if (created) {
      await insertFirstIdentity(q, created.id, { issuer, subject, provider }, now);
      return { user: created, identityId: null };
    }
  }
  // Two first sign-ins of a user may be concurrent: the slower one finds the user created by the other.
  const known = found ?? (await userByIdentity(q, { issuer, subject }, now));
  if (!known) throw new Error('the user was not stored');
  const { user, identityId } = known;
  if (user.status !== 'active') return known;
  // The profile of another identity does not replace that of the first: otherwise each sign-in could change the displayed name.
  const isShown = user.issuer === issuer && user.subject === subject;
  const changed = isShown ? profile : { lastSignInAt: now };
  await later(q, updateUser(q, user.id, changed));
  return { user: { ...user, ...changed }, identityId };
}

/** Repeats a transaction once if somebody has linked the identity meanwhile: then it finds the user. */
export async function repeatIfTaken<T>(transaction: () => Promise<T>): Promise<T> {
  try {
    return await transaction();
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
    return transaction();
  }
}
