import type { Host } from '../../../core/host/host.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { writeAuditEntries, writeAuditEntry } from '../audit/audit-store.ts';
import type { GroupRoles } from '../people/group-role-store.ts';
import {
  personalTokenPrefix,
  revokePersonalToken,
  revokeTokensOf,
} from '../personal-tokens/personal-token-store.ts';
import { verifyAccessToken } from './access-token.ts';
import { endSignInLinks } from './ended-session-store.ts';
import { refreshTokens } from './refresh-token.ts';
import { revokeSession, revokeSessionsOf, sessionById } from './session-store.ts';

/** Who ended it, when, and why. */
export interface Ending {
  /** Absent: nobody here, e.g. a provider. */
  readonly actorId?: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly reason: 'left' | 'merged' | 'erased' | 'user_disabled';
}

export interface Ended {
  readonly sessions: number;
  readonly tokens: number;
}

/** Ends every session, sign-in link and personal access token of a user. A link of a merged account is one of the account that stays. */
export async function endAccess(q: Query, userId: number, { actorId, now, reason }: Ending): Promise<Ended> {
  const sessions = await revokeSessionsOf(q, userId, { now, reason }, (ids) =>
    writeAuditEntries(
      q,
      now,
      ids.map(
        (sessionId) =>
          ({
            event: 'session_revoked',
            userId,
            ...(actorId === undefined ? {} : { actorId }),
            sessionId,
            cause: reason,
          }) as const,
      ),
    ),
  );
  if (reason !== 'merged') await endSignInLinks(q, userId, now);
  return { sessions, tokens: await revokeTokensOf(q, userId, now, 'all') };
}

/** Ends the access of a user to the organizations that groups at a provider no longer give, as when somebody removes a member. */
export async function endLost(
  q: Query,
  userId: number,
  { lost, belongs }: GroupRoles,
  now: number,
): Promise<void> {
  if (lost.length === 0) return;
  if (!belongs) await endAccess(q, userId, { now, reason: 'left' });
  else for (const orgId of lost) await revokeTokensOf(q, userId, now, { orgId });
}

/** The holder of a token may revoke its session, or the personal access token itself. */
export async function revokeByToken(host: Host, token: string, address: string): Promise<void> {
  if (token.startsWith(personalTokenPrefix)) {
    await revokePersonalToken(host, { secret: token }, { address });
    return;
  }
  const sessionId = await sessionOf(host, token);
  if (sessionId !== null) await signOut(host, sessionId, address);
}

/** Ends a session at the request of its user. */
export async function signOut(host: Host, sessionId: string, address: string): Promise<void> {
  const now = host.clock.now();
  await host.db.tx(async (q) => {
    const found = await sessionById(q, sessionId);
    if (!found) return;
    const userId = found.user.id;
    for (const ended of await revokeSession(q, { id: sessionId, userId }, now, 'signed_out')) {
      const entry = { userId, sessionId: ended, cause: 'signed_out', address };
      await writeAuditEntry(q, now, { event: 'session_revoked', ...entry });
    }
  });
}

/** The session that a refresh or access token of ours names; null for anything else. */
async function sessionOf(host: Host, token: string): Promise<string | null> {
  const refresh = await refreshTokens(host).verify(token);
  if (typeof refresh !== 'string') return refresh.sid;
  return (await verifyAccessToken(host, token))?.sessionId ?? null;
}
