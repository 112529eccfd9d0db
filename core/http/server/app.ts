import { Elysia } from 'elysia';
import { fail, type Fault } from '../../base/errors.ts';
import { asFault, isAbort } from '../../base/foreign-errors.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { errorFields } from '../../base/log.ts';
import { coreMetrics } from '../../metrics/core-metrics.ts';
import { noteStorageFailure } from '../../host/storage-damage.ts';
import type { ToolCut } from '../../tools/executor.ts';
import { faultAnswer, jsonAnswer } from '../answer/answer.ts';
import { exchangeOf } from '../request/exchange.ts';
import type { Guard } from '../caller/guard.ts';
import { healthRoutes } from './health.ts';
import type { Readiness } from './readiness.ts';
import { openApiDocument } from './openapi.ts';
import type { ApiDocument } from './reference-page.ts';
import { referenceRoutes } from './reference-routes.ts';

/** Paths whose errors contain the tip, with which a caller of tools can repair its call. */
const toolPath = (request: Request) => /^https?:\/\/[^/]*\/api\//.test(request.url);

const healthPath = (request: Request) => /^https?:\/\/[^/]*\/(healthz|readyz)(\?|$)/.test(request.url);

/** Work that ends because its client has left is not a server failure: nobody reads the response, and it must not raise an alert. */
const faultOf = (error: unknown, { signal }: Request): Fault =>
  signal.aborted && isAbort(error) ? fail.CLIENT_LEFT('The client closed the connection.') : asFault(error);

/** Adds the routes of a surface, e.g. `/mcp`. Its `guard` refuses foreign hosts and origins. */
export type SurfaceRoutes = (
  app: Elysia,
  kernel: Kernel,
  cut: ToolCut,
  guard: (request: Request) => void,
) => void;

/** All routes of a kernel: health, its modules and the surfaces. Only this file converts errors to responses. */
export function httpApp(
  kernel: Kernel,
  cut: ToolCut,
  surfaces: readonly SurfaceRoutes[],
  guard: Guard,
  readiness: Readiness,
): Elysia {
  // normalize: Elysia would silently drop properties that a schema lacks. Bodies are read by readJson. standardHostname: Elysia would
  // search the path after the eleventh character, which is wrong for a short Host.
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } });

  // Registered before every route: a hook does not apply to earlier routes (measured).
  app.onError(({ error, code, request }) => {
    const missing = code === 'NOT_FOUND';
    const fault = missing
      ? fail.NOT_FOUND(`There is no ${request.method} route for this path.`)
      : faultOf(error, request);
    if (!missing) noteStorageFailure(kernel.host, error);
    if (fault.code === 'INTERNAL') {
      kernel.host.log.error('request_failed', {
        requestId: exchangeOf(request).requestId,
        ...errorFields(error),
      });
    }
    kernel.host.metrics.count(coreMetrics.refusals, [fault.code]);
    return faultAnswer(fault, { withTip: toolPath(request) });
  });

  app.onRequest(({ request }) => {
    // A health probe uses a different Host, e.g. the address of a container.
    if (!guard.isOwn(request) && !healthPath(request)) guard.host(request);
  });

  healthRoutes(app, kernel, readiness);
  for (const module of kernel.modules) module.routes?.(app, kernel.host);
  for (const surface of surfaces) surface(app, kernel, cut, guard.tools);

  let document: ApiDocument | undefined;
  const documentOf = () => (document ??= openApiDocument(app, kernel));
  app.get('/openapi.json', () => jsonAnswer(documentOf()), { parse: 'none', detail: { hide: true } });
  referenceRoutes(app, documentOf);
  return app;
}
