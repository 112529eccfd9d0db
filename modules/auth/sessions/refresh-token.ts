import { SignJWT } from 'jose';
import { perHost, type Host } from '../../../core/host/host.ts';
import { tokenParts } from '../keys/compact-jws.ts';
import { acceptedKeys, deriveKey } from '../keys/master-key.ts';
import { authSettings } from '../base/settings.ts';
import { guestIssuer } from '../people/user-store.ts';
import { refreshExpiry } from './rotation.ts';
import type { SessionRow } from './session-store.ts';

export const refreshType = 'rt+jwt';

/** The claims of a refresh token: a session and its generation. */
export interface RefreshClaims {
  readonly sid: string;
  readonly gen: number;
  /** When this generation began, epoch seconds. Absent in tokens of version 0.1. */
  readonly iat?: number;
  /** Epoch seconds. */
  readonly exp: number;
}

export type RefreshCause =
  | 'malformed'
  | 'signature'
  | 'expired'
  | 'idle_timeout'
  | 'revoked'
  | 'reused'
  | 'wrong_type';

/** What verifies tokens of one key. */
interface Verifier {
  verify(
    token: string,
    checks: { algorithms: string[]; typ: string; currentDate: Date },
  ): Promise<object | false>;
}

/**
 * Refresh tokens are HS256 under a key of this installation. Equal claims give equal tokens, so that the grace window can return the
 * same successor again without storing it. Therefore `iat` comes from the session's row, and jose signs them: the plugin, which
 * verifies them, would set `iat` to the clock (docs/decisions/refresh-tokens.md).
 */
export const refreshTokens = perHost((host) => {
  const purpose = 'refresh tokens';
  // The plugin uses its secret also as a seed to distinguish instances, so it gets text, not bytes.
  const secretOf = (key: Uint8Array) => Buffer.from(key).toString('base64url');
  const verifiers = new Map<string, Promise<Verifier>>();
  // Loaded with the first token: the plugin loads all of Elysia, which a command never needs.
  const verifierOf = (secret: string): Promise<Verifier> => {
    const options = { name: 'refresh', secret, alg: 'HS256', typ: refreshType, iat: false } as const;
    const known =
      verifiers.get(secret) ?? import('@elysiajs/jwt').then(({ jwt }) => jwt(options).decorator.refresh);
    verifiers.set(secret, known);
    return known;
  };

  return {
    sign: ({ sid, gen, iat, exp }: RefreshClaims): Promise<string> =>
      new SignJWT({ sid, gen, ...(iat === undefined ? {} : { iat }), exp })
        .setProtectedHeader({ alg: 'HS256', typ: refreshType })
        .sign(new TextEncoder().encode(secretOf(deriveKey(host)(purpose)))),

    /** The claims of a token that we signed, or the cause of its rejection. The session decides whether it has expired. */
    verify: async (token: string): Promise<RefreshClaims | RefreshCause> => {
      const parts = tokenParts(token);
      if (!parts) return 'malformed';
      if (parts.header['typ'] !== refreshType || parts.header['alg'] !== 'HS256') return 'wrong_type';
      const checks = { algorithms: ['HS256'], typ: refreshType, currentDate: new Date(0) };
      let isOurs = false;
      for (const key of acceptedKeys(host, purpose)) {
        const { verify } = await verifierOf(secretOf(key));
        isOurs ||= (await verify(token, checks)) !== false;
      }
      if (!isOurs) return 'signature';
      const { sid, gen, iat, exp } = parts.payload;
      if (typeof sid !== 'string' || !Number.isSafeInteger(gen) || !Number.isSafeInteger(exp))
        return 'malformed';
      const claims = { sid, gen: gen as number, exp: exp as number };
      if (iat === undefined) return claims;
      // Not compared with the clock: a clock that was set back must not sign users out, and only we can sign a token.
      if (!Number.isSafeInteger(iat)) return 'malformed';
      return { ...claims, iat: iat as number };
    },
  };
});

/** Whether a session is that of a guest. */
export const isOfGuest = ({ provider }: Pick<SessionRow, 'provider'>): boolean => provider === guestIssuer;

/** The refresh token of the present generation of a session. */
export function refreshTokenOf(host: Host, session: SessionRow): Promise<string> {
  const settings = host.config.read(authSettings);
  // A guest cannot sign in again: the session is all that there is.
  const idleMs = settings[isOfGuest(session) ? 'guest-keep' : 'refresh-idle'] * 1000;
  return refreshTokens(host).sign({
    sid: session.id,
    gen: session.generation,
    iat: Math.floor(session.rotatedAt / 1000),
    exp: Math.floor(refreshExpiry(session, idleMs) / 1000),
  });
}
