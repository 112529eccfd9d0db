import { and, asc, count, desc, eq, getTableName, gt, inArray, isNotNull, isNull, ne, or } from 'drizzle-orm';
import { restoredAtOnce } from '../../../core/db/query/came-back.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { leaveIdGap } from '../../../core/db/query/reserved-ids.ts';
import { noteEndOfLive } from './ended-session-store.ts';
import { accessTokens, members, restores, sessions, users } from '../base/schema.ts';

/** When the database was restored last (epoch ms); undefined when no restore is known. */
export async function lastRestore(q: Query): Promise<number | undefined> {
  const [last] = await q.select({ at: restores.at }).from(restores).orderBy(desc(restores.id)).limit(1);
  return last?.at;
}

/** Also leaves out numbers of users, for a restore that only a newer token has told us of. */
export async function noteRestore(q: Query, at: number): Promise<void> {
  await leaveIdGap(q, [getTableName(users)], undefined);
  await q.insert(restores).values({ at });
}

const liveSessions = (now: number) => and(isNull(sessions.revokedAt), gt(sessions.expiresAt, now));
const liveTokens = (now: number) =>
  and(isNull(accessTokens.revokedAt), or(isNull(accessTokens.expiresAt), gt(accessTokens.expiresAt, now)));

/** The number of live sessions. */
export async function countLiveSessions(q: Query, now: number): Promise<number> {
  const [found] = await q.select({ sessions: count() }).from(sessions).where(liveSessions(now));
  return found?.sessions ?? 0;
}

/** One page of the live sessions after an id. */
export const liveSessionsAfter = (q: Query, now: number, after: string) =>
  q
    .select({ sessionId: sessions.id, userId: sessions.userId })
    .from(sessions)
    .where(and(liveSessions(now), gt(sessions.id, after)))
    .orderBy(asc(sessions.id))
    .limit(restoredAtOnce);

/** Those of the sessions that somebody has ended. */
export async function endedOf(q: Query, sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await q
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(inArray(sessions.id, [...sessionIds]), isNotNull(sessions.revokedAt)));
  return new Set(rows.map(({ id }) => id));
}

/** One page of the users after an id who may not sign in: disabled, erased, or part of another one. */
export const closedUsersAfter = (q: Query, after: number) =>
  q
    .select({ userId: users.id })
    .from(users)
    .where(and(or(ne(users.status, 'active'), isNotNull(users.mergedInto)), gt(users.id, after)))
    .orderBy(asc(users.id))
    .limit(restoredAtOnce);

/** Those of the users who may sign in. */
export const openUsersOf = (q: Query, userIds: readonly number[]) =>
  q
    .select({ userId: users.id })
    .from(users)
    .where(and(inArray(users.id, [...userIds]), eq(users.status, 'active'), isNull(users.mergedInto)))
    .orderBy(asc(users.id));

/** The personal access tokens that are valid. */
export const allLiveTokens = (q: Query, now: number) =>
  q
    .select({ tokenId: accessTokens.id, name: accessTokens.name, userId: accessTokens.userId })
    .from(accessTokens)
    .where(liveTokens(now))
    .orderBy(asc(accessTokens.id));

/** Every membership. */
export const allMembers = (q: Query) =>
  q
    .select({ orgId: members.orgId, userId: members.userId, role: members.role })
    .from(members)
    .orderBy(asc(members.orgId), asc(members.userId));

/** Ends every session. @returns how many were live. */
export async function endAllSessions(q: Query, now: number): Promise<number> {
  await noteEndOfLive(q, { now, reason: 'restored' });
  const ended = await q
    .update(sessions)
    .set({ revokedAt: now, revokedReason: 'restored' })
    .where(liveSessions(now))
    .returning({ id: sessions.id });
  return ended.length;
}

/** Revokes every personal access token. @returns how many were valid. */
export async function revokeAllTokens(q: Query, now: number): Promise<number> {
  const revoked = await q
    .update(accessTokens)
    .set({ revokedAt: now })
    .where(liveTokens(now))
    .returning({ id: accessTokens.id });
  return revoked.length;
}
