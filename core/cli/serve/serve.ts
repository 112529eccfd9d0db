import { toolRoutes } from '../../api/tool-routes.ts';
import { sweepBackups } from '../../backup/backup-schedule.ts';
import { sweepCompaction } from '../../db/sqlite/compaction.ts';
import type { MigrationMode } from '../../db/ledger/migration-mode.ts';
import { exit, Fault, UsageError } from '../../base/errors.ts';
import { asFault } from '../../base/foreign-errors.ts';
import type { Host } from '../../host/host.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { metricsRoutes } from '../../http/server/metrics-routes.ts';
import { readinessOf, type Readiness } from '../../http/server/readiness.ts';
import { serveHttp } from '../../http/server/serve.ts';
import { errorFields } from '../../base/log.ts';
import { isLoopback } from '../../base/loopback.ts';
import { eras } from '../../mcp/era.ts';
import { mcpRoutes } from '../../mcp/mcp-routes.ts';
import { watchEventLoop } from '../../metrics/event-loop.ts';
import { recorder, type CountingRecorder, type MetricSnapshot } from '../../metrics/recorder.ts';
import type { Module } from '../../module/module.ts';
import { coreSettings, type Values } from '../../settings/settings.ts';
import { faultOfCut } from '../../tools/executor.ts';
import { asksForTraces } from '../../traces/tracing.ts';
import { openKernel, toolNames, type Invocation } from '../invocation/invocation.ts';
import { scrapesFor } from './scrape-listener.ts';
import {
  isReplicaFollower,
  isReplicator,
  refuseReplication,
  startReplication,
} from './server-replication.ts';
import { refuseFollowing, serveFollowing, type ServerEnd, type StandbyRole } from './standby-serving.ts';
import { readServerGauges } from './server-gauges.ts';
import { announceReady, greet, stopSignal, type Announcement } from './server-lines.ts';
import { listenForReloads } from './server-reload.ts';
import { refuseUnservable } from './server-settings.ts';
import { logUncaught } from './uncaught-errors.ts';
import { countsOfAll } from './worker-counts.ts';
import { worker, type Worker } from '../invocation/worker.ts';

/** `trivet` and `trivet serve`: HTTP until SIGTERM or SIGINT. Requests in flight may finish. */
export async function runServe(invocation: Invocation): Promise<number> {
  if (isReplicator()) return (await import('../../replicate/replicator-process.ts')).runReplicator();
  if (isReplicaFollower()) return (await import('../../standby/follower-process.ts')).runFollower();
  const settings = invocation.config.read(coreSettings);
  const { demo, migrate, processes } = settings;
  const reached = reachedThrough(settings);
  if (settings.dev && reached !== null)
    throw new UsageError(
      `--dev signs anyone in: it works on a loopback address only. Leave out --dev or --${reached}.`,
    );
  refuseUnservable(invocation.config);
  refuseReplication(settings);
  refuseFollowing(settings);
  const fault = faultOfCut(invocation.cut, toolNames(invocation));
  if (fault) throw new UsageError(fault);
  const own = worker();
  // This happens before the supervisor starts the workers, so that they find the data.
  if (demo && !own) await (await import('./demo.ts')).fillDemo(invocation);
  if (processes > 1 && !own) return (await import('./supervisor.ts')).supervise(invocation);
  // The supervisor has migrated. A restarted worker must not migrate while the others run.
  const mode = migrate === 'check' || own ? 'require' : 'alone';
  try {
    if (settings.follow !== undefined)
      return await serveFollowing(invocation, (as, standby, port) =>
        serve(as, { mode: standby ? 'check' : mode, standby, port }),
      );
    return (await serve(invocation, { mode, own })).code;
  } finally {
    own?.leave();
  }
}

/** The setting that makes the server reachable from other machines; null if there is none. */
function reachedThrough(settings: Values<typeof coreSettings>): string | null {
  const publicUrl = settings['public-url'];
  if (!isLoopback(settings.host)) return 'host';
  if (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname)) return 'public-url';
  if (settings['allowed-hosts'].some((name) => !isLoopback(name.toLowerCase().replace(/:\d+$/, ''))))
    return 'allowed-hosts';
  return settings['trusted-proxies'] > 0 ? 'trusted-proxies' : null;
}

interface ServerPart {
  readonly mode: MigrationMode;
  /** Of a server with several processes. */
  readonly own?: Worker | undefined;
  /** Of a standby. */
  readonly standby?: StandbyRole | undefined;
  /** The port, instead of that of the settings. */
  readonly port?: number | undefined;
}

async function serve(invocation: Invocation, { mode, own, standby, port }: ServerPart): Promise<ServerEnd> {
  const counts = recorder();
  const tracing = asksForTraces(process.env)
    ? (await import('../../traces/otlp-tracing.ts')).openTracing(process.env, invocation.log)
    : undefined;
  const replication = standby ? undefined : await startReplication(invocation);
  const stopReplication = async () => {
    await replication?.child.stop();
    await replication?.claim.stop();
  };
  const gate = replication?.claim ?? invocation.gate;
  const kernel = await openKernel({ ...invocation, gate, recorder: counts, tracing }, mode).catch(
    async (error: unknown) => {
      await stopReplication();
      throw error;
    },
  );
  replication?.child.opened();
  const endUncaught = logUncaught(invocation.log);
  if (!own) removeLeftovers(kernel.host);
  const orphaned = own ? [own.orphaned.then(() => 'orphaned' as const)] : [];
  const promoted = standby ? [standby.promoted.then(() => 'promoted' as const)] : [];
  const stopping = Promise.race([stopSignal(), ...orphaned, ...promoted]);
  let end: ServerEnd = { code: exit.ok, promoted: false, port: 0 };
  let scrapes: ReturnType<typeof scrapesFor>;
  let stopped: (() => void) | undefined;
  try {
    for (const module of kernel.modules) await refuseUnready(module, kernel.host);
    replication?.claim.serves();
    const readiness = readinessOf(kernel);
    const counted = countedBy(counts, readiness);
    const processes = own ? countsOfAll(counted) : async () => [{ metrics: await counted() }];
    const surfaces = [toolRoutes, mcpRoutes, metricsRoutes(processes)];
    // Workers leave --metrics-listen to the supervisor.
    if (!own) scrapes = scrapesFor(invocation, processes);
    const server = serveHttp(kernel, invocation.cut, surfaces, { sharedPort: own?.port, port, readiness });
    kernel.listening(invocation.config.read(coreSettings)['public-url'] ?? server.origin);
    if (!standby && (!own || own.greets)) await greetOnceWritable(kernel, stopping);
    let announced: Announcement | undefined;
    if (own) own.ready();
    else announced = await announceReady(invocation, server.origin);
    const reload = invocation.reload ?? (() => ({ changed: [], needsRestart: [] }));
    const endReloads = listenForReloads(reload, {
      stem: announced?.stem,
      hangUps: invocation.hangUps,
      own,
    });
    if (!standby) kernel.startJobs();
    readServerGauges(kernel.host);
    const rest = watchEventLoop(counts);
    setTimeout(() => void eras.sessions(), prefetchMs).unref();
    const cause = await stopping;
    endReloads();
    stopped = () => announced?.stopped(cause);
    end = { code: exit.ok, promoted: cause === 'promoted', port: Number(new URL(server.origin).port) };
    await server.stop();
    rest();
  } finally {
    await scrapes?.stop();
    await kernel.stop();
    await stopReplication();
    await tracing?.stop();
    endUncaught();
    stopped?.();
  }
  return end;
}

/** How soon a start that waits for its target tries again. */
const greetAgainMs = 500;

/**
 * Greets when the server may write: a first start stores the link of its owner. Meanwhile it listens, and answers reads.
 * @param stopping ends the waiting.
 */
async function greetOnceWritable(kernel: Kernel, stopping: Promise<unknown>): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await greet(kernel);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'CLAIM_LOST') throw error;
      if (isFirst) kernel.host.log.warn('start_waits', { reason: error.message });
    }
    const again = Bun.sleep(greetAgainMs).then(() => 'again' as const);
    if ((await Promise.race([stopping, again])) !== 'again') return;
  }
}

/** Unencrypted copies of the database must not remain after a killed backup or compaction. */
function removeLeftovers({ db, config, clock, log }: Host): void {
  if (db.engine !== 'sqlite') return;
  const settings = config.read(coreSettings);
  for (const path of sweepBackups(settings, clock.now())) log.info('backup_leftover_removed', { path });
  for (const path of sweepCompaction(settings.data)) log.info('compaction_leftover_removed', { path });
}

/** How long a scrape waits for checks. If a database hangs, the previous result is shown. */
const checksMs = 1_000;

/** The metrics of this process, with the current checks of `GET /readyz`. */
const countedBy =
  ({ snapshot }: CountingRecorder, readiness: Readiness) =>
  async (): Promise<readonly MetricSnapshot[]> => {
    await Promise.race([readiness.look(), Bun.sleep(checksMs)]);
    return snapshot();
  };

/** Loads the MCP SDK while a started server is idle, so that the first client need not wait for it. */
const prefetchMs = 1_000;

/** @throws UsageError: a server that cannot work must not replace one that can. An unreachable database keeps its own Fault. */
async function refuseUnready({ ready }: Module, host: Host): Promise<void> {
  try {
    await ready?.(host);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const fault = asFault(error);
    if (fault.code === 'STANDBY' || fault.code === 'STORAGE_FAILED' || fault.code === 'DATABASE_BUSY')
      throw fault;
    if (fault.code === 'INTERNAL') host.log.error('failed', errorFields(error));
    throw new UsageError(`${fault.message} ${fault.tip}`);
  }
}
