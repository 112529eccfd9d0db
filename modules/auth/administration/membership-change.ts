import { roleIn, type Actor, type Role } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { writeAuditEntries } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { hasOtherAdmin, removeMember, rolesOf } from '../people/member-store.ts';
import { revokeTokensOf } from '../personal-tokens/personal-token-store.ts';
import { revokeSessionsOf } from '../sessions/session-store.ts';

/** Who ended it, when, and why. */
export interface Ending {
  readonly actorId: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly reason: 'left' | 'merged' | 'erased';
}

export interface Ended {
  readonly sessions: number;
  readonly tokens: number;
}

/** Ends every session and personal access token of a user. */
export async function endAccess(q: Query, userId: number, { actorId, now, reason }: Ending): Promise<Ended> {
  const sessions = await revokeSessionsOf(q, userId, { now, reason }, (ids) =>
    writeAuditEntries(
      q,
      now,
      ids.map(
        (sessionId) => ({ event: 'session_revoked', userId, actorId, sessionId, cause: reason }) as const,
      ),
    ),
  );
  return { sessions, tokens: await revokeTokensOf(q, userId, now, 'all') };
}

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

/** @throws Fault LAST_ADMIN when the organization has no other administrator. */
export async function requireOtherAdmin(q: Query, orgId: number, userId: number): Promise<void> {
  if (!(await hasOtherAdmin(q, orgId, userId)))
    throw fail.LAST_ADMIN(`User ${userId} is the last administrator of organization ${orgId}.`);
}
