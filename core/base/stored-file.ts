import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Static, TSchema } from '@sinclair/typebox';
import { isMissingPath } from './foreign-errors.ts';
import { check } from './schema.ts';

/** Whether a path is a directory; also false where a part of it is a file, for which `statSync` alone throws ENOTDIR. */
export const isDirectory = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

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
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  if (uid !== 0) chownSync(path, uid, gid);
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
