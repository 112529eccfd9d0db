import { Type } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { fail } from '../errors.ts';
import { asFault } from '../foreign-errors.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { closedObject } from '../schema.ts';
import { probeStorage } from '../tools/idempotency.ts';
import { jsonAnswer } from './answer.ts';
import { jsonResult } from './openapi.ts';

const Health = closedObject({
  status: Type.String({ enum: ['ok', 'degraded'] }),
  version: Type.String(),
  storage: Type.Optional(Type.Literal('failing')),
});
const Ready = closedObject({ status: Type.Literal('ready') });

/** How long a check of the storage is valid: it writes to the disk, and several systems may probe. */
const probeEveryMs = 5_000;

/** How long a failed one is: a balancer waits for this server to come back. */
const failedProbeEveryMs = 1_000;

/** `GET /healthz`: the process runs. `GET /readyz`: it can serve, or the check that fails. */
export function healthRoutes(app: Elysia, kernel: Kernel): void {
  const { host } = kernel;
  app.get(
    '/healthz',
    () => {
      const { version } = host;
      return jsonAnswer(
        host.db.failing() === null
          ? { status: 'ok', version }
          : { status: 'degraded', version, storage: 'failing' },
      );
    },
    { parse: 'none', detail: { summary: 'Whether the server runs', responses: jsonResult(Health) } },
  );

  let probeAgainAt = -Infinity;
  let probe: Promise<void> = Promise.resolve();
  const storage = () => {
    if (performance.now() > probeAgainAt) {
      probeAgainAt = performance.now() + probeEveryMs;
      probe = probeStorage(host);
      probe.catch(() => (probeAgainAt = performance.now() + failedProbeEveryMs));
    }
    return probe;
  };
  app.get(
    '/readyz',
    async () => {
      const checks: ReadonlyArray<readonly [string, () => Promise<void>]> = [
        ['storage', storage],
        ...kernel.modules.flatMap(({ name, ready }) => (ready ? [[name, () => ready(host)] as const] : [])),
      ];
      for (const [name, check] of checks) {
        try {
          await check();
        } catch (error) {
          const fault = asFault(error);
          throw fail.NOT_READY(`The check "${name}" fails: ${fault.message}`, {
            cause: name,
            tip: fault.tip,
            retryAfter: 5,
          });
        }
      }
      return jsonAnswer({ status: 'ready' });
    },
    { parse: 'none', detail: { summary: 'Whether the server can serve', responses: jsonResult(Ready) } },
  );
}
