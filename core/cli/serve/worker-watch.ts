import type { Log } from '../../base/log.ts';
import { aliveMessage } from '../invocation/worker.ts';

/** How often a worker is asked, and how many replies in a row may be missing: half a minute, as in other supervisors of processes. */
const everyMs = 3_000;
const mostMissed = 10;

export interface WatchedWorker {
  readonly child: Pick<Bun.Subprocess, 'pid' | 'kill' | 'exited'>;
  /** The number of questions since the last reply. */
  missed: number;
  send(message: unknown): void;
}

/**
 * Kills a worker whose event loop stands still, e.g. in an endless loop of a plugin: the operating system would go on giving it a share
 * of the connections, and none of them would be answered. Questions are counted, not seconds, so no worker is killed because the machine
 * was suspended. Resolves when the worker has ended.
 */
export async function endWhenHung(worker: WatchedWorker, log: Log, intervalMs = everyMs): Promise<void> {
  const { child } = worker;
  const ask = setInterval(() => {
    if (worker.missed === mostMissed) {
      log.error('worker_hung', { worker: child.pid, seconds: (mostMissed * intervalMs) / 1_000 });
      child.kill('SIGKILL');
    }
    worker.missed++;
    try {
      worker.send(aliveMessage);
    } catch {
      // It has just ended.
    }
  }, intervalMs);
  await child.exited;
  clearInterval(ask);
}
