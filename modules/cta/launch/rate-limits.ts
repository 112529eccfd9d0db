import { perHost, type Host } from '../../../core/host/host.ts';
import { networkOf } from '../../../core/http/request/client-address.ts';
import { exchangeOf } from '../../../core/http/request/exchange.ts';
import { admit, rateLimit } from '../../../core/http/rate/rate-limit.ts';
import { ctaSettings } from '../base/settings.ts';

const ctaLimits = perHost(({ config, clock }) => {
  const settings = config.read(ctaSettings);
  return {
    address: settings['rate-cta'] === 0 ? null : rateLimit('cta_address', settings['rate-cta'], clock),
    tenant: rateLimit('cta_tenant', settings['rate-cta-tenant'], clock),
  };
});

/**
 * Counts a request without a credential: any client can send those, with any user id.
 * @throws Fault RATE_LIMITED; deployed apps keep their data and send it again.
 */
export function admitAnonymous(host: Host, request: Request, tenantId: string): void {
  const { address, tenant } = ctaLimits(host);
  // The client address is checked first: rejected requests of one client must not use up the limit of the tenant's other users.
  if (address) admit(request, address, networkOf(exchangeOf(request).clientAddress()));
  admit(request, tenant, tenantId);
}
