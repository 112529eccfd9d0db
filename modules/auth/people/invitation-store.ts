import { and, asc, desc, eq, gt, inArray, isNull, not, or, sql, type SQL } from 'drizzle-orm';
import type { Role } from '../../../core/base/actor.ts';
import { countedPage, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { equalsText } from '../../../core/db/query/text-match.ts';
import type { MergedUsers } from '../../../core/base/write-entry.ts';
import type { Host } from '../../../core/host/host.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { secretHash } from '../keys/secret-hash.ts';
import { invitations, members, organizations, users } from '../base/schema.ts';
import { higherRole } from '../providers/group-mapping.ts';
import { isMemberSince, membershipsByHand, rolesOf, setRole, sinceMember } from './member-store.ts';

const day = 24 * 60 * 60 * 1000;
/** How long a code can be redeemed. */
export const invitationMs = 7 * day;
const setupMs = 30 * 60 * 1000;

interface Invitation {
  readonly orgId: number;
  readonly role: Role;
  readonly kind: 'setup' | 'invitation';
  readonly createdBy: number | null;
  readonly lifetimeMs: number;
  /** Where the link is sent. */
  readonly address?: string | undefined;
}

/** Stores an invitation. @returns its id, the code, shown once and stored as a hash, and when it expires (epoch ms). */
export async function invite(host: Host, q: Query, { lifetimeMs, ...row }: Invitation) {
  const now = host.clock.now();
  const code = Buffer.from(host.random(18)).toString('base64url');
  const expiresAt = now + lifetimeMs;
  const { orgId, createdBy } = row;
  const createdAt = createdBy === null ? now : sinceMember(orgId, createdBy, now);
  const values = { ...row, codeHash: secretHash(code), createdAt, expiresAt };
  const [stored] = await q.insert(invitations).values(values).returning({ id: invitations.id });
  if (!stored) throw new Error('the invitation was not stored');
  return { invitationId: stored.id, code, expiresAt };
}

/** The open invitations of an organization, the newest first. The setup code is not included: only the owner of the machine has it. */
export async function pageOfInvitations(q: Query, orgId: number, now: number, page: Page) {
  const where = and(eq(invitations.orgId, orgId), eq(invitations.kind, 'invitation'), isOpen(now));
  const orderBy = [desc(invitations.createdAt), desc(invitations.id)];
  return countedPage(q, invitations, { where, orderBy }, page);
}

const ended = (now: number) => ({ expiresAt: now, address: null });

/** Ends an open invitation of an organization. @returns whether it existed. */
export async function endInvitation(q: Query, orgId: number, invitationId: number, now: number) {
  const which = and(eq(invitations.id, invitationId), eq(invitations.orgId, orgId));
  const found = await q
    .update(invitations)
    .set(ended(now))
    .where(and(which, eq(invitations.kind, 'invitation'), isOpen(now)))
    .returning({ id: invitations.id });
  return found.length > 0;
}

const isOpen = (now: number) =>
  and(isNull(invitations.redeemedAt), gt(invitations.expiresAt, now), or(byTheServer, byAnAdmin));

/** One page of the open invitations of all organizations, after an id. */
export const openInvitationsAfter = (
  q: Query,
  now: number,
  { after, limit }: { readonly after: number; readonly limit: number },
) =>
  q
    .select({
      invitationId: invitations.id,
      orgId: invitations.orgId,
      role: invitations.role,
      codeHash: invitations.codeHash,
    })
    .from(invitations)
    .where(and(gt(invitations.id, after), eq(invitations.kind, 'invitation'), isOpen(now)))
    .orderBy(asc(invitations.id))
    .limit(limit);

/** Those of the invitations that nobody can redeem any more, with the hash of the code. */
export async function closedInvitationsOf(
  q: Query,
  invitationIds: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, string>> {
  const rows = await q
    .select({ id: invitations.id, codeHash: invitations.codeHash })
    .from(invitations)
    .where(and(inArray(invitations.id, [...invitationIds]), sql`NOT (${isOpen(now)})`));
  return new Map(rows.map(({ id, codeHash }) => [id, codeHash]));
}

const byTheServer = isNull(invitations.createdBy);
// The columns are named for the subquery.
const [ofOrg, madeAt] = [sql`auth_invitations.org_id`, sql`auth_invitations.created_at`];
/** Otherwise an administrator who was removed would come back by an invitation of their own. */
const byAnAdmin = isMemberSince(ofOrg, sql`auth_invitations.created_by`, madeAt, 'admin');

/** The open invitations that one account made are those of the account that it becomes part of; the memberships of both exist still. */
export async function moveInvitations(q: Query, { fromUserId, intoUserId, at }: MergedUsers): Promise<void> {
  await q
    .update(invitations)
    .set({ createdBy: intoUserId, createdAt: sinceMember(ofOrg, intoUserId, madeAt) })
    .where(and(eq(invitations.createdBy, fromUserId), isOpen(at)));
}

/**
 * Ends the open invitations that a user made as an administrator and is none any more, in the transaction that takes the role or disables the
 * user: they must not open again when the person gets it back.
 */
export const endInvitationsOf = (q: Query, userId: number, now: number) =>
  q
    .update(invitations)
    .set(ended(now))
    .where(
      and(
        eq(invitations.createdBy, userId),
        isNull(invitations.redeemedAt),
        gt(invitations.expiresAt, now),
        not(byAnAdmin),
      ),
    );

/** Forgets the addresses of users in the open invitations that were sent there. Before their profiles are erased, which have the addresses. */
export async function forgetAddressesOf(q: Query, userIds: readonly number[]): Promise<void> {
  const people = await q
    .select({ email: users.email })
    .from(users)
    .where(inArray(users.id, [...userIds]));
  for (const { email } of people)
    if (email !== null)
      await q.update(invitations).set({ address: null }).where(equalsText(invitations.address, email));
}

/** Redeems a code, which works once, for the membership of a user. The role of a member is never lowered. */
export async function acceptInvitation(host: Pick<Host, 'db' | 'clock'>, userId: number, code: string) {
  const { role, orgId } = await host.db.tx(
    (q) => redeemInvitation(q, eq(invitations.codeHash, secretHash(code)), userId, host.clock.now()),
    { serializable: lowersNoRole },
  );
  return { orgId, role };
}

/** The rule for which a transaction that redeems a code is serializable. */
export const lowersNoRole = 'a code lowers no role';

/** Like {@link acceptInvitation}, in a transaction that is {@link lowersNoRole}. @throws Fault INVALID_INVITATION. */
export const acceptInvitationById = (q: Query, invitationId: number, userId: number, now: number) =>
  redeemInvitation(q, eq(invitations.id, invitationId), userId, now);

async function redeemInvitation(q: Query, which: SQL, userId: number, now: number) {
  const [redeemed] = await q
    .update(invitations)
    .set({ redeemedBy: userId, redeemedAt: now, address: null })
    .where(and(which, isOpen(now)))
    .returning();
  if (!redeemed) throw fail.INVALID_INVITATION('That code is not valid, or no longer.');
  // Each start on a terminal may have shown one.
  if (redeemed.kind === 'setup')
    await q
      .update(invitations)
      .set({ expiresAt: now })
      .where(and(eq(invitations.kind, 'setup'), isOpen(now)));
  // The role that groups give is not given by hand: it would stay when the person leaves the group.
  const byHand = (await membershipsByHand(q, userId)).get(redeemed.orgId);
  const role = higherRole(redeemed.role, byHand);
  await setRole(q, redeemed.orgId, userId, role, now);
  const ids = { orgId: redeemed.orgId, invitationId: redeemed.id };
  await writeAuditEntry(q, now, { event: 'invitation_accepted', userId, cause: role, ids });
  return { orgId: redeemed.orgId, role: (await rolesOf(q, userId)).get(redeemed.orgId) ?? role };
}

/** The redeemable invitation of a code, with the name of its organization. */
export async function openInvitation(q: Query, code: string, now: number) {
  const [found] = await q
    .select({
      id: invitations.id,
      role: invitations.role,
      kind: invitations.kind,
      organization: organizations.name,
    })
    .from(invitations)
    .innerJoin(organizations, eq(organizations.id, invitations.orgId))
    .where(and(eq(invitations.codeHash, secretHash(code)), isOpen(now)));
  return found;
}

/**
 * The single-use setup code of a new installation: the user who redeems it administers the organization. Created at the first start of a
 * server, and again only when it expired unused.
 * @param mode `ask`: only check whether a setup is due; the result is then an empty text. `again`: also beside an open one, because
 * nobody can be shown that again. The first that is redeemed ends the others.
 * @returns null when no setup is due.
 */
export async function setupCode(host: Host, mode: 'make' | 'ask' | 'again' = 'make'): Promise<string | null> {
  const now = host.clock.now();
  const isSettled = async (q: Query) =>
    (await q.select().from(invitations).where(eq(invitations.kind, 'setup'))).some(
      ({ redeemedAt, expiresAt }) => redeemedAt !== null || (mode !== 'again' && expiresAt > now),
    );
  // True at nearly every start, and needs no transaction.
  if (await isSettled(host.db.q)) return null;
  return host.db.tx(
    async (q) => {
      const settled = await isSettled(q);
      const [organization] = await q.select().from(organizations).limit(1);
      if (settled || !organization) return null;
      if (mode === 'ask') return (await q.select().from(members).limit(2)).length === 1 ? '' : null;
      const setup = { orgId: organization.id, role: 'admin', createdBy: null, lifetimeMs: setupMs } as const;
      return (await invite(host, q, { ...setup, kind: 'setup' })).code;
    },
    { serializable: 'no setup after a redeemed code' },
  );
}

/** Whether a setup code can still be redeemed. */
export async function setupIsOpen(host: Host): Promise<boolean> {
  const open = and(eq(invitations.kind, 'setup'), isOpen(host.clock.now()));
  return (await host.db.q.select({ id: invitations.id }).from(invitations).where(open).limit(1)).length > 0;
}
