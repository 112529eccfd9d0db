import { holdLimitMs, type DatabasePins } from '../db/sqlite/database-pins.ts';
import { erasedLogNote, forgetErasedLog } from '../db/sqlite/erased-log.ts';
import type { LogHeader } from './log-format.ts';
import { startOfLog, isLogOf, LogLost, openLog, type OpenLog } from './log-reader.ts';
import type { LogPosition } from './replica-object.ts';
import type { Image } from './snapshot-making.ts';

/** What transactions changed, to be stored as one object. */
export interface Changes {
  readonly pages: ReadonlyMap<number, Uint8Array>;
  readonly databasePages: number | undefined;
  readonly ends: boolean;
  readonly position: LogPosition;
  /** All of it had been committed at this time, and nothing of it at `since` (epoch ms). */
  readonly at: number;
  readonly since: number;
}

/** The end of the log at a time. */
interface Mark {
  readonly frames: number;
  readonly at: number;
}

/** At most one object in this time: each costs a request. */
const betweenMarksMs = 700;
/** While a target is away its marks are thinned out: what comes later is then restored less exactly, and in fewer objects. */
const maxMarks = 240;
/** Bytes of pages in one object. A longer transaction makes it longer, up to four times. */
const objectBytes = 8 * 1024 * 1024;
/** Bytes of the log that are read at once to let it go. */
const mostCarriedBytes = 4 * objectBytes;
/** Frames from which writers are held up shortly to let the log begin anew, if it is never quiet. */
const holdFrames = 4_000;
const mostHoldFrames = 64_000;

/** Follows the log of a database: what has been committed, what of it was read, and when the log may begin anew. */
export class LogFollower {
  readonly #directory: string;
  readonly #log: OpenLog;
  readonly #pins: DatabasePins;
  #position: LogPosition | undefined;
  #mayBeginAnew = true;
  /** The log that was let go for an erasure. */
  #leftLog: { readonly note: string; readonly number: number } | undefined;
  #marks: Mark[] = [];
  #carried: Changes[] = [];
  #since: number;
  #holdFrom = holdFrames;
  /** The longest that a writer was held up, in ms. */
  longestHoldMs = 0;

  constructor(directory: string, pins: DatabasePins, now: number) {
    this.#directory = directory;
    this.#log = openLog(directory);
    this.#pins = pins;
    this.#since = now;
  }

  get log(): OpenLog {
    return this.#log;
  }

  get position(): LogPosition | undefined {
    return this.#position;
  }

  /** Whether everything that was seen is read and stored. */
  get isClear(): boolean {
    return this.#marks.length === 0 && this.#carried.length === 0;
  }

  /** Until when (epoch ms) everything that was committed is stored, if {@link isClear}; else the time of what was stored last. */
  get clearAt(): number {
    return this.#since;
  }

  /** Bytes of the log that were not stored. */
  waitingBytes(pageSize: number): number {
    return ((this.#marks.at(-1)?.frames ?? 0) - (this.#position?.frame ?? 0)) * pageSize;
  }

  /**
   * Goes on from a position that was stored earlier.
   * @throws LogLost if the log does not continue it.
   */
  resume(from: LogPosition | undefined, now: number): void {
    const seen = this.#settled();
    // Without a position nothing says whether others have written meanwhile.
    if (!from) throw new LogLost('no position is known');
    if (!seen.head || !isLogOf(seen.head, from)) throw new LogLost('the log was begun anew');
    // An empty index of an old log: it will begin anew, and may have had more than was stored.
    if (seen.frames < from.frame) throw new LogLost('the log is shorter than what was stored');
    const upToThere = this.#log.index(seen.head, from.frame).position;
    if (upToThere.sum[0] !== from.sum[0] || upToThere.sum[1] !== from.sum[1])
      throw new LogLost('the log is another one');
    this.#become(from, now);
    // The log may begin anew if all of it is copied, see DatabasePins.copy. Then what is left is read at once.
    const { copied } = this.#pins.logState();
    if (copied >= seen.frames && seen.frames > from.frame) {
      this.#carry(seen.frames, now);
      if (!this.#isStill(from)) throw new LogLost('the log was begun anew');
    }
    this.#mayBeginAnew = copied >= seen.frames;
  }

  /** The database at the end of the log, from where this goes on. The caller holds a reader. @param pages of the database of that reader. */
  beginAtEnd(pages: number, now: number): Image {
    const { head, frames } = this.#settled();
    const { pageSize } = this.#pins;
    if (!head || frames === 0) {
      this.#become(undefined, now);
      return { pageSize, databasePages: pages, position: undefined, frames: new Map() };
    }
    const index = this.#log.index(head, frames);
    this.#become(index.position, now);
    return { pageSize, databasePages: index.databasePages, position: index.position, frames: index.frames };
  }

  /** The database at the present position. The caller holds a reader that began before it was reached. */
  imageHere(databasePages: number): Image {
    const { pageSize } = this.#pins;
    const position = this.#position;
    const database = { pageSize, databasePages, position: undefined, frames: new Map<number, number>() };
    const head = this.#log.header();
    if (!position || position.frame === 0 || !head || !isLogOf(head, position)) return database;
    try {
      const { frames } = this.#log.index(head, position.frame);
      return { pageSize, databasePages, position, frames };
    } catch (error) {
      // It has begun anew meanwhile, which it does only when all of it is in the database.
      if (error instanceof LogLost && this.#mayBeginAnew) return database;
      throw error;
    }
  }

  /** Looks how far the log goes. @throws LogLost if something in between cannot be read any more. */
  poll(now: number): void {
    const seen = this.#look();
    if (!seen) return;
    const { head, frames } = seen;
    if (frames === 0) {
      if (!this.#mayBeginAnew && this.#position && this.#position.frame > 0)
        throw new LogLost('the log was emptied');
      if (this.isClear) this.#since = now;
      return;
    }
    if (!head) return;
    if (!this.#position || !isLogOf(head, this.#position)) {
      if (!this.#mayBeginAnew || this.#marks.length > 0) throw new LogLost('the log was begun anew');
      this.#position = startOfLog(head);
      this.#pins.begun();
      this.#mayBeginAnew = false;
    }
    const known = this.#marks.at(-1)?.frames ?? this.#position.frame;
    if (frames < known) throw new LogLost('the log has become shorter');
    if (frames === known) {
      if (this.isClear) this.#since = now;
      return;
    }
    this.#mayBeginAnew = false;
    const last = this.#marks.at(-1);
    const isOpen = last !== undefined && now - (this.#marks.at(-2)?.at ?? this.#since) < betweenMarksMs;
    if (isOpen) this.#marks.pop();
    this.#marks.push({ frames, at: now });
    if (this.#marks.length > maxMarks)
      this.#marks = this.#marks.filter((_, index) => index % 2 === 1 || index === 0);
  }

  /** The next changes to store; undefined if there are none. Until {@link stored} it gives the same. */
  next(): Changes | undefined {
    const [carried] = this.#carried;
    if (carried) return carried;
    const [mark] = this.#marks;
    if (!mark || !this.#position) return undefined;
    const read = this.#log.read(this.#position, mark.frames, objectBytes);
    return { ...read, at: mark.at, since: this.#since };
  }

  /** Notes that changes were stored. */
  stored(changes: Changes): void {
    if (this.#carried[0] === changes) this.#carried.shift();
    else {
      this.#position = changes.position;
      const [mark] = this.#marks;
      if (mark && mark.frames <= changes.position.frame) this.#marks.shift();
      else return;
    }
    this.#since = changes.at;
  }

  /**
   * Lets the log begin anew when all of it is stored. @param now epoch ms.
   * @returns whether it may.
   */
  rest(now: number): boolean {
    const position = this.#position;
    if (!position || position.frame === 0 || this.#mayBeginAnew) return false;
    const { frames } = this.#pins.logState();
    if (this.isClear && frames === position.frame) {
      // Also if it fails: what we hold then may be a place from which the log begins anew.
      this.#mayBeginAnew = true;
      if (this.#pins.release(frames)) return true;
    }
    // On a server that never pauses there is always something that was seen and not stored.
    if (frames < this.#holdFrom || !this.#readAhead()) return false;
    const held = this.#pins.releaseHeld((until) => this.#carry(until, now));
    if (!held) return false;
    this.longestHoldMs = Math.max(this.longestHoldMs, held.ms);
    // A slow disk is asked less often: the log grows instead.
    this.#holdFrom = held.ms > holdLimitMs ? Math.min(this.#holdFrom * 2, mostHoldFrames) : holdFrames;
    return (this.#mayBeginAnew = held.released);
  }

  /**
   * Empties a log that has erased texts. What was not stored is read first, because a server may never be quiet; then the next log takes the
   * place of this one at once.
   */
  emptyErased(now: number): void {
    const position = this.#position;
    if (!position) return;
    const note = erasedLogNote(this.#directory);
    if (note === undefined || !this.#readAhead()) return;
    const isLeft = this.#leftLog?.note === note && this.#leftLog.number !== position.number;
    // If it may begin anew, it may have done so, and our position is not one of it.
    if (!isLeft && !this.#mayBeginAnew) {
      this.#mayBeginAnew = this.#pins.releaseHeld((until) => this.#carry(until, now))?.released ?? false;
      if (this.#mayBeginAnew) this.#leftLog = { note, number: position.number };
    }
    if (isLeft || (this.#mayBeginAnew && this.#pins.empty())) forgetErasedLog(this.#directory, note);
  }

  /** Copies the log into the database while it is kept for a target that is away. */
  copy(): void {
    const { frames, copied } = this.#pins.logState();
    if (frames - copied > 1_000) this.#pins.copy();
  }

  /** Copies the whole log into the database, and keeps it. Then a copy of `trivet.db` of a stopped server is complete without its log. */
  copyAll(): void {
    this.#pins.copy();
  }

  /** Gives up what was not stored, so that the log does not grow any more. */
  drop(): void {
    this.#marks = [];
    this.#carried = [];
    this.#pins.copy();
    this.#pins.release(this.#pins.logState().frames);
  }

  /** Reads what was seen without storing it. @returns whether nothing is left, and what was read before is stored. */
  #readAhead(): boolean {
    if (this.#carried.length > 0 || this.waitingBytes(this.#pins.pageSize) > mostCarriedBytes) return false;
    const last = this.#marks.at(-1);
    if (last) this.#carry(last.frames, last.at);
    this.#marks = [];
    return true;
  }

  /** Reads up to a frame without storing it. */
  #carry(until: number, now: number): void {
    const position = this.#position;
    if (!position || until <= position.frame) return;
    const read = this.#log.read(position, until, Number.MAX_SAFE_INTEGER);
    const last = this.#carried.at(-1)?.at ?? this.#since;
    this.#carried.push({ ...read, at: now, since: last });
    this.#position = read.position;
  }

  #become(position: LogPosition | undefined, now: number): void {
    this.#position = position;
    this.#marks = [];
    this.#carried = [];
    this.#since = now;
    this.#mayBeginAnew = true;
  }

  #isStill(position: LogPosition): boolean {
    const head = this.#log.header();
    return head !== undefined && isLogOf(head, position);
  }

  /** The log and how far it goes, at one moment; undefined while it begins anew. */
  #look(): { readonly head: LogHeader | undefined; readonly frames: number } | undefined {
    const before = this.#log.header();
    const { frames } = this.#pins.logState();
    const after = this.#log.header();
    if (before?.salt[0] !== after?.salt[0] || before?.salt[1] !== after?.salt[1]) return undefined;
    return { head: after, frames };
  }

  #settled(): { readonly head: LogHeader | undefined; readonly frames: number } {
    for (let left = 1_000; left > 0; left--) {
      const seen = this.#look();
      if (seen) return seen;
    }
    throw new LogLost('the log begins anew all the time');
  }
}
