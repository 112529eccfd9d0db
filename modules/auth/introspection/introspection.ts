import type { Host } from '../../../core/host/host.ts';
import { extraClaims, isReservedClaim } from '../claims/claim-rules.ts';
import { verifyAccessToken } from '../sessions/access-token.ts';
import { sessionById } from '../sessions/session-store.ts';

const inactive = { active: false } as const;

/**
 * What a token says and whether it is alive (RFC 7662 §2.2). Only an access token can be: a service that took a refresh token or a personal
 * access token for one would let its holder do what was not meant. The claims beyond ours are those that the next token would have.
 */
export async function introspect(host: Host, token: string): Promise<Readonly<Record<string, unknown>>> {
  const verified = await verifyAccessToken(host, token);
  if (!verified) return inactive;
  const found = await sessionById(host.db.q, verified.sessionId);
  if (!found || found.user.id !== verified.userId) return inactive;
  const { session, user } = found;
  const isLive =
    session.revokedAt === null && session.expiresAt > host.clock.now() && user.status === 'active';
  if (!isLive) return inactive;
  const own = Object.entries(verified.payload).filter(([name]) => isReservedClaim(name));
  return {
    ...extraClaims(session.claims, user.claims),
    ...Object.fromEntries(own),
    active: true,
    token_type: 'Bearer',
  };
}
