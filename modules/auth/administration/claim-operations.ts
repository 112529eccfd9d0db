import { Type } from '@sinclair/typebox';
import { member, requireAdminGrant } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, recordId, words } from '../../../core/base/schema.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import type { Claims } from '../base/schema.ts';
import { maxClaimsLength, mistakeInClaims } from '../claims/claim-rules.ts';
import { identitiesOfUser } from '../people/identity-store.ts';
import { isGuest, updateUser, userToChange } from '../people/user-store.ts';
import { ownAccountOf } from './account-access.ts';

const claims = Type.Unsafe<Claims>(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: `Name to any JSON value, e.g. {"plan":"pro"}; at most ${maxClaimsLength} characters of JSON. {} removes all.`,
    },
  ),
);

export const getAccount = operation({
  name: 'get-account',
  title: 'Read the account of a user',
  description:
    'Returns how a user signs in: the identities at identity providers, whether it is a guest (who has none yet), and the claims ' +
    'that set-user-claims has set. Also for users of apps, who are in no organization and in no list of members. Only for ' +
    'administrators of the first organization. get-user-details reads a member.',
  input: closedObject({ userId: recordId('The user: sub in tokens, auth-userid of apps.') }),
  output: closedObject({
    userId: Type.Integer(),
    isGuest: Type.Boolean(),
    name: nullable(Type.String()),
    email: nullable(Type.String()),
    status: words(['active', 'disabled'], { description: 'A disabled user cannot sign in.' }),
    createdAt: Type.String(),
    lastSignInAt: nullable(Type.String()),
    identities: Type.Array(
      closedObject({
        identityId: Type.Integer(),
        provider: Type.String(),
        issuer: Type.String(),
        subject: Type.String(),
        linkedAt: Type.String(),
      }),
    ),
    claims,
  }),
  access: member('admin'),
  effect: 'read',
  handler: async ({ userId }, { actor, db: { q } }) => {
    const user = await ownAccountOf(q, actor, userId);
    const identities = await identitiesOfUser(q, userId);
    return {
      userId,
      isGuest: isGuest(user),
      name: user.name,
      email: user.email,
      status: user.status,
      createdAt: isoTime(user.createdAt),
      lastSignInAt: isoTime(user.lastSignInAt),
      identities: identities.map(({ id, provider, issuer, subject, createdAt }) => ({
        identityId: id,
        provider,
        issuer,
        subject,
        linkedAt: isoTime(createdAt),
      })),
      claims: user.claims ?? {},
    };
  },
});

export const setUserClaims = operation({
  name: 'set-user-claims',
  title: 'Set the claims of a user',
  description:
    'Replaces the claims that the tokens of a user have beyond those of Trivet, for services that read them: a plan, a tenant. They ' +
    'are at the top level of the next access and ID token, in userinfo and in introspection; tokens that were issued before ' +
    'keep theirs. Names that Trivet decides about are refused. Only for administrators of the first organization.',
  input: closedObject({
    userId: recordId('The user: sub in tokens, auth-userid of apps; get-account reads them.'),
    claims,
  }),
  output: closedObject({ userId: Type.Integer(), claims }),
  access: member('admin'),
  effect: 'update',
  handler: ({ userId, claims: given }, { actor, db }) => {
    requireAdminGrant(actor, 'set claims');
    const mistake = mistakeInClaims(given);
    if (mistake !== null)
      throw fail.INVALID_REQUEST(`Invalid arguments for set-user-claims: ${mistake}`, {
        cause: 'claims',
        tip: 'set-user-claims takes {"userId": 2, "claims": {"plan": "pro"}}. It replaces all claims of the user.',
      });
    return db.tx(async (q) => {
      // An account that is just erased gets no claims any more.
      await userToChange(q, userId);
      await ownAccountOf(q, actor, userId);
      await updateUser(q, userId, { claims: Object.keys(given).length === 0 ? null : given });
      return { userId, claims: given };
    });
  },
});
