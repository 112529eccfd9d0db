import { perHost } from '../../../core/host/host.ts';
import { sharedRateLimit } from '../../../core/http/rate/rate-exchange.ts';
import { hourMs, rateLimit } from '../../../core/http/rate/rate-limit.ts';
import { authSettings } from '../base/settings.ts';

/** The limits on sign-ins, failed sign-ins, logouts by providers, guests and verifications of one client address, and on refreshes of one session (docs/contract.md, Area A). */
export const authLimits = perHost((host) => {
  const { config } = host;
  const settings = config.read(authSettings);
  const guests = settings.guests ? settings['rate-guest'] : 0;
  // Without guests nothing is counted, and no count is kept for an hour.
  const perHour = (name: string, limit: number) =>
    limit === 0
      ? rateLimit(name, 0, host.clock, { windowMs: hourMs })
      : sharedRateLimit(host, name, limit, hourMs);
  return {
    authenticate: sharedRateLimit(host, 'authenticate', config.follow(authSettings, 'rate-authenticate')),
    failures: sharedRateLimit(host, 'failures', config.follow(authSettings, 'rate-failures')),
    logout: sharedRateLimit(host, 'logout', config.follow(authSettings, 'rate-logout')),
    refresh: sharedRateLimit(host, 'refresh', config.follow(authSettings, 'rate-refresh')),
    guest: perHour('guest', guests),
    guestInstall: perHour('guestInstall', Math.ceil(guests / 6)),
    // Counted per process: this limits load, not guessing.
    verify: rateLimit('verify', config.follow(authSettings, 'rate-verify'), host.clock),
  };
});
