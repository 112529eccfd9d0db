import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fail, UsageError } from '../../base/errors.ts';
import { codeOf, isExistingFile, isMissingFile } from '../../base/foreign-errors.ts';
import { createNewForOwner, replaceFile } from '../../base/stored-file.ts';
import { databaseFile } from './data-directory.ts';

/*
 * Checks of a SQLite database before SQLite opens it: opening replays the log, and then it is too late. The offsets are those of
 * the file format (sqlite.org/fileformat2.html §1.3).
 */
const headerBytes = 100;
const magic = Buffer.from('SQLite format 3\0');
const pageSizeAt = 16;
const changeCounterAt = 24;
const pageCountAt = 28;
const userVersionAt = 60;
const validForAt = 92;

const remedy =
  'Restore a backup ("trivet backup" made one, an upgrade leaves backup-….db), or move the file away to start with an empty database.';

/** The error for a database that SQLite cannot read. */
export const damageErrorOf = (path: string, what: string, cause: string) =>
  fail.STORAGE_FAILED(`${path} ${what}.`, { cause, tip: remedy });

/**
 * Checks the database of a data directory before it is opened. Must not be called while this process has it open: closing any
 * descriptor of a database file releases the locks of the other connections (sqlite.org/howtocorrupt.html §2.2).
 * @returns whether it exists.
 * @throws Fault STORAGE_FAILED for an empty, foreign or truncated file; UsageError for a log of another database.
 */
export function examineDatabase(directory: string): boolean {
  const path = join(directory, databaseFile);
  const header = Buffer.alloc(headerBytes);
  let size: number;
  let read: number;
  try {
    const file = openSync(path, 'r');
    try {
      size = fstatSync(file).size;
      read = readSync(file, header, 0, headerBytes, 0);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isMissingFile(error)) return false;
    throw damageErrorOf(path, `cannot be read (${codeOf(error)})`, 'sqlite_cantopen');
  }
  // A new database gets its name only once it has a header, so another program has emptied this file.
  if (size === 0) throw damageErrorOf(path, 'is empty (0 bytes)', 'empty');
  if (read < headerBytes || !header.subarray(0, magic.length).equals(magic))
    throw damageErrorOf(path, 'is not a SQLite database', 'sqlite_notadb');
  const logSize = sizeOf(`${path}-wal`);
  const rawPageSize = header.readUInt16BE(pageSizeAt);
  const pageSize = rawPageSize === 1 ? 65_536 : rawPageSize;
  const expectedSize = pageSize * header.readUInt32BE(pageCountAt);
  const counted = header.readUInt32BE(changeCounterAt) === header.readUInt32BE(validForAt);
  // With a log, the file may be shorter than its header says: the rest is in the log.
  if (logSize === 0 && counted && size < expectedSize)
    throw damageErrorOf(path, `is truncated: it has ${size} bytes of ${expectedSize}`, 'truncated');
  const marks = readMarks(directory);
  if (logSize > 0 && marks && !marks.includes(header.readUInt32BE(userVersionAt))) {
    throw new UsageError(
      `${path} and ${databaseFile}-wal do not belong together: the database was replaced while the log of the earlier one ` +
        `was left, and reading both would give wrong answers. Move ${databaseFile}-wal and ${databaseFile}-shm away, then ` +
        'start again. A backup is restored into an empty directory.',
    );
  }
  return true;
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Creates an empty database that only its owner can read. It gets its name only once it has a header, so two processes that start at once
 * never see an empty file. An existing one is left alone.
 */
export function createDatabase(directory: string, make: (path: string) => void): void {
  const path = join(directory, databaseFile);
  const part = `${path}.new-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  try {
    createNewForOwner(part);
    make(part);
    linkSync(part, path);
  } catch (error) {
    if (!isExistingFile(error)) throw error;
  } finally {
    rmSync(part, { force: true });
  }
}

/**
 * The marks of the databases to which a log in this directory may belong. The mark of a database is in its header (`user_version`). A
 * server changes it at each start, and each backup gets its own, so that a database replaced by a copy is detected.
 */
const marksFile = (directory: string) => join(directory, `${databaseFile}-marks`);

export function readMarks(directory: string): readonly number[] | undefined {
  try {
    return readFileSync(marksFile(directory), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map(Number);
  } catch {
    return undefined;
  }
}

/** Replaces the marks. They are on disk when this returns. */
export function writeMarks(directory: string, marks: readonly number[]): void {
  replaceFile(marksFile(directory), marks.map((mark) => `${mark}\n`).join(''));
}

/** Changes the mark of a database file that no connection has open. */
export function changeMark(path: string, mark: number): void {
  const file = openSync(path, 'r+');
  try {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(mark);
    writeSync(file, bytes, 0, 4, userVersionAt);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** `user_version` is a signed number of 32 bits; 0 means no mark. */
export const makeMark = (): number => 1 + Math.floor(Math.random() * 0x7fff_fffe);
