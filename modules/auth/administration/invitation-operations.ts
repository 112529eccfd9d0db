import { Type } from '@sinclair/typebox';
import { member, requireAdminGrant, roleIn, roles, signedIn, type Actor } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, recordId, words } from '../../../core/base/schema.ts';
import { addressPattern } from '../../../core/base/mail-address.ts';
import { sendsLetters } from '../../../core/letters/smtp-settings.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { queueInvitation, undeliveredInvitations } from '../letters/invitation-letter.ts';
import { invitationLink } from '../people/invitation-link.ts';
import {
  acceptInvitation,
  endInvitation,
  invitationMs,
  invite,
  pageOfInvitations,
} from '../people/invitation-store.ts';
import { forgetSettledCode } from '../people/setup-code.ts';

/** @throws Fault ORGANIZATION_NOT_FOUND, FORBIDDEN. */
function requireAdminIn(actor: Actor, orgId: number): void {
  if (roleIn(actor, orgId, 'admin') === 'hidden')
    throw fail.ORGANIZATION_NOT_FOUND(`There is no organization ${orgId}.`);
}

const organization = recordId('The organization; get-orgs-list lists yours.');

export const inviteUser = operation({
  name: 'invite-user',
  title: 'Invite a user to an organization',
  description:
    'Creates a single-use link. Who opens it in a browser within 7 days and signs in becomes a member with the given role. The ' +
    'code in it can also be redeemed with accept-invitation. It is shown only once. With email the server sends it there; ' +
    'otherwise hand it over yourself.',
  input: closedObject({
    orgId: organization,
    role: Type.Optional(words(roles, { description: 'The role of the new member.', default: 'member' })),
    email: Type.Optional(
      Type.String({
        pattern: addressPattern,
        description: 'Send the link to this address. Needs a server that sends letters.',
      }),
    ),
  }),
  output: Type.Object({
    invitationId: Type.Integer(),
    code: Type.String(),
    link: Type.String(),
    orgId: Type.Integer(),
    role: Type.String(),
    expiresAt: Type.String(),
    letter: words(['waiting', 'refused', 'none'], {
      description: 'With email: it will be sent, or the address wants none or too many letters wait.',
    }),
  }),
  access: member('admin'),
  effect: 'create',
  secret: true,
  handler: async ({ orgId, role = 'member', email }, { actor, db, clock, host }) => {
    requireAdminIn(actor, orgId);
    requireAdminGrant(actor, 'invite a user');
    if (email !== undefined && !sendsLetters(host))
      throw fail.LETTERS_OFF('This server sends no letters.', { cause: 'email' });
    const { invitationId, code, expiresAt, letter } = await db.tx(async (q) => {
      const given = { orgId, role, createdBy: actor.userId, lifetimeMs: invitationMs, address: email };
      const invited = await invite(host, q, { ...given, kind: 'invitation' });
      const { invitationId, code } = invited;
      const entry = { actorId: actor.userId, cause: role, ids: { orgId, invitationId } };
      await writeAuditEntry(q, clock.now(), { event: 'member_invited', ...entry });
      const letter =
        email === undefined
          ? ('none' as const)
          : await queueInvitation(q, host, { invitationId, code, email, by: actor.userId });
      return { ...invited, letter };
    });
    const link = invitationLink(host, code);
    return { invitationId, code, link, orgId, role, expiresAt: isoTime(expiresAt), letter };
  },
});

export const listInvitations = operation({
  name: 'list-invitations',
  title: 'List open invitations',
  description:
    'Lists the invitations of an organization that can still be redeemed, the newest first: role, who invited, when each expires, ' +
    'where it was sent, and if that failed. Never the code or link, which only invite-user returns. Needs the role admin there.',
  input: closedObject({ orgId: organization, ...paging }),
  output: page(
    'invitations',
    closedObject({
      invitationId: Type.Integer(),
      role: words(roles, { description: 'The role of the new member.' }),
      createdBy: nullable(Type.Integer()),
      createdAt: Type.String(),
      expiresAt: Type.String(),
      email: Type.Optional(Type.String({ description: 'Where the link was sent.' })),
      letter: Type.Optional(
        words(['waiting', 'failed'], {
          description:
            'A letter with the link that has not arrived: it waits, or the mail server refused it. Absent otherwise.',
        }),
      ),
    }),
  ),
  access: member('admin'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock }) => {
    requireAdminIn(actor, input.orgId);
    const paged = pageOf(input);
    const { total, rows } = await pageOfInvitations(q, input.orgId, clock.now(), paged);
    const undelivered = await undeliveredInvitations(q, rows.at(-1)?.createdAt ?? clock.now());
    const invitations = rows.map(({ id, role, createdBy, createdAt, expiresAt, address }) => {
      const letter = undelivered.get(id);
      return {
        invitationId: id,
        role,
        createdBy,
        createdAt: isoTime(createdAt),
        expiresAt: isoTime(expiresAt),
        ...(address !== null && { email: address }),
        ...(letter && { letter }),
      };
    });
    return { total, ...paged, invitations };
  },
});

export const revokeInvitation = operation({
  name: 'revoke-invitation',
  title: 'Revoke an invitation',
  description:
    'Ends an open invitation at once: its link and code no longer work. Who redeemed it before stays a member; for that use ' +
    'remove-member. Needs the role admin in the organization.',
  input: closedObject({
    orgId: organization,
    invitationId: recordId('The invitation; list-invitations lists the open ones.'),
  }),
  output: closedObject({ orgId: Type.Integer(), invitationId: Type.Integer() }),
  access: member('admin'),
  effect: 'delete',
  confirm: 'The code stops working; invite-user makes another.',
  handler: async ({ orgId, invitationId }, { actor, db, clock }) => {
    requireAdminIn(actor, orgId);
    return db.tx(async (q) => {
      const now = clock.now();
      if (!(await endInvitation(q, orgId, invitationId, now)))
        throw fail.INVITATION_NOT_FOUND(`Organization ${orgId} has no open invitation ${invitationId}.`);
      await writeAuditEntry(q, now, {
        event: 'invitation_revoked',
        actorId: actor.userId,
        ids: { orgId, invitationId },
      });
      return { orgId, invitationId };
    });
  },
});

export const acceptInvitationOperation = operation({
  name: 'accept-invitation',
  title: 'Become a member of an organization',
  description:
    'Redeems a code of invite-user, or of the link that the first start prints, for the signed-in user. A code works once.',
  input: closedObject({ code: Type.String({ minLength: 1, maxLength: 100, description: 'The code.' }) }),
  output: Type.Object({ orgId: Type.Integer(), role: Type.String() }),
  access: signedIn(),
  effect: 'update',
  additive: true,
  handler: ({ code }, context) => {
    requireAdminGrant(context.actor, 'redeem an invitation');
    context.afterCommit(() => forgetSettledCode(context.host));
    return acceptInvitation(context, context.actor.userId, code);
  },
});
