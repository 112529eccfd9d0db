import { ageMs } from '../base/clock.ts';
import { freeBytes, neededBytes } from '../db/sqlite/database-place.ts';
import { DatabasePins } from '../db/sqlite/database-pins.ts';
import { LogFollower, type Changes } from './log-following.ts';
import { LogLost } from './log-reader.ts';
import { deleteExpiredObjects } from './expired-deleting.ts';
import {
  Fenced,
  GenerationLost,
  isTipOf,
  NewestCheck,
  newestGeneration,
  StillWritten,
} from './generation-claim.ts';
import { begunKey, generationId } from './replica-names.ts';
import { noDigest, sha256 } from './replica-object.ts';
import { ReplicaChain, type Tip } from './replica-chain.ts';
import {
  keepChain,
  keepStatus,
  readBeside,
  readChain,
  readReplicationStatus,
  type ReplicationStatus,
} from './replication-files.ts';
import type { ReplicatorOptions } from './replicator-options.ts';
import { readImage, type Image } from './snapshot-making.ts';

const pollMs = 150;
/** From the storing of one object to that of the next. */
const pauseMs = 650;
const headEveryMs = 5_000;
const idleHeadEveryMs = 15_000;
const fenceEveryMs = 10_000;
const retentionEveryMs = 3_600_000;
const statusEveryMs = 1_000;
const longestWaitMs = 15_000;
/** How soon a restored directory looks again whether the other server has stopped: people wait for it. */
const stillWrittenMs = 500;
/** Frames that are copied into the database although the server is not quiet. */
const copyFrames = 1_000;
const quietMs = 1_000;

/**
 * Stores what is committed to a database at a target, until it is stopped. It runs in a process of its own: hashing, compression and
 * encryption never hold up a request. @throws Fenced.
 */
export class Replicator {
  readonly #options: ReplicatorOptions;
  readonly #pins: DatabasePins;
  readonly #newest = new NewestCheck();
  #follower: LogFollower;
  #chain: ReplicaChain | undefined;
  #isFirstSnapshotDone = false;
  #snapshotAt = 0;
  #filesDigest = '';
  #lost: string | undefined;
  #failures = 0;
  #reason: string | undefined;
  #snapshotting: Promise<void> | undefined;
  #headAt = 0;
  #headSequence = -1;
  #fenceAt = 0;
  #retentionAt = 0;
  #statusAt = 0;
  #changedAt = 0;
  #stopped = false;
  #forgotMarks = false;
  #coveredAt = 0;
  #isFenced = false;
  #isEarly = false;

  constructor(options: ReplicatorOptions) {
    this.#options = options;
    this.#pins = new DatabasePins(options.data);
    this.#follower = new LogFollower(options.data, this.#pins, this.#now);
    const kept = readChain(options.data);
    const status = readReplicationStatus(options.data);
    if (status?.target === options.target.name) this.#coveredAt = status.coveredAt;
    try {
      if (!kept?.own || kept.target !== options.target.name || kept.snapshotAt === 0)
        throw new LogLost('new');
      this.#follower.resume(kept.log, this.#now);
      this.#follower.poll(this.#now);
    } catch (error) {
      if (!(error instanceof LogLost)) throw error;
      this.#lost = error.message;
    }
  }

  get #now(): number {
    return this.#options.clock.now();
  }

  /**
   * Replicates until `signal` aborts, then stores what is left, for at most `graceMs`. A request that hangs does not count: its server waits
   * for this end.
   */
  async run(signal: AbortSignal, graceMs: number): Promise<void> {
    const guard = setInterval(() => this.#guard(), pollMs);
    const over = new AbortController();
    try {
      await Promise.race([this.#work(signal, over.signal), graceAfter(signal, graceMs)]);
      this.#stopped = this.#isDone();
      this.#follower.copyAll();
    } finally {
      clearInterval(guard);
      over.abort();
      this.#status(true);
    }
  }

  /** @param over when it must not go on, even if something is left. */
  async #work(signal: AbortSignal, over: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const worked = await this.#attempt();
      const wait = worked === undefined ? this.#waitAfterFailure() : worked ? pauseMs : pollMs;
      await clock.wait(wait, signal);
    }
    while (!over.aborted) {
      this.#guard();
      const worked = await this.#attempt(true);
      if (this.#isDone()) return;
      // Also when there was nothing to store: a snapshot that is on its way needs the time.
      if (worked !== true) await clock.wait(pollMs, over);
    }
  }

  #isDone(): boolean {
    return (
      this.#lost === undefined && this.#follower.isClear && this.#headSequence === this.#chain?.tip.sequence
    );
  }

  #waitAfterFailure(): number {
    if (this.#isEarly) return stillWrittenMs;
    return Math.min(longestWaitMs, 500 * 2 ** Math.min(this.#failures, 6));
  }

  /** One round. @returns whether something was stored; undefined after a failure. @throws Fenced. */
  async #attempt(last = false): Promise<boolean | undefined> {
    try {
      const worked = await this.#round(last);
      if (this.#failures > 0) this.#options.say('info', 'replication_works_again', {});
      this.#failures = 0;
      this.#reason = undefined;
      this.#status(worked);
      return worked;
    } catch (error) {
      if (error instanceof Fenced) {
        this.#reason = error.message;
        this.#isFenced = true;
        this.#status(true);
        throw error;
      }
      if (error instanceof LogLost) {
        this.#lost = error.message;
        return false;
      }
      this.#isEarly = error instanceof StillWritten;
      // What was stored since may be in another place: what is there is looked at anew.
      if (error instanceof GenerationLost) this.#chain = undefined;
      this.#reason = error instanceof Error ? error.message : String(error);
      if (this.#failures++ === 0)
        this.#options.say('error', 'replication_failed', {
          target: this.#options.target.name,
          reason: this.#reason,
        });
      this.#status(true);
      return undefined;
    }
  }

  async #round(last: boolean): Promise<boolean> {
    if (!this.#chain) await this.#open();
    const now = this.#now;
    // At the end it only stores what is left, beside what another one has begun.
    if (!last && ageMs(now, this.#fenceAt) > fenceEveryMs) await this.#requireNewest();
    if (this.#lost !== undefined) await this.#begin();
    const chain = this.#chain;
    if (!chain) return false;
    const worked = await this.#storeNext(chain);
    if (worked) this.#changedAt = this.#now;
    await this.#storeHead(chain, last && this.#follower.isClear);
    if (!last) this.#rest();
    if (!last && this.#isFirstSnapshotDone) this.#maintain(chain);
    return worked;
  }

  /** Goes on with the chain that was kept, or finds out that this directory may begin a new one. */
  async #open(): Promise<void> {
    const { data, target } = this.#options;
    await this.#requireNewest();
    const kept = readChain(data);
    if (this.#lost === undefined && kept?.own) {
      const tip = { sequence: kept.sequence, digest: kept.digest, at: kept.at };
      const isKnown = kept.snapshotAt > 0 && (await isTipOf(target, kept.generation, tip));
      if (isKnown) {
        const { generation } = kept;
        this.#chain = this.#chainOf(generation, tip, this.#pins.databasePages);
        this.#isFirstSnapshotDone = true;
        this.#snapshotAt = kept.snapshotAt;
        this.#options.say('info', 'replication_resumed', { target: target.name, generation });
        return;
      }
      this.#lost = 'the target has another end of it';
    }
  }

  /** @throws Fenced if another data directory has begun a generation that this one does not continue; GenerationLost. */
  async #requireNewest(): Promise<void> {
    const { data, target } = this.#options;
    const kept = readChain(data);
    const ofTarget = kept?.target === target.name ? kept : undefined;
    const held = this.#chain ? { generation: this.#chain.generation, own: true } : ofTarget;
    this.#fenceAt = this.#now;
    await this.#newest.require(target, held, this.#now);
  }

  /** Begins a generation: from now on the log is followed, and a snapshot is made of what was before. */
  async #begin(): Promise<void> {
    await this.#snapshotting?.catch(() => {});
    const { data, clock, random, target, encrypted, holder } = this.#options;
    const reason = this.#lost;
    const generation = generationId(clock.now(), random(4), (await newestGeneration(target))?.id);
    const hold = this.#pins.hold(data);
    let image: Image;
    try {
      this.#follower = new LogFollower(data, this.#pins, this.#now);
      image = this.#follower.beginAtEnd(hold.pages, this.#now);
    } catch (error) {
      hold.release();
      throw error;
    }
    this.#lost = undefined;
    this.#isFirstSnapshotDone = false;
    this.#snapshotAt = 0;
    const chain = this.#chainOf(generation, undefined, image.databasePages);
    const base = { sequence: 0, digest: noDigest, at: this.#now };
    try {
      await target.put(
        begunKey(generation),
        new TextEncoder().encode(`${JSON.stringify({ at: base.at, reason, holder })}\n`),
      );
    } catch (error) {
      hold.release();
      this.#lost = 'the target is away';
      throw error;
    }
    this.#chain = chain;
    this.#headSequence = -1;
    this.#keep(chain);
    this.#options.say('info', 'replication_generation_begun', {
      target: target.name,
      generation,
      reason,
      encrypted,
    });
    this.#snapshotting = this.#storeSnapshot(chain, image, base, hold.release);
  }

  #chainOf(generation: string, tip: Tip | undefined, databasePages: number): ReplicaChain {
    const { target, seal, encrypted } = this.#options;
    return new ReplicaChain({ target, seal, encrypted, generation }, tip, databasePages);
  }

  async #storeSnapshot(chain: ReplicaChain, image: Image, base: Tip, release: () => void): Promise<void> {
    const { data } = this.#options;
    const began = this.#now;
    try {
      const files = this.#files();
      await chain.storeSnapshot(image, base, files, (first, count) =>
        readImage(data, this.#follower.log, image, first, count),
      );
      if (this.#chain !== chain) return;
      this.#filesDigest = digestOf(files);
      this.#isFirstSnapshotDone = true;
      this.#snapshotAt = began;
      this.#headSequence = -1;
      this.#keep(chain);
      const { generation } = chain;
      this.#options.say('info', 'replication_snapshot_made', {
        generation,
        pages: image.databasePages,
        ms: this.#now - began,
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.say('error', 'replication_snapshot_failed', { reason });
      this.#reason = reason;
      // Without its first snapshot a generation is of no use. A later one is tried again.
      if (!this.#isFirstSnapshotDone) this.#lost = reason;
      else this.#snapshotAt = this.#now - this.#options.snapshotMs + 60_000;
    } finally {
      release();
      this.#snapshotting = undefined;
    }
  }

  async #storeNext(chain: ReplicaChain): Promise<boolean> {
    const { pageSize } = this.#pins;
    if (this.#isFirstSnapshotDone) {
      const files = this.#files();
      const digest = digestOf(files);
      // Before what refers to them, e.g. keys that a new master key has wrapped.
      if (this.#filesDigest !== '' && digest !== this.#filesDigest) {
        await chain.storeFiles(files, this.#now, this.#follower.clearAt, pageSize);
        this.#keep(chain);
      }
      this.#filesDigest = digest;
    }
    const changes: Changes | undefined = this.#follower.next();
    if (!changes) return false;
    await chain.storeChanges(changes, pageSize);
    if (this.#lost !== undefined) return true;
    this.#follower.stored(changes);
    this.#keep(chain);
    return true;
  }

  #keep(chain: ReplicaChain): void {
    const { data, target } = this.#options;
    const { position } = this.#follower;
    keepChain(data, {
      target: target.name,
      generation: chain.generation,
      own: true,
      ...chain.tip,
      ...(position && { log: position }),
      snapshotAt: this.#snapshotAt,
    });
  }

  async #storeHead(chain: ReplicaChain, now: boolean): Promise<void> {
    if (!this.#follower.isClear || !this.#isFirstSnapshotDone) return;
    const isNew = chain.tip.sequence !== this.#headSequence;
    if (!now && ageMs(this.#now, this.#headAt) < (isNew ? headEveryMs : idleHeadEveryMs)) return;
    const { sequence } = chain.tip;
    await chain.storeHead(Math.max(this.#follower.clearAt, chain.tip.at));
    this.#headAt = this.#now;
    this.#headSequence = sequence;
  }

  /** Copies the log into the database when the server is quiet, or when it is long. */
  #rest(): void {
    this.#follower.emptyErased(this.#now);
    const { frames } = this.#pins.logState();
    const isQuiet = ageMs(this.#now, this.#changedAt) > quietMs;
    if (frames <= copyFrames && !(isQuiet && frames > 0)) return;
    if (!this.#follower.rest(this.#now) || this.#forgotMarks) return;
    this.#pins.forgetMarks(this.#options.data);
    this.#forgotMarks = true;
  }

  /** Makes the next snapshot and deletes what is too old, beside the work. */
  #maintain(chain: ReplicaChain): void {
    const { data, snapshotMs } = this.#options;
    if (this.#snapshotting) return;
    if (this.#now - this.#snapshotAt >= snapshotMs && this.#follower.isClear && chain.tip.sequence > 0) {
      const hold = this.#pins.hold(data);
      // What was committed until the reader began must be stored first.
      this.#follower.poll(this.#now);
      if (!this.#follower.isClear) return hold.release();
      const image = this.#follower.imageHere(chain.databasePages);
      this.#snapshotting = this.#storeSnapshot(chain, image, chain.tip, hold.release);
    } else if (this.#now - this.#retentionAt > retentionEveryMs) {
      this.#retentionAt = this.#now;
      this.#snapshotting = this.#expire(chain).finally(() => (this.#snapshotting = undefined));
    }
  }

  async #expire({ generation: own }: ReplicaChain): Promise<void> {
    const { target, keepMs, say } = this.#options;
    try {
      const objects = await deleteExpiredObjects(target, { own, keepFrom: this.#now - keepMs });
      if (objects > 0) say('info', 'replication_expired', { objects });
    } catch (error) {
      say('warn', 'replication_retention_failed', { reason: error instanceof Error ? error.message : '' });
    }
  }

  /** Runs at fixed times, also while a target hangs: sees what is committed, and keeps the log within its limit. */
  #guard(): void {
    try {
      if (this.#lost !== undefined) return this.#follower.drop();
      this.#follower.poll(this.#now);
      const waiting = this.#follower.waitingBytes(this.#pins.pageSize);
      const { backlogBytes, data } = this.#options;
      if (waiting > backlogBytes || (waiting > neededBytes && freeBytes(data) < 4 * neededBytes)) {
        this.#lost = `${waiting} bytes waited for the target`;
        this.#options.say('error', 'replication_backlog_dropped', { bytes: waiting });
      } else if (this.#failures > 0) this.#follower.copy();
      if (ageMs(this.#now, this.#statusAt) > statusEveryMs) this.#status(true);
    } catch (error) {
      if (error instanceof LogLost) this.#lost = error.message;
      else if (this.#failures++ === 0)
        this.#options.say('error', 'replication_failed', {
          reason: error instanceof Error ? error.message : '',
        });
    }
  }

  /** Files next to the database; none unless they are encrypted. */
  #files(): Readonly<Record<string, Uint8Array>> {
    const { data, files, encrypted } = this.#options;
    return encrypted ? readBeside(data, files) : {};
  }

  #stateOf(isFirst: boolean): ReplicationStatus['state'] {
    if (this.#isFenced) return 'fenced';
    if (this.#stopped) return 'stopped';
    if (this.#failures > 0) return 'away';
    return isFirst ? 'snapshot' : 'ok';
  }

  #status(now: boolean): void {
    if (!now && ageMs(this.#now, this.#statusAt) < statusEveryMs) return;
    this.#statusAt = this.#now;
    const { target, data } = this.#options;
    const isFirst = !this.#isFirstSnapshotDone || this.#lost !== undefined;
    if (!isFirst) this.#coveredAt = Math.floor(this.#follower.clearAt);
    try {
      keepStatus(data, {
        target: target.name,
        state: this.#stateOf(isFirst),
        coveredAt: this.#coveredAt,
        at: this.#now,
        ...(this.#chain ? { generation: this.#chain.generation } : {}),
        ...(this.#reason === undefined ? {} : { reason: this.#reason.slice(0, 500) }),
        waiting: Math.max(0, this.#follower.waitingBytes(this.#pins.pageSize)),
        longestHoldMs: this.#follower.longestHoldMs,
      });
    } catch {
      // The disk of the data directory is full, which its own check reports.
    }
  }
}

/** Resolves `graceMs` after a signal aborts. */
async function graceAfter(signal: AbortSignal, graceMs: number): Promise<void> {
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await Bun.sleep(graceMs);
}

const digestOf = (files: Readonly<Record<string, Uint8Array>>): string =>
  Object.entries(files)
    .map(([name, bytes]) => `${name} ${sha256(bytes)}`)
    .join('\n');
