import { perHost } from '../../../core/host.ts';
import { rateLimit } from '../../../core/http/rate-limit.ts';
import { authSettings } from '../settings.ts';

/** The limits on sign-ins, failed sign-ins and verifications of one client address, and on refreshes of one session (docs/contract.md, Area A). */
export const authLimits = perHost(({ config, clock }) => {
  const settings = config.read(authSettings);
  return {
    authenticate: rateLimit('authenticate', settings['rate-authenticate'], clock),
    failures: rateLimit('failures', settings['rate-failures'], clock),
    refresh: rateLimit('refresh', settings['rate-refresh'], clock),
    verify: rateLimit('verify', settings['rate-verify'], clock),
  };
});
