import type { Host } from '../../../core/host/host.ts';
import type { Check, Finding } from '../../../core/module/module.ts';
import { authSettings } from '../base/settings.ts';
import { providers } from './configured-providers.ts';
import type { IdProvider } from './id-token.ts';
import { fetchForeign } from './foreign-response.ts';
import { discoveryUrl, isSecureUrl } from './jwks.ts';
import { examine, type Examined } from './provider-doctor.ts';

/**
 * The check of `trivet doctor`: the findings of `trivet auth doctor`, and whether the clocks of this machine and of each provider agree.
 */
export const providerCheck: Check = {
  name: 'providers',
  run: async (host) =>
    (await Promise.all([...providers(host).values()].map((one) => namedFindings(host, one)))).flat(),
};

async function namedFindings(host: Host, provider: IdProvider): Promise<Finding[]> {
  const { findings } = await examineWithClock(host, provider);
  return findings.map((found) => ({ ...found, message: `${provider.name}: ${found.message}` }));
}

/** The findings of `trivet auth doctor` about a provider, and whether its clock agrees. Each request has a time limit. */
export async function examineWithClock(
  host: Host,
  provider: IdProvider,
): Promise<Omit<Examined, 'problems'> & { readonly findings: readonly Finding[] }> {
  const [{ problems, ...examined }, aheadMs] = await Promise.all([
    examine(host, provider),
    clockAheadOf(host, provider),
  ]);
  const found = problems.map(({ problem, message, remedy }) => ({ finding: problem, message, remedy }));
  const toleranceMs = host.config.read(authSettings)['clock-tolerance'] * 1000;
  // The header has whole seconds.
  if (aheadMs === undefined || Math.abs(aheadMs) <= toleranceMs + 1_000)
    return { ...examined, findings: found };
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const clock = {
    finding: 'clock_differs',
    message: `The clock of this machine is ${seconds} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the provider, so ID tokens are rejected.`,
    remedy: 'Set the clock by NTP.',
  };
  return { ...examined, findings: [...found, clock] };
}

const patienceMs = 3_000;

/** By how much the clock is ahead of the `Date` header of a provider (RFC 9110 §6.6.1); undefined without a response. */
async function clockAheadOf({ clock }: Host, { issuer, place }: IdProvider): Promise<number | undefined> {
  const url = place?.jwksUri ?? discoveryUrl(issuer);
  if (!place || !isSecureUrl(url)) return undefined;
  try {
    const response = await fetchForeign(url, { signal: AbortSignal.timeout(patienceMs) });
    void response.body?.cancel();
    const theirs = Date.parse(response.headers.get('date') ?? '');
    return Number.isNaN(theirs) ? undefined : clock.now() - theirs;
  } catch {
    // An unreachable provider is a separate finding.
    return undefined;
  }
}
