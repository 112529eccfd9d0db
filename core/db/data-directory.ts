import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';

/** The SQLite database of a data directory. */
export const databaseFile = 'trivet.db';

const others = 0o007;
const othersWrite = 0o002;
const othersEnter = 0o001;

/**
 * Refuses a data directory whose database other users of this machine may read, replace or redirect. The group may have any rights:
 * volumes of containers are mounted that way. Windows has no such modes.
 * @throws UsageError with the remedy.
 */
export function refuseExposedData(directory: string, path = join(directory, databaseFile)): void {
  if (process.platform === 'win32') return;
  const { mode } = statSync(directory);
  // A user who may write here could replace the database by another one or by a link.
  if ((mode & othersWrite) !== 0) {
    throw new UsageError(
      `--data: ${directory} can be written by every user of this machine. Run: chmod o-w ${directory}`,
    );
  }
  const file = lstatSync(path);
  if (file.isSymbolicLink()) {
    throw new UsageError(
      `${path} is a symbolic link. Name the directory in which the database really is with --data.`,
    );
  }
  const open = (file.mode & others) !== 0 && (mode & othersEnter) !== 0;
  if (open || (file.mode & othersWrite) !== 0) {
    throw new UsageError(
      `${path} can be read or written by other users of this machine. Run: chmod 600 ${path}`,
    );
  }
}
