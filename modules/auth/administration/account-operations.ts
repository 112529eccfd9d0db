import { Type } from '@sinclair/typebox';
import { member, requireAdminGrant, roles, type Actor } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { forgetLettersOf } from '../../../core/letters/letter-store.ts';
import { forgetErased } from '../../../core/host/erasure.ts';
import { closedObject, recordId, words } from '../../../core/base/schema.ts';
import { nextTurn } from '../../../core/base/turns.ts';
import { eraseAnswersAbout } from '../../../core/tools/idempotency.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { joinedClaims } from '../claims/claim-rules.ts';
import { bindAccount, eraseProfiles, eraseTraces, accountsOf } from '../people/account-store.ts';
import { applyGroupRoles } from '../people/group-role-store.ts';
import { forgetAddressesOf } from '../people/invitation-store.ts';
import { membershipsByHand, removeMember, rolesOf, setRole } from '../people/member-store.ts';
import { isGuest, updateUser } from '../people/user-store.ts';
import { higherRole } from '../providers/group-mapping.ts';
import { ownAccountOf } from './account-access.ts';
import { endAccess } from '../sessions/session-revocation.ts';
import { requireOtherAdmin } from './membership-change.ts';

export const mergeUsers = operation({
  name: 'merge-users',
  title: 'Merge two accounts of one person',
  description:
    'Makes a second account of a person part of the first: from then on its sign-ins are sign-ins to the first one. The ' +
    'memberships and identities move (the higher role counts), and the claims that the first one lacks; its sessions and tokens ' +
    'end, its states in apps are joined into those of the first one. What it wrote keeps its user id. It cannot be undone, and an e-mail address proves nothing: ask the person. Only for administrators of the ' +
    'first organization.',
  input: closedObject({
    userId: recordId('The account that stays; get-user finds it.'),
    duplicateId: recordId('The account that becomes part of it.'),
  }),
  output: closedObject({
    userId: Type.Integer(),
    duplicateId: Type.Integer(),
    roles: Type.Array(
      closedObject({ orgId: Type.Integer(), role: words(roles, { description: 'After the merge.' }) }),
    ),
    sessionsEnded: Type.Integer(),
    tokensEnded: Type.Integer(),
  }),
  access: member('admin'),
  effect: 'update',
  confirm: 'This cannot be undone.',
  handler: ({ userId, duplicateId }, { actor, db, clock, host }) => {
    requireAdminGrant(actor, 'merge accounts');
    return db.tx(
      async (q) => {
        const kept = await ownAccountOf(q, actor, userId);
        const duplicate = await ownAccountOf(q, actor, duplicateId);
        if (userId === duplicateId)
          throw fail.INVALID_REQUEST('userId and duplicateId are the same account.', {
            cause: 'duplicateId',
          });
        if (duplicateId === actor.userId)
          throw fail.CONFLICT('You are signed in with the account that would end.', {
            tip: 'Sign in with the account that stays, or give the two the other way round.',
          });
        if (kept.status !== 'active')
          throw fail.CONFLICT(`User ${userId} is disabled.`, { tip: 'Enable the account that stays first.' });
        if (isGuest(kept))
          throw fail.CONFLICT(`User ${userId} is a guest.`, {
            tip: 'Give the two the other way round: a guest becomes part of a person.',
          });
        const now = clock.now();
        const held = await membershipsByHand(q, userId);
        for (const [orgId, role] of await membershipsByHand(q, duplicateId))
          await setRole(q, orgId, userId, higherRole(role, held.get(orgId)), now);
        const ended = await endAccess(q, duplicateId, { actorId: actor.userId, now, reason: 'merged' });
        await bindAccount(q, duplicateId, userId);
        await updateUser(q, userId, { claims: joinedClaims(kept.claims, duplicate.claims) });
        // The identities have moved, and with them the roles that their groups give.
        await applyGroupRoles(q, host, { userId, now });
        await host.tellMerged(q, { fromUserId: duplicateId, intoUserId: userId, at: now });
        // Not before: what the duplicate made counts while it is a member.
        for (const orgId of (await rolesOf(q, duplicateId)).keys()) await removeMember(q, orgId, duplicateId);
        const entry = { userId, actorId: actor.userId, cause: String(duplicateId) };
        await writeAuditEntry(q, now, { event: 'user_merged', ...entry });
        const after = [...(await rolesOf(q, userId))].map(([orgId, role]) => ({ orgId, role }));
        return {
          userId,
          duplicateId,
          roles: after,
          sessionsEnded: ended.sessions,
          tokensEnded: ended.tokens,
        };
      },
      { serializable: 'an account is merged into one that stays' },
    );
  },
});

/** @throws Fault USER_NOT_FOUND, CONFLICT, LAST_ADMIN. */
async function requireErasable(q: Query, actor: Actor, userId: number): Promise<void> {
  await ownAccountOf(q, actor, userId);
  if (userId === actor.userId)
    throw fail.CONFLICT('You cannot erase yourself.', { tip: 'Ask another administrator.' });
  for (const [orgId, role] of await rolesOf(q, userId))
    if (role === 'admin') await requireOtherAdmin(q, orgId, userId);
}

const remains =
  'The id in records, in the history of results and in the audit log, so that they stay complete; texts that the person wrote and files ' +
  'that they attached; states of apps under this id, which purge-cta-user erases; backups until they are deleted.';

export const eraseUser = operation({
  name: 'erase-user',
  title: 'Erase a user',
  description:
    'Erases the personal data of a user: name, address, picture, the identity at the provider, addresses and browsers of sessions ' +
    'and of the audit log. Memberships, sessions and tokens end. The answer says what remains. It cannot be undone; who signs in ' +
    'again is a new user. Only for administrators of the first organization.',
  input: closedObject({ userId: recordId('The user; get-user finds them.') }),
  output: closedObject({
    userId: Type.Integer(),
    sessionsEnded: Type.Integer(),
    tokensEnded: Type.Integer(),
    remains: Type.String(),
  }),
  access: member('admin'),
  effect: 'delete',
  confirm: 'This cannot be undone.',
  handler: async ({ userId }, { actor, db, clock, signal, host, afterCommit }) => {
    requireAdminGrant(actor, 'erase a user');
    const rule = { serializable: 'the last administrator of an organization stays one' };
    // Deletes thousands of rows in chunks while the account still exists: the same call completes an interrupted erasure.
    const eraseSomeTraces = () =>
      db.tx(async (q) => {
        await requireErasable(q, actor, userId);
        return eraseTraces(q, await accountsOf(q, userId));
      }, rule);
    while (await eraseSomeTraces()) await nextTurn(signal);
    let after: Awaited<ReturnType<typeof eraseAnswersAbout>>;
    do {
      after = await db.tx(async (q) => {
        await requireErasable(q, actor, userId);
        return eraseAnswersAbout(q, await accountsOf(q, userId), after);
      }, rule);
      await nextTurn(signal);
    } while (after);
    const ended = await db.tx(async (q) => {
      await requireErasable(q, actor, userId);
      const now = clock.now();
      for (const orgId of (await rolesOf(q, userId)).keys()) await removeMember(q, orgId, userId);
      const over = await endAccess(q, userId, { actorId: actor.userId, now, reason: 'erased' });
      const accounts = await accountsOf(q, userId);
      // Rows of requests that arrived in the meantime.
      while (await eraseTraces(q, accounts));
      await forgetAddressesOf(q, accounts);
      await eraseProfiles(q, accounts);
      await forgetLettersOf(q, accounts);
      await writeAuditEntry(q, now, { event: 'user_erased', userId, actorId: actor.userId });
      return over;
    }, rule);
    afterCommit(() => forgetErased(host));
    return { userId, sessionsEnded: ended.sessions, tokensEnded: ended.tokens, remains };
  },
});
