import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Directories in which files lie until they are complete, by the prefix of their names. */
const stagesNamed = (prefix: string) => ({
  prefix,
  /** Runs `work` in a new directory that only its owner can read, which is removed in the end. */
  inside: async <T>(beside: string, work: (stage: string) => Promise<T>): Promise<T> => {
    const stage = mkdtempSync(join(beside, prefix));
    try {
      return await work(stage);
    } finally {
      rmSync(stage, { recursive: true, force: true });
    }
  },
  /** Removes what processes that were killed have left. Call it only where no other process works. */
  sweep: (beside: string): void => {
    for (const name of readdirSync(beside))
      if (name.startsWith(prefix)) rmSync(join(beside, name), { recursive: true, force: true });
  },
});

export const stages = {
  backup: stagesNamed('.trivet-backup-'),
  restore: stagesNamed('.trivet-restore-'),
  check: stagesNamed('.trivet-check-'),
};
