import {
  closeSync,
  existsSync,
  fchownSync,
  fsyncSync,
  lchownSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import type { Static, TSchema } from '@sinclair/typebox';
import { isExistingFile, isMissingPath } from './foreign-errors.ts';
import { check } from './schema.ts';

/** Whether a path is a directory; also false where a part of it is a file, for which `statSync` alone throws ENOTDIR. */
export const isDirectory = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** Whether an absolute path is a directory itself, or anything below it. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

/** Waits until a file or a directory is on the disk. */
export function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * What root makes in a directory of somebody else belongs to that user, as with SQLite's files: a command under sudo must not stop the
 * server that runs as the user.
 */
export function giveToOwner(path: string): void {
  const owner = otherOwnerOf(dirname(path));
  // Not what a link leads to: that user may put one there meanwhile, and would get any file of the machine.
  if (owner) lchownSync(path, owner.uid, owner.gid);
}

/** The owner of a directory if that is somebody else and this is root. */
function otherOwnerOf(directory: string) {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(directory);
  return uid === 0 ? undefined : { uid, gid };
}

/** Creates an empty file that only the owner of its directory can read. @throws the error EEXIST for a path that exists, also for a link. */
export function createNewForOwner(path: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    const owner = otherOwnerOf(dirname(path));
    if (owner) fchownSync(file, owner.uid, owner.gid);
  } finally {
    closeSync(file);
  }
}

/**
 * {@link createNewForOwner}, unless the path exists. Never opens an existing file: closing any descriptor of a database file releases the
 * locks that other connections of this process hold on it (sqlite.org/howtocorrupt.html §2.2).
 */
export function createForOwner(path: string): void {
  try {
    createNewForOwner(path);
  } catch (error) {
    if (!isExistingFile(error)) throw error;
  }
}

/**
 * Atomically replaces a file, readable only by its owner. A reader sees the old text or the new one, and neither a kill nor a full disk
 * leaves a partial file. The file is on disk when this returns.
 */
export function replaceFile(path: string, text: string): void {
  const part = `${path}.part-${process.pid}`;
  rmSync(part, { force: true });
  try {
    writeFileSync(part, text, { mode: 0o600, flag: 'wx', flush: true });
    giveToOwner(part);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
  flush(dirname(path));
}

/** The JSON of a small file of ours. @returns undefined for a file that is missing, unreadable as JSON, or not of this form. */
export function storedRecord<T extends TSchema>(path: string, schema: T): Static<T> | undefined {
  try {
    const checked = check(schema, JSON.parse(readFileSync(path, 'utf8')));
    return checked.ok ? (checked.value as Static<T>) : undefined;
  } catch (error) {
    if (isMissingPath(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
