import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { isBusy, isUnwritable } from '../../base/foreign-errors.ts';
import { createForOwner } from '../../base/stored-file.ts';

/**
 * The lock of a data directory is a small SQLite database: its locks work wherever Bun does, and they end with their process, however
 * that ended. Processes that write hold it together; `trivet restore` holds it alone.
 */
export const lockFile = 'trivet.lock';

/** Held by the process that migrates a database. */
export const migrationLockFile = 'migration.lock';

/** How long a process waits for another one that is only checking whether it is alone. */
const checkMs = 2_000;
const tries = 5;
/** The first pause between them; each is twice as long as the one before. Chance makes it up to twice as long, so that two do not keep meeting. */
const pauseMs = 10;

export interface DirectoryLock {
  release(): void;
}

/**
 * Holds the directory together with other processes of the same version: two versions that write to one database can each break what
 * the other one relies on.
 * @param name the version of this executable.
 * @returns undefined for a directory in which nothing can be written anyway.
 * @throws UsageError when another version holds it, or a restore.
 */
export function holdDirectory(directory: string, name: string): DirectoryLock | undefined {
  try {
    const client = open(directory);
    try {
      hold(client, directory, name);
    } catch (error) {
      client.close();
      throw error;
    }
    return { release: () => client.close() };
  } catch (error) {
    if (isUnwritable(error)) return undefined;
    throw error;
  }
}

/**
 * Holds the directory alone.
 * @throws UsageError when another process holds it.
 */
export function holdDirectoryAlone(directory: string): DirectoryLock {
  const client = open(directory);
  client.run(`PRAGMA busy_timeout = ${checkMs}`);
  try {
    client.run('BEGIN EXCLUSIVE');
  } catch (error) {
    client.close();
    if (!isBusy(error)) throw error;
    throw new UsageError(
      `A running Trivet uses ${directory}. Stop it (also "trivet --mcp" and other commands on this directory), then try again.`,
    );
  }
  return { release: () => client.close() };
}

/**
 * Holds alone a directory that is only read, without creating the lock: a copy that nobody has used has none.
 * @returns undefined where there is no lock, and where nothing can be written anyway.
 * @throws UsageError when another process holds it.
 */
export function holdReadDirectoryAlone(directory: string): DirectoryLock | undefined {
  if (!existsSync(join(directory, lockFile))) return undefined;
  try {
    return holdDirectoryAlone(directory);
  } catch (error) {
    if (isUnwritable(error)) return undefined;
    throw error;
  }
}

function open(directory: string): Database {
  const path = join(directory, lockFile);
  createForOwner(path);
  return new Database(path, { create: false, readwrite: true });
}

function hold(client: Database, directory: string, name: string): void {
  for (let done = 0; ; done++) {
    takeIfAlone(client, name);
    const holder = joinHolders(client, directory);
    if (holder === name) return;
    client.run('ROLLBACK');
    if (done === tries)
      throw new UsageError(
        `Trivet ${holder} is running on ${directory}, and this is Trivet ${name}. Stop the other one, or use the same version.`,
      );
    // Several that start at once each see the others for a moment, and then none of them has written its name. One that runs is still
    // there afterwards.
    Bun.sleepSync(pauseMs * 2 ** done * (1 + Math.random()));
  }
}

/** Writes the name of this version unless another process holds the lock. */
function takeIfAlone(client: Database, name: string): void {
  client.run('PRAGMA busy_timeout = 0');
  try {
    // What it says is of use only while its writer lives: there is nothing to wait for the disk for.
    client.run('PRAGMA synchronous = OFF');
    client.run('BEGIN EXCLUSIVE');
  } catch (error) {
    if (isBusy(error)) return;
    throw error;
  }
  client.run('CREATE TABLE IF NOT EXISTS holder (version text NOT NULL)');
  if (holderOf(client) !== name) {
    client.run('DELETE FROM holder');
    client.run('INSERT INTO holder VALUES (?)', [name]);
  }
  client.run('COMMIT');
}

const holderOf = (client: Database) =>
  client.query<{ version: string }, []>('SELECT version FROM holder').get()?.version;

/** Takes the shared lock, which stays until the connection is closed. @returns the version that holds it. */
function joinHolders(client: Database, directory: string): string | undefined {
  client.run(`PRAGMA busy_timeout = ${checkMs}`);
  try {
    client.run('BEGIN');
    return holderOf(client);
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new UsageError(
      `A backup is being restored into ${directory}, or its data is compacted or transferred. Try again when that has ended.`,
    );
  }
}

/** Holds a file that only one process may hold; undefined while another one does. It ends with the process, however that ended. */
export function holdAlone(path: string): DirectoryLock | undefined {
  createForOwner(path);
  return lockedAlone(path);
}

function lockedAlone(path: string): DirectoryLock | undefined {
  const client = new Database(path, { create: false, readwrite: true });
  try {
    // Two that try at once would both fail: each sees for a moment that the other one is there.
    client.run('PRAGMA busy_timeout = 100');
    client.run('BEGIN EXCLUSIVE');
    return { release: () => client.close() };
  } catch (error) {
    client.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** As {@link holdAlone}, for a file that whoever made it may be removing. */
export function holdIfThere(path: string): DirectoryLock | undefined {
  try {
    return lockedAlone(path);
  } catch (error) {
    if (existsSync(path)) throw error;
    return undefined;
  }
}
