import type { Host } from '../../host/host.ts';
import { coreMetrics } from '../../metrics/core-metrics.ts';
import type { Counted, Recorder } from '../../metrics/recorder.ts';
import { coreSettings } from '../../settings/settings.ts';
import type { Exchange } from '../request/exchange.ts';
import { routePatterns } from './route-pattern.ts';
import { isStream, watchEnd } from '../answer/stream-end.ts';

type Answer = (request: Request) => Promise<Response>;

interface ExchangeRecord {
  /** Handles requests with `answer`, each in a span if traces are enabled. */
  traced(answer: Answer): (request: Request, exchange: Exchange) => Promise<Response>;
  /** Records a handled request. @returns the response, whose bytes may be counted while they are sent. */
  ended(
    request: Request,
    exchange: Exchange,
    response: Response,
    began: number,
  ): Response | Promise<Response>;
}

/** Clients may send any method; those without a route share one time series. */
const methods = new Set(['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PUT', 'PATCH']);

/** The metrics, the debug log and the access log of HTTP. */
export function exchangeRecord(
  { metrics, log, config, tracing }: Pick<Host, 'metrics' | 'log' | 'config' | 'tracing'>,
  routes: ReadonlyArray<{ readonly path: string }>,
  inFlight: () => number,
): ExchangeRecord {
  const patternOf = routePatterns(routes);
  let accessLog = false;
  config.follow(coreSettings, 'access-log')((isOn) => (accessLog = isOn));
  metrics.read(coreMetrics.requestsInFlight, () => [[[], inFlight()]]);

  const countedFor = requestCounts(metrics);

  const methodOf = (request: Request) => (methods.has(request.method) ? request.method : 'other');

  const traced: ExchangeRecord['traced'] = (answer) => {
    if (!tracing) return answer;
    return (request, { requestId }) => {
      const [method, route] = [methodOf(request), patternOf(request.url)];
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'trivet.request_id': requestId,
      };
      const parent = request.headers.get('traceparent');
      return tracing.request(`${method} ${route}`, attributes, parent, async (span) => {
        const response = await answer(request);
        span.set('http.response.status_code', response.status);
        if (response.status >= 500) span.fail(String(response.status));
        return response;
      });
    };
  };

  const ended: ExchangeRecord['ended'] = (request, exchange, response, began) => {
    const method = methodOf(request);
    const route = patternOf(request.url);
    const { status } = response;
    const ms = performance.now() - began;
    const { seconds, withStatus } = countedFor(route, method);
    const requests = withStatus(status);
    seconds.add(ms / 1000);
    requests.add(1);
    const { requestId } = exchange;
    log.debug('request', () => ({
      method: request.method,
      route: wordsOf(request),
      status,
      ms: Math.round(ms),
      requestId,
    }));
    if (!accessLog) return response;
    const address = exchange.clientAddress();
    return measured(response, (bytes) => {
      const { userId, tool } = exchange;
      const took = Math.round(performance.now() - began);
      log.access({ requestId, method, route, status, ms: took, bytes, address, userId, tool });
    });
  };

  return { traced, ended };
}

/** The time series of requests by route and method. */
function requestCounts(metrics: Recorder) {
  const known = new Map<string, Map<string, ReturnType<typeof made>>>();
  const made = (method: string, route: string) => {
    const byStatus: Counted[] = [];
    const withStatus = (status: number) =>
      (byStatus[status] ??= metrics.series(coreMetrics.requests, [method, route, String(status)]));
    // Starts at 0: in a series that starts with its first failures, a rate would miss them.
    withStatus(500);
    withStatus(503);
    return { seconds: metrics.series(coreMetrics.requestSeconds, [method, route]), withStatus };
  };
  return (route: string, method: string) => {
    let methods = known.get(route);
    if (!methods) known.set(route, (methods = new Map<string, ReturnType<typeof made>>()));
    let counts = methods.get(method);
    if (!counts) methods.set(method, (counts = made(method, route)));
    return counts;
  };
}

/** Returns the same response, and calls `done` with the length of its body, for a stream at its end. */
async function measured(response: Response, done: (bytes: number) => void): Promise<Response> {
  if (isStream(response)) return watchEnd(response, done);
  if (response.body === null) {
    done(0);
    return response;
  }
  const body = await response.arrayBuffer();
  done(body.byteLength);
  return new Response(body, { status: response.status, headers: response.headers });
}

/** The path for the debug log. Only known words remain: ids, codes and mistyped text are left out. */
const wordsOf = ({ url }: Request): string =>
  (/^[a-z]+:\/\/[^/]*([^?#]*)/.exec(url)?.[1] ?? '')
    .split('/', 8)
    .map((part) => (/^(?:[a-z._-]{0,40}|v1)$/.test(part) ? part : '*'))
    .join('/');
