import { Type } from '@sinclair/typebox';
import { member, requireAdminGrant, roles } from '../../../core/base/actor.ts';
import { closedObject, recordId, words } from '../../../core/base/schema.ts';
import { writeAuditEntry, writeRoleChange } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { isOwnAccount } from '../people/account-store.ts';
import { administers } from '../people/administrator.ts';
import { endInvitationsOf } from '../people/invitation-store.ts';
import { setRole } from '../people/member-store.ts';
import {
  endMembership,
  requireNoRoleOfGroups,
  requireOtherAdmin,
  roleToChange,
} from './membership-change.ts';
import { userById, writeUserStatus } from '../people/user-store.ts';
import { revokeListedSessionsOf } from '../sessions/session-store.ts';
import { endAccess } from '../sessions/session-revocation.ts';

const userId = recordId('The user; get-all-users lists them.');

export const setUserStatus = operation({
  name: 'set-user-status',
  title: 'Disable or enable a user',
  description:
    'A disabled user cannot sign in, and all their sessions and personal access tokens end for good: after "active" they sign in again. Needs the role admin in all organizations of the user, or in the first organization. You cannot ' +
    'disable yourself.',
  input: closedObject({ userId, status: words(['active', 'disabled'], { description: 'The new status.' }) }),
  output: closedObject({ userId: Type.Integer(), status: Type.String() }),
  access: member('admin'),
  effect: 'update',
  confirm: 'A disabled person is signed out everywhere at once.',
  handler: ({ userId: subject, status }, { actor, db, clock }) =>
    db.tx(
      async (q) => {
        const before = (await administers(q, actor, subject)) ? await userById(q, subject) : undefined;
        // Its status locks nobody out: a sign-in of it is one of the account that stayed.
        if (before && before.mergedInto !== null)
          throw fail.USER_NOT_FOUND(`User ${subject} is part of user ${before.mergedInto} now.`);
        if (!before || !isOwnAccount(before)) throw fail.USER_NOT_FOUND(`There is no user ${subject}.`);
        if (subject === actor.userId) {
          throw fail.CONFLICT('You cannot change your own status.', { tip: 'Ask another administrator.' });
        }
        requireAdminGrant(actor, status === 'active' ? 'enable a user' : 'disable a user');
        const now = clock.now();
        await writeUserStatus(q, subject, status);
        if (before.status === 'disabled') await revokeListedSessionsOf(q, subject, now);
        if (status === 'disabled') {
          await endAccess(q, subject, { actorId: actor.userId, now, reason: 'user_disabled' });
          await endInvitationsOf(q, subject, now);
        }
        const entry = {
          event: 'status_changed',
          userId: subject,
          actorId: actor.userId,
          cause: status,
        } as const;
        await writeAuditEntry(q, clock.now(), entry);
        return { userId: subject, status };
      },
      { serializable: 'a disabled user has no live token' },
    ),
});

export const setUserRole = operation({
  name: 'set-user-role',
  title: 'Change the role of a member',
  description:
    'Changes the role of a member of an organization; "none" ends the membership. Users become members by invite-user. The ' +
    'last administrator of an organization stays one, and nobody gets less than their groups at the identity provider give.',
  input: closedObject({
    orgId: recordId('The organization; get-orgs-list lists yours.'),
    userId,
    role: words([...roles, 'none'], { description: 'The new role.' }),
  }),
  output: closedObject({ orgId: Type.Integer(), userId: Type.Integer(), role: Type.String() }),
  access: member('admin'),
  effect: 'update',
  confirm: 'The person may do more or less at once.',
  handler: ({ orgId, userId: subject, role }, { actor, db, clock }) =>
    db.tx(
      async (q) => {
        await roleToChange(q, actor, { orgId, userId: subject });
        requireAdminGrant(actor, 'change the role of a member');
        await requireNoRoleOfGroups(q, { orgId, userId: subject }, role === 'none' ? null : role);
        if (role !== 'admin') await requireOtherAdmin(q, orgId, subject);
        const now = clock.now();
        if (role === 'none')
          await endMembership(q, { orgId, userId: subject }, { actorId: actor.userId, now, reason: 'left' });
        else await setRole(q, orgId, subject, role, now);
        await endInvitationsOf(q, subject, now);
        const given = { userId: subject, orgId, role: role === 'none' ? null : role };
        await writeRoleChange(q, now, given, { actorId: actor.userId });
        return { orgId, userId: subject, role };
      },
      { serializable: 'the last administrator of an organization stays one' },
    ),
});
