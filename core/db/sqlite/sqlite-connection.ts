import { Database } from 'bun:sqlite';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  databaseFile,
  refuseExposedData,
  refuseUnreadableData,
  unusableDirectory,
} from './data-directory.ts';
import { createDatabase, examineDatabase } from './database-file.ts';
import { isStandby } from './directory-role.ts';
import { refuseInterruptedRestore } from './restore-mark.ts';

/** The databases that this process has opened: from then on only SQLite may read their files. */
const opened = new Set<string>();

/**
 * Opens one connection to `trivet.db` of a directory. Creates both if missing, for their owner only: SQLite would create the file readable
 * for all, and its journals get the mode of the file.
 * @throws UsageError for a directory or a database that cannot be used.
 */
export function connect(directory: string, durability: 'full' | 'normal'): Database {
  const path = join(directory, databaseFile);
  refuseInterruptedRestore(directory);
  refuseUnreadableData(directory);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!existsSync(path)) createDatabase(directory, writeHeader);
  } catch (error) {
    throw unusableDirectory(directory, error);
  }
  refuseExposedData(directory);
  if (!opened.has(path)) examineDatabase(directory);
  opened.add(path);
  const client = new Database(path, { create: true, readwrite: true });
  // busy_timeout comes first: switching to WAL needs a lock, and without a timeout two starting processes fail at once.
  client.run('PRAGMA busy_timeout = 5000');
  // The follower of a standby writes the database itself, without a log.
  if (!isStandby(directory)) client.run('PRAGMA journal_mode = WAL');
  client.run(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
  client.run('PRAGMA foreign_keys = ON');
  client.run('PRAGMA cache_size = -16000');
  client.run('PRAGMA temp_store = MEMORY');
  // Deleted data is overwritten. Doing so only for erasures would be too late: a row leaves copies where its page was split before.
  client.run('PRAGMA secure_delete = ON');
  return client;
}

function writeHeader(path: string): void {
  const client = new Database(path, { create: true, readwrite: true });
  client.run('PRAGMA user_version = 1');
  client.close();
}

/** @param cacheMiB the size of the page cache. */
export function prepareReader(client: Database, cacheMiB: number): void {
  client.run('PRAGMA busy_timeout = 5000');
  // A migration turns them off.
  client.run('PRAGMA foreign_keys = ON');
  client.run('PRAGMA query_only = ON');
  // A query over 100,000 tests reads 8 to 20 MB of pages; without a cache it takes twice as long. The memory is allocated on use.
  client.run(`PRAGMA cache_size = -${cacheMiB * 1_024}`);
}

/** A write that finds the lock taken fails soon and is retried after a wait outside SQLite, so that the event loop goes on. */
export function waitOutside(client: Database): void {
  client.run('PRAGMA busy_timeout = 20');
}
