import { migrate } from '../../db/open/migrate.ts';
import { systemClock } from '../../base/clock.ts';
import { exit, UsageError } from '../../base/errors.ts';
import { freePort } from '../../http/server/serve.ts';
import { migrationsOf } from '../../kernel/kernel.ts';
import { ownCommand } from '../../base/own-command.ts';
import type { SettingsInForce } from '../../settings/config.ts';
import { coreSettings } from '../../settings/settings.ts';
import { locationOf, originOfAddress, type Invocation } from '../invocation/invocation.ts';
import { scrapesFor } from './scrape-listener.ts';
import { announceReady, stopSignal } from './server-lines.ts';
import { listenForReloads } from './server-reload.ts';
import { gatherer } from './worker-counts.ts';
import { aliveMessage, readyMessage, workerEnvironment, type NewSettings } from '../invocation/worker.ts';
import { endWhenHung, type WatchedWorker } from './worker-watch.ts';

/** Pauses before a worker that ended is started again. They start over once a worker has served for `steadyMs`. */
const firstPauseMs = 100;
const longestPauseMs = 5_000;
const steadyMs = 10_000;

/** How long after its own stop-delay and drain-timeout a worker is killed. */
const stopMarginMs = 5_000;

/**
 * `serve --processes N`: migrates once, starts N workers that share the port, restarts those that end, and stops all of them. The operating
 * system distributes the connections among them.
 * @returns the exit code: that of the first worker that could not start or stop.
 */
export async function supervise(invocation: Invocation): Promise<number> {
  const { config, modules, log } = invocation;
  const settings = config.read(coreSettings);
  const location = locationOf(config);
  refuseUnshared(location.engine);
  const stopping = stopSignal();
  const mode = settings.migrate === 'check' ? 'require' : 'alone';
  await migrate(location, migrationsOf(modules), { clock: systemClock, log, mode });
  const port = freePort(settings.host, settings.port);
  const group = workerGroup(invocation, port, stopping);

  const first = Array.from({ length: settings.processes }, (_, index) => group.run(index + 1, index === 0));
  const allReady = Promise.all(first.map(({ ready }) => ready));
  const started = await Promise.race([allReady, stopping.then(() => 'stopped' as const)]);
  if (started === 'stopped') return group.stop();
  const failed = first[started.indexOf(false)];
  if (failed) {
    const code = await failed.child.exited;
    await group.stop();
    return code === exit.ok ? exit.failed : code;
  }
  for (const worker of first) void group.keep(worker);
  log.info('workers_ready', { workers: first.map(({ child }) => child.pid).join(', ') });
  const { stem, stopped } = await announceReady(invocation, originOfAddress(settings.host, port));
  const reload = () => {
    const outcome = invocation.reload?.() ?? { changed: [], needsRestart: [] };
    if (!('refused' in outcome)) group.reconfigure();
    return outcome;
  };
  const endReloads = listenForReloads(reload, { stem, hangUps: invocation.hangUps });
  const cause = await stopping;
  endReloads();
  const code = await group.stop();
  stopped(cause);
  return code;
}

/** @throws UsageError where processes cannot share a database or a port. */
function refuseUnshared(engine: 'sqlite' | 'postgres'): void {
  if (engine === 'sqlite') {
    throw new UsageError(
      '--processes needs PostgreSQL (--database): a SQLite file has one writer at a time, so more processes would only wait for ' +
        'each other. Leave out --processes.',
    );
  }
  if (process.platform !== 'linux') {
    throw new UsageError(
      '--processes works on Linux, which shares the connections of a port between processes. Here, start several servers on ' +
        'ports of their own behind a proxy.',
    );
  }
}

/** The workers of one port. */
function workerGroup(invocation: Invocation, port: number, stopping: Promise<unknown>) {
  const { config, log } = invocation;
  const settings = config.read(coreSettings);
  let over = false;
  const running = new Set<WorkerProcess>();
  const settingsOf = settingsOfWorkers(() => invocation.inForce?.() ?? {});
  const counts = gatherer(() => [...running], settings.processes);
  const scrapes = scrapesFor(invocation, counts.gather);

  const run = (place: number, greets: boolean): WorkerProcess => {
    const started = startWorker({ port, place, greets }, settingsOf.now(), counts.heard);
    running.add(started);
    void started.child.exited.then(() => running.delete(started));
    void settingsOf.follow(started);
    void started.ready.then((serves) => (serves ? endWhenHung(started, log) : undefined));
    return started;
  };

  const again = (place: number): WorkerProcess => {
    const started = run(place, false);
    const { pid } = started.child;
    void started.ready.then((serves) => serves && log.info('worker_ready', { worker: pid }));
    return started;
  };

  /** Starts a worker again whenever it has ended. */
  const keep = async (first: WorkerProcess): Promise<void> => {
    let pauseMs = firstPauseMs;
    for (let worker = first; ; worker = again(first.place)) {
      const began = performance.now();
      const code = await worker.child.exited;
      if (over) return;
      if (performance.now() - began > steadyMs) pauseMs = firstPauseMs;
      const { pid, signalCode: signal } = worker.child;
      log.error('worker_ended', {
        worker: pid,
        code: signal === null ? code : null,
        signal,
        restartMs: pauseMs,
      });
      await Promise.race([Bun.sleep(pauseMs), stopping]);
      if (over) return;
      pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    }
  };

  const stop = async (): Promise<number> => {
    over = true;
    await scrapes?.stop();
    const ending = [...running];
    for (const { child } of ending) child.kill('SIGTERM');
    const kill = setTimeout(
      () => {
        for (const { child } of running) child.kill('SIGKILL');
      },
      (settings['stop-delay'] + settings['drain-timeout']) * 1_000 + stopMarginMs,
    );
    const codes = await Promise.all(ending.map(({ child }) => child.exited));
    clearTimeout(kill);
    return codes.find((code) => code !== exit.ok) ?? exit.ok;
  };

  return { run, keep, stop, reconfigure: settingsOf.changed };
}

/** Gives the workers the settings that were accepted after their start. @param now the settings in force. */
function settingsOfWorkers(now: () => SettingsInForce) {
  /** Those that listen. */
  const ready = new Set<WorkerProcess>();
  let changes = 0;
  const give = ({ send }: WorkerProcess) => {
    try {
      send({ settings: now() } satisfies NewSettings);
    } catch {
      // It has just ended. The one that replaces it starts with them.
    }
  };
  return {
    now,
    changed: () => {
      changes++;
      for (const worker of ready) give(worker);
    },
    follow: async (worker: WorkerProcess): Promise<void> => {
      const before = changes;
      if (!(await worker.ready)) return;
      ready.add(worker);
      if (before !== changes) give(worker);
      await worker.child.exited;
      ready.delete(worker);
    },
  };
}

interface WorkerProcess extends WatchedWorker {
  readonly child: Bun.Subprocess;
  /** The number of the worker, from 1 to --processes. A restarted worker keeps the number. */
  readonly place: number;
  /** Whether the worker is ready: false if it ended before that. */
  readonly ready: Promise<boolean>;
}

function startWorker(
  { port, place, greets }: { readonly port: number; readonly place: number; readonly greets: boolean },
  settings: SettingsInForce,
  heard: (message: unknown, from: WorkerProcess) => void,
): WorkerProcess {
  const ready = Promise.withResolvers<boolean>();
  const child = Bun.spawn([...ownCommand(), ...process.argv.slice(2)], {
    env: { ...process.env, ...workerEnvironment(port, greets) },
    stdin: new Blob([JSON.stringify(settings)]),
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (message) => {
      if (message === readyMessage) ready.resolve(true);
      else if (message === aliveMessage) worker.missed = 0;
      else heard(message, worker);
    },
  });
  void child.exited.then(() => ready.resolve(false));
  const send = (message: unknown) => child.send(message);
  const worker: WorkerProcess = { child, place, missed: 0, ready: ready.promise, send };
  return worker;
}
