import { perHost } from '../../../core/host.ts';
import { rateLimit } from '../../../core/http/rate-limit.ts';
import { authSettings } from '../settings.ts';

/** How often one network address may sign in, fail to, and verify, and one session refresh (CONTRACT §1). */
export const authLimits = perHost(({ config, clock }) => {
  const settings = config.read(authSettings);
  return {
    authenticate: rateLimit('authenticate', settings['rate-authenticate'], clock),
    failures: rateLimit('failures', settings['rate-failures'], clock),
    refresh: rateLimit('refresh', settings['rate-refresh'], clock),
    verify: rateLimit('verify', settings['rate-verify'], clock),
  };
});
