import { asFault } from '../../core/base/foreign-errors.ts';
import { faultAnswer } from '../../core/http/answer/answer.ts';
import { hostAndOriginGuard } from '../../core/http/caller/guard.ts';

/** Serves a fixture on loopback behind our guard, like /mcp. */
export function serveGuarded(handle: (request: Request) => Promise<Response>) {
  const guard = hostAndOriginGuard({
    hostname: '127.0.0.1',
    publicUrl: undefined,
    allowedHosts: [],
    corsOrigins: (take) => take([]),
  });
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request) => {
      try {
        guard.tools(request);
        return await handle(request);
      } catch (error) {
        return faultAnswer(asFault(error), { withTip: false });
      }
    },
  });
}
