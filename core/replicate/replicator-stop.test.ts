import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryDirectory } from '../../test/temporary.ts';
import { systemClock, systemRandom } from '../base/clock.ts';
import { readReplicationStatus } from './replication-files.ts';
import { Replicator } from './replicator.ts';
import type { ReplicaTarget } from './replica-target.ts';
import { memoryTarget } from './testing/memory-target.ts';

/*
 * The end of a replicator, for which the stop of its server waits.
 * @see A bucket that did not answer kept a stopping server for 67 seconds: for two time-outs of a request, one after the other.
 */
const graceMs = 400;

type Request = 'list' | 'put';

/** A target whose requests may stop answering, as those of a server that hangs. */
function hangingTarget() {
  const memory = memoryTarget();
  const hanging = new Set<string>();
  const never = new Promise<never>(() => {});
  let slowMs = 0;
  const hangs = (request: Request, key: string) =>
    [...hanging].some((place) => `${request} ${key}`.startsWith(place));
  const target: ReplicaTarget = {
    ...memory,
    list: (prefix, after) => (hangs('list', prefix) ? never : memory.list(prefix, after)),
    put: async (key, bytes) => {
      await (hangs('put', key) ? never : Bun.sleep(slowMs));
      await memory.put(key, bytes);
    },
  };
  return {
    target,
    objects: memory.objects,
    hang: (place: string) => void hanging.add(place),
    slow: (ms: number) => void (slowMs = ms),
  };
}

async function started(before: readonly string[] = [], early?: AbortSignal) {
  const data = temporaryDirectory('replicator-stop');
  const db = new Database(join(data, 'trivet.db'), { create: true, readwrite: true });
  db.run('PRAGMA journal_mode = WAL');
  db.run('CREATE TABLE t (x)');
  const hanging = hangingTarget();
  for (const place of before) hanging.hang(place);
  const replicator = new Replicator({
    data,
    target: hanging.target,
    seal: async (content) => content,
    encrypted: false,
    holder: '0123456789abcdef',
    files: [],
    snapshotMs: 3_600_000,
    keepMs: 3_600_000,
    backlogBytes: 1 << 20,
    clock: systemClock,
    random: systemRandom,
    say: () => {},
  });
  const ending = new AbortController();
  const ended = replicator.run(early ?? ending.signal, graceMs);
  const state = () => readReplicationStatus(data)?.state;
  const until = async (wanted: string) => {
    for (let tries = 0; tries < 200 && state() !== wanted; tries++) await Bun.sleep(20);
    expect(state()).toBe(wanted as never);
  };
  /** Stops it. @returns how long that took, in graces. */
  const stopped = async () => {
    const from = performance.now();
    ending.abort();
    await Promise.race([ended, Bun.sleep(10 * graceMs)]);
    return (performance.now() - from) / graceMs;
  };
  return { ...hanging, db, state, until, stopped };
}

test.each<[what: string, place: string, before: boolean]>([
  ['at its start', 'list begun/', true],
  ['while it begins', 'put begun/', true],
  ['while the first snapshot is stored', 'put generations/', true],
  ['while a change is stored', 'put generations/', false],
])('a target that hangs %s holds the end up for no longer than its grace', async (_what, place, before) => {
  const { db, hang, until, stopped } = await started(before ? [place] : []);
  if (!before) {
    await until('ok');
    hang(place);
    db.run('INSERT INTO t VALUES (1)');
  }
  await Bun.sleep(300);
  expect(await stopped()).toBeLessThan(2);
});

test('so does one that hangs when the end comes before the beginning', async () => {
  const { stopped } = await started(['list begun/'], AbortSignal.abort());
  expect(await stopped()).toBeLessThan(2);
});

test('what was just committed is stored, without waiting for the grace to pass', async () => {
  const { db, objects, state, until, stopped } = await started();
  await until('ok');
  const before = objects.size;
  db.run('INSERT INTO t VALUES (1)');
  expect(await stopped()).toBeLessThan(1);
  expect([state(), objects.size > before]).toEqual(['stopped', true]);
});

test('a first snapshot that is being stored is completed within the grace', async () => {
  const { db, slow, state, until, stopped } = await started();
  slow(graceMs / 20);
  db.run('INSERT INTO t VALUES (1)');
  await until('snapshot');
  await stopped();
  expect(state()).toBe('stopped');
});
