import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  atDestination,
  backupToDirectory,
  backupToFile,
  backupToStream,
  namesArchive,
} from '../../backup/backup-making.ts';
import type { BackupManifest } from '../../backup/backup-manifest.ts';
import { checkBackup } from '../../backup/backup-restoring.ts';
import { backupDirectory, freeName } from '../../backup/backup-schedule.ts';
import { recordBackup, type LastBackup } from '../../backup/last-backup.ts';
import { stages } from '../../backup/stage-directory.ts';
import { databaseFile, refuseUnreadableData } from '../../db/sqlite/data-directory.ts';
import { refuseRecipients } from '../../base/age-cipher.ts';
import { exit, fail, Fault, UsageError } from '../../base/errors.ts';
import { codeOf, isUnwritable } from '../../base/foreign-errors.ts';
import { clientSettings, coreSettings } from '../../settings/settings.ts';
import { writeAnswer, writeError } from '../../base/standard-streams.ts';
import { version } from '../../base/version.ts';
import { print, type Invocation } from '../invocation/invocation.ts';
import { progressLine } from '../invocation/progress-line.ts';
import { backupSettings } from '../invocation/command-settings.ts';

const postgres =
  'A PostgreSQL database is backed up by pg_dump: pg_dump --format=custom --no-owner --no-privileges --file=trivet.dump URL. ' +
  'Restore it into an empty database: pg_restore --single-transaction --exit-on-error --no-owner --dbname=URL trivet.dump, then ' +
  'check it: trivet doctor --database URL. Keep the master key as well: without it the signing keys in the database cannot be opened.';

/**
 * `trivet backup [FILE|DIR|-]`: backs up the data directory, also while a server writes to it. A name with a suffix is an archive, `-`
 * writes an archive to stdout, and any other name is a directory that gets a usable copy. It does not migrate, so it works before an
 * upgrade.
 */
export async function runBackup({ config, modules }: Invocation): Promise<number> {
  const [given, ...more] = config.words;
  if (more.length > 0)
    throw new UsageError('Name one file or directory: trivet backup [FILE|DIR|-].', exit.usage);
  const settings = config.read(coreSettings);
  if (settings.database !== undefined) throw new UsageError(postgres);
  const data = resolve(settings.data);
  refuseUnreadableData(data);
  if (!existsSync(join(data, databaseFile)))
    throw new UsageError(`${data} has no database. Name the data directory with --data.`);
  const { verify, 'database-only': databaseOnly } = config.read(backupSettings);
  const recipients = settings['backup-recipient'];
  refuseRecipients('backup-recipient', recipients);
  if (verify && recipients.length > 0)
    throw new UsageError(
      'An encrypted backup can be read again only with its identity: leave out --verify, then trivet restore FILE --check --age-identity-file FILE.',
    );
  const now = Date.now();
  const files = modules.flatMap((module) => module.files ?? []);
  const source = { data, files, databaseOnly, version, now };
  const progress = progressLine();
  const shown = (done: number, total: number) => progress.show(done, total, `of ${total} bytes written`);

  if (given === '-') {
    if (verify) throw new UsageError('--verify needs a file or a directory: stdout cannot be read again.');
    const manifest = await backupToStream(source, recipients, shown, writePart).finally(progress.end);
    note(data, { at: now, file: '-', bytes: bytesOf(manifest) });
    for (const line of notes(manifest, data)) writeError(`${line}\n`);
    return exit.ok;
  }
  const asked =
    given === undefined ? () => freeName(backupDirectory(settings), now, recipients) : resolve(given);
  const archive = typeof asked !== 'string' || namesArchive(asked);
  if (!archive && recipients.length > 0)
    throw new UsageError(`--backup-recipient encrypts archives only: name a file, e.g. ${asked}.tar.gz.age`);
  const { manifest, file: target } = await (
    archive
      ? backupToFile(source, asked, recipients, shown)
      : backupToDirectory(source, asked).then((made) => ({ manifest: made, file: asked }))
  ).finally(progress.end);
  if (verify) await verifyBackup(target, archive, source.files);
  const bytes = archive ? statSync(target).size : bytesOf(manifest);
  note(data, { at: now, file: target, bytes });

  const { absent } = manifest;
  if (config.read(clientSettings).json) {
    const place = archive ? { file: target, bytes } : { directory: target };
    return print(`${JSON.stringify({ ...place, files: manifest.files, absent, verified: verify })}\n`);
  }
  const copied = manifest.files.map(({ name, bytes: size }) => `${name} (${size} bytes)`).join(', ');
  const use = archive
    ? `Restore it with: trivet restore ${target} --data DIR`
    : `It works as it is: --data ${target}`;
  const checked = verify ? ' Read again and compared.' : '';
  return print(`${[`${target}: ${copied}.${checked} ${use}`, ...notes(manifest, data)].join('\n')}\n`);
}

/** @throws Fault OUTPUT_FAILED: unlike the result of a tool, a backup cannot be read again. */
async function writePart(chunk: Uint8Array): Promise<void> {
  const tip =
    'No backup was made: what came out is only a part of it. Free space at the destination, then run the command again.';
  const isWritten = await writeAnswer(chunk).catch((error: unknown) => {
    throw error instanceof Fault ? fail.OUTPUT_FAILED(error.message, { tip }) : error;
  });
  if (!isWritten) throw fail.OUTPUT_FAILED('The reader of the backup has gone.', { tip });
}

/**
 * Remembers a backup.
 * @throws Fault where the data directory takes no file, e.g. on a full disk. It says that the backup is whole: somebody may be rescuing data.
 * The exit code is that of a failure that may pass, so that the schedule does not repeat the backup each minute.
 */
function note(data: string, backup: LastBackup): void {
  try {
    recordBackup(data, backup);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    const made = backup.file === '-' ? 'The backup' : backup.file;
    throw fail.STORAGE_FAILED(
      `${made} is whole. But ${data} takes no note of it (${codeOf(error)}), so trivet doctor and --backup-every do not know of it.`,
    );
  }
}

const bytesOf = ({ files }: BackupManifest) => files.reduce((sum, { bytes }) => sum + bytes, 0);

const notes = ({ absent }: BackupManifest, data: string) =>
  absent.map((name) =>
    existsSync(join(data, name))
      ? `${name} is not in this backup: without it, nobody can sign in to what is restored. Keep a copy of it elsewhere.`
      : `${name} is not in ${data}: keep what stands for it as well.`,
  );

/** Reads a backup the way a restore does. */
async function verifyBackup(target: string, archive: boolean, files: readonly string[]): Promise<void> {
  const progress = progressLine();
  const source = archive ? { archive: Bun.file(target).stream() } : { directory: target };
  const place = dirname(target);
  const read = (stage: string) =>
    checkBackup({ ...source, where: target, identity: undefined }, stage, {
      files,
      accept: async () => {},
      progress: (done, total) => progress.show(done, total, `of ${total} bytes read`),
    });
  await atDestination(place, () => stages.check.inside(place, read)).finally(progress.end);
}
