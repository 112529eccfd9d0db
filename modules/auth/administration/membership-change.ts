import { roleIn, type Actor, type Role } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { groupRoleOf, hasOtherAdmin, removeMember, rolesOf } from '../people/member-store.ts';
import { higherRole } from '../providers/group-mapping.ts';
import { revokeTokensOf } from '../personal-tokens/personal-token-store.ts';
import { endAccess, type Ended, type Ending } from '../sessions/session-revocation.ts';

/**
 * Ends a membership and the tokens that were for this organization alone. A user without any remaining organization loses every session and
 * token; an app user who signs in again gets new ones, without rights.
 */
export async function endMembership(
  q: Query,
  { orgId, userId }: { readonly orgId: number; readonly userId: number },
  ending: Ending,
): Promise<Ended> {
  await removeMember(q, orgId, userId);
  if ((await rolesOf(q, userId)).size === 0) return endAccess(q, userId, ending);
  return { sessions: 0, tokens: await revokeTokensOf(q, userId, ending.now, { orgId }) };
}

/**
 * The role of a member whom the actor may change.
 * @throws Fault ORGANIZATION_NOT_FOUND, USER_NOT_FOUND.
 */
export async function roleToChange(
  q: Query,
  actor: Actor,
  { orgId, userId }: { readonly orgId: number; readonly userId: number },
): Promise<Role> {
  if (roleIn(actor, orgId, 'admin') === 'hidden')
    throw fail.ORGANIZATION_NOT_FOUND(`There is no organization ${orgId}.`);
  const held = (await rolesOf(q, userId)).get(orgId);
  if (held === undefined)
    throw fail.USER_NOT_FOUND(`User ${userId} is not a member of organization ${orgId}.`);
  return held;
}

/**
 * Groups at a provider would give the role back at the next sign-in, so nobody takes it away here.
 * @param role the new role; null: the membership ends.
 * @throws Fault ROLE_OF_GROUP when groups give more.
 */
export async function requireNoRoleOfGroups(
  q: Query,
  { orgId, userId }: { readonly orgId: number; readonly userId: number },
  role: Role | null,
): Promise<void> {
  const given = await groupRoleOf(q, orgId, userId);
  if (given === null || (role !== null && higherRole(role, given) === role)) return;
  throw fail.ROLE_OF_GROUP(
    `A group at the identity provider makes user ${userId} ${given} of organization ${orgId}.`,
  );
}

/** @throws Fault LAST_ADMIN when the organization has no other administrator. */
export async function requireOtherAdmin(q: Query, orgId: number, userId: number): Promise<void> {
  if (!(await hasOtherAdmin(q, orgId, userId)))
    throw fail.LAST_ADMIN(`User ${userId} is the last administrator of organization ${orgId}.`);
}
