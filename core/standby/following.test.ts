import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rejectionOf } from '../../test/rejection.ts';
import { temporaryDirectory } from '../../test/temporary.ts';
import { randomFrom, seed } from '../../test/verify/scale.ts';
import { DatabasePins } from '../db/sqlite/database-pins.ts';
import { contentSealer } from '../replicate/content-sealing.ts';
import { LogFollower } from '../replicate/log-following.ts';
import { ReplicaChain, type Tip } from '../replicate/replica-chain.ts';
import { begunKey } from '../replicate/replica-names.ts';
import { noDigest } from '../replicate/replica-object.ts';
import { readImage } from '../replicate/snapshot-making.ts';
import { memoryTarget } from '../replicate/testing/memory-target.ts';
import { Follower, NothingToFollow } from './following.ts';
import { freshState, keepStandby, readStandby, type StandbyState } from './standby-files.ts';

/*
 * A database is replicated into memory by the parts of the replicator, and followed from there: after each step the copy says what the
 * database says, whatever was killed, lost or begun anew.
 */
const random = randomFrom(seed);
const first = '20261124T100000000Z-00000001';
const second = '20261124T110000000Z-00000002';

const stateOf = (db: Database): unknown =>
  db.query('SELECT count(*) AS rows, coalesce(sum(id * length(x)), 0) AS sum, max(n) AS last FROM t').get();

/** A database whose changes are stored when the test says so. */
async function world() {
  const directory = temporaryDirectory('followed');
  const db = new Database(join(directory, 'trivet.db'), { create: true, readwrite: true });
  db.run('PRAGMA journal_mode = WAL');
  db.run('PRAGMA synchronous = OFF');
  db.run('CREATE TABLE t (id integer primary key, n integer, x blob)');
  const target = memoryTarget();
  const pins = new DatabasePins(directory);
  const seal = await contentSealer([]);
  let now = 1_000_000;
  let follower = new LogFollower(directory, pins, now);
  let chain: ReplicaChain;
  const chainOf = (generation: string, tip?: Tip, pages = 0) =>
    new ReplicaChain({ target, seal, encrypted: false, generation }, tip, pages);

  const begin = async (generation: string, storeSnapshot = true) => {
    await target.put(begunKey(generation), new TextEncoder().encode('{}'));
    const hold = pins.hold(directory);
    follower = new LogFollower(directory, pins, now);
    const image = follower.beginAtEnd(hold.pages, now);
    chain = chainOf(generation, undefined, image.databasePages);
    const store = async () => {
      await chain.storeSnapshot(image, { sequence: 0, digest: noDigest, at: now }, {}, (from, count) =>
        readImage(directory, follower.log, image, from, count),
      );
      hold.release();
    };
    if (storeSnapshot) await store();
    return store;
  };
  const change = (n: number, rows = 1 + random.below(40)) => {
    now += 1_000;
    db.run('BEGIN IMMEDIATE');
    for (let row = 0; row < rows; row++)
      db.run('INSERT INTO t (n, x) VALUES (?, randomblob(?))', [n, random.below(3_000)]);
    if (random.below(4) === 0) db.run('DELETE FROM t WHERE id % 3 = 0');
    db.run('COMMIT');
    if (random.below(8) === 0) db.run('VACUUM');
  };
  /** Stores what has changed. @param noted false: the process is killed before it has noted that. */
  const store = async (noted = true) => {
    follower.poll(now);
    const before = chain.tip;
    for (let changes = follower.next(); changes; changes = follower.next()) {
      await chain.storeChanges(changes, pins.pageSize);
      if (!noted) {
        chain = chainOf(chain.generation, before, chain.databasePages);
        return;
      }
      follower.stored(changes);
    }
  };
  const snapshot = async () => {
    const hold = pins.hold(directory);
    const image = follower.imageHere(chain.databasePages);
    await chain.storeSnapshot(image, chain.tip, {}, (from, count) =>
      readImage(directory, follower.log, image, from, count),
    );
    hold.release();
  };
  return { db, target, begin, change, store, snapshot, pass: (ms: number) => (now += ms), now: () => now };
}

type World = Awaited<ReturnType<typeof world>>;

function standbyOf({ target, now }: World, data = temporaryDirectory('standby')) {
  if (!readStandby(data)) keepStandby(data, freshState(target.name));
  const said: string[] = [];
  const follower = new Follower(
    {
      data,
      target,
      identity: undefined,
      files: [],
      clock: { now, wait: () => Promise.resolve() },
      say: (event) => void said.push(event),
    },
    readStandby(data) ?? freshState(target.name),
  );
  const state = () => {
    const copy = new Database(join(data, 'trivet.db'), { create: false, readwrite: true });
    try {
      expect(copy.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      return stateOf(copy);
    } finally {
      copy.close();
    }
  };
  const catchUp = async () => {
    while (await follower.round());
  };
  return { data, follower, said, state, catchUp };
}

test(`a copy follows a random history, with restarts and a new generation (SEED=${seed})`, async () => {
  const of = await world();
  let standby = standbyOf(of);
  expect(await rejectionOf(standby.catchUp())).toBeInstanceOf(NothingToFollow);
  await of.begin(first);
  for (let n = 1; n <= 30; n++) {
    of.change(n);
    await of.store();
    if (random.below(3) > 0) {
      await standby.catchUp();
      expect(standby.state()).toEqual(stateOf(of.db));
    }
    if (random.below(6) === 0) {
      standby.follower.close();
      standby = standbyOf(of, standby.data);
    }
    if (n === 15) {
      await standby.catchUp();
      const before = standby.state();
      const complete = await of.begin(second, false);
      // Until its snapshot is there, the copy stays as it is.
      expect(await rejectionOf(standby.catchUp())).toBeInstanceOf(NothingToFollow);
      expect(standby.state()).toEqual(before);
      await complete();
    }
  }
  await standby.catchUp();
  expect(standby.state()).toEqual(stateOf(of.db));
  expect(standby.said).not.toContain('standby_gap');
  expect(readStandby(standby.data)).toMatchObject({ generation: second, whole: true, replacing: false });
});

test('after a kill of the replicator the chain may go on from the twin of the object that was applied', async () => {
  const of = await world();
  await of.begin(first);
  const standby = standbyOf(of);
  of.change(1);
  await of.store();
  of.change(2);
  await of.store(false);
  await standby.catchUp();
  expect(standby.state()).toEqual(stateOf(of.db));
  // What was stored without a note of it is stored again, with what came later.
  of.change(3);
  await of.store();
  of.change(4);
  await of.store();
  await standby.catchUp();
  expect(standby.state()).toEqual(stateOf(of.db));
  expect(standby.said).toEqual(['standby_copied']);
});

test('an object that does not come is bridged by the newest snapshot', async () => {
  const of = await world();
  await of.begin(first);
  const standby = standbyOf(of);
  of.change(1);
  await of.store();
  await standby.catchUp();
  const before = standby.state();
  const known = new Set(of.target.objects.keys());
  of.change(2);
  await of.store();
  const lost = [...of.target.objects.keys()].find((key) => !known.has(key)) ?? '';
  of.target.objects.delete(lost);
  of.change(3);
  await of.store();
  await standby.catchUp();
  expect(standby.state()).toEqual(before);
  await of.snapshot();
  of.pass(10_000);
  await standby.catchUp();
  expect(standby.state()).toEqual(stateOf(of.db));
  expect(standby.said).toEqual(['standby_copied', 'standby_gap', 'standby_copied']);
});

test('after a loss of power, what may be half on the disk is applied again', async () => {
  const of = await world();
  await of.begin(first);
  const standby = standbyOf(of);
  of.change(1, 200);
  await of.store();
  await standby.catchUp();
  const path = join(standby.data, 'trivet.db');
  const before = readFileSync(path);
  const noted = readStandby(standby.data) as StandbyState;
  for (let n = 2; n < 5; n++) {
    of.change(n, 100);
    await of.store();
  }
  await standby.catchUp();
  standby.follower.close();
  const after = readFileSync(path);
  // Some pages reached the disk and others did not; the note of what was begun did.
  const torn = Buffer.from(after);
  for (let at = 0; at < before.length; at += 4_096)
    if (random.below(2) === 0) before.copy(torn, at, at, at + 4_096);
  writeFileSync(path, torn);
  keepStandby(standby.data, { ...noted, until: standby.follower.state.sequence });
  const again = standbyOf(of, standby.data);
  await again.catchUp();
  expect(again.state()).toEqual(stateOf(of.db));
});
