import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { isAlreadyThere } from '../../../core/base/foreign-errors.ts';
import type { Host } from '../../../core/host/host.ts';
import { fail } from '../base/errors.ts';
import { members, organizations, users } from '../base/schema.ts';
import { insertOrganization } from './organization-store.ts';
import { insertUser, localIssuer, localUserNamed, type UserRow } from './user-store.ts';

const ownerSubject = 'owner';

/** The first start creates one organization and its owner; every later one finds them. */
export async function ensureOwner(host: Host): Promise<void> {
  const [known] = await host.db.q.select({ id: organizations.id }).from(organizations).limit(1);
  if (known) return;
  try {
    await host.db.tx(
      async (q) => {
        const [meanwhile] = await q.select({ id: organizations.id }).from(organizations).limit(1);
        if (meanwhile) return;
        const now = host.clock.now();
        const identity = { issuer: localIssuer, subject: ownerSubject, provider: localIssuer };
        const owner = await insertUser(q, now, { ...identity, name: 'Owner' });
        await insertOrganization(q, { name: 'My organization', adminId: owner.id, now });
      },
      { serializable: 'one first organization' },
    );
  } catch (error) {
    // Another process that started at the same moment has committed its owner.
    if (!isAlreadyThere(error)) throw error;
  }
}

/**
 * The user that a caller on the local machine acts as: the owner of the data directory, or the user with an e-mail address; of several,
 * the only one that is a member of an organization.
 * @throws Fault USER_NOT_FOUND, ACCESS_DENIED when several users have the address, or a disabled one alone.
 */
export async function localUser(q: Query, email: string | undefined): Promise<UserRow> {
  if (email === undefined) {
    const owner = await localUserNamed(q, ownerSubject);
    if (!owner) throw fail.USER_NOT_FOUND('The owner of this data directory is missing.');
    return owner;
  }
  const accounts = await q
    .select()
    .from(users)
    .where(and(eq(users.email, email), isNull(users.mergedInto)))
    // Active ones first.
    .orderBy(asc(users.status), asc(users.id))
    .limit(mostNamed);
  const candidates = accounts.filter(({ status }) => status === 'active');
  const [only] = candidates;
  if (!only) {
    const [disabled] = accounts;
    // Otherwise a second account of the same person would be made beside the one that was locked.
    if (disabled)
      throw fail.ACCESS_DENIED(`User ${disabled.id}, who has that e-mail address, is disabled.`, {
        cause: 'disabled',
        tip: `Enable the account first: trivet call set-user-status -a userId=${disabled.id} -a status=active`,
      });
    throw fail.USER_NOT_FOUND('No active user has that e-mail address.', {
      tip: 'Create one with "trivet token create --email …", or leave out --as to act as the owner.',
    });
  }
  if (candidates.length === 1) return only;
  // Whoever signs in at a provider with the address of a member makes an account without any role: it must not lock the member out.
  const held = await q
    .selectDistinct({ userId: members.userId })
    .from(members)
    .where(
      inArray(
        members.userId,
        candidates.map(({ id }) => id),
      ),
    );
  const isMember = new Set(held.map(({ userId }) => userId));
  const [member, another] = candidates.filter(({ id }) => isMember.has(id));
  if (member && !another) return member;
  throw severalHave(candidates);
}

const mostNamed = 10;

/** An e-mail address does not identify a user, so it cannot decide between two accounts. */
function severalHave(candidates: readonly UserRow[]) {
  const [kept, duplicate] = candidates;
  const named = candidates.map(({ id, provider }) => `${id} (${provider})`).join(', ');
  return fail.ACCESS_DENIED(`Several users have that e-mail address: ${named}.`, {
    cause: 'ambiguous',
    tip:
      `If they are one person, make them one account: trivet call merge-users -a userId=${kept?.id} -a duplicateId=${duplicate?.id}. ` +
      'Otherwise name one of them: --user-id of "trivet console link" and "trivet token create"; the token goes with --url.',
  });
}
