import { perHost } from '../../core/host.ts';
import { deriveKey } from './master-key.ts';
import { tokenParts } from './token-form.ts';

export const refreshType = 'rt+jwt';

/** What a refresh token says: a session and which of its generations this is. */
export interface RefreshClaims {
  readonly sid: string;
  readonly gen: number;
  /** Epoch seconds. */
  readonly exp: number;
}

export type RefreshCause =
  'malformed' | 'signature' | 'expired' | 'idle_timeout' | 'revoked' | 'reused' | 'wrong_type';

/**
 * Refresh tokens are HS256 under a key that only this installation has. Same claims, same token: that is what lets the
 * grace give the same successor again without storing it. So there is no `iat`, which the plugin would set to the clock
 * (docs/decisions/refresh-tokens.md).
 */
export const refreshTokens = perHost((host) => {
  // Loaded with the first token: with the plugin comes all of Elysia, which a call on the command line never needs.
  const loading = import('@elysiajs/jwt').then(
    ({ jwt }) =>
      jwt({
        name: 'refresh',
        // The plugin keeps its secret as a seed to tell instances apart, so it gets text, not bytes.
        secret: Buffer.from(deriveKey(host)('refresh tokens')).toString('base64url'),
        alg: 'HS256',
        typ: refreshType,
        iat: false,
      }).decorator.refresh,
  );

  return {
    sign: async ({ sid, gen, exp }: RefreshClaims): Promise<string> =>
      (await loading).sign({ sid, gen, exp } as never),

    /** The claims of a token that we signed, or why it is not one. Whether it is over is for the session to say. */
    verify: async (token: string): Promise<RefreshClaims | RefreshCause> => {
      const parts = tokenParts(token);
      if (!parts) return 'malformed';
      if (parts.header['typ'] !== refreshType || parts.header['alg'] !== 'HS256') return 'wrong_type';
      const verified = await (
        await loading
      ).verify(token, {
        algorithms: ['HS256'],
        typ: refreshType,
        currentDate: new Date(0),
      });
      if (verified === false) return 'signature';
      const { sid, gen, exp } = parts.payload;
      if (typeof sid !== 'string' || !Number.isSafeInteger(gen) || !Number.isSafeInteger(exp))
        return 'malformed';
      return { sid, gen: gen as number, exp: exp as number };
    },
  };
});
