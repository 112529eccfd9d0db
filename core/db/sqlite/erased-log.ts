import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMissingFile } from '../../base/foreign-errors.ts';

/** The lock of the process that replicates a data directory: of several servers on it, one does. */
export const replicationLockFile = 'replication.lock';

/** Says that the log has texts that were erased: who replicates the database keeps the log, and empties it when everything is stored. */
export const erasedLogFile = 'replication-erased';

/** Whether somebody replicates the directory, or did. */
export const isReplicated = (directory: string): boolean => existsSync(join(directory, replicationLockFile));

/** The note of the last erasure whose texts the log still has; undefined if it has none. */
export function erasedLogNote(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, erasedLogFile), 'utf8');
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

/** @returns whether it could be noted. */
export function noteErasedLog(directory: string): boolean {
  try {
    writeFileSync(join(directory, erasedLogFile), `${process.pid} ${performance.now()}`, { mode: 0o600 });
    return true;
  } catch {
    // A full disk: then the log that says so is all there is.
    return false;
  }
}

/** @param note what the log no longer has; a later one stays. */
export function forgetErasedLog(directory: string, note?: string): void {
  if (note === undefined || erasedLogNote(directory) === note)
    rmSync(join(directory, erasedLogFile), { force: true });
}
