import { answered, answeredCreated, route, type CheckmateRoute, type Work } from '../wire/api-route.ts';
import { idReader, oneOf } from '../wire/request-field.ts';
import { mostSearched, rowsOf } from '../wire/row-page.ts';
import { roleOf, roleWords } from '../words/role-word.ts';
import { fail } from '../base/errors.ts';
import { shownCaller } from './organization-form.ts';

/** The name of the tokens that clients of Checkmate make. */
const tokenName = 'Checkmate API';

/** What they may do: the tests, runs and projects of this API, and neither roles nor tokens. */
const tokenScopes = ['testmgmt', 'extra'];

/** In Checkmate a user makes and ends their own token only. */
function requireSelf(work: Work, userId: number): void {
  if (userId !== work.actor.userId)
    throw fail.FORBIDDEN(`User ${userId} is somebody else: a token is made and ended by its own user.`, {
      tip: `Send userId ${work.actor.userId}.`,
    });
}

/** The organization whose role changes: the one that the caller administers and the user belongs to. */
async function administered(work: Work, userId: number): Promise<number> {
  const { roles } = await work.call('get-user-details', { userId });
  const shared = roles.filter(({ orgId }) => work.actor.roles.get(orgId) === 'admin');
  const [only, ...others] = shared;
  if (!only) throw fail.FORBIDDEN('You administer no organization of this user.');
  if (others.length > 0)
    throw fail.CHECKMATE_UNSUPPORTED('The user belongs to several organizations that you administer.', {
      tip: 'Use POST /api/tools/set-user-role, which takes an orgId.',
    });
  return only.orgId;
}

export const accountRoutes: readonly CheckmateRoute[] = [
  route({
    path: 'user/details',
    verb: 'read',
    input: {},
    answer: async (_, work) =>
      answered(shownCaller(await work.call('get-user-details', { userId: work.actor.userId }))),
  }),
  route({
    path: 'user/update-role',
    verb: 'write',
    input: { userId: idReader, newRole: oneOf(roleWords) },
    answer: async ({ userId, newRole }, work) => {
      const orgId = await administered(work, userId);
      await work.call('set-user-role', { orgId, userId, role: roleOf(newRole) });
      return answered({ message: 'User Updated Successfully' });
    },
  }),
  route({
    path: 'token/generate',
    verb: 'write',
    input: { userId: idReader },
    answer: async ({ userId }, work) => {
      requireSelf(work, userId);
      const { token } = await work.call('create-access-token', { name: tokenName, scopes: tokenScopes });
      return answeredCreated(token);
    },
  }),
  route({
    path: 'token/delete',
    verb: 'write',
    input: { userId: idReader },
    answer: async ({ userId }, work) => {
      requireSelf(work, userId);
      const { rows } = await rowsOf(
        async (page) => {
          const { total, tokens } = await work.call('list-access-tokens', page);
          return { total, rows: tokens };
        },
        { limit: mostSearched, offset: 0 },
      );
      const ours = rows.filter(({ name }) => name === tokenName);
      for (const { tokenId } of ours) await work.call('revoke-access-token', { tokenId });
      return answered({ message: `Token deleted successfully: ${ours.length} made by token/generate.` });
    },
  }),
];
