import type { Host } from '../../../core/host/host.ts';
import { writeAuditEntries } from '../audit/audit-store.ts';
import { authMetrics } from '../base/metrics.ts';
import { authSettings } from '../base/settings.ts';
import { OauthError } from '../oauth-clients/oauth-error.ts';
import { userByIdentity } from '../people/identity-store.ts';
import { providers } from '../providers/configured-providers.ts';
import type { IdProvider } from '../providers/id-token.ts';
import { verifyLogoutToken, type Logout } from '../providers/logout-token.ts';
import { revokeProviderSessions, usersOfProviderSession } from '../sessions/session-store.ts';
import { useText } from '../sessions/used-id-token-store.ts';

/**
 * Ends the sessions that a logout token of an identity provider names: those of a person, or those of one session there. Personal access
 * tokens stay: nobody has lost a right. A token works once.
 * @throws OauthError invalid_request. Fault ID_PROVIDER_UNAVAILABLE.
 */
export async function endByProvider(host: Host, token: string, address: string): Promise<void> {
  const known = [...providers(host).values()];
  const now = host.clock.now();
  const tolerance = host.config.read(authSettings)['clock-tolerance'];
  const verified = await verifyLogoutToken(token, known, { nowSeconds: Math.floor(now / 1000), tolerance });
  if (!verified.ok) return refuse(host, verified.provider, verified.cause, address);
  const { provider, logout } = verified;
  const sameIssuer = known.flatMap(({ name, issuer }) => (issuer === provider.issuer ? [name] : []));
  const replayed = await end(host, provider, sameIssuer, logout, (logout.expiresAt + tolerance) * 1000);
  if (replayed) refuse(host, provider, 'replayed', address);
  host.metrics.count(authMetrics.logouts, [provider.name, 'ok']);
}

function refuse(host: Host, provider: IdProvider | null, cause: string, address: string): never {
  const name = provider?.name ?? 'unknown';
  host.metrics.count(authMetrics.logouts, [name, cause]);
  host.log.warn('provider_logout_refused', { provider: name, cause, address });
  throw new OauthError('invalid_request', `The logout token is not valid (${cause}).`);
}

/** @returns whether the token was used before. */
function end(
  host: Host,
  { name: provider, issuer }: IdProvider,
  sameIssuer: readonly string[],
  { subject, sid, jti }: Logout,
  usedUntil: number,
): Promise<boolean> {
  return host.db.tx(async (q) => {
    const now = host.clock.now();
    if (!(await useText(q, `logout\n${issuer}\n${jti}`, usedUntil))) return true;
    const found = subject === null ? undefined : await userByIdentity(q, { issuer, subject }, now);
    const identity = found ? { userId: found.user.id, identityId: found.identityId } : null;
    // A person whom nobody here knows has no session.
    if (identity === null && sid === null) return false;
    const ended = { providers: sameIssuer, sid, identity };
    for (const userId of await usersOfProviderSession(q, ended))
      await revokeProviderSessions(q, userId, ended, now, (ids) =>
        writeAuditEntries(
          q,
          now,
          ids.map(
            (sessionId) =>
              ({ event: 'session_revoked', userId, sessionId, provider, cause: 'provider_logout' }) as const,
          ),
        ),
      );
    return false;
  });
}
