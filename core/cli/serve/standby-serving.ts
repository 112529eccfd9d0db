import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault, UsageError } from '../../base/errors.ts';
import { version } from '../../base/version.ts';
import { hasDatabase } from '../../db/sqlite/database-place.ts';
import { holdDirectory } from '../../db/sqlite/directory-lock.ts';
import { isStandby, standbyFault } from '../../db/sqlite/directory-role.ts';
import { readChain } from '../../replicate/replication-files.ts';
import { openTarget } from '../../replicate/target-opening.ts';
import { coreSettings, type Values } from '../../settings/settings.ts';
import { startFollower } from '../../standby/follower-child.ts';
import { freshState, keepStandby, readStandby } from '../../standby/standby-files.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { stopSignal } from './server-lines.ts';

/** What a server is while it follows another one. */
export interface StandbyRole {
  /** Resolves when it has taken over. */
  readonly promoted: Promise<void>;
}

/** How one of the servers that follow each other has ended. */
export interface ServerEnd {
  readonly code: number;
  /** It ended because it has taken over. */
  readonly promoted: boolean;
  /** The port that it had. */
  readonly port: number;
}

type Serve = (
  invocation: Invocation,
  role: StandbyRole | undefined,
  port: number | undefined,
) => Promise<ServerEnd>;

/** @throws UsageError for settings that a standby cannot have. */
export function refuseFollowing(settings: Values<typeof coreSettings>): void {
  if (settings.follow === undefined) return;
  const refuse = (name: string, why: string) =>
    new UsageError(`--follow and --${name} do not go together: ${why}`);
  if (settings.database !== undefined)
    throw refuse(
      'database',
      'PostgreSQL has its own standbys (docs/production.md, Replication on PostgreSQL).',
    );
  if (settings.replicate !== undefined)
    throw refuse(
      'replicate',
      'after trivet promote the server replicates to the address of --follow. Leave --replicate out.',
    );
  if (settings['age-identity'] !== undefined && settings['replicate-recipient'].length === 0)
    throw new UsageError(
      'The replica of --follow is encrypted, and this server replicates there once it has taken over: name its recipient, too, with ' +
        '--replicate-recipient.',
    );
  if (settings.demo) throw refuse('demo', 'a standby has the data of the server that it follows.');
}

/** Serves as a standby until it is promoted, then as the server that is written to, in the same process and on the same port. */
export async function serveFollowing(invocation: Invocation, serve: Serve): Promise<number> {
  const { config, log, modules } = invocation;
  const settings = config.read(coreSettings);
  const { follow: url = '', 'replicate-keys': s3, 'age-identity': identity } = settings;
  const data = resolve(settings.data);
  const { name } = await openTarget(url, s3);
  const asPrimary = { ...invocation, config: config.with({ replicate: url }) };
  if (!followsHere(data, name)) return (await serve(asPrimary, undefined, undefined)).code;
  const files = modules.flatMap((module) => module.files ?? []);
  const follower = startFollower({ data, url, s3, identity, files }, log);
  let lock: ReturnType<typeof holdDirectory>;
  try {
    log.info('standby_started', { target: name });
    const first = await Promise.race([
      follower.ready.then(() => 'ready' as const),
      follower.promoted.then(() => 'promoted' as const),
      stopSignal(),
    ]);
    if (first === 'SIGINT' || first === 'SIGTERM') return 0;
    if (first === 'promoted') return (await serve(asPrimary, undefined, undefined)).code;
    lock = holdDirectory(data, version);
    const gate = { refusal: () => standbyFault(data) };
    const end = await onceComplete(log, () =>
      serve({ ...invocation, gate }, { promoted: follower.promoted }, undefined),
    );
    lock?.release();
    lock = undefined;
    if (!end.promoted) return end.code;
    log.info('standby_promoted', { target: name });
    return (await serve(asPrimary, undefined, end.port)).code;
  } finally {
    lock?.release();
    await follower.stop();
  }
}

/** How long it takes at most until a server that was started for the first time has its first records. */
const firstRecordsMs = 60_000;

/** Waits while the copy is that of a server in its very first second, which has no owner and no key yet. */
async function onceComplete(log: Invocation['log'], serve: () => Promise<ServerEnd>): Promise<ServerEnd> {
  for (const over = performance.now() + firstRecordsMs; ; await Bun.sleep(500)) {
    try {
      return await serve();
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'STANDBY' || performance.now() > over) throw error;
      log.info('standby_waits', { reason: 'the other server has just been started for the first time' });
    }
  }
}

/**
 * Whether a directory follows a replica. An empty one begins to.
 * @returns false for one that has taken over.
 * @throws UsageError for one with other data.
 */
function followsHere(data: string, target: string): boolean {
  if (isStandby(data)) {
    const state = readStandby(data);
    if (state && state.target !== target)
      throw new UsageError(
        `${data} follows ${state.target}. Name that with --follow, or another directory with --data.`,
      );
    if (!state) keepStandby(data, freshState(target));
    return true;
  }
  if (hasDatabase(data)) {
    const kept = readChain(data);
    if (kept?.own && kept.target === target) return false;
    throw new UsageError(
      `${data} has data of its own, and --follow would replace it. Name an empty directory with --data; put the master key there, too, ` +
        'unless the replica is encrypted.',
    );
  }
  mkdirSync(data, { recursive: true, mode: 0o700 });
  keepStandby(data, freshState(target));
  return true;
}
