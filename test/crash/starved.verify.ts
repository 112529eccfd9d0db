import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { chmodSync, chownSync, cpSync, statfsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { compiled, runTrivet, type Executable } from '../executable.ts';
import { liveCta, startServed, type Served } from '../served.ts';
import { afterThisProcess, temporaryDirectory } from '../temporary.ts';
import { ran, randomFrom, scaled, seed } from '../verify/scale.ts';
import { deltaWriter, sessionWriter, testWriter, type Writer } from './writers.ts';

/*
 * The machine runs out of something: disk space, write permission, file descriptors. Each time the response says so (STORAGE_FAILED, exit
 * code 4, or only a late response), nothing acknowledged is lost, and the server recovers by itself when there is enough again.
 *
 * Mutation note: seen to fail when storageFault does not know SQLITE_IOERR and SQLITE_FULL (the writers meet a 500), and when
 * commitTogether resolves its jobs although the COMMIT threw.
 */
const random = randomFrom(seed);
const seconds = scaled(2, 10);
const root = process.getuid?.() === 0;

async function writersOn(served: Served): Promise<Writer[]> {
  const ctaId = await liveCta(served);
  const sets = [1, 2].map(async (number) => [
    await testWriter(served, random, `starved-${number}`),
    deltaWriter(served, ctaId, String(number), Date.now),
    await sessionWriter(served, `session ${number}`),
  ]);
  return (await Promise.all(sets)).flat();
}

interface Starving {
  readonly served: Served;
  take(): void;
  giveBack(): void;
}

/** Lets writers run into a shortage and recover. @returns the number of 503 responses. */
async function starve({ served, take, giveBack }: Starving): Promise<void> {
  const writers = await writersOn(served);
  let over = false;
  const writing = Promise.all(writers.map((writer) => writer.write(() => over)));
  await Bun.sleep(200);
  take();
  await Bun.sleep(seconds * 1000);
  const isDegraded = async () => {
    const answer = await bulky(served);
    expect({ status: answer.status, code: answer.code }).toEqual({ status: 503, code: 'STORAGE_FAILED' });
    const health = await fetch(`${served.running.origin}/healthz`);
    const { status, storage } = (await health.json()) as { status: string; storage?: string };
    expect(health.status).toBe(200);
    return status === 'degraded' && storage === 'failing';
  };
  const readiness = async () => {
    const answer = await fetch(`${served.running.origin}/readyz`);
    return [answer.status, await answer.json()] as const;
  };
  // Between two requests a small write of another writer may still fit: the server is then well again.
  let degraded = false;
  let ready = await readiness();
  for (const until = Date.now() + 20_000; Date.now() < until && !(degraded && ready[0] === 503);) {
    degraded = (await isDegraded()) || degraded;
    ready = await readiness();
  }
  expect(degraded).toBe(true);
  expect(ready).toMatchObject([
    503,
    { error: { code: 'NOT_READY', cause: expect.stringMatching(/^(?:storage|disk)$/) as string } },
  ]);
  // However many requests were affected, the log says it once a minute.
  expect(served.running.stderr().split('"storage_failed"').length - 1).toBe(1);
  giveBack();
  const before = writers.map(({ acknowledged }) => acknowledged);
  await Bun.sleep(seconds * 500);
  over = true;
  await writing;
  expect(await (await fetch(`${served.running.origin}/healthz`)).json()).toMatchObject({ status: 'ok' });
  // Each kind of writer continued without a restart.
  const went = writers.map(({ acknowledged }, index) => acknowledged - (before[index] ?? 0));
  expect(went.reduce((sum, count) => sum + count)).toBeGreaterThan(0);
  for (const writer of writers) expect(await writer.verify()).toEqual([]);
  await served.running.stop('SIGKILL');
  await served.start();
  for (const writer of writers) expect(await writer.verify()).toEqual([]);
  const file = new Database(join(served.data, 'trivet.db'), { readonly: true });
  expect(file.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  file.close();
  await served.running.stop();
}

/** Writes large projects until one is refused; at most 64 MiB. */
async function bulky(served: Served): Promise<{ status: number; code: unknown }> {
  for (let written = 0; written < 4000; written++) {
    const { status, body } = await served.tool('create-project', {
      orgId: 1,
      projectName: 'bulky',
      projectDescription: 'x'.repeat(16_000),
    });
    if (status !== 200) return { status, code: (body['error'] as { code?: unknown } | undefined)?.code };
  }
  return { status: 200, code: undefined };
}

/** A shell sets the limit, then becomes the server. Without the trap the kernel would kill it instead of refusing. */
const under = (limit: string): Executable => ({
  name: `under ${limit}`,
  command: ['bash', '-c', `trap '' XFSZ; ${limit}; exec "$@"`, 'bash', ...compiled.command],
});

test('a file that may not grow', async () => {
  const served = await startServed({ executable: under('ulimit -Sf unlimited') });
  const limit = (bytes: string) => {
    const done = Bun.spawnSync(['prlimit', '--pid', String(served.running.pid), `--fsize=${bytes}:`]);
    expect(done.stderr.toString()).toBe('');
  };
  await starve({ served, take: () => limit('2000000'), giveBack: () => limit('unlimited') });
  ran(1, 'shortages of space for one file');
}, 120_000);

test('a full disk', async () => {
  const data = temporaryDirectory('full');
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=4m,mode=0700', 'tmpfs', data]);
  if (mounted.exitCode !== 0) {
    process.stdout.write(
      `skipped: a full disk (no right to mount a tmpfs: ${mounted.stderr.toString().trim()})\n`,
    );
    return;
  }
  const unmount = afterThisProcess('read -r line; umount -l "$1"', data);
  try {
    const resize = (size: string) =>
      expect(Bun.spawnSync(['mount', '-o', `remount,size=${size},mode=0700`, data]).exitCode).toBe(0);
    const served = await startServed({ data });
    await starve({ served, take: () => resize('4m'), giveBack: () => resize('256m') });
    // With no space left at all, the command line says so, too.
    const { bsize, bavail } = statfsSync(data);
    Bun.spawnSync(['dd', 'if=/dev/zero', `of=${join(data, 'filler')}`, `bs=${bsize}`, `count=${bavail + 1}`]);
    const call = await runTrivet(compiled, [
      'call',
      'create-project',
      '-a',
      'orgId=1',
      '-a',
      'projectName=x',
      '--data',
      data,
    ]);
    expect({ exitCode: call.exitCode, stdout: call.stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(call.stderr).toContain('STORAGE_FAILED');
    ran(1, 'full disks');
  } finally {
    Bun.spawnSync(['umount', '-l', data]);
    unmount.cancel();
  }
}, 120_000);

test('a data directory that may only be read', async () => {
  const data = join(temporaryDirectory('readonly'), 'data');
  const first = ['dev', 'id-token', '--email', 'a@b.co', '--data', data];
  expect((await runTrivet(compiled, first)).exitCode).toBe(0);
  const binary = join(temporaryDirectory('readonly-binary'), 'trivet');
  let executable = compiled;
  if (root) {
    // Root may write everywhere, so another user tries.
    cpSync(compiled.command[0] ?? '', binary);
    for (const path of [data, join(data, 'trivet.db'), join(data, 'master.key')])
      chownSync(path, 65534, 65534);
    for (const path of [join(data, '..'), join(binary, '..')]) chmodSync(path, 0o755);
    executable = {
      name: 'as nobody',
      command: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', binary],
    };
  }
  const write = ['call', 'create-project', '-a', 'orgId=1', '-a', 'projectName=x', '--data', data];
  expect((await runTrivet(executable, write, { cwd: '/' })).exitCode).toBe(0);
  chmodSync(join(data, 'trivet.db'), 0o400);
  chmodSync(data, 0o500);
  for (const words of [write, ['token', 'create', '--email', 'a@b.co', '--name', 'x', '--data', data]]) {
    const refused = await runTrivet(executable, words, { cwd: '/' });
    expect(refused.stdout).toBe('');
    expect([2, 4]).toContain(refused.exitCode);
    expect(refused.stderr).toMatch(/cannot be written|STORAGE_FAILED|Check free space and permissions/);
    expect(refused.stderr).not.toMatch(/\n\s+at /);
  }
  chmodSync(data, 0o700);
  chmodSync(join(data, 'trivet.db'), 0o600);
  const again = await runTrivet(executable, write, { cwd: '/' });
  expect(JSON.parse(again.stdout)).toMatchObject({ projectId: 2 });
  ran(1, 'data directories that may only be read');
}, 60_000);

test('no file descriptor left', async () => {
  const served = await startServed({ executable: under('ulimit -n 80') });
  const writers = await writersOn(served);
  let over = false;
  const writing = Promise.all(writers.map((writer) => writer.write(() => over)));
  await Bun.sleep(200);
  const sockets = await idleSockets(served.running.origin, 300);
  const before = writers.map(({ acknowledged }) => acknowledged);
  await Bun.sleep(seconds * 1000);
  // Clients with an open connection are still served.
  const went = writers.filter(({ acknowledged }, index) => acknowledged > (before[index] ?? 0));
  expect(went.length).toBeGreaterThan(0);
  for (const socket of sockets) socket.destroy();
  over = true;
  await writing;
  const health = await fetch(`${served.running.origin}/healthz`, { signal: AbortSignal.timeout(10_000) });
  expect(health.status).toBe(200);
  for (const writer of writers) expect(await writer.verify()).toEqual([]);
  expect(await served.running.stop()).toBe(0);
  ran(sockets.length, 'connections against a server with 80 file descriptors');
}, 60_000);

/** Idle connections. Those that the kernel queues count as connected, too. */
function idleSockets(origin: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(origin);
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve) => {
          const socket = connect(Number(port), hostname);
          socket.on('error', () => resolve(socket));
          socket.once('connect', () => resolve(socket));
        }),
    ),
  );
}
