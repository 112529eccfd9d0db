import { addressKey } from '../../../core/text/letter-case.ts';
import type { Role } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { Fault, UsageError } from '../../../core/base/errors.ts';
import { fail } from '../base/errors.ts';
import { isOwnAccount } from './account-store.ts';
import { endInvitationsOf } from './invitation-store.ts';
import { rolesOf, setRole } from './member-store.ts';
import { localUser } from './owner-store.ts';
import { firstOrganization } from './organization-store.ts';
import { writeRoleChange } from '../audit/audit-store.ts';
import {
  insertUser,
  isGuest,
  localIssuer,
  localUserNamed,
  userById,
  usersWithAddress,
  type UserRow,
} from './user-store.ts';

interface RoleWish {
  /** The new role; undefined keeps the role of a member. */
  readonly role: Role | undefined;
  /** The role of a user who was not a member. */
  readonly newcomer: Role;
  /** The name of a new user; the address unless given. */
  readonly name?: string;
}

interface TokenOwner {
  readonly user: UserRow;
  readonly orgId: number;
  readonly role: Role | null;
  readonly roleBefore: Role | undefined;
}

/**
 * The user of a token of `trivet token create`: the user with an id, or the local user with an e-mail address.
 * @throws UsageError when a user who signs in has the address: the token of a second user with this address would stay valid when
 * the first one is disabled. Fault USER_NOT_FOUND, ACCESS_DENIED.
 */
export async function tokenOwner(
  q: Query,
  { email, userId }: { readonly email: string | undefined; readonly userId: number | undefined },
  wish: RoleWish,
  now: number,
): Promise<TokenOwner> {
  if (userId !== undefined) return tokenOwnerById(q, userId, email, wish.role, now);
  if (email === undefined) throw new Error('neither address nor number');
  const others = await usersWithAddress(q, email);
  if (others.length === 0) return localTokenOwner(q, email, wish, now);
  const choices = others.map(
    ({ id, provider, status }) =>
      `--user-id ${id} (signs in with ${provider}${status === 'active' ? '' : ', disabled'})`,
  );
  throw new UsageError(
    `--email: ${email} is the address of a user who signs in. A token of a second user with this address would stay valid when ` +
      `the first one is disabled. Name the user: ${choices.join(', or ')}. For a pipeline, use an address of its own.`,
  );
}

async function activeUser(q: Query, userId: number, email: string | undefined): Promise<UserRow> {
  const user = await userById(q, userId);
  if (!user || !isOwnAccount(user)) throw fail.USER_NOT_FOUND(`There is no user ${userId}.`);
  if (email !== undefined && addressKey(user.email ?? '') !== addressKey(email))
    throw new UsageError(
      `--user-id: user ${userId} does not have the address of --email. Leave one of them out.`,
    );
  requireActive(user);
  return user;
}

async function giveRole(q: Query, orgId: number, userId: number, role: Role, now: number): Promise<void> {
  await setRole(q, orgId, userId, role, now);
  await endInvitationsOf(q, userId, now);
}

/** The membership changes only when a role is given. */
async function tokenOwnerById(
  q: Query,
  userId: number,
  email: string | undefined,
  role: Role | undefined,
  now: number,
): Promise<TokenOwner> {
  const user = await activeUser(q, userId, email);
  const orgId = await requireOrganization(q);
  const roleBefore = (await rolesOf(q, userId)).get(orgId);
  if (role !== undefined && role !== roleBefore) await giveRole(q, orgId, userId, role, now);
  return { user, orgId, role: role ?? roleBefore ?? null, roleBefore };
}

/**
 * The user whom `trivet console link` signs in: the one with an id, the active one with the address, or else a new local user, as an
 * administrator, for whoever owns the machine asks.
 * @throws Fault USER_NOT_FOUND, ACCESS_DENIED when the user is disabled or several members have the address.
 */
export async function linkOwner(
  q: Query,
  { email, userId }: { readonly email: string | undefined; readonly userId: number | undefined },
  now: number,
) {
  if (userId !== undefined) return { user: await activeUser(q, userId, email), isNew: false };
  if (email === undefined) throw new Error('neither address nor number');
  try {
    return { user: await localUser(q, email), isNew: false };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'USER_NOT_FOUND') throw error;
    const wish = { role: undefined, newcomer: 'admin' } as const;
    const { user, role, orgId } = await localTokenOwner(q, email, wish, now);
    const given = { userId: user.id, orgId, role: role ?? wish.newcomer };
    await writeRoleChange(q, now, given, { surface: 'cli' });
    return { user, isNew: true };
  }
}

/** The local user with an e-mail address in the first organization; created when it does not exist. */
export async function localTokenOwner(
  q: Query,
  email: string,
  { role, newcomer, name = email }: RoleWish,
  now: number,
): Promise<TokenOwner> {
  const subject = addressKey(email);
  const orgId = await requireOrganization(q);
  const known = await localUserNamed(q, subject);
  if (known) requireActive(known);
  const user =
    known ?? (await insertUser(q, now, { issuer: localIssuer, subject, provider: localIssuer, email, name }));
  const before = (await rolesOf(q, user.id)).get(orgId);
  const granted = role ?? before ?? newcomer;
  if (granted !== before) await giveRole(q, orgId, user.id, granted, now);
  return { user, orgId, role: granted, roleBefore: before };
}

function requireActive({ id, status, issuer }: UserRow): void {
  if (isGuest({ issuer }))
    throw fail.CONFLICT(`User ${id} is a guest, who has no personal access token.`, {
      tip: 'The guest links an identity first: POST /v1/auth/link.',
    });
  if (status !== 'active') throw fail.ACCESS_DENIED('This user is disabled.', { cause: 'disabled' });
}

async function requireOrganization(q: Query): Promise<number> {
  const orgId = await firstOrganization(q);
  if (orgId === undefined) throw new Error('there is no organization');
  return orgId;
}
