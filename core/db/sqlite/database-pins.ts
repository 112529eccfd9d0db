import { Database } from 'bun:sqlite';
import { fdatasyncSync } from 'node:fs';
import { join } from 'node:path';
import { isBusy } from '../../base/foreign-errors.ts';
import { databaseFile } from './data-directory.ts';
import { databaseDescriptor } from './database-descriptor.ts';
import { forgetEarlierMarks } from './sqlite-start.ts';

/** How far the log goes, and how far it was copied into the database. */
interface LogState {
  readonly frames: number;
  readonly copied: number;
}

/** How long a writer should wait for us at most, unless the disk itself is slower. */
export const holdLimitMs = 5;
/** Frames that may be left before writers are held up, and that are then copied and flushed while they wait. */
const fewFrames = 16;
const mostFrames = 64;
const maxPasses = 12;
/** How long a gap between writers is looked for, and how often. */
const longestLockMs = 500;
const betweenLocksMs = 0.1;
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const patienceMs = 2_000;

/**
 * The connections of a replicator. One of two readers always holds a read transaction: SQLite begins the log anew only when nobody reads
 * from it, so no frame is overwritten before it was read. Only this class lets that happen, at moments when all of the log was read.
 */
export class DatabasePins {
  readonly #readers: readonly [Database, Database];
  readonly #copier: Database;
  readonly #writer: Database;
  readonly #descriptor: number;
  #held = 0;
  /** Frames of the log when the present reader had begun: its place is not after them. */
  #heldUntil = 0;

  constructor(directory: string) {
    this.#descriptor = databaseDescriptor(directory);
    this.#readers = [open(directory), open(directory)];
    this.#copier = open(directory);
    this.#copier.run('PRAGMA synchronous = FULL');
    this.#copier.run('PRAGMA busy_timeout = 0');
    this.#writer = open(directory);
    pin(this.#readers[0]);
    this.#heldUntil = this.logState().frames;
  }

  /** Tells that the log was begun anew: frames are counted from its beginning. */
  begun(): void {
    this.#heldUntil = 0;
  }

  /** The state of the log as commits have published it: every frame up to there is committed and on the disk. */
  logState(): LogState {
    return this.#checkpoint('NOOP') ?? { frames: 0, copied: 0 };
  }

  get databasePages(): number {
    return this.#copier.query<{ page_count: number }, []>('PRAGMA page_count').get()?.page_count ?? 0;
  }

  get pageSize(): number {
    return this.#copier.query<{ page_size: number }, []>('PRAGMA page_size').get()?.page_size ?? 4_096;
  }

  /**
   * Copies the log into the database as far as nobody reads what is there. Writers go on, and the log stays.
   *
   * A reader that began when the whole log is copied would not keep it, see {@link release}. Nobody copies what was written after our
   * present place, so there is something of it left, and only then we move on.
   */
  copy(): LogState | undefined {
    if (this.logState().frames > this.#heldUntil) this.#swap();
    return this.#checkpoint('PASSIVE');
  }

  /**
   * Lets SQLite begin the log anew with the next write, if all of it was read and copied, without holding up a writer: if one commits
   * in between, nothing happens.
   *
   * Whoever begins to read when the whole log is copied reads from the database alone (SQLite's read mark 0), which no longer keeps the
   * log, but keeps anybody from copying the next log into the database, and so from beginning that one anew, too. If something was
   * committed in between, the reader gets a mark in the log, which keeps it. So in both cases nothing can be overwritten that was not read.
   * @param read the number of the last frame that was read.
   * @returns whether the log may begin anew.
   */
  release(read: number): boolean {
    if (this.logState().frames !== read) return false;
    this.#swap();
    const state = this.#checkpoint('PASSIVE');
    if (state?.frames !== read || state.copied !== read) return false;
    this.#swap();
    return true;
  }

  /**
   * As {@link release} while writers wait, for a server that never pauses. What was committed since is read meanwhile.
   * @param readRest reads the log up to a frame.
   * @returns ms that a writer may have waited; undefined if it was not tried.
   */
  releaseHeld(
    readRest: (frames: number) => void,
  ): { readonly ms: number; readonly released: boolean } | undefined {
    let held: { readonly ms: number; readonly released: boolean } | undefined;
    // Each pass takes less time, and so leaves less: what is read, copied and flushed now need not be while writers wait.
    for (let left = maxPasses; left > 0 && !held?.released; left--) {
      const state = this.copy();
      if (!state) continue;
      // Else the flush of all that the passes have copied comes under the lock: measured, 20 ms of 21.
      fdatasyncSync(this.#descriptor);
      readRest(state.frames);
      if (this.logState().frames - state.copied > fewFrames) continue;
      held = this.#releaseLocked(readRest, held?.ms ?? 0) ?? held;
    }
    return held;
  }

  /**
   * Empties the log, if SQLite may begin it anew. What was committed since keeps it: nobody copies that while our reader has no place in the
   * log, or one before it.
   * @returns whether it is empty.
   */
  empty(): boolean {
    try {
      const found = this.#copier.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return found?.busy === 0;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  /** One try of {@link releaseHeld}. @returns undefined if others write all the time. */
  #releaseLocked(
    readRest: (frames: number) => void,
    earlierMs: number,
  ): { readonly ms: number; readonly released: boolean } | undefined {
    if (!this.#lock()) return undefined;
    const began = performance.now();
    let released = false;
    try {
      const { frames, copied } = this.logState();
      if (frames - copied <= mostFrames) {
        readRest(frames);
        released = this.release(frames);
      }
    } finally {
      this.#writer.run('ROLLBACK');
    }
    return { ms: Math.max(earlierMs, performance.now() - began), released };
  }

  /** Takes the lock in a gap between two writers. SQLite itself would look for one less and less often, and seldom meet it. */
  #lock(): boolean {
    this.#writer.run('PRAGMA busy_timeout = 0');
    try {
      for (const over = performance.now() + longestLockMs; ;) {
        try {
          this.#writer.run('BEGIN IMMEDIATE');
          return true;
        } catch (error) {
          if (!isBusy(error)) throw error;
        }
        if (performance.now() > over) return false;
        Atomics.wait(sleeper, 0, 0, betweenLocksMs);
      }
    } finally {
      this.#writer.run(`PRAGMA busy_timeout = ${patienceMs}`);
    }
  }

  /** Opens one more reader, which keeps the log and the database as they are until it is released. */
  hold(directory: string): { readonly pages: number; readonly release: () => void } {
    const client = open(directory);
    pin(client);
    const pages = client.query<{ page_count: number }, []>('PRAGMA page_count').get()?.page_count ?? 0;
    return { pages, release: () => client.close() };
  }

  /** Forgets the marks of earlier starts, if all of the log is in the database. */
  forgetMarks(directory: string): void {
    forgetEarlierMarks(this.#writer, directory, () => {
      const { frames, copied } = this.logState();
      return frames === copied;
    });
  }

  /** The other reader begins to read at the present end before this one stops. */
  #swap(): void {
    const [other, held] = this.#held === 0 ? [1, 0] : [0, 1];
    pin(this.#readers[other as 0 | 1]);
    this.#readers[held as 0 | 1].run('ROLLBACK');
    this.#held = other;
    this.#heldUntil = this.logState().frames;
  }

  #checkpoint(mode: 'NOOP' | 'PASSIVE'): LogState | undefined {
    const found = this.#copier
      .query<{ busy: number; log: number; checkpointed: number }, []>(`PRAGMA wal_checkpoint(${mode})`)
      .get();
    if (!found || found.log < 0) return undefined;
    return { frames: found.log, copied: found.checkpointed };
  }
}

function open(directory: string): Database {
  const client = new Database(join(directory, databaseFile), { create: false, readwrite: true });
  client.run(`PRAGMA busy_timeout = ${patienceMs}`);
  client.run('PRAGMA wal_autocheckpoint = 0');
  client.run('PRAGMA cache_size = -256');
  return client;
}

/** Begins a read transaction: SQLite takes its place in the log with the first read. */
function pin(client: Database): void {
  client.run('BEGIN');
  client.query('SELECT count(*) FROM sqlite_schema').get();
}

/**
 * Whether a database lacks one of these migrations.
 * @returns also a connection, which keeps the log: the last one to close would delete it.
 */
export function lacksMigrations(
  directory: string,
  migrations: readonly string[],
): { readonly lacks: boolean; readonly kept: Database } {
  const kept = open(directory);
  const tables = kept.query("SELECT 1 FROM sqlite_schema WHERE name = 'trivet_migrations'").all();
  if (tables.length === 0) return { lacks: true, kept };
  const applied = kept.query<{ tag: string }, []>('SELECT tag FROM trivet_migrations').all();
  const known = new Set(applied.map(({ tag }) => tag));
  return { lacks: migrations.some((tag) => !known.has(tag)), kept };
}
