import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, runTrivet } from '../executable.ts';
import { startS3 } from '../s3-server.ts';
import { startServed, type Served } from '../served.ts';
import { temporaryDirectory } from '../temporary.ts';
import { ran, randomFrom, scaled, seed } from '../verify/scale.ts';

/*
 * The server, its replicator, or both are killed at a random moment under load, or the machine is lost: then only the target is left, copied
 * while it was written to. The restore has everything that was acknowledged more than two seconds before, nothing that was not asked for,
 * and no gap: projects are numbered in the order of their requests, by one writer, so the model is a count.
 */
/** For each kind of target. */
const kills = scaled(1, 150);
const random = randomFrom(seed);
const safeMs = 2_000;

type Kind = 'server' | 'replicator' | 'both' | 'machine';

/** The numbers of the projects in a directory. */
function numbersIn(directory: string): readonly number[] {
  const client = new Database(join(directory, 'trivet.db'));
  try {
    expect(client.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(client.query('PRAGMA foreign_key_check').all()).toEqual([]);
    return client
      .query<{ name: string }, []>('SELECT name FROM testmgmt_projects ORDER BY id')
      .all()
      .map(({ name }) => Number(name));
  } finally {
    client.close();
  }
}

/** The process ids of the replicators of a server. */
async function replicatorsOf(pid: number): Promise<readonly number[]> {
  const found = await Bun.$`pgrep -P ${pid}`.nothrow().quiet().text();
  return found.split('\n').filter(Boolean).map(Number);
}

const kill = (pid: number) => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
};

/** Writes numbered projects. @returns the time at which each was acknowledged. */
async function write(served: Served, from: number, over: AbortSignal): Promise<Map<number, number>> {
  const acknowledged = new Map<number, number>();
  for (let number = from; !over.aborted; number++) {
    try {
      const { status } = await served.tool('create-project', { orgId: 1, projectName: String(number) });
      if (status !== 200) return acknowledged;
      acknowledged.set(number, Date.now());
    } catch {
      return acknowledged;
    }
    await Bun.sleep(random.below(15));
  }
  return acknowledged;
}

async function killAs(kind: Kind, served: Served): Promise<number> {
  const replicators = await replicatorsOf(served.running.pid);
  const at = Date.now();
  if (kind !== 'server') for (const pid of replicators) kill(pid);
  if (kind !== 'replicator') await served.running.stop('SIGKILL');
  return at;
}

test.each(['directory', 'bucket'])(
  `${kills} kills lose nothing that was acknowledged ${safeMs / 1000} s before: %s (SEED=${seed})`,
  async (place) => {
    const s3 = place === 'bucket' ? await startS3() : undefined;
    const replica = temporaryDirectory('replica');
    const url = s3?.url ?? `file://${replica}`;
    const keys = s3 ? ['--replicate-keys-file', s3.keys] : [];
    const served = await startServed({ args: ['--replicate', url, ...keys] });
    let next = 0;
    let restored = 0;
    for (let round = 0; round < kills; round++) {
      const over = new AbortController();
      const writing = write(served, next, over.signal);
      await Bun.sleep(2_300 + random.below(1_500));
      const kind = random.pick<Kind>(['server', 'replicator', 'both', ...(s3 ? [] : (['machine'] as const))]);
      const lost = join(temporaryDirectory('lost'), 'replica');
      if (kind === 'machine') {
        mkdirSync(lost, { recursive: true });
        cpSync(replica, lost, { recursive: true, filter: (source) => !source.endsWith('.part') });
      }
      const at = await killAs(kind, served);
      if (kind === 'replicator') await Bun.sleep(1_500);
      over.abort();
      const acknowledged = await writing;
      if (kind === 'replicator') await served.running.stop('SIGKILL');
      const from = kind === 'machine' ? `file://${lost}` : url;
      const target = join(temporaryDirectory('target'), 'data');
      mkdirSync(target, { mode: 0o700 });
      cpSync(join(served.data, 'master.key'), join(target, 'master.key'));
      let made = await runTrivet(compiled, ['restore', from, '--data', target, ...keys]);
      // A copy may lack an object that its head names, and a generation may just have been begun: the last good moment is asked for.
      const good = /--at (\S+Z) restores that/.exec(made.stderr)?.[1];
      if (made.exitCode !== 0 && good !== undefined)
        made = await runTrivet(compiled, ['restore', from, '--at', good, '--data', target, ...keys]);
      expect({ round, kind, stderr: made.stderr, exitCode: made.exitCode }).toMatchObject({
        round,
        kind,
        exitCode: 0,
      });
      const numbers = numbersIn(target);
      // A prefix of the history.
      expect({ round, kind, numbers }).toEqual({ round, kind, numbers: numbers.map((_, index) => index) });
      const must = [...acknowledged].filter(([, time]) => time < at - safeMs).length + next;
      expect({ round, kind, missing: Math.max(0, must - numbers.length) }).toEqual({
        round,
        kind,
        missing: 0,
      });
      restored++;
      rmSync(target, { recursive: true });
      await served.start();
      next = Number((await served.must('get-projects', { orgId: 1 }))['total']);
    }
    await served.running.stop();
    await s3?.stop();
    ran(restored, `kills of a replicated server, each restored, on a ${place}`);
  },
  3_600_000,
);
