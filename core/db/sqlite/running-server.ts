import { Database } from 'bun:sqlite';
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isBusy, isUnwritable } from '../../base/foreign-errors.ts';
import { createNewForOwner, isDirectory } from '../../base/stored-file.ts';
import type { DirectoryLock } from './directory-lock.ts';

/*
 * Each server that runs on a data directory keeps a file with its address there, for commands that print a link. It is a small SQLite
 * database that the server keeps locked; others can still read it. The lock ends with the process, however that ends, so the address of a
 * killed server is never used.
 */
const namePattern = /^server-[0-9a-f]{8}\.lock$/;

/** Files beside it by which a command asks the server for something (core/cli/serve/reload-request.ts). */
const requestPattern = /^server-[0-9a-f]{8}\.(?:reload|reloaded)$/;

/** Such a file before it has its name: nobody looks at it until it is locked. */
const begunPattern = /^server-[0-9a-f]{8}\.begun$/;

/** Whether a file of a data directory is one of these. */
export const isServerFile = (name: string): boolean =>
  [namePattern, requestPattern, begunPattern].some((pattern) => pattern.test(name));

/** A server that has announced itself. */
interface AnnouncedServer extends DirectoryLock {
  /** The path of its file without `.lock`. */
  readonly stem: string;
}

const stemOf = (path: string) => path.slice(0, -'.lock'.length);

function removeServerFiles(path: string): void {
  for (const file of [path, `${stemOf(path)}.reload`, `${stemOf(path)}.reloaded`])
    rmSync(file, { force: true });
}

/** A younger file may belong to a server that begins. */
const beginningMs = 60_000;

/**
 * Publishes the address of a server of this directory until it is released. Removes the files of killed servers.
 * @param origin e.g. `http://127.0.0.1:8787`.
 * @param now epoch milliseconds.
 * @returns undefined for a directory that does not exist, or that is read-only.
 */
export function announceServer(directory: string, origin: string, now: number): AnnouncedServer | undefined {
  try {
    removeStale(directory, now);
    const stem = join(directory, `server-${crypto.randomUUID().slice(0, 8)}`);
    const client = lockedFile(`${stem}.begun`, origin);
    // Whoever looks for servers takes the lock for a moment: it gets the file when that is held.
    const path = `${stem}.lock`;
    renameSync(`${stem}.begun`, path);
    return {
      stem,
      release: () => {
        client.close();
        removeServerFiles(path);
      },
    };
  } catch (error) {
    if (isUnwritable(error) || !isDirectory(directory)) return undefined;
    throw error;
  }
}

function lockedFile(path: string, origin: string): Database {
  createNewForOwner(path);
  const client = new Database(path, { create: false, readwrite: true });
  // Not synced: the content only matters while its writer lives. No journal beside it: that would keep the first name.
  client.run('PRAGMA synchronous = OFF');
  client.run('PRAGMA journal_mode = MEMORY');
  client.run('BEGIN');
  client.run('CREATE TABLE server (origin text NOT NULL)');
  client.run('INSERT INTO server VALUES (?)', [origin]);
  client.run('COMMIT');
  client.run('BEGIN IMMEDIATE');
  return client;
}

/** The address of a server that runs on this directory; undefined if there is none. */
export function runningServer(directory: string): string | undefined {
  for (const path of serverFiles(directory)) {
    const origin = look(path);
    if (origin !== undefined) return origin;
  }
  return undefined;
}

/** The servers that run on this directory. */
export const runningServers = (directory: string): ReadonlyArray<{ origin: string; stem: string }> =>
  serverFiles(directory).flatMap((path) => {
    const origin = look(path);
    return origin === undefined ? [] : [{ origin, stem: stemOf(path) }];
  });

function serverFiles(directory: string, pattern = namePattern): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => pattern.test(name))
      .sort()
      .map((name) => join(directory, name));
  } catch {
    return [];
  }
}

/** The address in the file of a running server; undefined if nobody holds the lock or the file cannot be read. */
function look(path: string): string | undefined {
  let client: Database | undefined;
  try {
    client = new Database(path, { create: false, readwrite: true });
    if (!isHeld(client)) return undefined;
    return client.query<{ origin: string }, []>('SELECT origin FROM server').get()?.origin;
  } catch {
    // The file was removed meanwhile, or belongs to another user.
    return undefined;
  } finally {
    client?.close();
  }
}

/** How long another one that looks may hold the lock. */
const lookMs = 20;

function isHeld(client: Database): boolean {
  try {
    client.run(`PRAGMA busy_timeout = ${lookMs}`);
    client.run('BEGIN IMMEDIATE');
    client.run('ROLLBACK');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
}

function removeStale(directory: string, now: number): void {
  const isOld = (path: string) =>
    now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > beginningMs;
  for (const path of serverFiles(directory))
    if (isOld(path) && look(path) === undefined) removeServerFiles(path);
  for (const path of serverFiles(directory, begunPattern)) if (isOld(path)) rmSync(path, { force: true });
}
