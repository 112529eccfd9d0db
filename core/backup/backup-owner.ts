import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isExistingFile, isForbidden, isMissingFile } from '../base/foreign-errors.ts';
import { isInside, replaceFile } from '../base/stored-file.ts';

/** Names the data directory whose backups are in a directory. */
export const ownerFile = '.trivet-backups';
/** The name of a data directory for {@link ownerFile}. It is in no backup: a restored copy is another installation. */
const idFile = 'backup-id';

/**
 * Whether the scheduled backups in a directory are those of a data directory. Two installations with one `--backup-dir` would otherwise
 * delete each other's. The first one that asks owns it.
 * @param newId for a data directory that has no name yet.
 */
export function ownsBackups(data: string, directory: string, newId: () => string): boolean {
  // Nobody else has backups within the data directory.
  if (isInside(data, directory)) return true;
  const id = idOf(data, newId);
  try {
    writeFileSync(join(directory, ownerFile), `${id}\n`, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (!isExistingFile(error)) throw error;
  }
  try {
    return readFileSync(join(directory, ownerFile), 'utf8').trim() === id;
  } catch (error) {
    if (isForbidden(error) || isMissingFile(error)) return false;
    throw error;
  }
}

function idOf(data: string, newId: () => string): string {
  const path = join(data, idFile);
  if (!existsSync(path)) replaceFile(path, `${newId()}\n`);
  return readFileSync(path, 'utf8').trim();
}
