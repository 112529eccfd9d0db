import { and, asc, desc, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import { countOf, type CountedPage, type Page } from '../../../core/db/counted-page.ts';
import { prepared, type Query } from '../../../core/db/db.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { maxPerStatement } from '../audit/audit-store.ts';
import type { UserRow } from '../people/user-store.ts';
import { sessions, users } from '../schema.ts';

export type SessionRow = typeof sessions.$inferSelect;

/** The columns that every request with an access token reads. */
interface LiveSession {
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

/** The session if it is live: not revoked, not ended, its user active. One read. */
export async function liveSession(q: Query, id: string, now: number): Promise<LiveSession | null> {
  const [session] = await byId(q, { id });
  const isLive =
    session && session.revokedAt === null && session.expiresAt > now && session.userStatus === 'active';
  return isLive ? session : null;
}

const sessionWithUser = prepared<{ id: string }, { session: SessionRow; user: UserRow }>(
  (q) =>
    q
      .select({ session: sessions, user: users })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(eq(sessions.id, sql.placeholder('id'))),
  'auth_session_whole',
);

/** A session with its user, live or not. */
export async function sessionById(q: Query, id: string) {
  const [row] = await sessionWithUser(q, { id });
  return row;
}

export async function insertSession(q: Query, session: typeof sessions.$inferInsert): Promise<SessionRow> {
  const [stored] = await q.insert(sessions).values(session).returning();
  if (!stored) throw new Error('the session was not stored');
  return stored;
}

export async function updateSession(q: Query, id: string, change: Partial<SessionRow>): Promise<void> {
  await q.update(sessions).set(change).where(eq(sessions.id, id));
}

type RevokedReason = 'refresh_reuse' | 'revoked' | 'signed_out' | 'user_disabled';

/** Revokes a session of this user if it is live. @returns its id, or nothing. */
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
 * Revokes every live session of a user, in chunks: a user may have thousands.
 * @param onRevoked gets the ids of each chunk.
 * @returns how many.
 */
export async function revokeSessionsOf(
  q: Query,
  userId: number,
  { now, reason }: { readonly now: number; readonly reason: RevokedReason },
  onRevoked: (ids: readonly string[]) => Promise<void>,
): Promise<number> {
  const live = and(eq(sessions.userId, userId), isNull(sessions.revokedAt));
  for (let all = 0; ;) {
    const some = q.select({ id: sessions.id }).from(sessions).where(live).limit(maxPerStatement);
    const ended = await q
      .update(sessions)
      .set({ revokedAt: now, revokedReason: reason })
      .where(inArray(sessions.id, some))
      .returning({ id: sessions.id });
    await onRevoked(ended.map((session) => session.id));
    all += ended.length;
    if (ended.length < maxPerStatement) return all;
    if (turnIsOver()) await nextTurn();
  }
}

const manySessions = 5_000;

/** The live sessions of a user, the one used last first. */
export async function pageOfSessions(
  q: Query,
  userId: number,
  now: number,
  { limit, offset }: Page,
): Promise<CountedPage<SessionRow>> {
  const live = and(eq(sessions.userId, userId), isNull(sessions.revokedAt), gt(sessions.expiresAt, now));
  const total = await countOf(q, sessions, live);
  // The count and the page each read every session of the user.
  if (total > manySessions) await nextTurn();
  // Sorts ids only: for 100,000 sessions that takes a third of the time.
  const order = [desc(sessions.lastUsedAt), asc(sessions.id)] as const;
  // A page of the second half is read from the end: the engine keeps the first (offset + limit) rows while it sorts.
  const fromEnd = offset > total / 2;
  const onPage = Math.max(0, Math.min(limit, total - offset));
  const ids = await q
    .select({ id: sessions.id })
    .from(sessions)
    .where(live)
    .orderBy(...(fromEnd ? ([asc(sessions.lastUsedAt), desc(sessions.id)] as const) : order))
    .limit(fromEnd ? onPage : limit)
    .offset(fromEnd ? Math.max(0, total - offset - onPage) : offset);
  if (ids.length === 0) return { total, rows: [] };
  const onThisPage = inArray(
    sessions.id,
    ids.map(({ id }) => id),
  );
  const rows = await q
    .select()
    .from(sessions)
    .where(onThisPage)
    .orderBy(...order);
  return { total, rows };
}
