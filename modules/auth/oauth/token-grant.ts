import type { Query } from '../../../core/db/query/db.ts';
import { Fault } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import { writeAuditEntry } from '../audit/audit-store.ts';
import { secretHash } from '../keys/secret-hash.ts';
import { revokeTokensOf } from '../personal-tokens/personal-token-store.ts';
import type { UserRow } from '../people/user-store.ts';
import { mintAccessToken } from '../sessions/access-token.ts';
import { refreshTokenOf } from '../sessions/refresh-token.ts';
import { refresh, refreshClaims } from '../sessions/refresh.ts';
import { revokeSession, sessionById, sessionToChange, type SessionRow } from '../sessions/session-store.ts';
import type { SignInClient } from '../sessions/sign-in.ts';
import { OauthError, type OauthErrorCode } from '../oauth-clients/oauth-error.ts';
import { moveRequest, notePoll, requestToChange, type OauthRequestRow } from './oauth-request-store.ts';
import { isWithin, scopeTextOf } from './oauth-scope.ts';

/** The answer of the token endpoint (RFC 6749 §5.1). */
interface Tokens {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** A refusal is thrown after its transaction, which may have to store something. */
type Redeemed =
  | { readonly session: SessionRow; readonly user: UserRow }
  | { readonly refused: OauthErrorCode };

const invalid = { refused: 'invalid_grant' } as const;

const messages: Partial<Record<OauthErrorCode, string>> = {
  invalid_grant: 'The grant is not valid, or no longer.',
  access_denied: 'The person did not agree.',
  expired_token: 'The code of the device has expired.',
  authorization_pending: 'Nobody has agreed yet.',
  slow_down: 'Ask less often.',
};

async function tokensOf(host: Host, redeemed: Redeemed): Promise<Tokens> {
  if ('refused' in redeemed) throw new OauthError(redeemed.refused, messages[redeemed.refused] ?? '');
  const { session, user } = redeemed;
  const { accessToken, expiresIn } = await mintAccessToken(host, session, user);
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresIn,
    refresh_token: await refreshTokenOf(host, session),
    scope: scopeTextOf(session.scope),
  };
}

/** What proves that the client of a code is the one that asked for it. */
interface CodeProof {
  readonly clientId: string;
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

/**
 * Exchanges a code for tokens. Wrong proofs leave the code as it is: whoever saw it must not be able to spoil it. With the right ones
 * a second use means that it was copied, and ends the session (RFC 6749 §4.1.2).
 * @throws OauthError invalid_grant.
 */
export async function redeemCode(host: Host, proof: CodeProof): Promise<Tokens> {
  const now = host.clock.now();
  const challenge = new Bun.CryptoHasher('sha256').update(proof.verifier).digest('base64url');
  const redeemed = await host.db.tx(async (q): Promise<Redeemed> => {
    const row = await requestToChange(q, secretHash(proof.code));
    const isTheirs =
      row?.redirectUri === proof.redirectUri &&
      row.clientId === proof.clientId &&
      row.challenge === challenge;
    if (!isTheirs || !row.sessionId) return invalid;
    if (row.status === 'used') {
      await endCopied(q, row, row.sessionId, now);
      return invalid;
    }
    return takeSession(q, row, row.sessionId, now);
  });
  return tokensOf(host, redeemed);
}

async function endCopied(q: Query, row: OauthRequestRow, sessionId: string, now: number): Promise<void> {
  const userId = row.userId ?? 0;
  const ended = await revokeSession(q, { id: sessionId, userId }, now, 'code_reuse');
  if (ended.length === 0) return;
  await writeAuditEntry(q, now, { event: 'session_revoked', userId, sessionId, cause: 'code_reuse' });
  await revokeTokensOf(q, userId, now, 'session');
}

/** The session of a granted request, if it and its user are live: one caller gets it. */
async function takeSession(
  q: Query,
  row: OauthRequestRow,
  sessionId: string,
  now: number,
): Promise<Redeemed> {
  const found = await sessionToChange(q, sessionId);
  const isLive = found?.session.revokedAt === null && found.user.status === 'active';
  if (!isLive || !(await moveRequest(q, row.id, 'granted', { status: 'used' }, now))) return invalid;
  return found;
}

/** Seconds by which a device that asks too often has to ask less often (RFC 8628 §3.5). */
const slowerBy = 5;
const slowest = 60;

/** A device asks whether somebody has agreed. @throws OauthError authorization_pending and the others of RFC 8628 §3.5. */
export async function redeemDeviceCode(
  host: Host,
  { clientId, deviceCode }: { readonly clientId: string; readonly deviceCode: string },
): Promise<Tokens> {
  const now = host.clock.now();
  const redeemed = await host.db.tx(async (q): Promise<Redeemed> => {
    const row = await requestToChange(q, secretHash(deviceCode));
    if (!row?.userCodeHash || row.clientId !== clientId) return invalid;
    if (row.status === 'denied') return { refused: 'access_denied' };
    if (row.status === 'used') return invalid;
    if (row.expiresAt <= now) return { refused: 'expired_token' };
    if (row.status === 'granted') return takeSession(q, row, row.sessionId ?? '', now);
    const { pollAfter, pollSeconds: before } = row;
    const tooSoon = pollAfter !== null && now < pollAfter;
    // Nobody has to be known to poll in a loop, and a write each time would fill the log and every replica.
    if (tooSoon && before === slowest) return { refused: 'slow_down' };
    const pollSeconds = Math.min(slowest, (before ?? slowerBy) + (tooSoon ? slowerBy : 0));
    // A second less: the network makes some requests faster than others.
    await notePoll(q, row.id, { pollSeconds, pollAfter: now + (pollSeconds - 1) * 1000 });
    return { refused: tooSoon ? 'slow_down' : 'authorization_pending' };
  });
  return tokensOf(host, redeemed);
}

/** Exchanges a refresh token of this client, by the rotation of all sessions. @throws OauthError invalid_grant, invalid_scope. */
export async function redeemRefreshToken(
  host: Host,
  { clientId, refreshToken, scope }: { clientId: string; refreshToken: string; scope: string | undefined },
  client: SignInClient,
  admit: (sessionId: string) => void,
): Promise<Tokens> {
  try {
    const claims = await refreshClaims(host, refreshToken);
    admit(claims.sid);
    const found = await sessionById(host.db.q, claims.sid);
    if (found?.session.clientId !== clientId) return await tokensOf(host, invalid);
    if (!isWithin(host, scope, found.session.scope))
      throw new OauthError('invalid_scope', 'The client may not do more than the person agreed to.');
    const { accessToken, expiresIn, refreshToken: next } = await refresh(host, claims, client);
    return {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: expiresIn,
      refresh_token: next,
      scope: scopeTextOf(found.session.scope),
    };
  } catch (error) {
    if (error instanceof Fault && (error.status === 401 || error.status === 403))
      return tokensOf(host, invalid);
    throw error;
  }
}
