import type { Host } from '../../../core/host/host.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import { personalTokenPrefix, revokePersonalToken } from '../personal-tokens/personal-token-store.ts';
import { verifyAccessToken } from './access-token.ts';
import { refreshTokens } from './refresh-token.ts';
import { revokeSession, sessionById } from './session-store.ts';

/** The holder of a token may revoke its session, or the personal access token itself. */
export async function revokeByToken(host: Host, token: string, address: string): Promise<void> {
  if (token.startsWith(personalTokenPrefix)) {
    await revokePersonalToken(host, { secret: token });
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
