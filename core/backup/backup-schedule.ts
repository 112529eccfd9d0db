import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isOver } from '../base/clock.ts';
import { holdAlone } from '../db/sqlite/directory-lock.ts';
import { perHost, type Host } from '../host/host.ts';
import type { Job } from '../module/module.ts';
import { coreSettings, type Values } from '../settings/settings.ts';
import { ownerFile, ownsBackups } from './backup-owner.ts';
import { backupCommand } from './backup-command.ts';
import { tellBackupFailing } from './backup-letter.ts';
import { readLastBackup, type LastBackup } from './last-backup.ts';
import { stages } from './stage-directory.ts';

type BackupSettings = Pick<Values<typeof coreSettings>, 'data' | 'backup-dir'>;

/** Where backups without a name go. */
export const backupDirectory = (settings: BackupSettings): string =>
  resolve(settings['backup-dir'] ?? join(settings.data, 'backups'));

/** e.g. `trivet-20261122T181500Z.tar.gz`: names sort by time. */
export const backupName = (now: number, recipients: readonly string[]): string =>
  `trivet-${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar.gz${recipients.length > 0 ? '.age' : ''}`;

const ownName = /^trivet-\d{8}T\d{6}Z\.tar\.gz(\.age)?$/;

const hourMs = 3_600_000;

/**
 * The scheduled backups to delete, oldest first. Files with other names are never included, nor those of a clock that was ahead: counted as
 * the newest, they would expire each backup when it is made.
 */
export const expiredBackups = (names: readonly string[], keep: number, now: number): readonly string[] =>
  names
    .filter((name) => ownName.test(name) && name < backupName(now + hourMs, []))
    .toSorted()
    .slice(0, -keep);

/** Whether a backup is due. A last backup in the future means that the clock was wrong. */
export const isBackupDue = (last: LastBackup | undefined, now: number, everyHours: number): boolean =>
  everyHours > 0 && (last === undefined || last.at > now || now - last.at >= everyHours * hourMs);

const longestRetryMs = 6 * hourMs;

/** The wait after a failure: five minutes, then doubled each time up to six hours, because each attempt copies the whole database. */
export const retryMs = (failures: number): number =>
  Math.min(5 * 60_000 * 2 ** (failures - 1), longestRetryMs);

/** The failed attempts of a server since the last backup of its data directory. A backup made by anybody else resets them. */
export class BackupAttempts {
  #failures = 0;
  #againAt = -Infinity;

  /** Whether the server should make a backup now: a backup is due, and the wait after a failure is over. */
  isTurn(last: LastBackup | undefined, now: number, everyHours: number): boolean {
    return this.#isStillDue(last, now, everyHours) && isOver(now, this.#againAt, longestRetryMs);
  }

  /** Whether the last attempt failed, and the backup is still missing. */
  isFailing(last: LastBackup | undefined, now: number, everyHours: number): boolean {
    return this.#isStillDue(last, now, everyHours) && this.#failures > 0;
  }

  failed(now: number): void {
    this.#failures++;
    this.#againAt = now + retryMs(this.#failures);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#againAt = -Infinity;
  }

  #isStillDue(last: LastBackup | undefined, now: number, everyHours: number): boolean {
    const isDue = isBackupDue(last, now, everyHours);
    if (!isDue) this.succeeded();
    return isDue;
  }
}

const attemptsOf = perHost(() => new BackupAttempts());

/** Whether the last scheduled backup failed; undefined for a server without a schedule. */
export function isBackupFailing(host: Host): boolean | undefined {
  const { data, 'backup-every': every } = host.config.read(coreSettings);
  if (every === 0 || host.db.engine !== 'sqlite') return undefined;
  return attemptsOf(host).isFailing(readLastBackup(resolve(data)), host.clock.now(), every);
}

/**
 * Makes the scheduled backups of a server (`--backup-every`). Each runs in its own process, because copying a database of 1 GB would block
 * every request for seconds. If several servers share a directory, only one of them makes the backup.
 */
export const backupJob: Job = {
  name: 'backup',
  everyMs: 60_000,
  run: async (host, signal) => {
    const settings = host.config.read(coreSettings);
    const { 'backup-every': every, 'backup-keep': keep, 'backup-recipient': recipients } = settings;
    if (host.db.engine !== 'sqlite' || every === 0) return;
    const attempts = attemptsOf(host);
    const data = resolve(settings.data);
    const isTurn = () => attempts.isTurn(readLastBackup(data), host.clock.now(), every);
    if (!isTurn()) return;
    const turn = holdAlone(join(data, backupLockFile));
    try {
      // Another server may have just made the backup.
      if (!turn || !isTurn()) return;
      // A backup outlives a server that was killed, and counts when it is complete. A second copy beside it would only take space and time.
      if (stages.backup.isAtWork(data)) return;
      const now = host.clock.now();
      const directory = backupDirectory(settings);
      const outcome = await makeApart(host, freeName(directory, now, recipients), {
        data,
        recipients,
        signal,
      });
      if (outcome === 'stopped') {
        sweepBackups(settings, now);
        return;
      }
      if (outcome === 'failed') {
        attempts.failed(now);
        await tellBackupFailing(host);
        return;
      }
      attempts.succeeded();
      const newId = () => Buffer.from(host.random(16)).toString('hex');
      if (!ownsBackups(data, directory, newId)) {
        host.log.warn('backup_directory_shared', {
          directory,
          remedy: `Backups of another installation are there, so none is deleted. Give each its own --backup-dir, or remove ${ownerFile} there.`,
        });
        return;
      }
      for (const name of expiredBackups(readdirSync(directory), keep, now)) {
        rmSync(join(directory, name));
        host.log.info('backup_expired', { file: join(directory, name) });
      }
    } finally {
      turn?.release();
    }
  },
};

/** Held by the server that makes the scheduled backup of a data directory. */
export const backupLockFile = 'backup.lock';

/** An unused name: two backups in the same second get different names. */
export function freeName(directory: string, now: number, recipients: readonly string[]): string {
  for (let second = now; ; second += 1_000) {
    const file = join(directory, backupName(second, recipients));
    if (!existsSync(file)) return file;
  }
}

/** Directories in which killed backups leave files. Earlier versions copied the database next to the archive. */
const leftPlaces = (settings: BackupSettings) => {
  const [data, directory] = [resolve(settings.data), backupDirectory(settings)];
  return [
    [stages.backup, data],
    [stages.archive, directory],
    [stages.backup, directory],
  ] as const;
};

/** Removes the leftovers of killed backups from a data directory and from the backup target. @returns what was removed. */
export const sweepBackups = (settings: BackupSettings, now: number): readonly string[] =>
  leftPlaces(settings).flatMap(([stage, place]) => stage.sweep(place, now));

/** What {@link sweepBackups} would remove. */
export const leftOfBackups = (settings: BackupSettings, now: number): readonly string[] =>
  leftPlaces(settings).flatMap(([stage, place]) => stage.left(place, now));

interface ApartOptions {
  readonly data: string;
  readonly recipients: readonly string[];
  /** Ends the backup: it is due again at the next start, and a stop must not last as long as a large copy. */
  readonly signal: AbortSignal;
}

/** Makes a backup in its own process. A failure is logged. */
async function makeApart(
  host: Host,
  file: string,
  { data, recipients, signal }: ApartOptions,
): Promise<'made' | 'failed' | 'stopped'> {
  const began = performance.now();
  const { words, env } = backupCommand(file, data, recipients);
  const child = Bun.spawn([...words, '--json'], { env, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  const end = () => child.kill('SIGTERM');
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  const said = await new Response(child.stderr).text();
  const code = await child.exited;
  signal.removeEventListener('abort', end);
  if (code === 0) {
    host.log.info('backup_made', { file, ms: Math.round(performance.now() - began) });
    return 'made';
  }
  // Ctrl C at a terminal reaches both processes, the backup before the signal of the jobs.
  if (signal.aborted || child.signalCode === 'SIGINT') {
    host.log.info('backup_stopped', { file });
    return 'stopped';
  }
  host.log.error('backup_failed', { file, reason: said.trim().slice(0, 500) });
  return 'failed';
}
