import { perHost } from '../../../core/host/host.ts';
import { sharedRateLimit } from '../../../core/http/rate/rate-exchange.ts';
import { authSettings } from '../base/settings.ts';

/** The limits on requests without a token, one for each kind (docs/contract.md, Sign-in by browser). */
export const oauthLimits = perHost((host) => {
  const each = host.config.follow(authSettings, 'rate-oauth');
  const userCodes = host.config.follow(authSettings, 'rate-user-codes');
  return {
    register: sharedRateLimit(host, 'register', each),
    authorize: sharedRateLimit(host, 'authorize', each),
    callback: sharedRateLimit(host, 'callback', each),
    device: sharedRateLimit(host, 'device', each),
    /** Invalid codes and unknown clients, i.e. guesses. */
    token: sharedRateLimit(host, 'token', each),
    /** Codes that are wrong. */
    userCode: sharedRateLimit(host, 'user-codes', userCodes),
    /** Shared by all addresses that have guessed before: 20^8 codes live for ten minutes, so guessing one takes decades. */
    allUserCodes: sharedRateLimit(host, 'all-user-codes', (take) => userCodes((limit) => take(limit * 10))),
  };
});
