import { SQL } from 'bun';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterThisProcess, temporaryDirectory } from '../temporary.ts';

/** A real MariaDB of one test, on loopback and a free port, in a directory of its own. */
export interface MariadbServer {
  readonly url: string;
  readonly port: number;
  /** Runs statements one after the other. @returns the rows of the last one. */
  run(...statements: readonly string[]): Promise<ReadonlyArray<Record<string, unknown>>>;
  /** The text of `mysqldump` with these arguments. */
  dump(...words: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Ends the whole test if the installation waits for something. */
const installMs = 180_000;

/**
 * Whether the programs of the Debian package mariadb-server are there. If not, and this machine is a Debian whose packages this user may
 * install, they are installed; otherwise the test says that it was skipped.
 */
export async function haveMariadb(): Promise<boolean> {
  if (Bun.which('mariadbd', { PATH: programs }) !== null) return true;
  if (process.getuid?.() === 0 && Bun.which('apt-get') !== null) {
    const options = {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdout: 'ignore',
      stderr: 'ignore',
      timeout: installMs,
    } as const;
    await Bun.spawn(['apt-get', 'update'], options).exited;
    await Bun.spawn(['apt-get', 'install', '-y', '--no-install-recommends', 'mariadb-server'], options)
      .exited;
  }
  const isThere = Bun.which('mariadbd', { PATH: programs }) !== null;
  if (!isThere)
    process.stderr.write('skipped: the tests with a real MariaDB need the Debian package mariadb-server.\n');
  return isThere;
}

const programs = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin`;

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });

/** Starts a server with an empty database `checkmate`. */
export async function startMariadb(): Promise<MariadbServer> {
  const home = temporaryDirectory('mariadb');
  const data = join(home, 'data');
  mkdirSync(data);
  const env = { ...process.env, PATH: programs };
  const own = process.getuid?.() === 0 ? ['--user=root'] : [];
  const made = Bun.spawnSync(
    [
      'mariadb-install-db',
      '--no-defaults',
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      ...own,
    ],
    { env, stdout: 'ignore', stderr: 'pipe' },
  );
  if (made.exitCode !== 0) throw new Error(`mariadb-install-db: ${made.stderr.toString()}`);
  const port = await freePort();
  const child = Bun.spawn(
    [
      'mariadbd',
      '--no-defaults',
      `--datadir=${data}`,
      '--bind-address=127.0.0.1',
      `--port=${port}`,
      `--socket=${join(home, 's')}`,
      `--pid-file=${join(home, 'pid')}`,
      // Times must not depend on the time zone of the server.
      '--default-time-zone=+05:30',
      '--skip-log-bin',
      ...own,
    ],
    { env, stdout: 'ignore', stderr: Bun.file(join(home, 'log')) },
  );
  child.unref();
  const guard = afterThisProcess('read -r line; kill -KILL "$1"', String(child.pid));
  const url = `mysql://root@127.0.0.1:${port}/checkmate`;
  const run: MariadbServer['run'] = async (...statements) => {
    const sql = new SQL(url.replace(/checkmate$/, 'mysql'), { max: 1 });
    try {
      let rows: unknown = [];
      await sql.unsafe('use checkmate').catch(() => {});
      for (const statement of statements) rows = await sql.unsafe(statement);
      return rows as ReadonlyArray<Record<string, unknown>>;
    } finally {
      await sql.close();
    }
  };
  for (let tries = 0; ; tries++) {
    try {
      await run('create database checkmate character set utf8mb4');
      break;
    } catch (error) {
      if (tries > 200 || child.exitCode !== null) throw error;
      await Bun.sleep(50);
    }
  }
  return {
    url,
    port,
    run,
    dump: async (...words) => {
      const program = Bun.which('mysqldump', { PATH: programs }) ?? 'mariadb-dump';
      const dumped = Bun.spawn(
        [program, '--no-defaults', '-h127.0.0.1', `-P${port}`, '-uroot', ...words, 'checkmate'],
        {
          env,
          stdout: 'pipe',
          stderr: 'pipe',
        },
      );
      const [text, error] = await Promise.all([
        new Response(dumped.stdout).text(),
        new Response(dumped.stderr).text(),
      ]);
      if ((await dumped.exited) !== 0) throw new Error(`mysqldump: ${error}`);
      return text;
    },
    stop: async () => {
      child.ref();
      child.kill('SIGTERM');
      await child.exited;
      guard.cancel();
    },
  };
}
