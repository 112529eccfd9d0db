import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { holdAlone, holdIfThere } from '../db/sqlite/directory-lock.ts';

/** Its lock ends with the process that works in the directory, however that ended. */
const lockFile = '.lock';

/** In the name of a directory that is not held yet. */
const making = 'new-';

/** A directory without a lock is of a process that has just made it, or of a version that had no locks. */
const unlockedForMs = 60 * 60_000;

/** Directories in which files lie until they are complete, by the prefix of their names. */
const stagesNamed = (prefix: string) => ({
  prefix,
  /** Runs `work` in a new directory that only its owner can read, which is removed in the end. */
  inside: async <T>(beside: string, work: (stage: string) => Promise<T>): Promise<T> => {
    const unheld = mkdtempSync(join(beside, `${prefix}${making}`));
    const lock = holdAlone(join(unheld, lockFile));
    // It gets its name when it is held: whoever sweeps would be faster otherwise.
    const stage = join(beside, basename(unheld).replace(making, ''));
    renameSync(unheld, stage);
    try {
      return await work(stage);
    } finally {
      lock?.release();
      rmSync(stage, { recursive: true, force: true });
    }
  },
  /** What processes that were killed have left. Those of processes that work now are not among it. */
  left: (beside: string, now: number): readonly string[] =>
    namesIn(beside)
      .filter((name) => name.startsWith(prefix))
      .map((name) => join(beside, name))
      .filter((stage) => isLeft(stage, now)),
  /** Removes {@link left}. @returns what was removed. */
  sweep(beside: string, now: number): readonly string[] {
    return this.left(beside, now).filter((stage) => {
      const path = join(stage, lockFile);
      const lock = existsSync(path) ? holdIfThere(path) : { release: () => {} };
      if (lock) rmSync(stage, { recursive: true, force: true });
      lock?.release();
      return lock !== undefined;
    });
  },
});

/** @param beside may not exist, or be below what is no directory. */
const namesIn = (beside: string): readonly string[] => (existsSync(beside) ? readdirSync(beside) : []);

function isLeft(stage: string, now: number): boolean {
  const path = join(stage, lockFile);
  if (basename(stage).includes(making) || !existsSync(path)) {
    const made = statSync(stage, { throwIfNoEntry: false })?.mtimeMs;
    return made !== undefined && now - made > unlockedForMs;
  }
  const held = holdIfThere(path);
  held?.release();
  return held !== undefined;
}

export const stages = {
  /** The copy of a database, in clear: in the data directory alone. */
  backup: stagesNamed('.trivet-backup-'),
  /** An archive that is being written, beside its place. */
  archive: stagesNamed('.trivet-archive-'),
  restore: stagesNamed('.trivet-restore-'),
  check: stagesNamed('.trivet-check-'),
};
