import { Type } from '@sinclair/typebox';
import { and, asc, desc, eq, gt, inArray, isNull } from 'drizzle-orm';
import { signedIn, type Actor } from '../../../core/actor.ts';
import { isoTime } from '../../../core/clock.ts';
import { countRows } from '../../../core/db/columns.ts';
import type { Query } from '../../../core/db/db.ts';
import { operation } from '../../../core/tools/operation.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { closed, recordId } from '../../../core/schema.ts';
import { nextTurn } from '../../../core/turns.ts';
import { recordAll } from '../audit/audit-store.ts';
import { deny } from '../errors.ts';
import { revokeTokensOf } from '../personal-tokens/personal-token-store.ts';
import { sessions } from '../schema.ts';
import { revokeSession, revokeSessionsOf, type Session } from './session-store.ts';
import { administers } from '../people/user-store.ts';

const toolset = 'auth';

const sessionRecord = Type.Object(
  {
    sessionId: Type.String(),
    userId: Type.Integer(),
    provider: Type.String(),
    createdAt: Type.String(),
    lastUsedAt: Type.String(),
    expiresAt: Type.String(),
    device: Type.Union([Type.String(), Type.Null()]),
    address: Type.Union([Type.String(), Type.Null()]),
  },
  closed,
);

/** A session as its user sees it: nothing of a token. */
export const sessionRecordOf = (session: Session) => ({
  sessionId: session.id,
  userId: session.userId,
  provider: session.provider,
  createdAt: isoTime(session.createdAt),
  lastUsedAt: isoTime(session.lastUsedAt),
  expiresAt: isoTime(session.expiresAt),
  device: session.userAgent,
  address: session.address,
});

const manySessions = 5_000;

/** The sessions of a user that still stand, the one used last first. */
export async function pageOfSessions(
  q: Query,
  userId: number,
  now: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
) {
  const standing = and(eq(sessions.userId, userId), isNull(sessions.revokedAt), gt(sessions.expiresAt, now));
  const [counted] = await q.select({ total: countRows() }).from(sessions).where(standing);
  // Each of the two looks at every session of the user.
  if ((counted?.total ?? 0) > manySessions) await nextTurn();
  // Sorted without the rest of the rows: of 100,000 that is a third of the time.
  const order = [desc(sessions.lastUsedAt), asc(sessions.id)] as const;
  // A page of the second half is found from the end: the engine keeps the best (offset + limit) rows, and that costs.
  const total = counted?.total ?? 0;
  const fromEnd = offset > total / 2;
  const onPage = Math.max(0, Math.min(limit, total - offset));
  const ids = await q
    .select({ id: sessions.id })
    .from(sessions)
    .where(standing)
    .orderBy(...(fromEnd ? ([asc(sessions.lastUsedAt), desc(sessions.id)] as const) : order))
    .limit(fromEnd ? onPage : limit)
    .offset(fromEnd ? Math.max(0, total - offset - onPage) : offset);
  const named = ids.map(({ id }) => id);
  const rows =
    named.length === 0
      ? []
      : await q
          .select()
          .from(sessions)
          .where(inArray(sessions.id, named))
          .orderBy(...order);
  return { total, limit, offset, sessions: rows.map(sessionRecordOf) };
}

/** Whose sessions: one's own, or those of somebody one administers. @throws Fault UNKNOWN_USER. */
async function subjectOf(q: Query, actor: Actor, userId: number | undefined): Promise<number> {
  if (userId === undefined || userId === actor.userId) return actor.userId;
  if (!(await administers(q, actor, userId))) throw deny.UNKNOWN_USER(`There is no user ${userId}.`);
  return userId;
}

const whose = Type.Optional(
  recordId('The user; yourself unless given. Others need the role admin in their organizations.'),
);

export const listSessions = operation({
  name: 'list-sessions',
  toolset,
  title: 'List sessions',
  description:
    'Lists where a user is signed in, the session used last first. Revoked and ended sessions are left out.',
  input: Type.Object({ userId: whose, ...paging }, closed),
  output: page('sessions', sessionRecord),
  access: signedIn(),
  effect: 'read',
  handler: async (input, { actor, db, clock }) => {
    const userId = await subjectOf(db.q, actor, input.userId);
    return pageOfSessions(db.q, userId, clock.now(), pageOf(input));
  },
});

export const revokeSessionOperation = operation({
  name: 'revoke-session',
  toolset,
  title: 'Revoke sessions',
  description:
    'Ends one session, or all of a user when no sessionId is given, and then their personal access tokens as well: every token ' +
    'is refused from then on. Answers how many sessions were ended; one that has ended already counts as none.',
  input: Type.Object(
    {
      sessionId: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z0-9_-]{1,64}$',
          description: 'The session; list-sessions names them.',
        }),
      ),
      userId: whose,
    },
    closed,
  ),
  output: Type.Object({ revoked: Type.Integer() }, closed),
  access: signedIn(),
  effect: 'delete',
  handler: ({ sessionId, userId: asked }, { actor, db, clock }) =>
    db.tx(async (q) => {
      const userId = await subjectOf(q, actor, asked);
      const now = clock.now();
      const tell = (ids: readonly string[]) =>
        recordAll(
          q,
          now,
          ids.map((id) => ({ event: 'session_revoked', userId, actorId: actor.userId, sessionId: id })),
        );
      if (sessionId !== undefined) {
        const ended = await revokeSession(q, { id: sessionId, userId }, now, 'revoked');
        await tell(ended);
        return { revoked: ended.length };
      }
      const revoked = await revokeSessionsOf(q, userId, { now, reason: 'revoked' }, tell);
      await revokeTokensOf(q, userId, now, 'all');
      return { revoked };
    }),
});
