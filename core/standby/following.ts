import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ageMs, type Clock } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { flush } from '../base/stored-file.ts';
import { databaseFile } from '../db/sqlite/data-directory.ts';
import { freeBytes } from '../db/sqlite/database-place.ts';
import { ObjectFault, objectOpener } from '../replicate/content-sealing.ts';
import { begunGeneration, begunIds, readClaim } from '../replicate/generation-claim.ts';
import { chainsOf, parseHead } from '../replicate/replica-listing.ts';
import { beforeSequence, headKey, logFolder, readLogName, type LogName } from '../replicate/replica-names.ts';
import { unpackPages } from '../replicate/replica-object.ts';
import { readReplica } from '../replicate/replica-reading.ts';
import { fetchedInOrder, placeFiles, requirePlace, restoreReplica } from '../replicate/replica-restoring.ts';
import type { ReplicaTarget } from '../replicate/replica-target.ts';
import { CopyFile, prepareCopy } from '../db/sqlite/copy-file.ts';
import { keepStandby, standbyStage, type StandbyState } from './standby-files.ts';

interface FollowerOptions {
  readonly data: string;
  readonly target: ReplicaTarget;
  /** age identities, one per line. */
  readonly identity: string | undefined;
  /** Names of files that stand next to the database. */
  readonly files: readonly string[];
  readonly clock: Clock;
  readonly say: (event: string, fields: Readonly<Record<string, string | number>>) => void;
}

/** There is nothing to follow yet. */
export class NothingToFollow extends Error {
  override readonly name = 'NothingToFollow';
}

/** Bytes of objects that are applied at once, where a transaction ends. */
const batchBytes = 8 * 1024 * 1024;
/** An object that is missing may still come, or the chain goes on elsewhere: after this time the newest snapshot is taken. */
const gapMs = 5_000;

/** The objects that come next. */
interface Next {
  readonly logs: readonly LogName[];
  /** Whether there are more than these. */
  readonly more: boolean;
  /** Whether the chain goes on, but not from here. */
  readonly gap: boolean;
}

/** Keeps a copy of a database up to date with its replica. Only the process that holds the lock of the copy has one. */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #open: ReturnType<typeof objectOpener>;
  readonly #holders = new Map<string, string | undefined>();
  #state: StandbyState;
  #copy: CopyFile | undefined;
  #gapSince: number | undefined;

  constructor(options: FollowerOptions, state: StandbyState) {
    this.#options = options;
    this.#state = state;
    this.#open = objectOpener(options.identity, options.target.name);
  }

  get state(): StandbyState {
    return this.#state;
  }

  /**
   * Looks once what there is, and applies some of it.
   * @returns whether there may be more.
   * @throws NothingToFollow; Error when the target cannot be read, or has a damaged object.
   */
  async round(): Promise<boolean> {
    const newest = await this.#newest();
    const { whole, replacing, generation } = this.#state;
    if (!whole || replacing || newest !== generation) {
      await this.#copyAnew(newest);
      return true;
    }
    // Before the listing: what it says is then in what is listed.
    const coveredAt = await this.#coverageOf(generation);
    const { logs, more, gap } = await this.#next();
    if (gap) return this.#bridge(newest);
    this.#gapSince = undefined;
    const last = logs.at(-1);
    if (last) await this.#apply(logs, last);
    if (!more && coveredAt > this.#state.coveredAt) this.#note({ coveredAt }, false);
    return more;
  }

  /** Everything of it is on the disk when this returns. */
  flush(): void {
    this.#copy?.flush();
  }

  close(): void {
    this.#copy?.close();
    this.#copy = undefined;
  }

  /** Notes what is known of the copy. @param now whether it must be on the disk before anything else happens. */
  #note(changed: Partial<StandbyState>, now = true): void {
    this.#state = { ...this.#state, ...changed };
    if (now) keepStandby(this.#options.data, this.#state);
  }

  /** Notes that this copy takes over, with a generation of its own. */
  take(taking: string | undefined): void {
    const { taking: _, ...rest } = this.#state;
    this.#state = taking === undefined ? rest : { ...rest, taking };
    keepStandby(this.#options.data, this.#state);
  }

  /** The newest generation but our own. */
  async #newest(): Promise<string> {
    const { target } = this.#options;
    const begun = await begunIds(target);
    const newest = begun.findLast((id) => id !== this.#state.taking);
    if (newest === undefined)
      throw new NothingToFollow(`${target.name} has no replica: start the other server with --replicate`);
    return newest;
  }

  /** Until when (epoch ms) the server says that everything committed is at the target. */
  async #coverageOf(generation: string): Promise<number> {
    const { target } = this.#options;
    if (!this.#holders.has(generation))
      this.#holders.set(generation, (await begunGeneration(target, generation)).holder);
    const holder = this.#holders.get(generation);
    const claim = holder === undefined ? undefined : await readClaim(target, holder);
    if (claim) return claim.coveredAt;
    const bytes = await target.get(headKey(generation));
    return (bytes && parseHead(new TextDecoder().decode(bytes))?.at) ?? 0;
  }

  async #next(): Promise<Next> {
    const { generation, sequence, digest, previous, until } = this.#state;
    // From our last object on: after a kill of the server another one may stand beside it, and the chain may go on from that.
    const from = previous === null ? sequence + 1 : sequence;
    const listed = await this.#options.target.list(logFolder(generation), beforeSequence(generation, from));
    const bytes = new Map(listed.map((one) => [one.key, one.bytes]));
    const names = listed.flatMap(({ key }) => readLogName(key) ?? []);
    const chain = chainsOf(names)({ sequence: from - 1, previous: previous ?? digest });
    const isOurs = (one: LogName | undefined) => one?.sequence === sequence && one.digest.startsWith(digest);
    const coming = isOurs(chain[0]) ? chain.slice(1) : chain;
    const complete = coming.slice(0, coming.findLastIndex(({ ends }) => ends) + 1);
    let count = 0;
    for (let sum = 0, index = 0; index < complete.length; index++) {
      const one = complete[index];
      sum += bytes.get(one?.key ?? '') ?? 0;
      if (!one?.ends || (one.sequence < until && index + 1 < complete.length)) continue;
      count = index + 1;
      if (sum >= batchBytes) break;
    }
    const reached = chain.at(-1)?.sequence ?? from - 1;
    const highest = Math.max(sequence, until, ...names.map((one) => one.sequence));
    return {
      logs: complete.slice(0, count),
      more: count < complete.length,
      gap: count === 0 && reached < highest,
    };
  }

  /** @returns whether something was done about objects that are missing. */
  async #bridge(newest: string): Promise<boolean> {
    const now = this.#options.clock.now();
    this.#gapSince ??= now;
    if (ageMs(now, this.#gapSince) < gapMs) return false;
    this.#options.say('standby_gap', { generation: newest, sequence: this.#state.sequence });
    this.#gapSince = undefined;
    await this.#copyAnew(newest);
    return true;
  }

  async #apply(logs: readonly LogName[], last: LogName): Promise<void> {
    const { data, target, files } = this.#options;
    const copy = this.#opened();
    const pages = new Map<number, Uint8Array>();
    let databasePages: number | undefined;
    let before = logs[0]?.sequence === this.#state.sequence ? this.#state.previous : this.#state.digest;
    for await (const { one, object } of fetchedInOrder(logs, target, this.#open)) {
      requirePlace(object, one, before ?? undefined);
      before = one.digest;
      if (object.face.kind === 'files') {
        placeFiles(object, data, files);
        continue;
      }
      const found = unpackPages(object.content, object.face.pageSize);
      if (object.face.kind !== 'pages' || !found)
        throw new ObjectFault(`${one.key}: its pages cannot be read`);
      if (found.length > 0 && object.face.pageSize !== copy.pageSize)
        throw new ObjectFault(`${one.key} has pages of another size`);
      for (const { number, bytes } of found) pages.set(number, bytes);
      ({ databasePages } = object.face);
    }
    this.#note({ until: last.sequence });
    if (databasePages !== undefined)
      copy.apply(
        [...pages].map(([number, bytes]) => ({ number, bytes })),
        databasePages,
      );
    copy.flush();
    this.#note({
      sequence: last.sequence,
      digest: last.digest.slice(0, 16),
      previous: last.previous,
      coveredAt: Math.max(this.#state.coveredAt, last.at),
    });
  }

  /** Takes the newest snapshot and what follows it. Readers see the copy as it was until all of it is there. */
  async #copyAnew(newest: string): Promise<void> {
    const { data, target, identity, files, say, clock } = this.#options;
    const began = clock.now();
    const stage = join(data, standbyStage);
    rmSync(stage, { recursive: true, force: true });
    mkdirSync(stage, { mode: 0o700 });
    try {
      const replica = await readReplica(target);
      const generations = replica.generations.filter(({ id }) => id <= newest);
      if ((generations.at(-1)?.stretches.length ?? 0) === 0)
        throw new NothingToFollow(`the first snapshot of ${newest} at ${target.name} is not complete yet`);
      const { tip, generation, lastChangeAt } = await restoreReplica(
        { ...replica, generations },
        {
          at: undefined,
          identity,
          stage,
          files,
          requireRoom: (bytes) => requireRoom(data, bytes),
          progress: () => {},
        },
      );
      const end = {
        ...tip,
        generation,
        until: tip.sequence,
        whole: true,
        replacing: false,
        coveredAt: lastChangeAt,
      };
      for (const name of files)
        if (existsSync(join(stage, name))) renameSync(join(stage, name), join(data, name));
      const restored = join(stage, databaseFile);
      if (existsSync(join(data, databaseFile))) {
        this.#note({ replacing: true });
        this.#opened().replaceBy(restored);
        this.#opened().flush();
      } else {
        prepareCopy(restored);
        renameSync(restored, join(data, databaseFile));
        flush(data);
      }
      this.#note(end);
      say('standby_copied', { generation, ms: clock.now() - began });
    } finally {
      rmSync(stage, { recursive: true, force: true });
    }
  }

  #opened(): CopyFile {
    return (this.#copy ??= new CopyFile(this.#options.data));
  }
}

function requireRoom(directory: string, bytes: number): void {
  const free = freeBytes(directory);
  if (bytes > free)
    throw new UsageError(
      `the copy needs ${bytes} bytes and the disk of ${directory} has ${free} left: make room`,
    );
}
