import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../test/temporary.ts';
import { randomFrom, scaled, seed } from '../../test/verify/scale.ts';
import { UsageError } from '../base/errors.ts';
import { contentSealer } from './content-sealing.ts';
import { DatabasePins } from '../db/sqlite/database-pins.ts';
import { LogFollower } from './log-following.ts';
import { noDigest } from './replica-object.ts';
import { ReplicaChain } from './replica-chain.ts';
import { readReplica } from './replica-reading.ts';
import { restoreReplica } from './replica-restoring.ts';
import { readImage } from './snapshot-making.ts';
import { memoryTarget } from './testing/memory-target.ts';

/*
 * Random transactions of a random writer, with checkpoints, quiet times, snapshots and other readers in between; then restores to random
 * moments, also of a replica that lost, tore or mixed up objects. What comes back equals the model at that moment, or the restore refuses
 * and names a moment that does come back.
 */
const steps = scaled(60, 400);
const restores = scaled(14, 120);
const random = randomFrom(seed);

/** The state of a database in one text. */
const stateOf = (db: Database): string =>
  JSON.stringify(
    db
      .query(
        'SELECT count(*) AS rows, coalesce(sum(id * length(x) % 1000003), 0) AS sum, max(n) AS last FROM t',
      )
      .get(),
  );

/** Changes a database at random. */
function change(db: Database, n: number): void {
  db.run('BEGIN IMMEDIATE');
  const kind = random.below(10);
  const rows = kind === 0 ? 400 : 1 + random.below(12);
  for (let row = 0; row < rows; row++)
    db.run('INSERT INTO t (n, x) VALUES (?, randomblob(?))', [n, random.below(kind === 1 ? 20_000 : 900)]);
  if (kind === 2) db.run('DELETE FROM t WHERE id % 3 = 0');
  if (kind === 3) db.run('UPDATE t SET x = randomblob(50) WHERE id % 5 = 0');
  db.run(kind === 4 ? 'ROLLBACK' : 'COMMIT');
  if (kind === 5) db.run('VACUUM');
}

interface Moment {
  readonly at: number;
  readonly state: string;
}

/** Replicates a history. The time of the model goes on by 10 for each step. */
async function history(recipients: readonly string[]) {
  const directory = temporaryDirectory('history');
  const db = new Database(join(directory, 'trivet.db'), { create: true, readwrite: true });
  db.run('PRAGMA journal_mode = WAL');
  db.run('PRAGMA secure_delete = ON');
  db.run('PRAGMA synchronous = OFF');
  db.run('CREATE TABLE t (id integer primary key, n integer, x blob)');
  const other = new Database(join(directory, 'trivet.db'), { create: true, readwrite: true });
  const target = memoryTarget();
  const pins = new DatabasePins(directory);
  const seal = await contentSealer(recipients);
  const generation = '20261124T100000000Z-00000001';
  const chain = new ReplicaChain(
    { target, seal, encrypted: recipients.length > 0, generation },
    undefined,
    0,
  );
  const moments: Moment[] = [];
  let now = 1_000_000;
  const hold = pins.hold(directory);
  const follower = new LogFollower(directory, pins, now);
  const image = follower.beginAtEnd(hold.pages, now);
  const read = (of: typeof image) => (first: number, count: number) =>
    readImage(directory, follower.log, of, first, count);
  // The first snapshot is made while the history goes on.
  let snapshot: Promise<void> | undefined = chain
    .storeSnapshot(image, { sequence: 0, digest: noDigest, at: now }, {}, read(image))
    .finally(hold.release);
  moments.push({ at: now, state: stateOf(db) });
  for (let n = 1; n <= steps; n++) {
    now += 1_000;
    change(db, n);
    moments.push({ at: now, state: stateOf(db) });
    if (random.below(4) === 0) other.run('PRAGMA wal_checkpoint(PASSIVE)');
    follower.poll(now);
    for (let changes = follower.next(); changes; changes = follower.next()) {
      await chain.storeChanges(changes, pins.pageSize);
      follower.stored(changes);
    }
    if (random.below(3) === 0) {
      // Sometimes somebody reads at that moment, and the log cannot begin anew.
      if (random.below(3) === 0) other.run('BEGIN');
      other.query('SELECT count(*) FROM t').get();
      follower.rest(now);
      if (other.inTransaction) other.run('ROLLBACK');
    }
    if (random.below(20) === 0) {
      await snapshot;
      const held = pins.hold(directory);
      const here = follower.imageHere(chain.databasePages || image.databasePages);
      snapshot = chain.storeSnapshot(here, chain.tip, {}, read(here)).finally(held.release);
    }
    if (random.below(10) === 0) await chain.storeHead(now);
  }
  await snapshot;
  await chain.storeHead(now);
  return { target, moments, end: now };
}

const modelAt = (moments: readonly Moment[], at: number): string | undefined =>
  moments.findLast((moment) => moment.at <= at)?.state;

/** The state that a restore gives, or the last good moment that it names. */
async function restored(
  target: ReturnType<typeof memoryTarget>,
  at: number | undefined,
  identity: string | undefined,
): Promise<{ readonly state: string } | { readonly refused: string; readonly lastGood: number | undefined }> {
  const stage = temporaryDirectory('stage');
  try {
    const wanted = { at, identity, stage, files: [], requireRoom: () => {}, progress: () => {} };
    await restoreReplica(await readReplica(target), wanted);
    const db = new Database(join(stage, 'trivet.db'));
    expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    const state = stateOf(db);
    db.close();
    return { state };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const named = /--at (\S+?Z)/.exec(error.message)?.[1];
    return { refused: error.message, lastGood: named === undefined ? undefined : Date.parse(named) };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Damages a replica as a target might. @returns what was done. */
function damage(objects: Map<string, Uint8Array>): string {
  const keys = [...objects.keys()].filter((key) => !key.endsWith('head'));
  const key = random.pick(keys);
  const bytes = objects.get(key) ?? new Uint8Array();
  switch (random.below(5)) {
    case 0:
      objects.delete(key);
      return `lost ${key}`;
    case 1:
      objects.set(key, bytes.slice(0, random.below(bytes.length)));
      return `torn ${key}`;
    case 2: {
      const copy = Uint8Array.from(bytes);
      const at = random.below(copy.length);
      copy[at] = (copy[at] ?? 0) ^ (1 + random.below(255));
      objects.set(key, copy);
      return `changed ${key}`;
    }
    case 3:
      objects.set(key, objects.get(random.pick(keys)) ?? bytes);
      return `mixed up ${key}`;
    default: {
      // An old list: it lacks the newest objects.
      const logs = keys.filter((each) => each.includes('/log/')).toSorted();
      for (const each of logs.slice(logs.length - 1 - random.below(5))) objects.delete(each);
      return 'an old list';
    }
  }
}

test.each(['plain', 'encrypted'])(
  `a restore gives a state of the history or refuses: %s (SEED=${seed})`,
  async (kind) => {
    const identity = kind === 'encrypted' ? await generateIdentity() : undefined;
    const recipients = identity === undefined ? [] : [await identityToRecipient(identity)];
    const { target, moments, end } = await history(recipients);
    const outcomes = { right: 0, refused: 0 };
    expect(await restored(target, undefined, identity)).toEqual({ state: moments.at(-1)?.state ?? '' });
    for (let n = 0; n < restores; n++) {
      const copy = memoryTarget(new Map(target.objects));
      const what = n % 2 === 0 ? 'whole' : damage(copy.objects);
      const at = random.below(4) === 0 ? undefined : 1_000_000 + random.below(end - 1_000_000 + 1);
      const outcome = await restored(copy, at, identity);
      const right = { state: modelAt(moments, at ?? end) };
      if ('state' in outcome) {
        expect({ what, at, outcome }).toEqual({ what, at, outcome: right as { state: string } });
        outcomes.right++;
        continue;
      }
      if (what === 'whole') expect(outcome.refused).toBe('');
      outcomes.refused++;
      if (outcome.lastGood === undefined) continue;
      expect(await restored(copy, outcome.lastGood, identity)).toEqual({
        state: modelAt(moments, outcome.lastGood) ?? '',
      });
    }
    expect(outcomes.right).toBeGreaterThan(restores / 3);
    if (restores > 100) expect(outcomes.refused).toBeGreaterThan(0);
  },
  600_000,
);
