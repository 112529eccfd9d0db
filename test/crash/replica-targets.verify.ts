import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, runTrivet } from '../executable.ts';
import { startS3 } from '../s3-server.ts';
import { startServed, type Served } from '../served.ts';
import { afterThisProcess, temporaryDirectory } from '../temporary.ts';
import { ran } from '../verify/scale.ts';

/*
 * Targets of `--replicate` that hang, fill up and return old lists. The server goes on, says that its replica is behind, and catches up; a
 * restore gives a prefix of the history and never something else. Denied and torn objects: test/replicate.test.ts.
 */

const namesIn = (data: string): readonly string[] => {
  const db = new Database(join(data, 'trivet.db'), { readonly: true });
  try {
    expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    return db
      .query<{ name: string }, []>('SELECT name FROM testmgmt_projects ORDER BY id')
      .all()
      .map(({ name }) => name);
  } finally {
    db.close();
  }
};

/** Creates a project. @returns how long it took, in milliseconds. */
async function make(served: Served, projectName: string, bytes = 0): Promise<number> {
  const began = performance.now();
  // Random, because a replica is compressed.
  const projectDescription = Buffer.from(crypto.getRandomValues(new Uint8Array(bytes / 2))).toString('hex');
  await served.must('create-project', { orgId: 1, projectName, projectDescription });
  return performance.now() - began;
}

async function untilReplica(served: Served, wanted: string, seconds: number): Promise<void> {
  const from = Date.now();
  for (let tries = 0; tries < seconds * 10; tries++) {
    const { replication } = (await served.get('/readyz')).body as {
      replication?: { state?: string; lagSeconds?: number | null };
    };
    const { state, lagSeconds } = replication ?? {};
    const isStored = typeof lagSeconds === 'number' && Date.now() - lagSeconds * 1_000 > from;
    if (state === wanted && (wanted !== 'ok' || isStored)) return;
    await Bun.sleep(100);
  }
  throw new Error(`the replica was not ${wanted} within ${seconds} s: ${served.running.stderr()}`);
}

/** Restores into a new directory. @returns the names, or what was said. */
async function restored(served: Served, url: string, keys: readonly string[], at: readonly string[] = []) {
  const target = join(temporaryDirectory('target'), 'data');
  mkdirSync(target, { mode: 0o700 });
  cpSync(join(served.data, 'master.key'), join(target, 'master.key'));
  const { exitCode, stderr } = await runTrivet(compiled, ['restore', url, '--data', target, ...at, ...keys]);
  return { exitCode, stderr, names: exitCode === 0 ? namesIn(target) : [] };
}

test('a bucket that hangs: the server goes on, and what it could not send is sent later', async () => {
  let hangs: PromiseWithResolvers<Response> | undefined;
  const s3 = await startS3((request) => (request.method === 'PUT' ? hangs?.promise : undefined));
  const keys = ['--replicate-keys-file', s3.keys];
  const served = await startServed({ args: ['--replicate', s3.url, ...keys] });
  await make(served, 'before');
  await untilReplica(served, 'ok', 30);
  hangs = Promise.withResolvers();
  const waits: number[] = [];
  for (let n = 0; n < 20; n++) waits.push(await make(served, `hanging ${n}`));
  await untilReplica(served, 'away', 60);
  expect(Math.max(...waits)).toBeLessThan(1_000);
  const { resolve } = hangs;
  hangs = undefined;
  resolve(new Response('', { status: 503 }));
  await untilReplica(served, 'ok', 60);
  await served.running.stop('SIGKILL');
  const { names, exitCode } = await restored(served, s3.url, keys);
  expect({ exitCode, count: names.length }).toEqual({ exitCode: 0, count: 21 });
  await s3.stop();
  ran(1, 'buckets that hang');
}, 240_000);

test('a directory that is full: the server goes on, and catches up when there is room', async () => {
  const place = temporaryDirectory('full-replica');
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=6m,mode=0700', 'tmpfs', place]);
  if (mounted.exitCode !== 0) {
    process.stdout.write(`skipped: a full directory (no right to mount a tmpfs)\n`);
    return;
  }
  const unmount = afterThisProcess('read -r line; umount -l "$1"', place);
  try {
    const url = `file://${join(place, 'replica')}`;
    const served = await startServed({ args: ['--replicate', url] });
    await make(served, 'before');
    await untilReplica(served, 'ok', 30);
    let made = 1;
    for (; made < 1_000; made++) {
      await make(served, `full ${made}`, 20_000);
      const { replication } = (await served.get('/readyz')).body as { replication?: { state?: string } };
      if (replication?.state === 'away') break;
    }
    await untilReplica(served, 'away', 30);
    for (let n = 0; n < 20; n++) expect(await make(served, `after ${n}`, 20_000)).toBeLessThan(1_000);
    // What is there is whole: as far as it goes.
    const early = await restored(served, url, []);
    if (early.exitCode === 0) expect(early.names[0]).toBe('before');
    expect(Bun.spawnSync(['mount', '-o', 'remount,size=256m,mode=0700', place]).exitCode).toBe(0);
    await untilReplica(served, 'ok', 60);
    const total = Number((await served.must('get-projects', { orgId: 1, limit: 1 }))['total']);
    await served.running.stop('SIGKILL');
    const late = await restored(served, url, []);
    expect({ exitCode: late.exitCode, count: late.names.length }).toEqual({ exitCode: 0, count: total });
    ran(1, 'full directories');
  } finally {
    Bun.spawnSync(['umount', '-l', place]);
    unmount.cancel();
  }
}, 240_000);

test('a bucket that returns old lists: a restore gives a prefix, and refuses a moment that it cannot see', async () => {
  const s3 = await startS3();
  const keys = ['--replicate-keys-file', s3.keys];
  const served = await startServed({ args: ['--replicate', s3.url, ...keys] });
  for (let n = 0; n < 10; n++) await make(served, String(n));
  await untilReplica(served, 'ok', 30);
  await Bun.sleep(1_500);
  const old = Date.now();
  await Bun.sleep(1_500);
  for (let n = 10; n < 20; n++) await make(served, String(n));
  await untilReplica(served, 'ok', 30);
  await served.running.stop();
  const port = /127\.0\.0\.1:(\d+)/.exec(readFileSync(s3.keys, 'utf8'))?.[1];
  const oldLists = s3.behind((request) => {
    const url = new URL(request.url);
    if (request.method !== 'GET' || !url.searchParams.has('list-type')) return undefined;
    return fetch(`http://127.0.0.1:${port}${url.pathname}${url.search}`, { headers: request.headers }).then(
      async (response) => {
        const text = await response.text();
        const kept = text.replaceAll(/<Contents>.*?<\/Contents>/gs, (entry) => {
          const at = /<LastModified>([^<]*)</.exec(entry)?.[1];
          return at !== undefined && Date.parse(at) > old ? '' : entry;
        });
        return new Response(kept, {
          status: response.status,
          headers: { 'content-type': 'application/xml' },
        });
      },
    );
  });
  const stale = ['--replicate-keys-file', oldLists];
  const now = await restored(served, s3.url, stale);
  expect(now.names).toEqual(now.names.map((_, index) => String(index)));
  const asked = await restored(served, s3.url, stale, ['--at', new Date(old + 3_000).toISOString()]);
  // Either it says that it cannot give this moment, or the objects were reached in another way than by the list.
  if (asked.exitCode === 0) expect(asked.names.length).toBeGreaterThanOrEqual(10);
  expect(asked.names).toEqual(asked.names.map((_, index) => String(index)));
  process.stdout.write(
    `figure: with old lists: ${now.names.length} of 20 (exit ${now.exitCode}); at a later moment: exit ${asked.exitCode}\n`,
  );
  await s3.stop();
  ran(2, 'restores from old lists');
}, 120_000);
