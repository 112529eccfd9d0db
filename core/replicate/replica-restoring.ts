import { closeSync, fsyncSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { databaseFile } from '../db/sqlite/data-directory.ts';
import { ObjectFault, objectOpener, type OpenedObject } from './content-sealing.ts';
import { readSnapshotName, snapshotFolder, type LogName } from './replica-names.ts';
import type { Stretch } from './replica-listing.ts';
import type { Replica } from './replica-reading.ts';
import { noDigest, unpackFiles, unpackPages } from './replica-object.ts';
import type { ReplicaTarget } from './replica-target.ts';
import { isPlan, planRestore, type NoPlan } from './restore-plan.ts';

/** How far a copy of a chain goes. */
interface ChainEnd {
  readonly sequence: number;
  /** The first 16 digits of the digest of its last object, and of the one before; null before the first. */
  readonly digest: string;
  readonly previous: string | null;
}

/** What was restored. */
export interface RestoredReplica {
  readonly generation: string;
  /** The last change in it was read at this time (epoch ms). */
  readonly lastChangeAt: number;
  /** The last object of the chain in it. */
  readonly tip: ChainEnd;
  /** What was committed in so many ms before the moment may be missing. */
  readonly inexactMs: number;
}

interface Wanted {
  /** Epoch milliseconds; the end unless given. */
  readonly at: number | undefined;
  /** age identities, one per line. */
  readonly identity: string | undefined;
  /** Where to put it. */
  readonly stage: string;
  /** Names of files that may stand next to the database. */
  readonly files: readonly string[];
  readonly requireRoom: (bytes: number) => void;
  readonly progress: (done: number, total: number) => void;
}

export const timeText = (at: number): string => new Date(at).toISOString();

/**
 * Restores a database to one moment, or refuses: it never gives another moment than the one asked for.
 * @throws UsageError that names the last good moment.
 */
export async function restoreReplica(replica: Replica, wanted: Wanted): Promise<RestoredReplica> {
  const { target, generations } = replica;
  const plan = planRestore(generations, wanted.at);
  if (!isPlan(plan)) throw new UsageError(refusalOf(target.name, plan, wanted.at));
  const open = objectOpener(wanted.identity, target.name);
  const faults: string[] = [];
  for (const way of plan.ways) {
    const database = new DatabaseFile(join(wanted.stage, databaseFile));
    try {
      try {
        await placeSnapshot(replica, way, database, open, wanted);
      } catch (error) {
        if (!(error instanceof ObjectFault)) throw error;
        faults.push(`the snapshot of ${timeText(way.first)}: ${error.message}`);
        continue;
      }
      await applyLogs(replica, way, database, open, wanted);
      return {
        generation: way.generation,
        lastChangeAt: way.logs.at(-1)?.at ?? way.first,
        tip: endOf(way),
        inexactMs: way.inexactMs,
      };
    } finally {
      database.close();
    }
  }
  throw new UsageError(`${target.name} is damaged (${faults.join('; ')}). Nothing was changed.`);
}

function endOf({ logs, snapshot }: Stretch): ChainEnd {
  const last = logs.at(-1);
  if (!last) return { sequence: snapshot.sequence, digest: snapshot.previous, previous: null };
  return { sequence: last.sequence, digest: last.digest.slice(0, 16), previous: last.previous };
}

function refusalOf(where: string, { why, lastGood, first }: NoPlan, at: number | undefined): string {
  const moment = at === undefined ? 'its end' : timeText(at);
  const until =
    lastGood === undefined
      ? ''
      : ` The last good moment before it is ${timeText(lastGood)}: --at ${timeText(lastGood)} restores that.`;
  const from = first === undefined ? '' : ` The first moment is ${timeText(first)}.`;
  switch (why) {
    case 'empty':
      return `${where} has no complete replica.`;
    case 'too early':
      return `${where} does not go back to ${moment}.${from}`;
    case 'missing':
      return `${where} cannot give ${moment}: an object on the way to it is missing.${until || from}`;
    case 'too late':
      return `${where} does not know what happened until ${moment}.${until || from}`;
    case 'unfinished':
      return `${where} cannot give ${moment}: its newest generation has no complete snapshot.${until}`;
  }
}

type Open = ReturnType<typeof objectOpener>;

async function placeSnapshot(
  { target, listed }: Replica,
  { snapshot, generation }: Stretch,
  database: DatabaseFile,
  open: Open,
  { stage, files, requireRoom, progress }: Wanted,
): Promise<void> {
  const whole = await fetched(target, snapshot.key, snapshot.digest, open);
  const { face } = whole;
  requireFace(whole, { kind: 'snapshot', generation, sequence: snapshot.sequence, at: snapshot.at });
  if (!face.previous.startsWith(snapshot.previous)) throw new ObjectFault('it belongs to another chain');
  const { parts = [], pageSize, databasePages } = face;
  requireRoom(pageSize * databasePages);
  const folder = snapshotFolder(snapshot);
  const keys = new Map(
    listed.flatMap(({ key }) => {
      const name = key.startsWith(folder) ? readSnapshotName(key) : undefined;
      return name?.part === undefined ? [] : [[`${name.part}-${name.digest}`, key] as const];
    }),
  );
  const wantedParts = parts.map((digest, part) => {
    const key = keys.get(`${part}-${digest}`);
    if (key === undefined) throw new ObjectFault(`part ${part + 1} of ${parts.length} is missing`);
    return { key, digest, part };
  });
  let next = 1;
  for await (const { one, object } of fetchedInOrder(wantedParts, target, open)) {
    requireFace(object, { kind: 'part', generation, sequence: snapshot.sequence, at: snapshot.at });
    const pages = unpackPages(object.content, pageSize);
    if (
      !pages ||
      object.face.part !== one.part ||
      object.face.firstPage !== next ||
      object.face.pageSize !== pageSize
    )
      throw new ObjectFault(`part ${one.part + 1} is another one`);
    for (const { number, bytes } of pages) {
      if (number !== next++) throw new ObjectFault(`part ${one.part + 1} lacks a page`);
      database.write(number, bytes);
    }
    progress(next - 1, databasePages);
  }
  if (next !== databasePages + 1) throw new ObjectFault('pages are missing');
  database.setSize(databasePages, pageSize);
  placeFiles(whole, stage, files);
}

async function applyLogs(
  { target }: Replica,
  { logs, snapshot, first }: Stretch,
  database: DatabaseFile,
  open: Open,
  { stage, files, progress }: Wanted,
): Promise<void> {
  let previous: string | undefined;
  let good = first;
  let done = 0;
  try {
    for await (const { one, object } of fetchedInOrder(logs, target, open)) {
      const { face } = object;
      requirePlace(object, one, previous ?? (snapshot.sequence === 0 ? noDigest : undefined));
      if (face.kind === 'files') placeFiles(object, stage, files);
      else if (face.kind === 'pages') database.apply(object);
      else throw new ObjectFault('it is of another kind');
      previous = one.digest;
      if (face.ends) good = face.at;
      progress(++done, logs.length);
    }
  } catch (error) {
    if (!(error instanceof ObjectFault)) throw error;
    throw new UsageError(
      `${target.name} is damaged after ${timeText(good)}: ${error.message}. The last good moment is ${timeText(good)}: --at ` +
        `${timeText(good)} restores that. Nothing was changed.`,
    );
  }
}

/**
 * @param before the digest of the object before it, or its beginning, if it is known.
 * @throws ObjectFault unless an object stands where its name says.
 */
export function requirePlace(object: OpenedObject, name: LogName, before: string | undefined): void {
  const { face } = object;
  const { generation, sequence, at } = name;
  requireFace(object, { kind: face.kind, generation, sequence, at });
  if (before !== undefined && !face.previous.startsWith(before))
    throw new ObjectFault('it follows another object');
  if (!face.previous.startsWith(name.previous)) throw new ObjectFault('it follows another object');
}

function requireFace(
  { face }: OpenedObject,
  expected: {
    readonly kind: string;
    readonly generation: string;
    readonly sequence: number;
    readonly at: number;
  },
): void {
  if (
    face.kind !== expected.kind ||
    face.generation !== expected.generation ||
    face.sequence !== expected.sequence ||
    face.at !== expected.at
  )
    throw new ObjectFault('it belongs to another place');
}

/** Writes the files of an object next to the database. Its names are none of the archive's: only known ones are written. */
export function placeFiles({ content }: OpenedObject, stage: string, known: readonly string[]): void {
  const files = unpackFiles(content);
  if (!files) throw new ObjectFault('its files cannot be read');
  for (const [name, bytes] of Object.entries(files)) {
    if (!known.includes(name)) continue;
    writeFileSync(join(stage, name), bytes, { mode: 0o600, flush: true });
  }
}

async function fetched(
  target: ReplicaTarget,
  key: string,
  digest: string,
  open: Open,
): Promise<OpenedObject> {
  const bytes = await target.get(key);
  if (!bytes) throw new ObjectFault('it is missing');
  return open(bytes, digest);
}

const ahead = 8;

/** Fetches objects in their order, some ahead. */
export async function* fetchedInOrder<T extends Pick<LogName, 'key' | 'digest'>>(
  names: readonly T[],
  target: ReplicaTarget,
  open: Open,
): AsyncGenerator<{ readonly one: T; readonly object: OpenedObject }> {
  const running: Array<Promise<Uint8Array | undefined>> = [];
  for (const [index, one] of names.entries()) {
    while (running.length < ahead && index + running.length < names.length) {
      const coming = target.get(names[index + running.length]?.key ?? '');
      // It is awaited later; until then a failure must not end the process.
      coming.catch(() => {});
      running.push(coming);
    }
    const bytes = await running.shift();
    if (!bytes) throw new ObjectFault('an object is missing');
    yield { one, object: await open(bytes, one.digest) };
  }
}

/** The database that is being restored. */
class DatabaseFile {
  readonly #file: number;
  #pageSize = 0;
  #pages = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600);
  }

  write(number: number, bytes: Uint8Array): void {
    const offset = (number - 1) * bytes.length;
    for (let at = 0; at < bytes.length;)
      at += writeSync(this.#file, bytes, at, bytes.length - at, offset + at);
  }

  setSize(pages: number, pageSize: number): void {
    this.#pages = pages;
    this.#pageSize = pageSize;
  }

  apply({ face, content }: OpenedObject): void {
    const pages = face.pageSize === this.#pageSize ? unpackPages(content, face.pageSize) : undefined;
    if (!pages) throw new ObjectFault('its pages cannot be read');
    for (const { number, bytes } of pages) this.write(number, bytes);
    if (face.ends) this.#pages = face.databasePages;
  }

  /** It is on the disk when this returns. */
  close(): void {
    ftruncateSync(this.#file, this.#pages * this.#pageSize);
    fsyncSync(this.#file);
    closeSync(this.#file);
  }
}
