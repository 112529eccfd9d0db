import type { Followed } from '../../settings/config.ts';
import { fail } from '../../base/errors.ts';
import { nodeNet } from '../../base/late-node.ts';
import { loopbackHosts } from '../../base/loopback.ts';

interface GuardOptions {
  /** The address that the server listens on. */
  readonly hostname: string;
  readonly publicUrl: string | undefined;
  readonly allowedHosts: readonly string[];
  /** The present ones: `--cors-origin` may change while a server runs. */
  readonly corsOrigins: Followed<readonly string[]>;
}

export interface Guard {
  /**
   * Refuses a foreign name in Host: an attacker's page whose name resolves to this machine (DNS rebinding) would otherwise have the same
   * origin. For every route except health. An HTTP/1.0 request may lack the header; no browser sends one.
   * @throws Fault HOST_NOT_ALLOWED.
   */
  host(request: Request): void;
  /** Whether {@link host} would accept it. */
  isOwn(request: Request): boolean;
  /**
   * For tools: Host is required, and a page with a foreign Origin is refused (a plain cross-site request). A program sends no Origin.
   * @throws Fault HOST_NOT_ALLOWED, ORIGIN_NOT_ALLOWED.
   */
  tools(request: Request): void;
}

/** Wildcard addresses, which mean all addresses of the machine. */
const wildcards = new Set(['0.0.0.0', '::']);

export function hostAndOriginGuard(options: GuardOptions): Guard {
  const names = new Set(loopbackHosts);
  names.add(options.hostname.includes(':') ? `[${options.hostname}]` : options.hostname.toLowerCase());
  for (const host of options.allowedHosts) names.add(host.toLowerCase());
  const address = options.publicUrl ? new URL(options.publicUrl) : undefined;
  if (address) names.add(address.hostname);
  let origins: ReadonlySet<string> = new Set();
  options.corsOrigins((given) => (origins = new Set(given)));
  const everyAddress = wildcards.has(options.hostname);

  const isOwn = (host: string) => {
    const name = host.replace(/:\d+$/, '');
    // Rebinding needs a name. A container does not know its outer addresses, so any IP address is accepted.
    return (
      names.has(name) ||
      names.has(host) ||
      (everyAddress && nodeNet().isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0)
    );
  };
  const foreign = () =>
    fail.HOST_NOT_ALLOWED('This server does not answer to that host name.', { cause: 'host' });

  // Most clients use the same name: the last accepted one is compared first.
  let lastAccepted: string | undefined;
  const isOwnHost = (request: Request) => {
    const given = request.headers.get('host');
    if (given === null || given === lastAccepted) return true;
    if (!isOwn(given.toLowerCase())) return false;
    lastAccepted = given;
    return true;
  };

  return {
    isOwn: isOwnHost,
    host: (request) => {
      if (!isOwnHost(request)) throw foreign();
    },
    tools: (request) => {
      const host = request.headers.get('host')?.toLowerCase() ?? '';
      if (!isOwn(host)) throw foreign();
      const origin = request.headers.get('origin');
      // A proxy may pass a Host without the port of the public address (nginx: $host), or its own name for this server.
      if (origin === null || origin === address?.origin || origins.has(origin)) return;
      if (origin === `http://${host}` || origin === `https://${host}`) return;
      throw fail.ORIGIN_NOT_ALLOWED('Pages of that origin may not call this server.', { cause: 'origin' });
    },
  };
}
