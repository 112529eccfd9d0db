import { Type } from '@sinclair/typebox';
import { member, requireGrant, roleIn, roles, signedIn } from '../../../core/actor.ts';
import { isoTime } from '../../../core/clock.ts';
import { closedObject, recordId, words } from '../../../core/schema.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import { fail } from '../errors.ts';
import { operation } from '../operation.ts';
import { invitationLink } from '../people/invitation-link.ts';
import { acceptInvitation, invitationMs, invite } from '../people/invitation-store.ts';
import { forgetSettledCode } from '../people/setup-code.ts';

export const inviteUser = operation({
  name: 'invite-user',
  title: 'Invite a user to an organization',
  description:
    'Creates a single-use link. Who opens it in a browser within 7 days and signs in becomes a member with the given role. The ' +
    'code in it can also be redeemed with accept-invitation. Hand it over yourself: nothing is sent, and it is shown only once.',
  input: closedObject({
    orgId: recordId('The organization; get-orgs-list lists yours.'),
    role: Type.Optional(words(roles, { description: 'The role of the new member.', default: 'member' })),
  }),
  output: Type.Object({
    code: Type.String(),
    link: Type.String(),
    orgId: Type.Integer(),
    role: Type.String(),
    expiresAt: Type.String(),
  }),
  access: member('admin'),
  effect: 'create',
  secret: true,
  handler: async ({ orgId, role = 'member' }, { actor, db, clock, host }) => {
    if (roleIn(actor, orgId, 'admin') === 'hidden') {
      throw fail.ORGANIZATION_NOT_FOUND(`There is no organization ${orgId}.`);
    }
    requireGrant(actor, 'admin', 'invite a user');
    const { code, expiresAt } = await db.tx(async (q) => {
      const given = { orgId, role, createdBy: actor.userId, lifetimeMs: invitationMs };
      const invited = await invite(host, q, { ...given, kind: 'invitation' });
      await writeAuditEntry(q, clock.now(), { event: 'member_invited', actorId: actor.userId, cause: role });
      return invited;
    });
    return { code, link: invitationLink(host, code), orgId, role, expiresAt: isoTime(expiresAt) };
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
  handler: ({ code }, context) => {
    requireGrant(context.actor, 'admin', 'redeem an invitation');
    context.afterCommit(() => forgetSettledCode(context.host));
    return acceptInvitation(context, context.actor.userId, code);
  },
});
