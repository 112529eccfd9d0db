import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../base/errors.ts';
import { databaseFile } from './data-directory.ts';

/**
 * Free bytes that a server needs: a write grows the log by up to 4 MiB before it is copied into the database, which grows as well. With
 * less, large writes fail while small ones still work.
 */
export const neededBytes = 16 * 1024 * 1024;

/** Bytes that this user may still write on the disk of a directory. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** @throws Fault STORAGE_FAILED when the disk of a data directory is nearly full. */
export function requireSpace(directory: string): void {
  const free = freeBytes(directory);
  if (free >= neededBytes) return;
  throw fail.STORAGE_FAILED(`Only ${Math.floor(free / 1024)} KiB are free on the disk of ${directory}.`, {
    cause: 'disk_full',
    tip: 'Free space on that disk, or move the data directory to a larger one while the server is stopped.',
  });
}

const idOf = (path: string) => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
};

/**
 * Detects that a database file was deleted or replaced: the server would keep writing to the unlinked file, and everything would be lost
 * when it stops.
 * @returns a check that throws Fault STORAGE_FAILED.
 */
export function watchDatabaseFile(directory: string): () => void {
  const path = join(directory, databaseFile);
  const first = idOf(path);
  return () => {
    const now = idOf(path);
    if (now === first) return;
    const gone = now === undefined;
    throw fail.STORAGE_FAILED(
      `${path} was ${gone ? 'deleted' : 'replaced'} while this process has it open.`,
      {
        cause: gone ? 'file_deleted' : 'file_replaced',
        tip: 'Back up through a server that still answers (docs/monitoring.md), stop it, and start it on the right file.',
      },
    );
  };
}

export const hasDatabase = (directory: string): boolean => existsSync(join(directory, databaseFile));

/** Bytes of a file next to the database, given its suffix, e.g. `-wal`; an empty suffix means the database itself. 0 if missing. */
export const databaseBytes = (directory: string, suffix: '' | '-wal'): number =>
  statSync(join(directory, `${databaseFile}${suffix}`), { throwIfNoEntry: false })?.size ?? 0;
