import { and, eq, inArray, lt, notInArray, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { sessions, users } from '../base/schema.ts';
import { guestIssuer } from '../people/user-store.ts';

/** The guests of one statement: a sign-in must not wait long for the writer. */
export const guestsAtOnce = 200;

/**
 * Deletes one chunk of the guests whose session ended before a time, with the session. A guest has one session, and cannot get another.
 * @returns how many sessions were looked at; fewer than {@link guestsAtOnce}: there are no more.
 */
export async function deleteUnusedGuests(q: Query, before: number): Promise<number> {
  const ended = q
    .select({ id: sessions.id })
    .from(sessions)
    // A literal, as in the index auth_sessions_guests: SQLite does not use a partial index for a parameter.
    .where(and(sql`provider = 'guest'`, lt(sessions.expiresAt, before)))
    .limit(guestsAtOnce);
  const deleted = await q
    .delete(sessions)
    .where(inArray(sessions.id, ended))
    .returning({ userId: sessions.userId });
  const userIds = [...new Set(deleted.map(({ userId }) => userId))];
  if (userIds.length > 0) {
    const withSession = q
      .select({ userId: sessions.userId })
      .from(sessions)
      .where(inArray(sessions.userId, userIds));
    await q
      .delete(users)
      .where(
        and(inArray(users.id, userIds), eq(users.issuer, guestIssuer), notInArray(users.id, withSession)),
      );
  }
  return deleted.length;
}
