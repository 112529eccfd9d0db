import { Type } from '@sinclair/typebox';
import { member, requireAdminGrant, roleIn, roles } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, recordId, words } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { writeRoleChange } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { pageOfOrganization } from '../people/member-store.ts';
import {
  endMembership,
  requireNoRoleOfGroups,
  requireOtherAdmin,
  roleToChange,
} from './membership-change.ts';

const orgId = recordId('The organization; get-orgs-list lists yours.');
const optionalText = nullable(Type.String());

export const listMembers = operation({
  name: 'list-members',
  title: 'List the members of an organization',
  description:
    'Lists who belongs to an organization, with the role, the identity provider they sign in with, and when they did so last. ' +
    'Needs the role admin there.',
  input: closedObject({ orgId, ...paging }),
  output: page(
    'members',
    closedObject({
      userId: Type.Integer(),
      name: optionalText,
      email: optionalText,
      role: words(roles, { description: 'What the member may do.' }),
      groupRole: nullable(words(roles, { description: 'The part of it that groups at the provider give.' })),
      status: words(['active', 'disabled'], { description: 'A disabled user cannot sign in.' }),
      provider: Type.String(),
      memberSince: Type.String(),
      lastSignInAt: optionalText,
    }),
  ),
  access: member('admin'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    if (roleIn(actor, input.orgId, 'admin') === 'hidden')
      throw fail.ORGANIZATION_NOT_FOUND(`There is no organization ${input.orgId}.`);
    const paged = pageOf(input);
    const { total, rows } = await pageOfOrganization(q, input.orgId, paged);
    return {
      total,
      ...paged,
      members: rows.map(({ memberSince, lastSignInAt, ...row }) => ({
        ...row,
        memberSince: isoTime(memberSince),
        lastSignInAt: isoTime(lastSignInAt),
      })),
    };
  },
});

export const removeMemberOperation = operation({
  name: 'remove-member',
  title: 'Remove a member',
  description:
    'Ends a membership. Their personal access tokens for this organization end; a user who belongs to no other organization is ' +
    'signed out everywhere and loses all tokens. What they wrote stays. The last administrator stays, and so does whom a group at ' +
    'the identity provider makes a member: remove the person from the group, or use set-user-status.',
  input: closedObject({ orgId, userId: recordId('The member; list-members lists them.') }),
  output: closedObject({
    orgId: Type.Integer(),
    userId: Type.Integer(),
    sessionsEnded: Type.Integer(),
    tokensEnded: Type.Integer(),
  }),
  access: member('admin'),
  effect: 'delete',
  confirm: 'Their tokens and sessions end; a new invitation brings only the membership back.',
  handler: (input, { actor, db, clock }) =>
    db.tx(
      async (q) => {
        const { userId } = input;
        await roleToChange(q, actor, input);
        requireAdminGrant(actor, 'remove a member');
        await requireNoRoleOfGroups(q, input, null);
        await requireOtherAdmin(q, input.orgId, userId);
        const now = clock.now();
        const ended = await endMembership(q, input, { actorId: actor.userId, now, reason: 'left' });
        await writeRoleChange(q, now, { userId, orgId: input.orgId, role: null }, { actorId: actor.userId });
        return { orgId: input.orgId, userId, sessionsEnded: ended.sessions, tokensEnded: ended.tokens };
      },
      { serializable: 'the last administrator of an organization stays one' },
    ),
});
