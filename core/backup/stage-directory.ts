import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isForbidden } from '../base/foreign-errors.ts';
import { isDirectory } from '../base/stored-file.ts';
import { holdAlone, holdIfThere } from '../db/sqlite/directory-lock.ts';

/** The lock of a directory is released when the process that works in it ends, however it ends. */
const lockFile = '.lock';

/** Marks the name of a directory that is not locked yet. */
const making = 'new-';

/** A directory without a lock belongs to a process that has just created it, or to a version without locks. */
const unlockedForMs = 60 * 60_000;

/** Directories that contain files until they are complete, by the prefix of their names. */
const stagesNamed = (prefix: string) => ({
  prefix,
  /** Runs `work` in a new directory that only its owner can read, which is removed at the end. */
  inside: async <T>(beside: string, work: (stage: string) => Promise<T>): Promise<T> => {
    const unheld = mkdtempSync(join(beside, `${prefix}${making}`));
    // It is renamed only once it is locked. Otherwise a sweep could remove it first.
    const stage = join(beside, basename(unheld).replace(making, ''));
    let lock: ReturnType<typeof holdAlone>;
    try {
      lock = holdAlone(join(unheld, lockFile));
      renameSync(unheld, stage);
    } catch (error) {
      // On a full disk.
      rmSync(unheld, { recursive: true, force: true });
      throw error;
    }
    try {
      return await work(stage);
    } finally {
      lock?.release();
      rmSync(stage, { recursive: true, force: true });
    }
  },
  /** Whether a running process works in one. */
  isAtWork: (beside: string): boolean =>
    namesIn(beside)
      .filter((name) => name.startsWith(prefix) && !name.includes(making))
      .map((name) => join(beside, name, lockFile))
      .some((path) => existsSync(path) && !isFree(path)),
  /** Directories left by killed processes, without those of running processes. */
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

/** @param beside may be missing, be a file, have a parent that is not a directory, or belong to another user, whose it is then to sweep. */
function namesIn(beside: string): readonly string[] {
  try {
    return isDirectory(beside) ? readdirSync(beside) : [];
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}

function isLeft(stage: string, now: number): boolean {
  const path = join(stage, lockFile);
  if (basename(stage).includes(making) || !existsSync(path)) {
    const made = statSync(stage, { throwIfNoEntry: false })?.mtimeMs;
    return made !== undefined && now - made > unlockedForMs;
  }
  return isFree(path);
}

function isFree(path: string): boolean {
  const held = holdIfThere(path);
  held?.release();
  return held !== undefined;
}

export const stages = {
  /** The unencrypted copy of a database: only ever in the data directory. */
  backup: stagesNamed('.trivet-backup-'),
  /** An archive that is being written, next to its target. */
  archive: stagesNamed('.trivet-archive-'),
  restore: stagesNamed('.trivet-restore-'),
  check: stagesNamed('.trivet-check-'),
};
