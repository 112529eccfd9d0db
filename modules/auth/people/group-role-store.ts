import { and, eq, gt, inArray, isNotNull, lt } from 'drizzle-orm';
import type { Role } from '../../../core/base/actor.ts';
import { later, type Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import { writeRoleChange } from '../audit/audit-store.ts';
import { identities, members, organizations } from '../base/schema.ts';
import { providers } from '../providers/configured-providers.ts';
import { groupRoleChanges, higherRole, rolesOfGroups } from '../providers/group-mapping.ts';
import type { IdentityKey } from './identity-store.ts';
import { endInvitationsOf } from './invitation-store.ts';
import { removeMember } from './member-store.ts';
import { firstOrganization } from './organization-store.ts';

/** What became of the memberships of a user. */
export interface GroupRoles {
  /** The organizations that the user no longer belongs to. */
  readonly lost: readonly number[];
  /** Whether the user belongs to any organization still. */
  readonly belongs: boolean;
}

/** Stores what a sign-in said about the groups of an identity, in its transaction. */
export const storeGroups = (
  q: Query,
  { issuer, subject }: IdentityKey,
  groups: readonly string[],
  now: number,
): Promise<void> =>
  later(
    q,
    q
      .update(identities)
      .set({ groups, groupsAt: now })
      .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject))),
  );

/**
 * Brings the memberships of a user to what the groups of all their identities give by the settings of this process, with an audit entry
 * for each change. Whoever calls it ends the access that is lost (`endLost` of sessions/session-revocation.ts). The last administrator of an
 * organization may lose the role: the directory decides, and the owner of the machine can make another one.
 * @param provider the provider that said something new; for the audit log.
 */
export async function applyGroupRoles(
  q: Query,
  host: Host,
  { userId, provider, now }: { readonly userId: number; readonly provider?: string; readonly now: number },
): Promise<GroupRoles> {
  const { held, changes } = await groupChangesOf(q, host, userId, now);
  for (const { orgId, role, groupRole, handRole, isOther } of changes) {
    if (role === null) await removeMember(q, orgId, userId);
    else {
      const stored = { role, groupRole, handRole };
      await q
        .insert(members)
        .values({ orgId, userId, createdAt: now, ...stored })
        .onConflictDoUpdate({ target: [members.orgId, members.userId], set: stored });
    }
    if (!isOther) continue;
    await writeRoleChange(q, now, { userId, orgId, role }, provider === undefined ? {} : { provider });
  }
  if (changes.length > 0) await endInvitationsOf(q, userId, now);
  const lost = changes.flatMap(({ orgId, role }) => (role === null ? [orgId] : []));
  const gained = changes.some(({ role }) => role !== null);
  return { lost, belongs: gained || held.length > lost.length };
}

/** The memberships of a user, and the changes that their groups ask for now. */
export async function groupChangesOf(q: Query, host: Host, userId: number, now: number) {
  const given = await rolesGivenTo(q, host, userId, now);
  const held = await q.select().from(members).where(eq(members.userId, userId));
  return { held, changes: groupRoleChanges(held, given) };
}

/** The roles that the stored groups of a user give now, by organization. One that does not exist gives nothing. */
async function rolesGivenTo(
  q: Query,
  host: Host,
  userId: number,
  now: number,
): Promise<ReadonlyMap<number, Role>> {
  const known = await q
    .select({ provider: identities.provider, groups: identities.groups, groupsAt: identities.groupsAt })
    .from(identities)
    .where(and(eq(identities.userId, userId), isNotNull(identities.groupsAt)));
  const given = new Map<number, Role>();
  const firstOrgId = known.length === 0 ? undefined : await firstOrganization(q);
  if (firstOrgId === undefined) return given;
  for (const { provider, groups, groupsAt } of known) {
    const mapping = providers(host).get(provider)?.groupMapping;
    if (!mapping || (groupsAt ?? 0) + mapping.maxAgeMs <= now) continue;
    for (const [orgId, role] of rolesOfGroups(mapping, groups ?? [], firstOrgId))
      given.set(orgId, higherRole(role, given.get(orgId)));
  }
  if (given.size === 0) return given;
  const existing = await q
    .select({ id: organizations.id })
    .from(organizations)
    .where(inArray(organizations.id, [...given.keys()]));
  return new Map(existing.map(({ id }) => [id, given.get(id) ?? 'reader']));
}

/** Users who have a role of groups, ordered by id, from the one after `after`. */
export const usersWithGroupRoles = async (
  q: Query,
  after: number,
  limit: number,
): Promise<readonly number[]> =>
  (
    await q
      .selectDistinct({ userId: members.userId })
      .from(members)
      .where(and(gt(members.userId, after), isNotNull(members.groupRole)))
      .orderBy(members.userId)
      .limit(limit)
  ).map(({ userId }) => userId);

/** Users whose groups of a provider were said before a time and may still give roles, at most `limit`, ordered by id. */
export const usersWithGroupsBefore = async (
  q: Query,
  provider: string,
  before: number,
  limit: number,
): Promise<readonly number[]> =>
  (
    await q
      .selectDistinct({ userId: identities.userId })
      .from(identities)
      .where(and(eq(identities.provider, provider), lt(identities.groupsAt, before)))
      .orderBy(identities.userId)
      .limit(limit)
  ).map(({ userId }) => userId);

/** Forgets what a provider said of a user before a time. */
export const forgetGroups = (q: Query, userId: number, provider: string, before: number) =>
  q
    .update(identities)
    .set({ groups: null, groupsAt: null })
    .where(
      and(eq(identities.userId, userId), eq(identities.provider, provider), lt(identities.groupsAt, before)),
    );
