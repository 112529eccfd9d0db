import { Type } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { fail, type Fault } from '../../base/errors.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { closedObject, nullable } from '../../base/schema.ts';
import { jsonAnswer } from '../answer/answer.ts';
import { jsonResult } from './openapi.ts';
import { replicationOf } from '../../replicate/replication-state.ts';
import { replicationStates } from '../../replicate/replication-files.ts';
import { lagOf, standbyOf } from '../../standby/standby-state.ts';
import { standbyStates } from '../../standby/standby-files.ts';
import type { Host } from '../../host/host.ts';
import type { FailedCheck, Readiness } from './readiness.ts';

const Health = closedObject({
  status: Type.String({ enum: ['ok', 'degraded'] }),
  version: Type.String(),
  storage: Type.Optional(Type.Literal('failing')),
});
const Ready = closedObject({
  /** `standby` only if the request says that one will do. */
  status: Type.String({ enum: ['ready', 'standby'] }),
  /** With `--replicate`. A server serves also while its target is away. */
  replication: Type.Optional(
    closedObject({
      state: Type.String({ enum: [...replicationStates] }),
      lagSeconds: nullable(Type.Number()),
    }),
  ),
  /** With `--follow`, until it takes over. */
  standby: Type.Optional(
    closedObject({
      state: Type.String({ enum: [...standbyStates] }),
      lagSeconds: nullable(Type.Number()),
    }),
  ),
});

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
    async ({ query }) => {
      const failed = await readiness.look(query['standby'] === 'ok');
      if (!failed)
        return jsonAnswer({
          status: host.db.refusal() ? 'standby' : 'ready',
          ...shownReplication(host),
          ...shownStandby(host),
        });
      throw notReadyBy(failed);
    },
    { parse: 'none', detail: { summary: 'Whether the server can serve', responses: jsonResult(Ready) } },
  );
}

/**
 * Whoever can reach the server reads this, so it shows no path, no address and no text of a plugin, which other faults may have. The log and
 * `trivet doctor` have all of it.
 */
function notReadyBy({ name, fault }: FailedCheck): Fault {
  const what = fault.code === 'NOT_READY' ? `: ${fault.message}` : ` with ${fault.code}.`;
  return fail.NOT_READY(`The check "${name}" fails${what}`, { cause: name, retryAfter: 5 });
}

function shownStandby(host: Host) {
  const status = standbyOf(host);
  return status ? { standby: { state: status.state, lagSeconds: lagOf(status, host.clock.now()) } } : {};
}

function shownReplication(host: Host) {
  const status = replicationOf(host);
  if (!status) return {};
  const { state, coveredAt } = status;
  const lagSeconds =
    coveredAt === 0 ? null : Math.max(0, Math.round((host.clock.now() - coveredAt) / 100) / 10);
  return { replication: { state, lagSeconds } };
}
