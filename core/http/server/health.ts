import { Type } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { fail } from '../../base/errors.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { closedObject } from '../../base/schema.ts';
import { jsonAnswer } from '../answer/answer.ts';
import { jsonResult } from './openapi.ts';
import type { Readiness } from './readiness.ts';

const Health = closedObject({
  status: Type.String({ enum: ['ok', 'degraded'] }),
  version: Type.String(),
  storage: Type.Optional(Type.Literal('failing')),
});
const Ready = closedObject({ status: Type.Literal('ready') });

/** `GET /healthz`: the process runs. `GET /readyz`: it can serve, or the check that fails. */
export function healthRoutes(app: Elysia, { host }: Kernel, readiness: Readiness): void {
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
  app.get(
    '/readyz',
    async () => {
      const failed = await readiness.look();
      if (!failed) return jsonAnswer({ status: 'ready' });
      const { name, fault } = failed;
      throw fail.NOT_READY(`The check "${name}" fails: ${fault.message}`, {
        cause: name,
        tip: fault.tip,
        retryAfter: 5,
      });
    },
    { parse: 'none', detail: { summary: 'Whether the server can serve', responses: jsonResult(Ready) } },
  );
}
