import type { Log } from '../base/log.ts';
import { ownCommand } from '../base/own-command.ts';
import {
  replicatorExit,
  replicatorVariable,
  type ReplicatorLine,
  type ReplicatorOrder,
} from './replicator-process.ts';

/** The replicator of a server. */
export interface ReplicatorChild {
  /** Starts it again if it waits for a migration. Call it when the database is open. */
  opened(): void;
  /** Lets it store what is left, and waits for its end. */
  stop(): Promise<void>;
}

/** How long a server waits for its replicator before it opens the database. */
const readyMs = 3_000;
const againMs = 1_000;
const longestAgainMs = 60_000;

/**
 * Starts the replicator of a server in a process of its own, and again when it fails.
 * @param exists whether the database exists: then it begins before the server opens it, so that it sees everything.
 */
export async function startReplicator(
  order: Omit<ReplicatorOrder, 'first'>,
  exists: boolean,
  log: Log,
): Promise<ReplicatorChild> {
  let stopping = false;
  let child: Bun.Subprocess<'pipe', 'pipe', 'inherit'> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let ended: Promise<void> = Promise.resolve();
  let isOlder = !exists;

  const start = (first: boolean): Promise<void> => {
    const ready = Promise.withResolvers<void>();
    const own = spawnBeside(replicatorVariable);
    child = own;
    void own.stdin.write(`${JSON.stringify({ ...order, first } satisfies ReplicatorOrder)}\n`);
    void own.stdin.flush();
    let code: number | undefined;
    own.unref();
    const over = Promise.withResolvers<void>();
    ended = over.promise;
    void (async () => {
      for await (const line of linesOf<ReplicatorLine>(own.stdout)) {
        if (line.is === 'log') log[line.severity](line.event, line.fields);
        if (line.is === 'older') isOlder = true;
        if (line.is === 'ready') failures = 0;
        if (line.is === 'ended') {
          ({ code } = line);
          over.resolve();
        }
        if (line.is !== 'log') ready.resolve();
      }
      await own.exited;
      ready.resolve();
      over.resolve();
      if (stopping || isOlder || code === replicatorExit.fenced) return;
      failures++;
      log.error('replicator_ended', { code });
      again = setTimeout(() => void start(false), Math.min(longestAgainMs, againMs * 2 ** (failures - 1)));
    })();
    return ready.promise;
  };

  if (exists) await Promise.race([start(true), Bun.sleep(readyMs)]);
  return {
    opened: () => {
      if (!isOlder) return;
      isOlder = false;
      void start(false);
    },
    stop: async () => {
      stopping = true;
      clearTimeout(again);
      await child?.stdin.end();
      // It waits for the end of this process, not this process for its end.
      await ended;
    },
  };
}

/** Starts this program once more, beside a server. @param variable tells it what it is. */
export const spawnBeside = (variable: string) =>
  Bun.spawn([...ownCommand(), 'serve'], {
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TRIVET_'))),
      [variable]: '1',
    },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });

/** The lines of such a process. */
export async function* linesOf<T>(stream: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as T;
  }
}
