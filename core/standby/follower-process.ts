import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { holdAlone, type DirectoryLock } from '../db/sqlite/directory-lock.ts';
import { ObjectFault } from '../replicate/content-sealing.ts';
import { readOrder } from '../replicate/replicator-process.ts';
import { openTarget } from '../replicate/target-opening.ts';
import { Follower, NothingToFollow } from './following.ts';
import {
  isAskedToLeave,
  isClean,
  keepStandbyStatus,
  readStandby,
  standbyLockFile,
  type StandbyWord,
} from './standby-files.ts';

/** What a standby tells its follower, in one line on stdin. */
export interface FollowerOrder {
  readonly data: string;
  readonly url: string;
  readonly s3: string | undefined;
  readonly identity: string | undefined;
  readonly files: readonly string[];
}

/** What a follower tells its server, one line each on stdout. */
export type FollowerLine =
  /** There is a copy that can be read. */
  | { readonly is: 'ready' }
  /** The directory is no copy any more: it has taken over. */
  | { readonly is: 'promoted' }
  | {
      readonly is: 'log';
      readonly severity: 'info' | 'error';
      readonly event: string;
      readonly fields: Readonly<Record<string, string | number>>;
    };

/** The environment variable that makes a process a follower. It lacks TRIVET_ because it is no setting. */
export const followerVariable = '_TRIVET_FOLLOWER';

/** The pause between two looks; each costs two requests. */
const pollMs = 1_000;
/** How often it is looked whether this process is to leave. */
const askedMs = 100;
const longestWaitMs = 15_000;

const tell = (line: FollowerLine): void => {
  try {
    writeSync(1, `${JSON.stringify(line)}\n`);
  } catch {
    // The server has ended, which the end of stdin tells, too.
  }
};

/**
 * Runs as the follower of a standby until that closes our stdin or ends, or until somebody asks for the copy. A process of its own: a
 * server that reads waits for the lock of a change for milliseconds, and never for hashing, decryption or the disk.
 */
export async function runFollower(): Promise<never> {
  const code = await work();
  // Its stdin is still open, and would keep it running.
  process.exit(code);
}

async function work(): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const ended = new AbortController();
  const order = await readOrder<FollowerOrder>(ended);
  if (!order) return 0;
  const lock = await lockOf(order.data, ended.signal);
  if (!lock) return 0;
  try {
    const state = readStandby(order.data);
    if (!state) {
      tell({ is: 'promoted' });
      return 0;
    }
    const say = (event: string, fields: Readonly<Record<string, string | number>>) =>
      tell({ is: 'log', severity: 'info', event, fields });
    const target = await openTarget(order.url, order.s3);
    const follower = new Follower({ ...order, target, clock: systemClock, say }, state);
    await follow(follower, order, ended.signal);
    follower.close();
    return 0;
  } finally {
    lock.release();
  }
}

async function follow(follower: Follower, { data, url }: FollowerOrder, signal: AbortSignal): Promise<void> {
  let failures = 0;
  let isReady = false;
  const status = (state: StandbyWord, reason?: string) => {
    const { coveredAt } = follower.state;
    const at = systemClock.now();
    try {
      keepStandbyStatus(data, {
        target: url,
        state,
        coveredAt,
        at,
        ...(reason === undefined ? {} : { reason }),
      });
    } catch {
      // The disk is full, which its own check reports.
    }
  };
  // A copy that is one moment can be read at once, also while the target is away.
  if (isClean(follower.state)) {
    isReady = true;
    tell({ is: 'ready' });
  }
  while (!signal.aborted && !isAskedToLeave(data)) {
    let more = false;
    try {
      more = await follower.round();
      if (failures > 0) tell({ is: 'log', severity: 'info', event: 'standby_follows_again', fields: {} });
      failures = 0;
      status('following');
      if (!isReady && isClean(follower.state)) {
        isReady = true;
        tell({ is: 'ready' });
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      status(wordOf(error, follower.state.whole), reason.slice(0, 500));
      if (failures++ === 0)
        tell({ is: 'log', severity: 'error', event: 'standby_not_following', fields: { reason } });
    }
    if (more) continue;
    const waitMs = failures === 0 ? pollMs : Math.min(longestWaitMs, 500 * 2 ** Math.min(failures, 5));
    for (const over = performance.now() + waitMs; performance.now() < over && !signal.aborted;) {
      if (isAskedToLeave(data)) return;
      await systemClock.wait(askedMs, signal);
    }
  }
}

function wordOf(error: unknown, whole: boolean): StandbyWord {
  if (error instanceof NothingToFollow) return whole ? 'waiting' : 'copying';
  return error instanceof ObjectFault || error instanceof UsageError ? 'failing' : 'away';
}

/** The lock of the copy; waits while another process changes it, or is about to. @returns undefined if it is to end. */
async function lockOf(data: string, ended: AbortSignal): Promise<DirectoryLock | undefined> {
  for (;;) {
    const lock =
      existsSync(data) && !isAskedToLeave(data) ? holdAlone(join(data, standbyLockFile)) : undefined;
    if (lock) return lock;
    if (ended.aborted) return undefined;
    await systemClock.wait(askedMs, ended);
  }
}
