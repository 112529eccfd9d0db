import { Type } from '@sinclair/typebox';
import { signedIn } from '../../../core/base/actor.ts';
import type { Context } from '../../../core/host/host.ts';
import { closedObject, recordId } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { personalTokenRecord, personalTokenRecordOf } from '../personal-tokens/personal-token-record.ts';
import {
  createPersonalToken,
  madeOnMachine,
  pageOfTokens,
  revokePersonalToken,
} from '../personal-tokens/personal-token-store.ts';
import { isForServices, parseScopes } from '../personal-tokens/token-scope.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import { holdSession, sessionById } from '../sessions/session-store.ts';

const day = 24 * 60 * 60 * 1000;

/**
 * The creator of the token: the local machine, or the id of a recent session whose access tokens are only for this server.
 * @throws Fault FORBIDDEN with cause `audience`, `scopes` or `recent_sign_in`.
 */
async function creatorOf({ actor, db, clock, host }: Context): Promise<string> {
  if (actor.via === 'local') return madeOnMachine;
  const sessionId = actor.credential.replace(/^session:/, '');
  const found = await sessionById(db.q, sessionId);
  const ours = new Set([host.origin(), `${host.origin()}/mcp`]);
  if (!found?.session.audience.every((one) => ours.has(one))) {
    throw fail.FORBIDDEN(
      'A session whose access tokens also go to other services cannot create a personal access token.',
      {
        cause: 'audience',
        tip: `Sign in with resources: [] (or ["${host.origin()}"]), or run "trivet token create" on the server.`,
      },
    );
  }
  // A client with limited scopes could otherwise give itself all rights, for longer.
  if (found.session.scope !== null) {
    throw fail.FORBIDDEN('A session of limited scope cannot create a personal access token.', {
      cause: 'scopes',
      tip: 'Sign in with "trivet login", which may do everything that you may.',
    });
  }
  requireRecentSignIn(found.session, clock.now(), 'create a personal access token');
  return sessionId;
}

export const createAccessToken = operation({
  name: 'create-access-token',
  title: 'Create a personal access token',
  description:
    'Creates a token that acts for you, for a pipeline or an agent. It is shown once. You must have signed in within the last 10 ' +
    'minutes. Give it the least it needs: scopes are toolsets ("testmgmt"), "testmgmt:read", "cta:publish" (set CTAs live), ' +
    '"admin" (grant roles), "read-only", "org:ID" and "project:ID" (nothing of another project).',
  input: closedObject({
    name: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'What it is for.' }),
    scopes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
        maxItems: 20,
        description:
          'What it may do, at least one. Only the machine of the server may leave it out: all that you may, except granting roles.',
      }),
    ),
    expiresInDays: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 366, default: 90, description: 'Days until it expires.' }),
    ),
  }),
  output: closedObject({ token: Type.String(), ...personalTokenRecord.properties }),
  access: signedIn(),
  effect: 'create',
  secret: true,
  handler: async ({ name, scopes = [], expiresInDays = 90 }, context) => {
    const { actor, db, clock, host } = context;
    const { userId } = actor;
    // Otherwise a leaked or narrow token could create a wider one that outlives it.
    if (actor.via === 'token') {
      throw fail.FORBIDDEN('A personal access token cannot create another one.', {
        cause: 'token',
        tip: 'Sign in and use the access token of the session, or run "trivet token create" on the server.',
      });
    }
    const madeWith = await creatorOf(context);
    // If nothing is ticked, nothing is allowed: a token with all rights must be requested by name.
    if (scopes.length === 0 && madeWith !== madeOnMachine)
      throw fail.INVALID_REQUEST('A token without scopes would be allowed nothing. Name what it may do.', {
        cause: 'scopes',
        tip: `Give scopes, e.g. ["testmgmt:read"]. Toolsets: ${host.toolsets.join(', ')}.`,
      });
    const scope = parseScopes(scopes, host.toolsets);
    if ('mistake' in scope) throw fail.INVALID_REQUEST(`scopes: ${scope.mistake}`, { cause: 'scopes' });
    const forServices = scope.grants?.find(isForServices);
    if (forServices !== undefined && madeWith !== madeOnMachine)
      throw fail.FORBIDDEN(
        `A session cannot create a token of scope "${forServices}": it counts for all organizations.`,
        {
          cause: 'scopes',
          tip: `Run on the server: trivet token create --email … --name … --scopes ${forServices}.`,
        },
      );
    const now = clock.now();
    const expiresAt = now + expiresInDays * day;
    return db.tx(
      async (q) => {
        // Revoking the sessions of a user locks them first: a token is created before that, or not at all.
        if (madeWith !== madeOnMachine && !(await holdSession(q, madeWith, now)))
          throw fail.UNAUTHENTICATED('This session has ended.');
        const given = { userId, name: name.trim(), scope, expiresAt, madeWith };
        const { token, row } = await createPersonalToken(host, q, given);
        await writeAuditEntry(q, now, { event: 'access_token_created', userId, cause: String(row.id) });
        return { token, ...personalTokenRecordOf(row) };
      },
      { serializable: 'a disabled user has no live token' },
    );
  },
});

export const listAccessTokens = operation({
  name: 'list-access-tokens',
  title: 'List your personal access tokens',
  description:
    'Lists your tokens that were not revoked, the newest first, with the time of last use. Never the tokens themselves.',
  input: closedObject({ ...paging }),
  output: page('tokens', personalTokenRecord),
  access: signedIn(),
  effect: 'read',
  handler: async (input, { actor, db }) => {
    const paged = pageOf(input);
    const { total, rows } = await pageOfTokens(db.q, actor.userId, paged);
    return { total, ...paged, tokens: rows.map(personalTokenRecordOf) };
  },
});

export const revokeAccessToken = operation({
  name: 'revoke-access-token',
  title: 'Revoke a personal access token',
  description: 'Revokes one of your tokens at once. list-access-tokens lists them.',
  input: closedObject({ tokenId: recordId('The token; list-access-tokens lists yours.') }),
  output: closedObject({ tokenId: Type.Integer() }),
  access: signedIn(),
  effect: 'delete',
  confirm: 'This cannot be undone: whatever uses the token stops working.',
  handler: async ({ tokenId }, context) => {
    const revoked = await revokePersonalToken(context, { id: tokenId, userId: context.actor.userId });
    if (revoked === null) throw fail.UNKNOWN_TOKEN(`You have no token ${tokenId}.`);
    return { tokenId };
  },
});
