import type { Executor, ToolCut } from '../executor.ts';
import { perHost } from '../host.ts';
import { localExecutor, type Kernel } from '../kernel.ts';
import { coreSettings } from '../settings.ts';
import { callerOf } from './bearer.ts';
import { admit, rateLimit } from './rate-limit.ts';

const toolLimit = perHost((host) =>
  rateLimit('tools', host.config.read(coreSettings)['rate-tools'], host.clock),
);

/**
 * The tools of whoever sends this request, for `/api/tools` and `/mcp`: guarded, signed in, and limited per token.
 * @throws Fault HOST_NOT_ALLOWED, ORIGIN_NOT_ALLOWED, UNAUTHENTICATED; its `call` also RATE_LIMITED.
 */
export async function servedTools(
  kernel: Kernel,
  request: Request,
  guard: (request: Request) => void,
  cut: ToolCut,
): Promise<Executor> {
  guard(request);
  const actor = await callerOf(kernel.host, kernel.identity, request);
  const executor = localExecutor(kernel, actor, cut);
  return {
    ...executor,
    call: async (tool, input, options) => {
      admit(request, toolLimit(kernel.host), actor.credential);
      return executor.call(tool, input, options);
    },
  };
}
