import type { Log } from '../base/log.ts';
import { linesOf, spawnBeside } from '../replicate/replicator-child.ts';
import { followerVariable, type FollowerLine, type FollowerOrder } from './follower-process.ts';

/** The follower of a standby. */
interface FollowerChild {
  /** Resolves when there is a copy that can be read. */
  readonly ready: Promise<void>;
  /** Resolves when the directory is no copy any more. */
  readonly promoted: Promise<void>;
  stop(): Promise<void>;
}

const againMs = 100;
const longestAgainMs = 10_000;
/** A follower that ran for so long did not fail at its start. */
const steadyMs = 5_000;

/** How long a stop waits for what is being applied. A request that hangs, or the first copy of a large database, may take much longer. */
const stopMs = 5_000;

/** Starts the follower of a standby in a process of its own, and again when it ends. */
export function startFollower(order: FollowerOrder, log: Log): FollowerChild {
  const ready = Promise.withResolvers<void>();
  const promoted = Promise.withResolvers<void>();
  let stopping = false;
  let isOver = false;
  let failures = 0;
  let child: ReturnType<typeof spawnBeside> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;

  const start = () => {
    const own = spawnBeside(followerVariable);
    child = own;
    const began = performance.now();
    void own.stdin.write(`${JSON.stringify(order)}\n`);
    void own.stdin.flush();
    void (async () => {
      for await (const line of linesOf<FollowerLine>(own.stdout)) {
        if (line.is === 'log') log[line.severity](line.event, line.fields);
        if (line.is === 'ready') ready.resolve();
        if (line.is === 'promoted') {
          isOver = true;
          promoted.resolve();
        }
      }
      const code = await own.exited;
      if (stopping || isOver) return;
      if (code !== 0) log.error('follower_ended', { code });
      failures = code === 0 || performance.now() - began > steadyMs ? 0 : failures + 1;
      again = setTimeout(start, Math.min(longestAgainMs, againMs * 2 ** failures));
    })();
  };
  start();
  return {
    ready: ready.promise,
    promoted: promoted.promise,
    stop: async () => {
      stopping = true;
      clearTimeout(again);
      await child?.stdin.end();
      // What is left half done the next one repairs, as after a kill.
      const kill = setTimeout(() => child?.kill('SIGKILL'), stopMs);
      await child?.exited;
      clearTimeout(kill);
    },
  };
}
