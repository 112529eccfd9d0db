import { and, asc, inArray, isNotNull, isNull, lt, lte, ne } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { deleteChunk } from '../../../core/db/query/row-deletion.ts';
import { guestIssuer } from '../people/user-store.ts';
import { noteEnded } from './ended-session-store.ts';
import {
  audit,
  auditRecords,
  invitations,
  oauthRequests,
  revocations,
  sessions,
  usedIdTokens,
} from '../base/schema.ts';

/** The maximum rows of one statement: a sign-in must not wait long for the writer. */
export const expiredAtOnce = 1_000;

/** Deletes one chunk of the sessions that ended before a time; those of guests go with the guest. @returns how many. */
export const deleteEndedSessions = (q: Query, before: number): Promise<number> =>
  deleteChunk(
    q,
    sessions.id,
    and(lt(sessions.expiresAt, before), ne(sessions.provider, guestIssuer)),
    expiredAtOnce,
  );

/** Deletes one chunk of the used ID tokens that expired before a time. @returns how many. */
export const deleteExpiredIdTokens = (q: Query, before: number): Promise<number> =>
  deleteChunk(q, usedIdTokens.hash, lt(usedIdTokens.expiresAt, before), expiredAtOnce);

/**
 * Deletes one chunk of the expired sign-ins by browser. Also ends sessions whose code was never redeemed, since they have no token.
 * @returns how many.
 */
export async function deleteOldRequests(q: Query, before: number): Promise<number> {
  const old = q
    .select({ id: oauthRequests.id })
    .from(oauthRequests)
    .where(lt(oauthRequests.expiresAt, before))
    .limit(expiredAtOnce);
  const deleted = await q
    .delete(oauthRequests)
    .where(inArray(oauthRequests.id, old))
    .returning({ status: oauthRequests.status, sessionId: oauthRequests.sessionId });
  const unused = deleted.flatMap(({ status, sessionId }) =>
    status === 'granted' && sessionId ? [sessionId] : [],
  );
  if (unused.length > 0) {
    const reason = 'not_redeemed';
    const ended = await q
      .update(sessions)
      .set({ revokedAt: before, revokedReason: reason })
      .where(and(inArray(sessions.id, unused), isNull(sessions.revokedAt)))
      .returning({ id: sessions.id, userId: sessions.userId });
    await noteEnded(q, ended, { now: before, reason });
  }
  return deleted.length;
}

/** Forgets one chunk of the addresses whose invitation expired before a time. @returns how many. */
export async function forgetInvitedAddresses(q: Query, before: number): Promise<number> {
  const expired = q
    .select({ id: invitations.id })
    .from(invitations)
    .where(and(isNotNull(invitations.address), lt(invitations.expiresAt, before)))
    .limit(expiredAtOnce);
  const forgotten = await q
    .update(invitations)
    .set({ address: null })
    .where(inArray(invitations.id, expired))
    .returning({ id: invitations.id });
  return forgotten.length;
}

/** Deletes one chunk of the revocations before a time. @returns how many. */
export const deleteOldRevocations = (q: Query, before: number): Promise<number> =>
  deleteChunk(q, revocations.id, lt(revocations.at, before), expiredAtOnce);

/**
 * Deletes one chunk of the audit entries before a time, the oldest first, which needs no index by time.
 * @param upTo the last entry that may go: later ones are not exported yet.
 * @returns how many.
 */
export async function deleteOldAuditEntries(q: Query, before: number, upTo: number): Promise<number> {
  const oldest = await q
    .select({ id: audit.id, at: audit.at })
    .from(audit)
    .where(lte(audit.id, upTo))
    .orderBy(asc(audit.id))
    .limit(expiredAtOnce);
  const first = oldest.findIndex(({ at }) => at >= before);
  const old = first === -1 ? oldest : oldest.slice(0, first);
  const last = old.at(-1);
  if (last) {
    await q.delete(auditRecords).where(lte(auditRecords.auditId, last.id));
    await q.delete(audit).where(lte(audit.id, last.id));
  }
  return old.length;
}
