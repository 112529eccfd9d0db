import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isMissingFile } from '../base/foreign-errors.ts';
import { databaseFile } from '../db/sqlite/data-directory.ts';
import {
  frameHeaderBytes,
  frameOffset,
  logHeaderBytes,
  readFrame,
  readLogHeader,
  type LogHeader,
} from './log-format.ts';
import type { LogPosition } from './replica-object.ts';

/** Frames of the log, from a position to the end of a transaction or to a limit. */
interface ReadFrames {
  /** The newest bytes of each page that they change. */
  readonly pages: ReadonlyMap<number, Uint8Array>;
  /** The pages of the database after them; undefined if no transaction ends in them. */
  readonly databasePages: number | undefined;
  /** Whether the last one ends a transaction. */
  readonly ends: boolean;
  readonly position: LogPosition;
}

/** The log does not continue where it was read to: pages may be missing. */
export class LogLost extends Error {
  override readonly name = 'LogLost';
}

/**
 * Reads the log of a database while others write to it. It may be opened and closed at will: SQLite has no locks on this file, unlike on
 * the database (sqlite.org/howtocorrupt.html §2.2).
 */
export function openLog(directory: string) {
  const path = join(directory, `${databaseFile}-wal`);
  const readAt = (file: number, offset: number, length: number): Uint8Array => {
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const count = readSync(file, bytes, done, length - done, offset + done);
      if (count === 0) return bytes.subarray(0, done);
      done += count;
    }
    return bytes;
  };
  const inFile = <T>(work: (file: number) => T): T | undefined => {
    let file: number;
    try {
      file = openSync(path, 'r');
    } catch (error) {
      if (isMissingFile(error)) return undefined;
      throw error;
    }
    try {
      return work(file);
    } finally {
      closeSync(file);
    }
  };
  const header = (): LogHeader | undefined =>
    inFile((file) => readLogHeader(readAt(file, 0, logHeaderBytes)));

  /**
   * Reads on from a position.
   * @param until the number of the last frame to read; it must have been committed.
   * @param limit bytes of pages after which it stops, where a transaction ends if possible.
   * @throws LogLost if the frames after the position do not continue it.
   */
  const read = (from: LogPosition, until: number, limit: number): ReadFrames =>
    inFile((file) => {
      const head = readLogHeader(readAt(file, 0, logHeaderBytes));
      if (!head || !isLogOf(head, from)) throw new LogLost('the log was begun anew');
      return framesAfter(head, from, until, limit, (offset, length) => readAt(file, offset, length));
    }) ?? lost();

  /**
   * Where the newest bytes of each page are, up to a frame.
   * @throws LogLost if a frame does not belong to the log.
   */
  const index = (head: LogHeader, until: number): LogIndex =>
    inFile((file) => {
      const start = startOfLog(head);
      let { frame, sum } = start;
      const frames = new Map<number, number>();
      let databasePages = 0;
      while (frame < until) {
        const found = readFrame(
          head,
          sum,
          readAt(file, frameOffset(frame + 1, head.pageSize), frameHeaderBytes + head.pageSize),
        );
        frame++;
        if (!found) throw new LogLost(`frame ${frame} does not continue the log`);
        sum = [...found.sum];
        frames.set(found.page, frame);
        if (found.databasePages > 0) databasePages = found.databasePages;
      }
      return { frames, databasePages, position: { ...start, frame, sum } };
    }) ?? lost();

  /** The page of a frame. */
  const page = (frame: number, pageSize: number): Uint8Array =>
    inFile((file) => readAt(file, frameOffset(frame, pageSize) + frameHeaderBytes, pageSize)) ?? lost();

  return { header, read, index, page };
}

/** The pages in a log. */
interface LogIndex {
  readonly frames: ReadonlyMap<number, number>;
  /** The pages of the database after the last commit; 0 for an empty log. */
  readonly databasePages: number;
  readonly position: LogPosition;
}

export type OpenLog = ReturnType<typeof openLog>;

const lost = (): never => {
  throw new LogLost('the log is gone');
};

export const isLogOf = (head: LogHeader, { number, salt }: LogPosition): boolean =>
  head.number === number && head.salt[0] === salt[0] && head.salt[1] === salt[1];

/** The beginning of a log. */
export const startOfLog = ({ number, salt, sum }: LogHeader): LogPosition => ({
  number,
  salt: [...salt],
  frame: 0,
  sum: [...sum],
});

/** Frames read from the disk at once. */
const framesAtOnce = 64;
/** A transaction is not cut unless it is larger than this many times the limit. */
const longestLimits = 4;

function framesAfter(
  head: LogHeader,
  from: LogPosition,
  until: number,
  limit: number,
  readAt: (offset: number, length: number) => Uint8Array,
): ReadFrames {
  const { pageSize } = head;
  const frameBytes = frameHeaderBytes + pageSize;
  const pages = new Map<number, Uint8Array>();
  let { frame, sum } = from;
  let databasePages: number | undefined;
  let ends = true;
  while (
    frame < until &&
    !(ends && pages.size * pageSize >= limit) &&
    pages.size * pageSize < limit * longestLimits
  ) {
    const count = Math.min(framesAtOnce, until - frame);
    const bytes = readAt(frameOffset(frame + 1, pageSize), count * frameBytes);
    for (let index = 0; index < count; index++) {
      const one = bytes.subarray(index * frameBytes, (index + 1) * frameBytes);
      const found = readFrame(head, sum, one);
      if (!found) throw new LogLost(`frame ${frame + 1} does not continue the log`);
      frame++;
      sum = [...found.sum];
      pages.set(found.page, one.subarray(frameHeaderBytes));
      ends = found.databasePages > 0;
      if (ends) databasePages = found.databasePages;
      if (ends && pages.size * pageSize >= limit) break;
    }
  }
  const { number, salt } = from;
  return { pages, databasePages, ends, position: { number, salt, frame, sum } };
}
