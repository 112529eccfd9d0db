import { fail, UsageError } from '../../base/errors.ts';
import { asFault, codeOf } from '../../base/foreign-errors.ts';
import { isLoopback } from '../../base/loopback.ts';
import type { ProcessSnapshot } from '../../metrics/exposition.ts';
import { faultAnswer } from '../answer/answer.ts';
import type { SurfaceRoutes } from './app.ts';
import { callerOf } from '../caller/bearer.ts';
import { hostAndOriginGuard } from '../caller/guard.ts';
import { pathOfUrl } from './route-pattern.ts';

/** The metrics of all processes of a server. */
export type CountedProcesses = () => Promise<readonly ProcessSnapshot[]>;

async function scraped(counted: CountedProcesses, request: Request): Promise<Response> {
  // Loaded by the first scrape.
  const { exposition } = await import('../../metrics/exposition.ts');
  const { contentType, text } = exposition(await counted(), request.headers.get('accept'));
  return new Response(text, { headers: { 'Content-Type': contentType, 'Cache-Control': 'no-store' } });
}

/**
 * `GET /metrics` on the main port, for a personal access token with the scope `metrics`. No other credential may read it, not even an
 * administrator's: the metrics cover all organizations, and the administrator of one need not know the others.
 */
export const metricsRoutes =
  (counted: CountedProcesses): SurfaceRoutes =>
  (app, { host, identity }) => {
    app.get(
      '/metrics',
      async ({ request }) => {
        const { grants } = await callerOf(host, identity, request);
        if (!grants?.includes('metrics'))
          throw fail.FORBIDDEN('This needs a token of scope "metrics".', {
            cause: 'scopes',
            tip: 'Run on the server: trivet token create --email … --name prometheus --scopes metrics. Or use --metrics-listen.',
          });
        return scraped(counted, request);
      },
      {
        parse: 'none',
        // For operators: docs/monitoring.md describes it.
        detail: { hide: true },
      },
    );
  };

/**
 * Serves `GET /metrics` on a separate address, without a token (`--metrics-listen`).
 * @param address `[HOST:]PORT`.
 * @throws UsageError when it cannot listen there.
 */
export function listenForScrapes(counted: CountedProcesses, address: string) {
  const [, host = '127.0.0.1', port] = /^(?:(.*):)?(\d+)$/.exec(address) ?? [];
  const hostname = host.replace(/^\[(.*)\]$/, '$1');
  // Against DNS rebinding on this machine. On other addresses anybody on the network may read the metrics anyway.
  const guard = hostAndOriginGuard({
    hostname,
    publicUrl: undefined,
    allowedHosts: [],
    corsOrigins: (take) => take([]),
  });
  const answer = async (request: Request): Promise<Response> => {
    if (isLoopback(hostname)) guard.host(request);
    if (pathOfUrl(request.url) !== '/metrics' || request.method !== 'GET')
      throw fail.NOT_FOUND('There is only GET /metrics here.');
    return scraped(counted, request);
  };
  try {
    const server = Bun.serve({
      hostname,
      port: Number(port),
      development: false,
      reusePort: false,
      maxRequestBodySize: 1,
      fetch: (request) =>
        answer(request).catch((error: unknown) => faultAnswer(asFault(error), { withTip: false })),
    });
    return { origin: `http://${host}:${server.port}`, stop: () => server.stop(true) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UsageError(
      `--metrics-listen: cannot listen on ${address} (${codeOf(error) ?? error.message}).`,
    );
  }
}
