import { accessSync, constants, lstatSync, readFileSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { codeOf, isExistingFile, isForbidden } from '../../base/foreign-errors.ts';

/** The SQLite database of a data directory. */
export const databaseFile = 'trivet.db';

/** What is said of a data directory that cannot be made or listed. @param error of the file system. */
export const unusableDirectory = (directory: string, error: unknown): UsageError =>
  new UsageError(
    `--data: ${directory} cannot be used as a data directory (${isExistingFile(error) ? 'it is a file' : codeOf(error)}).`,
  );

const others = 0o007;
const othersWrite = 0o002;
const othersEnter = 0o001;

/**
 * Refuses a data directory that this user cannot read: the database would seem to be missing.
 * @throws UsageError that names its owner.
 */
export const refuseUnreadableData = (directory: string): void =>
  refuseUnreadableFile(directory, join(directory, databaseFile));

/**
 * Like {@link refuseUnreadableData}, of one file of the directory, which may be missing.
 * @param other what the caller may name instead.
 */
export function refuseUnreadableFile(directory: string, path: string, other = 'directory'): void {
  if (process.platform === 'win32') return;
  try {
    // Opens no descriptor: closing one would release the locks of other connections.
    accessSync(path, constants.R_OK);
  } catch (error) {
    if (!isForbidden(error)) return;
    throw new UsageError(
      `${path} cannot be read by the user ${userNamed(process.getuid?.() ?? -1)}. ${ownerOf([path, directory])} Run this as ` +
        `its owner (e.g. sudo -u), or name another ${other}.`,
    );
  }
}

/** The owner of the first visible path among these. */
function ownerOf(paths: readonly string[]): string {
  for (const path of paths) {
    let found: Stats;
    try {
      found = statSync(path);
    } catch {
      continue;
    }
    return `${path} belongs to ${userNamed(found.uid)}, with mode ${(found.mode & 0o777).toString(8)}.`;
  }
  return 'A directory on the way to it is closed.';
}

/** e.g. `trivet (998)` */
function userNamed(uid: number): string {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((each) => each.split(':')[2] === String(uid));
    return line === undefined ? String(uid) : `${line.split(':')[0]} (${uid})`;
  } catch {
    return String(uid);
  }
}

/**
 * Refuses a data directory in which every user of this machine may write: they could read the master key that is put there, or replace the
 * database by another one or by a link. Windows has no such modes.
 * @throws UsageError with the remedy.
 */
export function refuseOpenDirectory(directory: string): void {
  if (process.platform === 'win32' || (statSync(directory).mode & othersWrite) === 0) return;
  throw new UsageError(
    `--data: ${directory} can be written by every user of this machine. Run: chmod o-w ${directory}`,
  );
}

/**
 * Refuses a data directory whose database other users of this machine may read, replace or redirect. The group may have any rights:
 * volumes of containers are mounted that way. Windows has no such modes.
 * @throws UsageError with the remedy.
 */
export function refuseExposedData(directory: string): void {
  if (process.platform === 'win32') return;
  refuseOpenDirectory(directory);
  const { mode } = statSync(directory);
  const path = join(directory, databaseFile);
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
