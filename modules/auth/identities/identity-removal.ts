import type { Host } from '../../../core/host/host.ts';
import { writeAuditEntries, writeAuditEntry } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { identitiesOfUser, removeIdentity } from '../people/identity-store.ts';
import { applyGroupRoles } from '../people/group-role-store.ts';
import { userToChange } from '../people/user-store.ts';
import { revokeTokensOf } from '../personal-tokens/personal-token-store.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import { endLost } from '../sessions/session-revocation.ts';
import {
  revokeSessionsOfIdentity,
  sessionsBesideIdentity,
  sessionToChange,
} from '../sessions/session-store.ts';
import { requireUnlimited, type OwnSession } from './own-session.ts';

/**
 * Takes an identity from its user. The other sessions that were opened with it end, with the personal access tokens that sessions of the
 * user made: whoever has that identity has no way in any more.
 * @throws Fault IDENTITY_NOT_FOUND, LAST_IDENTITY, FORBIDDEN.
 */
export async function unlinkIdentity(
  host: Host,
  { userId, sessionId }: OwnSession,
  identityId: number,
  address: string,
): Promise<{ readonly identityId: number; readonly sessionsEnded: number }> {
  const now = host.clock.now();
  return host.db.tx(async (q) => {
    const found = await sessionToChange(q, sessionId);
    const user = await userToChange(q, userId);
    if (!user || found?.session.revokedAt !== null) throw fail.UNAUTHENTICATED('This session has ended.');
    requireUnlimited(found.session);
    const all = await identitiesOfUser(q, userId);
    const identity = all.find(({ id }) => id === identityId);
    if (!identity) throw fail.IDENTITY_NOT_FOUND(`You have no identity ${identityId}.`);
    if (all.length === 1)
      throw fail.LAST_IDENTITY('The last identity of a user stays: link another one first.');
    requireRecentSignIn(found.session, now, 'remove an identity');
    await removeIdentity(q, user, identity);
    const { provider } = identity;
    const audit = (ids: readonly string[]) =>
      writeAuditEntries(
        q,
        now,
        ids.map((id) => ({ event: 'session_revoked', userId, sessionId: id, cause: 'unlinked' }) as const),
      );
    const which = { userId, identityId, provider, except: sessionId };
    const sessionsEnded = await revokeSessionsOfIdentity(q, which, { now, reason: 'unlinked' }, audit);
    // Also without a live session: one that made a token and signed out would leave a way in.
    const tokens = sessionsEnded > 0 ? 'session' : { notMadeWith: sessionsBesideIdentity(q, which) };
    await revokeTokensOf(q, userId, now, tokens);
    await endLost(q, userId, await applyGroupRoles(q, host, { userId, provider, now }), now);
    await writeAuditEntry(q, now, { event: 'identity_removed', userId, sessionId, provider, address });
    return { identityId, sessionsEnded };
  });
}
