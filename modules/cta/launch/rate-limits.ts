import { perHost, type Host } from '../../../core/host/host.ts';
import { networkOf } from '../../../core/http/request/client-address.ts';
import { exchangeOf } from '../../../core/http/request/exchange.ts';
import { admit, rateLimit } from '../../../core/http/rate/rate-limit.ts';
import { ctaSettings } from '../base/settings.ts';

const ctaLimits = perHost(({ config, clock }) => {
  const perAddress = config.follow(ctaSettings, 'rate-cta');
  const limits = {
    isPerAddress: true,
    address: rateLimit('cta_address', perAddress, clock),
    tenant: rateLimit('cta_tenant', config.follow(ctaSettings, 'rate-cta-tenant'), clock),
  };
  perAddress((limit) => (limits.isPerAddress = limit !== 0));
  return limits;
});

/**
 * Counts a request without a credential: any client can send those, with any user id.
 * @throws Fault RATE_LIMITED; deployed apps keep their data and send it again.
 */
export function admitAnonymous(host: Host, request: Request, tenantId: string): void {
  const { isPerAddress, address, tenant } = ctaLimits(host);
  // The client address is checked first: rejected requests of one client must not use up the limit of the tenant's other users.
  if (isPerAddress) admit(request, address, networkOf(exchangeOf(request).clientAddress()));
  admit(request, tenant, tenantId);
}
