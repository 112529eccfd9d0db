import { Type } from '@sinclair/typebox';
import { requireAdminGrant, signedIn, type Actor } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { closedObject, recordId } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { writeAuditEntries } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { authSettings } from '../base/settings.ts';
import { administers } from '../people/administrator.ts';
import { revokeTokensOf } from '../personal-tokens/personal-token-store.ts';
import { endSignInLinks } from './ended-session-store.ts';
import { sessionRecord, sessionRecordOf } from './session-record.ts';
import { pageOfSessions, revokeSession, revokeSessionsOf } from './session-store.ts';

/** The given user, by default the actor. @throws Fault USER_NOT_FOUND for a user that the actor does not administer. */
async function subjectOf(q: Query, actor: Actor, userId: number | undefined): Promise<number> {
  if (userId === undefined || userId === actor.userId) return actor.userId;
  if (!(await administers(q, actor, userId))) throw fail.USER_NOT_FOUND(`There is no user ${userId}.`);
  return userId;
}

const userIdParameter = Type.Optional(
  recordId('The user; default yourself. Others need the role admin in their organizations.'),
);

export const listSessions = operation({
  name: 'list-sessions',
  title: 'List sessions',
  description:
    'Lists the live sessions of a user, the one used last first. Left out are sessions that were revoked, have ended, or expired because nobody used them.',
  input: closedObject({ userId: userIdParameter, ...paging }),
  output: page('sessions', sessionRecord),
  access: signedIn(),
  effect: 'read',
  handler: async (input, { actor, db, clock, host }) => {
    const userId = await subjectOf(db.q, actor, input.userId);
    const paged = pageOf(input);
    const { total, rows } = await pageOfSessions(
      db.q,
      userId,
      { now: clock.now(), idle: host.config.read(authSettings) },
      paged,
    );
    return { total, ...paged, sessions: rows.map(sessionRecordOf) };
  },
});

export const revokeSessionOperation = operation({
  name: 'revoke-session',
  title: 'Revoke sessions',
  description:
    'Revokes one session, or without sessionId all sessions and personal access tokens of a user: their tokens are rejected ' +
    'from then on. Returns how many sessions were revoked; one that has ended already is not counted.',
  input: closedObject({
    sessionId: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        description: 'The session; list-sessions lists them.',
      }),
    ),
    userId: userIdParameter,
  }),
  output: closedObject({ revoked: Type.Integer() }),
  access: signedIn(),
  effect: 'delete',
  confirm: 'The sessions end at once, and the person has to sign in again.',
  handler: ({ sessionId, userId: asked }, { actor, db, clock }) =>
    db.tx(async (q) => {
      const userId = await subjectOf(q, actor, asked);
      if (userId !== actor.userId) requireAdminGrant(actor, 'end the sessions of others');
      const now = clock.now();
      const entry = { event: 'session_revoked', userId, actorId: actor.userId } as const;
      const audit = (ids: readonly string[]) => {
        const entries = ids.map((id) => ({ ...entry, sessionId: id }));
        return writeAuditEntries(q, now, entries);
      };
      if (sessionId !== undefined) {
        const ended = await revokeSession(q, { id: sessionId, userId }, now, 'revoked');
        await audit(ended);
        return { revoked: ended.length };
      }
      const revoked = await revokeSessionsOf(q, userId, { now, reason: 'revoked' }, audit);
      await endSignInLinks(q, userId, now);
      await revokeTokensOf(q, userId, now, 'all');
      return { revoked };
    }),
});
