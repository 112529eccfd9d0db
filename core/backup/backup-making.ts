import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { copyDatabase } from '../db/sqlite/backup.ts';
import { databaseFile } from '../db/sqlite/data-directory.ts';
import { countTableRows } from '../db/sqlite/database-examination.ts';
import { connect } from '../db/sqlite/sqlite-connection.ts';
import { refuseIncomplete } from '../db/sqlite/sqlite-migration.ts';
import { fail, Fault, UsageError } from '../base/errors.ts';
import { asFault, codeOf, isExistingFile, isFull } from '../base/foreign-errors.ts';
import { flush, giveToOwner } from '../base/stored-file.ts';
import { archiveStream, describeFile, type BackupProgress } from './backup-archive.ts';
import { manifestFile, manifestOf, manifestText, type BackupManifest } from './backup-manifest.ts';
import { stages } from './stage-directory.ts';

export interface BackupSource {
  /** The data directory. */
  readonly data: string;
  /** Names of the files that belong to the database, in the same directory. */
  readonly files: readonly string[];
  /** Leave them out. */
  readonly databaseOnly: boolean;
  readonly version: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface Copied {
  readonly manifest: BackupManifest;
  /** Where the copies are. */
  readonly directory: string;
}

/**
 * Copies a snapshot of the database while others write to it, and the files next to it.
 * @param into an empty directory.
 */
async function copyInto(
  into: string,
  { data, files, databaseOnly, version, now }: BackupSource,
): Promise<Copied> {
  const client = connect(data, 'full');
  try {
    refuseIncomplete(client);
    copyDatabase(client, join(into, databaseFile));
  } finally {
    client.close();
  }
  const found = databaseOnly ? [] : files.filter((name) => existsSync(join(data, name)));
  for (const name of found) {
    copyFileSync(join(data, name), join(into, name));
    chmodSync(join(into, name), 0o600);
    flush(join(into, name));
  }
  const described = [];
  for (const name of [databaseFile, ...found]) described.push(await describeFile(name, join(into, name)));
  const manifest = manifestOf({
    trivet: version,
    createdAt: new Date(now).toISOString(),
    files: described,
    absent: files.filter((name) => !found.includes(name)),
    tables: countTableRows(into),
  });
  return { manifest, directory: into };
}

/** Makes a copy of the data directory that can itself be used as a data directory. @throws UsageError for a directory that is not empty. */
export async function backupToDirectory(source: BackupSource, target: string): Promise<BackupManifest> {
  makeEmpty(target);
  try {
    const { manifest } = await copyInto(target, source);
    writeFileSync(join(target, manifestFile), manifestText(manifest), {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    flush(target);
    return manifest;
  } catch (error) {
    // An incomplete backup must not look like a complete one.
    for (const name of [databaseFile, ...source.files, manifestFile])
      rmSync(join(target, name), { force: true });
    // Only the copy is written. Any other failure of SQLite may be one of the data.
    if (!isFull(error)) throw error;
    return await atDestination(target, () => Promise.reject(error));
  }
}

/** What an archive is, and where it is. */
interface Archived {
  readonly manifest: BackupManifest;
  readonly file: string;
}

/**
 * Makes an archive. The archive gets its name once it is complete and on disk.
 * @param target its path, or a generator of names to try until one is free.
 * @throws UsageError when the file exists.
 */
export async function backupToFile(
  source: BackupSource,
  target: string | (() => string),
  recipients: readonly string[],
  progress: BackupProgress,
): Promise<Archived> {
  const first = typeof target === 'string' ? target : target();
  if (existsSync(first)) throw taken(first);
  const place = dirname(first);
  requireWritable(place);
  stages.archive.sweep(place, source.now);
  let file = first;
  const write = (copied: Copied) =>
    stages.archive.inside(place, async (stage) => {
      const part = join(stage, 'archive');
      const writer = Bun.file(part).writer({ highWaterMark: 1024 * 1024 });
      for await (const chunk of await archiveOf(copied, recipients, progress)) {
        await writer.write(chunk);
        await writer.flush();
      }
      await writer.end();
      chmodSync(part, 0o600);
      flush(part);
      while (!named(part, file)) {
        if (typeof target === 'string') throw taken(target);
        file = target();
      }
      giveToOwner(file);
      flush(place);
    });
  const manifest = await staged(source, (copied) => atDestination(place, () => write(copied)));
  return { manifest, file };
}

/**
 * Runs what only writes to the destination of a backup. @throws Fault STORAGE_FAILED for one that is full or broken, UsageError for one
 * that takes no files: nothing is wrong with the data directory.
 */
export async function atDestination<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (error instanceof Fault || error instanceof UsageError || code === undefined) throw error;
    const isStorage = asFault(error).code === 'STORAGE_FAILED';
    if (!isStorage) throw new UsageError(`${place} cannot hold a backup (${code}).`);
    throw fail.STORAGE_FAILED(`${place} cannot hold the backup (${code}); it was not made.`, {
      cause: code.toLowerCase(),
      tip: 'Free space there, or name another destination. Nothing is wrong with the data directory.',
    });
  }
}

/** Gives a file its name. @returns false when the name is taken. */
function named(part: string, file: string): boolean {
  try {
    // Unlike a rename, a link never replaces a file that was created in the meantime.
    linkSync(part, file);
  } catch (error) {
    if (isExistingFile(error)) return false;
    // The file system does not support links.
    renameSync(part, file);
  }
  return true;
}

/** Streams an archive. Its copy of the database stays in the data directory until the end. */
export const backupToStream = (
  source: BackupSource,
  recipients: readonly string[],
  progress: BackupProgress,
  write: (chunk: Uint8Array) => Promise<void>,
): Promise<BackupManifest> =>
  staged(source, async (copied) => {
    for await (const chunk of await archiveOf(copied, recipients, progress)) await write(chunk);
  });

const archiveOf = (
  { manifest, directory }: Copied,
  recipients: readonly string[],
  progress: BackupProgress,
) => archiveStream(manifest, (name) => join(directory, name), recipients, progress);

const taken = (path: string) => new UsageError(`${path} exists. Give each backup a name of its own.`);

function requireWritable(directory: string): void {
  try {
    const made = mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (made !== undefined) giveToOwner(made);
    accessSync(directory, constants.W_OK);
  } catch (error) {
    throw new UsageError(`${directory} cannot hold a backup (${codeOf(error)}).`);
  }
}

/**
 * Copies into a temporary directory inside the data directory, which is removed at the end. Never next to an encrypted archive, which is
 * often on another machine: the copy and the master key would be there unencrypted, and would stay there after a kill.
 */
async function staged(
  source: BackupSource,
  work: (copied: Copied) => Promise<void>,
): Promise<BackupManifest> {
  requireWritable(source.data);
  stages.backup.sweep(source.data, source.now);
  return stages.backup.inside(source.data, async (stage) => {
    const copied = await copyInto(stage, source);
    await work(copied);
    return copied.manifest;
  });
}

/** @throws UsageError when the directory cannot be created or is not empty. */
function makeEmpty(directory: string): void {
  let held: readonly string[];
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    held = readdirSync(directory);
  } catch (error) {
    throw new UsageError(`${directory} cannot hold a backup (${codeOf(error)}).`);
  }
  if (held.length > 0)
    throw new UsageError(`${directory} is not empty. Give each backup a directory of its own.`);
}

/** Whether a word names an archive rather than a directory: it has a suffix, e.g. `trivet.tar.gz`. */
export const namesArchive = (path: string): boolean => /[^.]\.[A-Za-z0-9]+$/.test(basename(path));
