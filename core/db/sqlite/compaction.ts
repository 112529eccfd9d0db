import { Database } from 'bun:sqlite';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { flush, giveToOwner } from '../../base/stored-file.ts';
import { copyDatabase } from './backup.ts';
import { databaseFile, refuseUnreadableData } from './data-directory.ts';
import { readMarks, writeMarks } from './database-file.ts';
import { holdDirectoryAlone } from './directory-lock.ts';
import { refuseStandby } from './directory-role.ts';
import { databaseBytes, freeBytes, hasDatabase, neededBytes } from './database-place.ts';
import { connect } from './sqlite-connection.ts';
import { refuseIncomplete } from './sqlite-migration.ts';

/** Bytes of a database file before and after. */
interface Compacted {
  readonly before: number;
  readonly after: number;
}

const mebibyte = 1024 * 1024;

/**
 * Replaces the database of a data directory by a copy without unused pages. Others must not have it open: the lock of the directory is held
 * meanwhile. The copy is complete, checked and on the disk before it takes the place of the database, by a rename: a kill at any time leaves
 * one of the two.
 * @throws UsageError for data that this user cannot read, for the copy of a standby, when a server runs on it, when the disk has no room for
 * the copy, or when the copy is damaged.
 */
export function compactDatabase(directory: string): Compacted {
  refuseUnreadableData(directory);
  if (!hasDatabase(directory))
    throw new UsageError(`There is no database in ${directory}. Name the data directory with --data.`);
  // Its follower writes pages of another database at their places.
  refuseStandby(directory);
  const lock = holdDirectoryAlone(directory);
  const path = join(directory, databaseFile);
  const copy = copyOf(directory);
  let mark: number;
  try {
    removeCopy(copy);
    const client = connect(directory, 'full');
    try {
      refuseIncomplete(client);
      requireRoom(client, directory);
      client.run('PRAGMA busy_timeout = 500');
      // What is in the log belongs to the database: nothing may be left in it when the copy takes its place.
      const [log] = client.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').all();
      if (log?.busy !== 0) throw new UsageError(`Another program reads ${path}. End it, then try again.`);
      copyDatabase(client, copy);
      mark = markOfWhole(copy);
      flush(copy);
    } finally {
      client.close();
    }
    const before = databaseBytes(directory, '');
    if (databaseBytes(directory, '-wal') > 0)
      throw new UsageError(`Another program writes to ${path}. End it, then try again.`);
    // Known before it has its name: a log of the copy belongs to it, whatever is killed in between.
    writeMarks(directory, [...new Set([...(readMarks(directory) ?? []), mark])]);
    giveToOwner(copy);
    renameSync(copy, path);
    flush(dirname(path));
    return { before, after: databaseBytes(directory, '') };
  } finally {
    removeCopy(copy);
    lock.release();
  }
}

const copyOf = (directory: string) => join(directory, `${databaseFile}.compact`);

function removeCopy(copy: string): readonly string[] {
  const left = ['', '.part', '-wal', '-shm'].map((suffix) => `${copy}${suffix}`).filter(existsSync);
  for (const path of left) rmSync(path, { force: true });
  return left;
}

/**
 * Removes what a killed {@link compactDatabase} left: a whole copy, also of what is erased later. The caller holds the lock of the directory.
 * @returns what was removed.
 */
export const sweepCompaction = (directory: string): readonly string[] => removeCopy(copyOf(directory));

function requireRoom(client: Database, directory: string): void {
  const numberOf = (pragma: string) =>
    Number(Object.values(client.query<Record<string, number>, []>(`PRAGMA ${pragma}`).get() ?? {})[0] ?? 0);
  const used = (numberOf('page_count') - numberOf('freelist_count')) * numberOf('page_size');
  const free = freeBytes(directory);
  if (free >= used + neededBytes) return;
  const inMebibytes = (bytes: number) => `${Math.ceil(bytes / mebibyte)} MiB`;
  throw new UsageError(
    `The copy needs ${inMebibytes(used + neededBytes)} and the disk of ${directory} has ${inMebibytes(free)} left. Make room, then try again.`,
  );
}

/**
 * Checks the copy, and gives it a log as the database has: a server and its replicator that open it at once could not agree on that.
 * @returns its mark.
 * @throws UsageError when SQLite finds it damaged; the database is then as it was.
 */
function markOfWhole(copy: string): number {
  const client = new Database(copy, { create: false, readwrite: true });
  try {
    client.run('PRAGMA journal_mode = WAL');
    const [first] = client.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
    const [version] = client.query<{ user_version: number }, []>('PRAGMA user_version').all();
    if (first?.quick_check === 'ok' && version) return version.user_version;
  } finally {
    client.close();
  }
  throw new UsageError(
    'The database is damaged, so it was not compacted: see trivet doctor, and restore a backup.',
  );
}
