import type { Host } from '../../../core/host/host.ts';
import type { UserRow } from '../people/user-store.ts';
import { mintAccessToken, mintIdToken } from './access-token.ts';
import { refreshTokenOf } from './refresh-token.ts';
import type { SessionRow } from './session-store.ts';

/** A session whose tokens are given out. */
export interface OpenedSession {
  readonly user: UserRow;
  readonly session: SessionRow;
  /** That of the ID token that was exchanged, if it had one. */
  readonly nonce: string | null;
}

/** The answer of a sign-in: all tokens of a session. */
export async function sessionAnswer(host: Host, { user, session, nonce }: OpenedSession) {
  const { accessToken, expiresIn } = await mintAccessToken(host, session, user);
  return {
    accessToken,
    expiresIn,
    idToken: await mintIdToken(host, session, user, nonce),
    refreshToken: await refreshTokenOf(host, session),
    tokenType: 'Bearer' as const,
  };
}
