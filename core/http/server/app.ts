import { Elysia } from 'elysia';
import { fail, type Fault } from '../../base/errors.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { ToolCut } from '../../tools/executor.ts';
import { faultAnswer, jsonAnswer } from '../answer/answer.ts';
import { refusalFor } from '../answer/refusal.ts';
import { isPreflight } from '../caller/cors.ts';
import type { Guard } from '../caller/guard.ts';
import { healthRoutes } from './health.ts';
import type { Readiness } from './readiness.ts';
import { openApiDocument } from './openapi.ts';
import type { ApiDocument } from './reference-page.ts';
import { referenceRoutes } from './reference-routes.ts';
import { servedTools } from './served-tools.ts';

/** Paths whose errors contain the tip, with which a caller of tools can repair its call. */
const toolPath = (request: Request) => /^https?:\/\/[^/]*\/api\//.test(request.url);

const healthPath = (request: Request) => /^https?:\/\/[^/]*\/(healthz|readyz)(\?|$)/.test(request.url);

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
    const given = code === 'NOT_FOUND' ? noRoute(request) : error;
    return faultAnswer(refusalFor(kernel.host, request, given), { withTip: toolPath(request) });
  });

  app.onRequest(({ request }) => {
    // A health probe uses a different Host, e.g. the address of a container.
    if (!guard.isOwn(request) && !healthPath(request)) guard.host(request);
  });

  healthRoutes(app, kernel, readiness);
  const toolsOf = (request: Request) => servedTools(kernel, request, guard.tools, cut, 'http');
  for (const module of kernel.modules) module.routes?.(app, kernel.host, toolsOf);
  for (const surface of surfaces) surface(app, kernel, cut, guard.tools);

  let document: ApiDocument | undefined;
  const documentOf = () => (document ??= openApiDocument(app, kernel));
  app.get('/openapi.json', () => jsonAnswer(documentOf()), { parse: 'none', detail: { hide: true } });
  referenceRoutes(app, documentOf);
  return app;
}

/** A preflight that nobody answered is of a page that may not call: its developer must not look for a fault in the path. */
const noRoute = (request: Request): Fault =>
  isPreflight(request)
    ? fail.ORIGIN_NOT_ALLOWED(
        'Pages of that origin may not call this server: --cors-origin does not name it.',
        {
          cause: 'origin',
        },
      )
    : fail.NOT_FOUND(`There is no ${request.method} route for this path.`);
