import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/db.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { endedAtOnce } from '../audit/audit-store.ts';
import { sessions, users } from '../schema.ts';
import type { User } from '../people/user-store.ts';

export type Session = typeof sessions.$inferSelect;

/** What every request with a session's token must know of it. */
export interface LiveSession {
  readonly userId: number;
  readonly userStatus: 'active' | 'disabled';
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

const byId = prepared<{ id: string }, LiveSession>(
  (q) =>
    q
      .select({
        userId: sessions.userId,
        userStatus: users.status,
        expiresAt: sessions.expiresAt,
        revokedAt: sessions.revokedAt,
      })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(eq(sessions.id, sql.placeholder('id'))),
  'auth_session_by_id',
);

/** Whether a session still stands: known, not revoked, not over, its user active. One read. */
export async function standingSession(q: Query, id: string, now: number): Promise<LiveSession | null> {
  const [session] = await byId(q, { id });
  const stands =
    session && session.revokedAt === null && session.expiresAt > now && session.userStatus === 'active';
  return stands ? session : null;
}

const whole = prepared<{ id: string }, { session: Session; user: User }>(
  (q) =>
    q
      .select({ session: sessions, user: users })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(eq(sessions.id, sql.placeholder('id'))),
  'auth_session_whole',
);

/** A session with its user, whatever its state. */
export async function sessionById(
  q: Query,
  id: string,
): Promise<{ session: Session; user: User } | undefined> {
  const [row] = await whole(q, { id });
  return row;
}

export async function insertSession(q: Query, session: typeof sessions.$inferInsert): Promise<Session> {
  const [stored] = await q.insert(sessions).values(session).returning();
  if (!stored) throw new Error('the session was not stored');
  return stored;
}

export async function updateSession(q: Query, id: string, change: Partial<Session>): Promise<void> {
  await q.update(sessions).set(change).where(eq(sessions.id, id));
}

/** Why a session was ended before its time. */
export type RevokedReason = 'refresh_reuse' | 'revoked' | 'signed_out' | 'user_disabled';

/** Ends a session of this user if it stands. @returns its id, or nothing. */
export async function revokeSession(
  q: Query,
  { id, userId }: { readonly id: string; readonly userId: number },
  now: number,
  reason: RevokedReason,
): Promise<string[]> {
  const ended = await q
    .update(sessions)
    .set({ revokedAt: now, revokedReason: reason })
    .where(and(eq(sessions.id, id), eq(sessions.userId, userId), isNull(sessions.revokedAt)))
    .returning({ id: sessions.id });
  return ended.map((session) => session.id);
}

/**
 * Ends every session of a user that stands, in parts: somebody may have thousands.
 * @param tell gets the ids of each part.
 * @returns how many.
 */
export async function revokeSessionsOf(
  q: Query,
  userId: number,
  { now, reason }: { readonly now: number; readonly reason: RevokedReason },
  tell: (ids: readonly string[]) => Promise<void>,
): Promise<number> {
  for (let all = 0; ;) {
    const some = q
      .select({ id: sessions.id })
      .from(sessions)
      .where(and(eq(sessions.userId, userId), isNull(sessions.revokedAt)))
      .limit(endedAtOnce);
    const ended = await q
      .update(sessions)
      .set({ revokedAt: now, revokedReason: reason })
      .where(inArray(sessions.id, some))
      .returning({ id: sessions.id });
    await tell(ended.map((session) => session.id));
    all += ended.length;
    if (ended.length < endedAtOnce) return all;
    if (turnIsOver()) await nextTurn();
  }
}
