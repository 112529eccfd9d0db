import { perHost } from '../../../core/host/host.ts';
import { sharedRateLimit } from '../../../core/http/rate/rate-exchange.ts';
import { rateLimit } from '../../../core/http/rate/rate-limit.ts';
import { authSettings } from '../base/settings.ts';

/** The limits on sign-ins, failed sign-ins and verifications of one client address, and on refreshes of one session (docs/contract.md, Area A). */
export const authLimits = perHost((host) => {
  const settings = host.config.read(authSettings);
  return {
    authenticate: sharedRateLimit(host, 'authenticate', settings['rate-authenticate']),
    failures: sharedRateLimit(host, 'failures', settings['rate-failures']),
    refresh: sharedRateLimit(host, 'refresh', settings['rate-refresh']),
    // Counted per process: this limits load, not guessing.
    verify: rateLimit('verify', settings['rate-verify'], host.clock),
  };
});
