import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { later, type Query } from '../../../core/db/query/db.ts';
import { oauthRequests, revocations, sessions } from '../base/schema.ts';

/** Why a session ended before its time. Stable: services that read the feed of revocations see these words. */
export const revokedReasons = [
  'refresh_reuse',
  'code_reuse',
  'not_redeemed',
  'revoked',
  'signed_out',
  'user_disabled',
  'left',
  'merged',
  'erased',
  'unlinked',
  'restored',
  'provider_logout',
] as const;
export type RevokedReason = (typeof revokedReasons)[number];

interface Ending {
  readonly now: number;
  readonly reason: RevokedReason;
}

/**
 * Adds ended sessions to the feed of revocations, in the transaction that ends them: a service that verifies access tokens by itself
 * learns of each. Whatever sets `revokedAt` of sessions calls it.
 */
export async function noteEnded(
  q: Query,
  ended: ReadonlyArray<{ readonly id: string; readonly userId: number }>,
  { now, reason }: Ending,
): Promise<void> {
  if (ended.length === 0) return;
  await q
    .insert(revocations)
    .values(ended.map(({ id, userId }) => ({ sessionId: id, userId, at: now, reason })));
}

/** The sessions of one statement. */
const sessionsAtOnce = 500;

/** Like {@link noteEnded} for every live session, before one statement ends them all. */
export async function noteEndOfLive(q: Query, ending: Ending): Promise<void> {
  for (let after = ''; ;) {
    const those = and(isNull(sessions.revokedAt), gt(sessions.expiresAt, ending.now), gt(sessions.id, after));
    const some = await q
      .select({ id: sessions.id, userId: sessions.userId })
      .from(sessions)
      .where(those)
      .orderBy(asc(sessions.id))
      .limit(sessionsAtOnce);
    await noteEnded(q, some, ending);
    if (some.length < sessionsAtOnce) return;
    after = some.at(-1)?.id ?? after;
    if (turnIsOver()) await nextTurn();
  }
}

/**
 * Ends the links that would still sign a user in (`trivet console link`), in the transaction that ends all sessions: whoever has one would
 * come back.
 */
export const endSignInLinks = (q: Query, userId: number, now: number): Promise<void> =>
  later(
    q,
    q
      .update(oauthRequests)
      .set({ status: 'denied' })
      .where(
        and(
          eq(oauthRequests.userId, userId),
          isNull(oauthRequests.clientId),
          eq(oauthRequests.status, 'granted'),
          gt(oauthRequests.expiresAt, now),
        ),
      ),
  );
