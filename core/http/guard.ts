import { fail } from '../errors.ts';

/** Names under which a server on this machine is always reached. */
const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

export interface GuardOptions {
  /** The address the server listens on. */
  readonly hostname: string;
  readonly publicUrl: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
}

/**
 * Refuses calls of tools that a web page of somebody else may have caused: by DNS rebinding (a foreign name in Host that
 * resolves to this machine) or by a plain cross-site request (a foreign Origin). A program sends no Origin.
 * @returns a check that throws Fault HOST_NOT_ALLOWED or ORIGIN_NOT_ALLOWED.
 */
export function hostAndOriginGuard(options: GuardOptions): (request: Request) => void {
  const names = new Set(loopbackNames);
  names.add(options.hostname.includes(':') ? `[${options.hostname}]` : options.hostname.toLowerCase());
  for (const host of options.allowedHosts) names.add(host.toLowerCase());
  if (options.publicUrl) names.add(new URL(options.publicUrl).hostname);
  const origins = new Set(options.corsOrigins);

  return (request) => {
    const host = (request.headers.get('host') ?? '').toLowerCase();
    if (!names.has(host.replace(/:\d+$/, '')) && !names.has(host)) {
      throw fail.HOST_NOT_ALLOWED('This server does not answer to that host name.', { cause: 'host' });
    }
    const origin = request.headers.get('origin');
    if (origin === null || origins.has(origin)) return;
    if (origin === `http://${host}` || origin === `https://${host}`) return;
    throw fail.ORIGIN_NOT_ALLOWED('Pages of that origin may not call this server.', { cause: 'origin' });
  };
}

/** The answer to a preflight of an allowed origin, or null: CORS is closed unless an origin is named. */
export function preflight(request: Request, corsOrigins: readonly string[]): Response | null {
  if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) return null;
  const origin = request.headers.get('origin');
  if (origin === null || !corsOrigins.includes(origin)) return null;
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'GET, POST, DELETE',
      'Access-Control-Allow-Headers':
        'authorization, content-type, idempotency-key, mcp-protocol-version, x-tenant-id, auth-userid, api_version, app_version, hotupdate_version, package_name',
      'Access-Control-Max-Age': '600',
    },
  });
}
