import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isForbidden, isMissingFile } from '../base/foreign-errors.ts';
import { replaceFile } from '../base/stored-file.ts';

/** The last backup of a data directory, whoever made it. */
export interface LastBackup {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Its path, or `-` for stdout. */
  readonly file: string;
  readonly bytes: number;
}

const lastBackupFile = 'last-backup.json';

/** Remembers a backup, for the schedule and `trivet doctor`. */
export function recordBackup(data: string, backup: LastBackup): void {
  replaceFile(join(data, lastBackupFile), `${JSON.stringify(backup)}\n`);
}

/** The last backup; undefined when none exists or the file is unreadable. */
export function readLastBackup(data: string): LastBackup | undefined {
  try {
    const read = JSON.parse(readFileSync(join(data, lastBackupFile), 'utf8')) as Partial<LastBackup> | null;
    const { at, file, bytes } = read ?? {};
    if (typeof at === 'number' && typeof file === 'string' && typeof bytes === 'number')
      return { at, file, bytes };
  } catch (error) {
    // Another user's file must not stop the schedule: the next backup replaces it.
    if (!isMissingFile(error) && !isForbidden(error) && !(error instanceof SyntaxError)) throw error;
  }
  return undefined;
}
