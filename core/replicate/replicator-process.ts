import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, systemRandom } from '../base/clock.ts';
import type { LogFields } from './replicator-options.ts';
import { lacksMigrations } from '../db/sqlite/database-pins.ts';
import { inputStream } from '../base/standard-streams.ts';
import { holdAlone, type DirectoryLock } from '../db/sqlite/directory-lock.ts';
import { replicationLockFile } from '../db/sqlite/erased-log.ts';
import { contentSealer } from './content-sealing.ts';
import { openTarget } from './target-opening.ts';
import { Fenced } from './generation-claim.ts';
import { Replicator } from './replicator.ts';

/** What a server tells its replicator, in one line on stdin. Secrets are in no command line and no environment. */
export interface ReplicatorOrder {
  readonly data: string;
  readonly url: string;
  readonly s3: string | undefined;
  readonly recipients: readonly string[];
  readonly files: readonly string[];
  readonly holder: string;
  readonly snapshotMs: number;
  readonly keepMs: number;
  readonly backlogBytes: number;
  /** The migrations of this executable. */
  readonly migrations: readonly string[];
  /** The server is about to open the database, and waits. */
  readonly first: boolean;
}

/** What a replicator tells its server, one line each on stdout. */
export type ReplicatorLine =
  | { readonly is: 'ready' }
  /** The database is older: the server must be alone with it first. */
  | { readonly is: 'older' }
  | { readonly is: 'ended'; readonly code: number }
  | {
      readonly is: 'log';
      readonly severity: 'info' | 'warn' | 'error';
      readonly event: string;
      readonly fields: LogFields;
    };

/** The environment variable that makes a process a replicator. It lacks TRIVET_ because it is no setting. */
export const replicatorVariable = '_TRIVET_REPLICATOR';

/** Exit codes: of one that has ended as it was told, and of one that another data directory has replaced. */
export const replicatorExit = { ended: 0, failed: 1, fenced: 3 } as const;

/** How long it goes on when its server has ended. */
const graceMs = 8_000;

const tell = (line: ReplicatorLine): boolean => isHeard(JSON.stringify(line));

/** Writes a line. @returns false when the server has ended, and nobody reads it. */
function isHeard(line: string): boolean {
  try {
    writeSync(1, `${line}\n`);
    return true;
  } catch {
    return false;
  }
}

/** How long it outlives its work for a server that does not end. */
const outliveMs = 10_000;

/**
 * Runs as the replicator of a server until that closes our stdin or ends. The last process to close the database deletes the log, from
 * which the next replicator goes on. So this one waits for the end of the server, and then ends by a signal, which closes nothing.
 */
export async function runReplicator(): Promise<never> {
  const code = await work();
  tell({ is: 'ended', code });
  for (const over = performance.now() + outliveMs; performance.now() < over && isHeard('');)
    await Bun.sleep(20);
  process.kill(process.pid, 'SIGKILL');
  return new Promise<never>(() => {});
}

/** Held until the process ends: one that nothing refers to would be collected, and released. */
let turn: DirectoryLock | undefined;
let examined: ReturnType<typeof lacksMigrations> | undefined;

/** @returns what its server should know of its end. */
async function work(): Promise<number> {
  // A terminal and a service manager signal both processes. This one has work to do after its server.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const ended = new AbortController();
  const order = await readOrder<ReplicatorOrder>(ended);
  if (!order) return replicatorExit.ended;
  const { data, migrations, first } = order;
  examined = first ? lacksMigrations(data, migrations) : undefined;
  if (examined?.lacks) {
    tell({ is: 'older' });
    return replicatorExit.ended;
  }
  turn = await lockOf(data, ended.signal);
  if (!turn) return replicatorExit.ended;
  try {
    const replicator = new Replicator({
      ...order,
      target: await openTarget(order.url, order.s3),
      seal: await contentSealer(order.recipients),
      encrypted: order.recipients.length > 0,
      clock: systemClock,
      random: systemRandom,
      say: (severity, event, fields) => tell({ is: 'log', severity, event, fields }),
    });
    tell({ is: 'ready' });
    await replicator.run(ended.signal, graceMs);
    return replicatorExit.ended;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof Fenced) {
      tell({ is: 'log', severity: 'error', event: 'replication_fenced', fields: { reason } });
      return replicatorExit.fenced;
    }
    const stack = error instanceof Error ? error.stack : undefined;
    tell({ is: 'log', severity: 'error', event: 'replicator_failed', fields: { reason, stack } });
    return replicatorExit.failed;
  }
}

/** The first line of stdin. Its end aborts `ended`. */
export async function readOrder<T>(ended: AbortController): Promise<T | undefined> {
  const first = Promise.withResolvers<string | undefined>();
  void (async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of inputStream()) {
      text += decoder.decode(chunk, { stream: true });
      const end = text.indexOf('\n');
      if (end >= 0) first.resolve(text.slice(0, end));
    }
    first.resolve(undefined);
    ended.abort();
  })();
  const line = await first.promise;
  return line === undefined ? undefined : (JSON.parse(line) as T);
}

/** The turn of this process; waits while another server's replicator has it. @returns undefined if it is to end. */
async function lockOf(data: string, ended: AbortSignal) {
  let waited = false;
  for (;;) {
    const lock = existsSync(data) ? holdAlone(join(data, replicationLockFile)) : undefined;
    if (lock) return lock;
    if (ended.aborted) return undefined;
    if (!waited) tell({ is: 'log', severity: 'info', event: 'replication_by_another_process', fields: {} });
    if (!waited) tell({ is: 'ready' });
    waited = true;
    await systemClock.wait(300, ended);
  }
}
