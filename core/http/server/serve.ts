import { fail, UsageError, type Fault } from '../../base/errors.ts';
import { asFault, isAddressTaken, isForbidden } from '../../base/foreign-errors.ts';
import type { Host } from '../../host/host.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { errorFields } from '../../base/log.ts';
import { coreMetrics } from '../../metrics/core-metrics.ts';
import { coreSettings } from '../../settings/settings.ts';
import type { ToolCut } from '../../tools/executor.ts';
import { faultAnswer } from '../answer/answer.ts';
import { httpApp, type SurfaceRoutes } from './app.ts';
import { clientAddress } from '../request/client-address.ts';
import { preflight, type CorsOptions } from '../caller/cors.ts';
import { beginExchange } from '../request/exchange.ts';
import { exchangeRecord } from './exchange-record.ts';
import { hostAndOriginGuard } from '../caller/guard.ts';
import { exchangeRates } from '../rate/rate-exchange.ts';
import { readinessOf, type Readiness } from './readiness.ts';
import { completeHeaders } from './response-headers.ts';
import { endsWithServer } from '../answer/server-stop.ts';
import { isStream, watchEnd } from '../answer/stream-end.ts';

interface HttpServer {
  /** e.g. `http://127.0.0.1:8787` */
  readonly origin: string;
  /**
   * Keeps serving for `stop-delay` seconds while `GET /readyz` reports the stop. Then stops listening, waits at most `drain-timeout`
   * seconds for the requests in flight, and closes.
   */
  stop(): Promise<void>;
}

interface ServeOptions {
  /** Listen on this port instead of that of the settings, and share it with other processes of this user. */
  readonly sharedPort?: number | undefined;
  /** Listen on this port instead of that of the settings. */
  readonly port?: number | undefined;
  readonly readiness?: Readiness;
}

/**
 * Serves a kernel over HTTP.
 * @param surfaces the routes that are mounted in addition to those of the modules.
 * @throws UsageError when it cannot listen on the address.
 */
export function serveHttp(
  kernel: Kernel,
  cut: ToolCut,
  surfaces: readonly SurfaceRoutes[],
  { sharedPort, port, readiness = readinessOf(kernel) }: ServeOptions = {},
): HttpServer {
  const settings = kernel.host.config.read(coreSettings);
  const followed = kernel.host.config.follow(coreSettings, 'cors-origin');
  let corsOrigins: readonly string[] = [];
  followed((given) => (corsOrigins = given));
  const guard = hostAndOriginGuard({
    hostname: settings.host,
    publicUrl: settings['public-url'],
    allowedHosts: settings['allowed-hosts'],
    corsOrigins: followed,
  });
  const app = httpApp(kernel, cut, surfaces, guard, readiness);
  const requests = requestsOf(kernel, app.fetch);
  const record = exchangeRecord(kernel.host, app.routes, requests.inFlight);
  const answer = record.traced(requests.answer);
  const addressOf = addressReader(kernel.host);
  let begun = 0;
  let held: Promise<void> | undefined;
  const place = {
    hostname: settings.host,
    port: sharedPort ?? port ?? settings.port,
    shared: sharedPort !== undefined,
  };
  const server = listen(place, async (given, peer) => {
    const request = withOrigin(given);
    begun++;
    const began = performance.now();
    const exchange = beginExchange(request, () => addressOf(request, peer()));
    const response = await answer(request, exchange);
    if (held) await held;
    completeHeaders(response, request, exchange, corsOrigins);
    return record.ended(request, exchange, response, began);
  });

  const stopExchange = exchangeRates(kernel.host);
  const shown = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return {
    origin: `http://${shown}:${server.port}`,
    stop: async () => {
      readiness.leave();
      await Bun.sleep(settings['stop-delay'] * 1000);
      const closing = Promise.withResolvers<void>();
      held = closing.promise;
      await quietMoment(() => begun);
      const closed = server.stop();
      requests.refuseMore();
      closing.resolve();
      endsWithServer(kernel.host).stop();
      const giveUpAt = performance.now() + settings['drain-timeout'] * 1000;
      while (requests.inFlight() > 0 && performance.now() < giveUpAt) await Bun.sleep(10);
      const inFlight = requests.inFlight();
      if (inFlight > 0) kernel.host.log.warn('drain_gave_up', { inFlight });
      await stopExchange();
      // The last responses must still reach their sockets.
      await Promise.race([closed, Bun.sleep(100)]);
      await server.stop(true);
    },
  };
}

/** Handles requests with the app, and counts those in flight. */
function requestsOf({ host, modules }: Kernel, fetch: (request: Request) => Response | Promise<Response>) {
  const headers = modules.flatMap(({ corsHeaders }) => corsHeaders ?? []);
  let cors: CorsOptions = { origins: [], headers };
  host.config.follow(coreSettings, 'cors-origin')((origins) => (cors = { origins, headers }));
  let stopping = false;
  const inFlight = new Set<Request>();
  const refused = (fault: Fault) => {
    host.metrics.count(coreMetrics.refusals, [fault.code]);
    return faultAnswer(fault, { withTip: false });
  };
  const answer = async (request: Request): Promise<Response> => {
    if (stopping) {
      const response = refused(fail.SHUTTING_DOWN('The server is stopping.', { retryAfter: 1 }));
      response.headers.set('Connection', 'close');
      return response;
    }
    const allowed = preflight(request, cors);
    if (allowed) return allowed;
    inFlight.add(request);
    const done = () => void inFlight.delete(request);
    try {
      const response = await fetch(request);
      if (isStream(response)) return watchEnd(response, done);
      done();
      return response;
    } catch (error) {
      done();
      host.log.error('request_failed', errorFields(error));
      return refused(asFault(error));
    }
  };
  return { answer, inFlight: () => inFlight.size, refuseMore: () => (stopping = true) };
}

/** Determines the sender of a request. Warns once about a proxy that is not configured. */
function addressReader({ config, log }: Host) {
  const proxies = config.read(coreSettings)['trusted-proxies'];
  let warned = false;
  return (request: Request, peer: string): string => {
    const forwardedFor = request.headers.get('x-forwarded-for');
    if (proxies === 0 && forwardedFor !== null && !warned) {
      // All clients of the proxy then look like one, so eleven failed sign-ins lock out everybody.
      warned = true;
      log.warn('forwarded_for_ignored', {
        remedy: 'If a reverse proxy of yours stands before this server, set --trusted-proxies 1.',
      });
    }
    return clientAddress(peer, forwardedFor, proxies);
  };
}

/** The longest time for which a stopping server waits for a moment without a new request. */
const quietWithinMs = 100;
/** The length of such a moment. A client or proxy on the same machine sends its next request within a millisecond of a response. */
const quietMs = 4;

/**
 * Waits for a moment without a new request, but not for long. When Bun stops listening, it closes connections that seem idle, even if a
 * request has just arrived, and a proxy does not repeat a POST on another server (measured behind nginx with 16 clients and 5,000 requests
 * a second: one lost in each restart).
 */
async function quietMoment(begun: () => number): Promise<void> {
  const giveUpAt = performance.now() + quietWithinMs;
  let seen = begun();
  let quietSince = performance.now();
  while (performance.now() - quietSince < quietMs && performance.now() < giveUpAt) {
    await Bun.sleep(1);
    if (begun() === seen) continue;
    seen = begun();
    quietSince = performance.now();
  }
}

/** For an HTTP/1.0 request without Host, Bun's url is a bare path, in which Elysia does not find the path. */
const withOrigin = (request: Request): Request =>
  request.url.startsWith('/') ? new Request(`http://localhost${request.url}`, request) : request;

interface Place {
  readonly hostname: string;
  readonly port: number;
  /** Other processes of this user may listen there too. */
  readonly shared: boolean;
}

function listen(
  { hostname, port, shared }: Place,
  answer: (request: Request, peer: () => string) => Promise<Response>,
) {
  try {
    return Bun.serve({
      hostname,
      port,
      development: false,
      // True by default in production (measured on Bun 1.4.5): a second server on a taken port would silently share its requests.
      reusePort: shared,
      // Longer than the silence of any response. Streams send keep-alive comments more often.
      idleTimeout: 60,
      // Every route uses readJson, which has its own, smaller limit and error. Bun's limit sends a bare 413. Without that limit nothing is
      // buffered for a route that does not read (measured: 900 MB sent, 3 MB more memory).
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: (request, server) => answer(request, () => server.requestIP(request)?.address ?? ''),
    });
  } catch (error) {
    throw cannotListen(error, hostname, port);
  }
}

/**
 * A free port, to be shared by several processes that start next.
 * @param port 0: any free one.
 * @throws UsageError when the port is taken, also by processes that share it.
 */
export function freePort(hostname: string, port: number): number {
  try {
    const probe = Bun.serve({ hostname, port, reusePort: false, fetch: () => new Response() });
    // A stopped server has no port any more.
    const { port: found = port } = probe;
    void probe.stop(true);
    return found;
  } catch (error) {
    throw cannotListen(error, hostname, port);
  }
}

function cannotListen(error: unknown, hostname: string, port: number): UsageError {
  if (isAddressTaken(error))
    return new UsageError(
      `Port ${port} on ${hostname} is taken. Choose another with --port, or 0 for any free one.`,
    );
  const where = `Cannot listen on ${hostname}:${port}`;
  if (isForbidden(error))
    return new UsageError(`${where}: this user may not use the port. Choose one above 1023 with --port.`);
  // Of a name that means nothing here, Bun passes on the code of any earlier failure.
  return new UsageError(
    `${where}: this machine has no such address. Name one of its own with --host, or all: 0.0.0.0.`,
  );
}
