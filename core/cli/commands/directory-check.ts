import { accessSync, constants, existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../base/counted-noun.ts';
import { leftOfBackups } from '../../backup/backup-schedule.ts';
import { readLastBackup } from '../../backup/last-backup.ts';
import { systemClock } from '../../base/clock.ts';
import { databaseFile, refuseExposedData } from '../../db/sqlite/data-directory.ts';
import { databaseBytes, freeBytes, neededBytes } from '../../db/sqlite/database-place.ts';
import { UsageError } from '../../base/errors.ts';
import { codeOf } from '../../base/foreign-errors.ts';
import { fencedReason, isStandby } from '../../db/sqlite/directory-role.ts';
import type { Finding } from '../../module/module.ts';
import { readReplicationStatus } from '../../replicate/replication-files.ts';
import { coreSettings } from '../../settings/settings.ts';
import { readStandby, readStandbyStatus } from '../../standby/standby-files.ts';
import type { Invocation } from '../invocation/invocation.ts';

const mebibyte = 1024 * 1024;
const day = 24 * 60 * 60 * 1000;

/** A backup or migration needs as much space as the database; below this value a disk is low in any case. */
const roomBytes = 1024 * mebibyte;

/** A log is copied into the database once it reaches 4 MiB. A much larger one is blocked by a reader that does not finish. */
const longLogBytes = 64 * mebibyte;

const oldBackupMs = 7 * day;

/** A file with a future date was written before the clock was set back. Network file systems cause small differences. */
const clockToleranceMs = 60_000;

/** What `trivet doctor` sees of a data directory without opening its database. */
export function directoryChecks(
  { modules, config }: Pick<Invocation, 'modules' | 'config'>,
  directory: string,
) {
  const now = systemClock.now();
  return [
    { check: 'disk', findings: diskFindings(directory) },
    { check: 'permissions', findings: permissionFindings(directory, modules) },
    { check: 'clock', findings: clockFindings(directory, now) },
    { check: 'wal', findings: walFindings(directory) },
    { check: 'replication', findings: replicationFindings(config, directory, now) },
    { check: 'backup', findings: [...backupFindings(directory, now), ...leftFindings(config, now)] },
  ];
}

const shown = (bytes: number) =>
  bytes < 10 * mebibyte ? `${Math.floor(bytes / 1024)} KiB` : `${Math.floor(bytes / mebibyte)} MiB`;

function diskFindings(directory: string): Finding[] {
  return [...readOnlyFindings(directory), ...spaceFindings(directory)];
}

/** Linux mounts a file system for reading only after an error of its disk. */
function readOnlyFindings(directory: string): Finding[] {
  try {
    accessSync(directory, constants.W_OK);
  } catch (error) {
    if (codeOf(error) !== 'EROFS') return [];
    return [
      {
        finding: 'read_only',
        message: `The disk of ${directory} is mounted for reading only: no server can start on it.`,
        remedy: 'Find out why (dmesg), and mount it for writing.',
      },
    ];
  }
  return [];
}

function spaceFindings(directory: string): Finding[] {
  const free = freeBytes(directory);
  const message = `${shown(free)} are free on the disk of ${directory}.`;
  const remedy = 'Free space on that disk, or move the data directory to a larger one.';
  if (free < neededBytes) return [{ finding: 'disk_full', message, remedy }];
  const wanted = Math.max(roomBytes, databaseBytes(directory, '') + databaseBytes(directory, '-wal'));
  return free < wanted ? [{ finding: 'disk_low', message, remedy, warning: true }] : [];
}

function permissionFindings(directory: string, modules: Invocation['modules']): Finding[] {
  const findings: Finding[] = [];
  try {
    refuseExposedData(directory);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const [message = '', command = ''] = error.message.split(' Run: ');
    findings.push({ finding: 'exposed', message, remedy: command === '' ? message : `Run: ${command}` });
  }
  if (process.platform === 'win32') return findings;
  for (const name of modules.flatMap(({ files }) => files ?? [])) {
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isFile() && (found.mode & 0o077) !== 0)
      findings.push({
        finding: 'exposed_file',
        message: `${path} can be read or changed by other users of this machine.`,
        remedy: `Run: chmod 600 ${path}`,
      });
  }
  return findings;
}

function clockFindings(directory: string, now: number): Finding[] {
  const times = ['', '-wal'].map(
    (suffix) =>
      statSync(join(directory, `${databaseFile}${suffix}`), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  const aheadMs = Math.max(...times) - now;
  if (aheadMs <= clockToleranceMs) return [];
  return [
    {
      finding: 'clock_set_back',
      message: `The database was written ${counted(Math.round(aheadMs / 1000), 'second')} in the future: the clock of this machine was set back, or was wrong.`,
      remedy:
        'Set the clock by NTP. Until it has caught up, sessions, tokens and schedules end later than they should.',
    },
  ];
}

function walFindings(directory: string): Finding[] {
  const bytes = databaseBytes(directory, '-wal');
  if (bytes <= longLogBytes) return [];
  return [
    {
      finding: 'wal_large',
      message: `${databaseFile}-wal has ${shown(bytes)}: a program that reads the database keeps it from being copied back.`,
      remedy: 'End other programs that have the database open, or restart the server.',
      warning: true,
    },
  ];
}

function backupFindings(directory: string, now: number): Finding[] {
  const last = readLastBackup(directory);
  const remedy =
    'Run trivet backup FILE, or start the server with --backup-every 24; keep copies on another machine.';
  if (!last)
    return [
      { finding: 'no_backup', message: 'No backup of this directory is known.', remedy, warning: true },
    ];
  if (last.file !== '-' && !existsSync(last.file))
    return [
      {
        finding: 'backup_gone',
        message: `The last backup, ${last.file}, is not there any more, or cannot be seen from here.`,
        remedy,
        warning: true,
      },
    ];
  const days = Math.floor((now - last.at) / day);
  if (now - last.at <= oldBackupMs) return [];
  return [
    {
      finding: 'backup_old',
      message: `The last backup is ${counted(days, 'day')} old.`,
      remedy,
      warning: true,
    },
  ];
}

/** A server writes its status every second. */
const silentMs = 60_000;

function replicationFindings(config: Invocation['config'], directory: string, now: number): Finding[] {
  if (isStandby(directory)) return standbyFindings(directory, now);
  const replaced = fencedReason(directory);
  if (replaced !== undefined)
    return [
      {
        finding: 'replication_fenced',
        message: `Another server has the place of this one: ${replaced}`,
        remedy:
          'Use the server that has taken over, or make this one its standby: move the directory away, copy its master.key to an empty one in ' +
          'its place, start the server with --follow.',
        warning: true,
      },
    ];
  const status = readReplicationStatus(directory);
  const asked = config.read(coreSettings).replicate !== undefined;
  if (!status)
    return asked
      ? [
          {
            finding: 'not_replicated',
            message: 'This directory was never replicated.',
            remedy: 'Start the server with --replicate.',
            warning: true,
          },
        ]
      : [];
  const { state, target, coveredAt, at, reason } = status;
  const until = coveredAt === 0 ? 'nothing' : `what was written until ${new Date(coveredAt).toISOString()}`;
  const found = (finding: string, why: string, remedy: string): Finding[] => [
    { finding, message: `${target} has ${until}: ${why}.`, remedy, warning: true },
  ];
  if (state === 'fenced')
    return found(
      'replication_fenced',
      reason ?? 'another server has begun a newer generation',
      'Name another address with --replicate, or use the server that has replaced this one.',
    );
  if (state === 'away')
    return found(
      'replication_away',
      reason ?? 'it cannot be reached',
      'Make the target reachable: the server catches up by itself.',
    );
  if (state === 'snapshot')
    return found(
      'replication_snapshot',
      'the first snapshot is being made',
      'Wait until it is complete: trivet replicas shows it.',
    );
  if (state === 'ok' && now - at > silentMs)
    return found(
      'replication_silent',
      'no server has replicated since',
      'Start the server with --replicate: it stores what is missing.',
    );
  return [];
}

/** A standby looks every second. */
const behindMs = 30_000;

function standbyFindings(directory: string, now: number): Finding[] {
  const state = readStandby(directory);
  const status = readStandbyStatus(directory);
  const coveredAt = status?.coveredAt ?? state?.coveredAt ?? 0;
  const behind =
    coveredAt === 0 ? 'without a copy yet' : `${Math.max(0, Math.round((now - coveredAt) / 1000))} s behind`;
  const message = `This directory is a standby of ${state?.target ?? 'a replica'}, ${behind}.`;
  const why = status?.reason === undefined ? '' : ` ${status.reason}.`;
  const promote = `If the other server is lost: trivet promote --data ${directory}`;
  if (status && now - status.at <= silentMs && status.state === 'following' && now - coveredAt <= behindMs)
    return [{ finding: 'standby', message, remedy: promote, warning: true }];
  if (!status || now - status.at > silentMs)
    return [
      {
        finding: 'standby_silent',
        message: `${message} No server follows it now.`,
        remedy: `Start its server with --follow. ${promote}`,
        warning: true,
      },
    ];
  return [
    {
      finding: status.state === 'following' ? 'standby_behind' : `standby_${status.state}`,
      message: `${message}${why}`,
      remedy: `Make the target reachable and look at the other server: this one catches up by itself. ${promote}`,
      warning: true,
    },
  ];
}

/** Leftovers of killed backups: unencrypted copies of the database. */
const leftFindings = (config: Invocation['config'], now: number): Finding[] =>
  leftOfBackups(config.read(coreSettings), now).map((path) => ({
    finding: 'backup_leftover',
    message: `${path} is what a backup that was killed has left: a copy of the data.`,
    remedy: `The next start of the server removes it. Or run: rm -r ${path}`,
    warning: true,
  }));
