import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { giveAway, lowered } from '../postgres-program.ts';
import { accepting, freePort, type PostgresServer } from '../postgres-server.ts';
import { afterThisProcess, temporaryDirectory } from '../temporary.ts';

/** How to run PgBouncer. */
interface Program {
  readonly path: string;
  readonly libraries: string;
}

/** Where Debian's packages install their files. */
const places = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer'];
const packages = ['pgbouncer', 'libc-ares2'];

let found: Promise<Program | string> | undefined;

/** PgBouncer, installed or unpacked from Debian's packages into a temporary directory. @returns otherwise the reason why there is none. */
export function findPgBouncer(): Promise<Program | string> {
  found ??= look();
  return found;
}

async function look(): Promise<Program | string> {
  const installed = places.find((path) => existsSync(path));
  if (installed !== undefined) return { path: installed, libraries: '' };
  if (Bun.which('apt-get') === null || Bun.which('dpkg') === null)
    return 'PgBouncer is not installed, and this is no Debian whose packages could be unpacked';
  const directory = temporaryDirectory('pgbouncer');
  chmodSync(directory, 0o755);
  const loaded = await run(['apt-get', 'download', ...packages], directory);
  if (loaded !== null) return `PgBouncer is not installed, and "apt-get download" fails: ${loaded}`;
  for (const file of new Bun.Glob('*.deb').scanSync(directory)) {
    const unpacked = await run(['dpkg', '-x', file, 'root'], directory);
    if (unpacked !== null)
      return `PgBouncer is not installed, and its package cannot be unpacked: ${unpacked}`;
  }
  const [library] = new Bun.Glob('root/usr/lib/*/libcares.so.2').scanSync(directory);
  return {
    path: join(directory, 'root/usr/sbin/pgbouncer'),
    libraries: library === undefined ? '' : join(directory, library, '..'),
  };
}

/** Without a network apt-get retries for minutes. */
const patienceMs = 30_000;

/** @returns the output of the program when it fails or takes too long; otherwise null. */
async function run(command: readonly string[], cwd: string): Promise<string | null> {
  const child = Bun.spawn([...command], {
    cwd,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  });
  if ((await child.exited) === 0) return null;
  if (child.signalCode !== null) return `it does not end within ${patienceMs / 1000} seconds`;
  return (await new Response(child.stderr).text()).trim();
}

export interface PgBouncer {
  readonly port: number;
  /** The URL of a database of the server behind it. */
  url(database: string): string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode in front of one server. It does not know which of several servers accepts writes (a `host` with
 * commas is used in turn), so each server has its own PgBouncer, and Trivet checks them.
 * @throws when there is no PgBouncer.
 */
export async function startPgBouncer({ port: server }: PostgresServer): Promise<PgBouncer> {
  const program = await findPgBouncer();
  if (typeof program === 'string') throw new Error(program);
  const directory = temporaryDirectory('pgbouncer');
  const port = await freePort();
  const configuration = join(directory, 'pgbouncer.ini');
  writeFileSync(configuration, configurationOf(port, server));
  giveAway(directory, configuration);
  const child = Bun.spawn([...lowered, program.path, '-q', configuration], {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '', LD_LIBRARY_PATH: program.libraries },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  child.unref();
  const guard = afterThisProcess('read -r line; kill -TERM "$1"', String(child.pid));
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  await accepting(url('postgres'), child);
  return {
    port,
    url,
    stop: async () => {
      child.ref();
      child.kill('SIGQUIT');
      await child.exited;
      guard.cancel();
    },
  };
}

/** As in docs/scaling.md. */
const configurationOf = (port: number, server: number): string => `[databases]
* = host=127.0.0.1 port=${server} user=postgres

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
server_connect_timeout = 2
server_login_retry = 1
query_wait_timeout = 3
ignore_startup_parameters = extra_float_digits
`;
