import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import {
  databaseFile,
  refuseOpenDirectory,
  refuseUnreadableData,
  unusableDirectory,
} from '../db/sqlite/data-directory.ts';
import { freeBytes } from '../db/sqlite/database-place.ts';
import { leaveFileIdGap } from '../db/sqlite/file-id-gap.ts';
import { examineCopy, isOpenElsewhere } from '../db/sqlite/database-examination.ts';
import { holdDirectoryAlone, lockFile, migrationLockFile } from '../db/sqlite/directory-lock.ts';
import { isReplicationFile } from '../replicate/replication-files.ts';
import { fencedFile, standbyFile } from '../db/sqlite/directory-role.ts';
import { isStandbyFile } from '../standby/standby-files.ts';
import { isServerFile } from '../db/sqlite/running-server.ts';
import { interruptedRestoreFile } from '../db/sqlite/restore-mark.ts';
import { UsageError } from '../base/errors.ts';
import { flush, giveToOwner } from '../base/stored-file.ts';
import { totalOf, unpackArchive, writeHashed, type BackupProgress } from './backup-archive.ts';
import { backupLockFile } from './backup-schedule.ts';
import { differenceOf, manifestFile, readManifest, type BackupManifest } from './backup-manifest.ts';
import { stages } from './stage-directory.ts';

export interface RestoreSource {
  /** The name of the backup in messages. */
  readonly where: string;
  /** An archive, the directory that `trivet backup DIR` made, or a database alone, as an upgrade leaves one. */
  readonly archive?: ReadableStream<Uint8Array>;
  readonly directory?: string;
  readonly database?: string;
  /** Puts it into a directory: a replica. @param requireRoom throws UsageError unless so many bytes are free. */
  readonly fill?: (
    stage: string,
    requireRoom: (bytes: number) => void,
    progress: BackupProgress,
  ) => Promise<void>;
  /** The age identities that may open the archive, one per line. */
  readonly identity: string | undefined;
}

interface RestoreTarget {
  readonly data: string;
  /** Replace the existing data, which is kept aside. */
  readonly force: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface Restored {
  /** Undefined for a copy made by 0.1.0. */
  readonly manifest: BackupManifest | undefined;
  readonly tables: BackupManifest['tables'];
  /** Where the previous data was moved to. */
  readonly aside: string | undefined;
}

interface Hooks {
  /** Tables whose ids are known outside of the database. */
  readonly keptIds: readonly string[];
  /** Names of the files that belong to a database, in the same directory. */
  readonly files: readonly string[];
  /** Whether this executable can use the unpacked files. @throws UsageError when not. */
  readonly accept: (directory: string) => Promise<void>;
  readonly progress: BackupProgress;
}

const asidePrefix = 'before-restore-';

/**
 * Restores a backup in five steps. The data does not change before the last step. If that step is interrupted, the same command completes
 * it.
 *
 * 1. The directory must be empty (or `force` set), and no other process may use it: this one holds the lock.
 * 2. Leftovers of a killed restore are removed; the backup is unpacked into a directory next to the data.
 * 3. All of it is checked: checksums, the database, the number of rows. What a backup lacks (`--database-only`) is taken from the
 * directory.
 * 4. `accept` says whether this executable can use it: its migrations and its master key.
 * 5. The ids that were given away since the backup are left out. The data is moved aside and the unpacked files take its place. A mark in the directory records that this has begun.
 * @throws UsageError when the backup or the directory cannot be used, or a process uses the directory.
 */
export async function restoreBackup(
  source: RestoreSource,
  target: RestoreTarget,
  hooks: Hooks,
): Promise<Restored> {
  const { data, force } = target;
  prepare(data, force, hooks.files);
  const lock = holdDirectoryAlone(data);
  try {
    stages.restore.sweep(data, target.now);
    return await stages.restore.inside(data, async (stage) => {
      const checked = await checkBackup(source, stage, {
        ...hooks,
        accept: async (directory) => {
          completeFrom(data, directory, hooks.files);
          await hooks.accept(directory);
        },
      });
      if (isOpenElsewhere(data))
        throw new UsageError(`A running Trivet uses ${data}. Stop it, then try again. Nothing was changed.`);
      leaveFileIdGap(stage, hooks.keptIds);
      return { ...checked, aside: swap(stage, target, hooks.files) };
    });
  } finally {
    lock.release();
  }
}

/**
 * Unpacks a backup into an empty directory and checks it.
 * @throws UsageError with the first fault.
 */
export async function checkBackup(
  source: RestoreSource,
  stage: string,
  { accept, progress, files }: Omit<Hooks, 'keptIds'>,
): Promise<Pick<Restored, 'manifest' | 'tables'>> {
  const manifest = source.fill
    ? await filled(source.fill, stage, progress)
    : source.archive
      ? await unpackArchive(source.archive, source.where, {
          directory: stage,
          identity: source.identity,
          accept: (found) => requireRoom(stage, totalOf(found.files)),
          progress,
        })
      : source.database === undefined
        ? await copyDirectory(source, stage, files, progress)
        : await copyAlone(source.database, stage, progress);
  const tables = examineCopy(stage);
  const difference = manifest && differenceOf(manifest.tables, tables);
  if (difference !== undefined)
    throw new UsageError(`${source.where} is damaged: ${difference}. Nothing was changed.`);
  await accept(stage);
  return { manifest, tables };
}

async function filled(
  fill: NonNullable<RestoreSource['fill']>,
  stage: string,
  progress: BackupProgress,
): Promise<undefined> {
  await fill(stage, (bytes) => requireRoom(stage, bytes), progress);
  return undefined;
}

/** Copies the files of a directory that is a backup. */
async function copyDirectory(
  { directory: from = '', where }: RestoreSource,
  stage: string,
  files: readonly string[],
  progress: BackupProgress,
): Promise<BackupManifest | undefined> {
  refuseUnreadableData(from);
  if (!existsSync(join(from, databaseFile)))
    throw new UsageError(
      `${where} has no ${databaseFile}: name a file or a directory that "trivet backup" made.`,
    );
  if (existsSync(join(from, lockFile)) || existsSync(join(from, `${databaseFile}-wal`)))
    throw new UsageError(
      `${where} is in use or was used as a data directory, so it is no backup any more. Make one of it: trivet backup FILE --data ${from}`,
    );
  const listed = join(from, manifestFile);
  const manifest = existsSync(listed) ? readManifest(readFileSync(listed, 'utf8'), where) : undefined;
  const names =
    manifest?.files.map(({ name }) => name) ??
    [databaseFile, ...files].filter((name) => existsSync(join(from, name)));
  const sizes = names.map((name) => statSync(join(from, name), { throwIfNoEntry: false })?.size ?? 0);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  requireRoom(stage, total);
  let done = 0;
  for (const [at, name] of names.entries()) {
    if (!existsSync(join(from, name))) throw new UsageError(`${where} is incomplete: it has no ${name}.`);
    const sha256 = await writeHashed(join(stage, name), Bun.file(join(from, name)).stream(), (bytes) =>
      progress((done += bytes), total),
    );
    const expected = manifest?.files[at];
    if (expected && sha256 !== expected.sha256)
      throw new UsageError(`${where} is damaged: the checksum of ${name} differs.`);
  }
  return manifest;
}

/** Copies a database alone. */
async function copyAlone(path: string, stage: string, progress: BackupProgress): Promise<undefined> {
  if (existsSync(`${path}-wal`))
    throw new UsageError(
      `${path} is in use, so it is no backup. Name the file that an upgrade left, or a backup.`,
    );
  const total = statSync(path).size;
  requireRoom(stage, total);
  let done = 0;
  await writeHashed(join(stage, databaseFile), Bun.file(path).stream(), (bytes) =>
    progress((done += bytes), total),
  );
  return undefined;
}

function requireRoom(directory: string, bytes: number): void {
  const free = freeBytes(directory);
  if (bytes > free)
    throw new UsageError(
      `The backup has ${bytes} bytes and the disk of ${directory} has ${free} left. Make room, then try again.`,
    );
}

/** Files that the backup lacks, e.g. the master key after --database-only, are taken from the directory. */
export function completeFrom(data: string, stage: string, files: readonly string[]): void {
  for (const name of files) {
    if (existsSync(join(stage, name)) || !existsSync(join(data, name))) continue;
    copyFileSync(join(data, name), join(stage, name));
    chmodSync(join(stage, name), 0o600);
    flush(join(stage, name));
  }
}

/** Locks, and the journal that a process leaves beside one if it is killed while it holds it. */
const lockFiles: ReadonlySet<string> = new Set(
  [lockFile, backupLockFile, migrationLockFile].flatMap((name) => [name, `${name}-journal`]),
);

/** Files that a directory without data may contain. */
const isNoData = (name: string) =>
  name === 'backups' ||
  lockFiles.has(name) ||
  isServerFile(name) ||
  isReplicationFile(name) ||
  isStandbyFile(name) ||
  name.startsWith(asidePrefix);

/** @throws UsageError unless data can be restored into the directory. */
function prepare(data: string, force: boolean, files: readonly string[]): void {
  let held: readonly string[];
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    held = readdirSync(data);
  } catch (error) {
    throw unusableDirectory(data, error);
  }
  refuseOpenDirectory(data);
  if (force || held.includes(interruptedRestoreFile)) return;
  const isKept = (name: string) => isNoData(name) || (files.includes(name) && !held.includes(databaseFile));
  if (held.some((name) => !isKept(name) && !name.startsWith(stages.restore.prefix)))
    throw new UsageError(
      `${data} is not empty. Name an empty directory with --data, or replace what is there with --force: it is kept in a directory "${asidePrefix}…".`,
    );
}

/**
 * Moves the present data aside and the unpacked files into its place. Until the mark is removed, nothing opens the directory, so a crash in
 * between never starts an empty instance with the old key.
 */
function swap(stage: string, { data, now }: RestoreTarget, files: readonly string[]): string | undefined {
  const mark = join(data, interruptedRestoreFile);
  const begun = existsSync(mark) ? readFileSync(mark, 'utf8').trim() : undefined;
  const aside = join(data, begun ?? `${asidePrefix}${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}`);
  writeFileSync(mark, `${basename(aside)}\n`, { mode: 0o600, flush: true });
  flush(data);
  const own = [
    databaseFile,
    `${databaseFile}-wal`,
    `${databaseFile}-shm`,
    `${databaseFile}-marks`,
    `${databaseFile}-journal`,
    standbyFile,
    fencedFile,
    ...files,
  ];
  for (const name of own.filter((each) => existsSync(join(data, each)))) {
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    // A restore was interrupted: the data set aside is the original, and this is part of the earlier attempt.
    if (begun !== undefined && existsSync(join(aside, databaseFile))) rmSync(join(data, name));
    else renameSync(join(data, name), join(aside, name));
  }
  for (const name of [databaseFile, ...files].filter((each) => existsSync(join(stage, each)))) {
    renameSync(join(stage, name), join(data, name));
    giveToOwner(join(data, name));
  }
  if (existsSync(aside)) giveToOwner(aside);
  flush(data);
  rmSync(mark);
  flush(data);
  return existsSync(aside) ? aside : undefined;
}
