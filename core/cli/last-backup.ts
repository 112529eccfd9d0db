import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a backup leaves in the data directory that it copied, so that its age can be seen. */
export const lastBackupFile = 'last-backup.json';

interface LastBackup {
  /** When it ended (epoch ms). */
  readonly at: number;
  /** Where it went. */
  readonly file: string;
  readonly bytes: number;
}

/** The last backup of a data directory; undefined before the first, and for a file that is none. */
export function lastBackupIn(directory: string): LastBackup | undefined {
  try {
    const read = JSON.parse(
      readFileSync(join(directory, lastBackupFile), 'utf8'),
    ) as Partial<LastBackup> | null;
    const at = typeof read?.at === 'string' ? Date.parse(read.at) : read?.at;
    if (typeof at !== 'number' || !Number.isFinite(at)) return undefined;
    return { at, file: String(read?.file), bytes: Number(read?.bytes) };
  } catch {
    return undefined;
  }
}
