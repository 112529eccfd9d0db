import { later, type Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { authMetrics } from '../base/metrics.ts';
import { applyGroupRoles } from '../people/group-role-store.ts';
import { providers } from '../providers/configured-providers.ts';
import type { UserRow } from '../people/user-store.ts';
import { revokeTokensOf } from '../personal-tokens/personal-token-store.ts';
import { authSettings } from '../base/settings.ts';
import { mintAccessToken } from './access-token.ts';
import {
  isOfGuest,
  refreshTokenOf,
  refreshTokens,
  type RefreshCause,
  type RefreshClaims,
} from './refresh-token.ts';
import { rotate } from './rotation.ts';
import { isOwnAccount } from '../people/account-store.ts';
import { lastRestore, noteRestore } from './restore-store.ts';
import { endLost } from './session-revocation.ts';
import {
  advanceSession,
  revokeSession,
  sessionToChange,
  updateSession,
  type SessionRow,
} from './session-store.ts';
import type { SignInClient } from './sign-in.ts';

type RefreshOutcome =
  | {
      readonly kind: 'session';
      readonly session: SessionRow;
      readonly user: UserRow;
      readonly restoreNoted?: boolean;
    }
  | { readonly kind: 'refused'; readonly cause: RefreshCause };

/** The claims of a refresh token of ours, its signature verified. @throws Fault INVALID_REFRESH_TOKEN. */
export async function refreshClaims(host: Host, refreshToken: string): Promise<RefreshClaims> {
  const claims = await refreshTokens(host).verify(refreshToken);
  if (typeof claims === 'string') {
    host.metrics.count(authMetrics.refreshes, [claims]);
    throw refusal(claims);
  }
  return claims;
}

const refusal = (cause: RefreshCause) =>
  fail.INVALID_REFRESH_TOKEN('The refresh token is not valid.', { cause });

const disabled = () => fail.ACCESS_DENIED('This user is disabled.', { cause: 'disabled' });

/** Disabling ends the sessions, but an app then says so instead of asking for a sign-in that is refused. Not for a user who was erased. */
const isOfDisabled = ({ revokedReason }: SessionRow, user: UserRow): boolean =>
  revokedReason === 'user_disabled' && user.status === 'disabled' && isOwnAccount(user);

/** The session of a guest ends when it was not used for `--guest-keep`, however old it is. */
const usedGuest = (host: Host, session: SessionRow) =>
  isOfGuest(session)
    ? { expiresAt: host.clock.now() + host.config.read(authSettings)['guest-keep'] * 1000 }
    : {};

/**
 * Brings the roles of the user to what the groups of the last sign-in give by the present settings: a refresh does not ask the provider.
 * @returns false when the user belongs nowhere any more, which has ended the session.
 */
async function keepsAccess(q: Query, host: Host, { userId, provider }: SessionRow, now: number) {
  if (!providers(host).get(provider)?.groupMapping) return true;
  const roles = await applyGroupRoles(q, host, { userId, provider, now });
  await endLost(q, userId, roles, now);
  return roles.lost.length === 0 || roles.belongs;
}

/**
 * Exchanges a refresh token for an access token and the next refresh token. {@link rotate} decides whether it is a reuse; a reuse
 * revokes the session and the personal access tokens that sessions of the user created.
 * @throws Fault INVALID_REFRESH_TOKEN with the cause, ACCESS_DENIED for a disabled user.
 */
export async function refresh(host: Host, claims: RefreshClaims, client: SignInClient) {
  const now = host.clock.now();
  const graceMs = host.config.read(authSettings)['rotation-grace'] * 1000;
  // A reuse fails with 401, but the revocation must be stored: so the transaction returns the refusal, which is thrown after it.
  const outcome = await host.db.tx(async (q): Promise<RefreshOutcome> => {
    const found = await sessionToChange(q, claims.sid);
    if (!found) return { kind: 'refused', cause: 'revoked' };
    const { session, user } = found;
    if (session.revokedAt !== null) {
      if (isOfDisabled(session, user)) throw disabled();
      return { kind: 'refused', cause: 'revoked' };
    }
    if (session.expiresAt <= now) return { kind: 'refused', cause: 'expired' };
    if (claims.exp * 1000 <= now) return { kind: 'refused', cause: 'idle_timeout' };
    if (user.status !== 'active') throw disabled();
    if (!(await keepsAccess(q, host, session, now))) return { kind: 'refused', cause: 'revoked' };
    const entry = { userId: user.id, sessionId: session.id, address: client.address };
    const presented = { generation: claims.gen, issuedAt: (claims.iat ?? 0) * 1000 };
    const restoredAt = presented.generation > session.generation ? await lastRestore(q) : undefined;
    const rotation = rotate(session, presented, { now, graceMs, restoredAt });
    switch (rotation.kind) {
      case 'advance': {
        const { generation, rotatedAt } = rotation;
        const change = { generation, rotatedAt, graceUses: 0, lastUsedAt: now, ...usedGuest(host, session) };
        await later(q, advanceSession(q, session.id, change));
        await later(q, writeAuditEntry(q, now, { event: 'refresh', ...entry }));
        return { kind: 'session', session: { ...session, ...change }, user };
      }
      case 'restored': {
        const { generation, rotatedAt, isNew } = rotation;
        const change = { generation, rotatedAt, graceUses: 0, lastUsedAt: now, ...usedGuest(host, session) };
        if (isNew) {
          await noteRestore(q, now);
          await writeAuditEntry(q, now, { event: 'restored' });
        }
        await advanceSession(q, session.id, change);
        await writeAuditEntry(q, now, { event: 'refresh', cause: 'restored', ...entry });
        return { kind: 'session', session: { ...session, ...change }, user, restoreNoted: isNew };
      }
      case 'repeat':
        await later(q, updateSession(q, session.id, { graceUses: rotation.graceUses }));
        await later(
          q,
          writeAuditEntry(q, now, {
            event: 'refresh',
            cause: rotation.forgiven ? 'forgiven' : 'repeated',
            ...entry,
          }),
        );
        return { kind: 'session', session, user };
      case 'revoke':
        await revokeSession(q, { id: session.id, userId: user.id }, now, 'refresh_reuse');
        await writeAuditEntry(q, now, { event: 'refresh_reuse', ...entry });
        // A thief of the token may have created a personal access token with it.
        await revokeTokensOf(q, user.id, now, 'session');
        return { kind: 'refused', cause: 'reused' };
    }
  });
  host.metrics.count(authMetrics.refreshes, [outcome.kind === 'refused' ? outcome.cause : 'ok']);
  if (outcome.kind === 'refused') throw refusal(outcome.cause);
  if (outcome.restoreNoted)
    host.log.warn('restore_noticed', {
      remedy:
        'Tokens that were revoked, and members who were removed, since the backup are valid again: trivet restore --help.',
    });
  const { accessToken, expiresIn } = await mintAccessToken(host, outcome.session, outcome.user);
  const refreshToken = await refreshTokenOf(host, outcome.session);
  return { accessToken, expiresIn, refreshToken, tokenType: 'Bearer' as const };
}
