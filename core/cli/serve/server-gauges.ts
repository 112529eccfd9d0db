import { resolve } from 'node:path';
import { isBackupFailing } from '../../backup/backup-schedule.ts';
import { readLastBackup } from '../../backup/last-backup.ts';
import { databaseBytes, freeBytes } from '../../db/sqlite/database-place.ts';
import { isStandby } from '../../db/sqlite/directory-role.ts';
import type { Host } from '../../host/host.ts';
import { coreMetrics } from '../../metrics/core-metrics.ts';
import { replicationOf } from '../../replicate/replication-state.ts';
import type { ReplicationStatus } from '../../replicate/replication-files.ts';
import { coreSettings } from '../../settings/settings.ts';
import { lagOf, standbyOf } from '../../standby/standby-state.ts';

/** Gauges that are read at a scrape: the process, the disk, and the last backup. */
export function readServerGauges(host: Host): void {
  const { metrics, db, config, version } = host;
  const directory = resolve(config.read(coreSettings).data);
  metrics.read(coreMetrics.build, () => [[[version, db.engine], 1]]);
  metrics.read(coreMetrics.cpuSeconds, () => {
    const { user, system } = process.cpuUsage();
    return [[[], (user + system) / 1e6]];
  });
  metrics.read(coreMetrics.residentBytes, () => [[[], process.memoryUsage.rss()]]);
  metrics.read(coreMetrics.startTime, () => [[[], performance.timeOrigin / 1000]]);
  metrics.read(coreMetrics.diskFree, () => known(() => freeBytes(directory)));
  metrics.read(coreMetrics.lastBackup, () => {
    const last = readLastBackup(directory);
    return last ? [[[], last.at / 1000]] : [];
  });
  metrics.read(coreMetrics.backupFailing, () => {
    const isFailing = isBackupFailing(host);
    return isFailing === undefined ? [] : [[[], isFailing ? 1 : 0]];
  });
  if (db.engine !== 'sqlite') return;
  const ofReplication = (value: (status: ReplicationStatus) => number) => () => {
    const status = replicationOf(host);
    return status ? [[[], value(status)] as const] : [];
  };
  metrics.read(
    coreMetrics.replicationLag,
    ofReplication(({ coveredAt }) => Math.max(0, (host.clock.now() - coveredAt) / 1000)),
  );
  metrics.read(
    coreMetrics.replicationWaiting,
    ofReplication(({ waiting }) => waiting),
  );
  metrics.read(
    coreMetrics.replicationFailing,
    ofReplication(({ state }) => (state === 'away' || state === 'fenced' ? 1 : 0)),
  );
  metrics.read(coreMetrics.standby, () =>
    config.read(coreSettings).follow === undefined ? [] : [[[], isStandby(directory) ? 1 : 0]],
  );
  metrics.read(coreMetrics.standbyLag, () => {
    const status = standbyOf(host);
    const lag = status ? lagOf(status, host.clock.now()) : null;
    return lag === null ? [] : [[[], lag]];
  });
  metrics.read(coreMetrics.walBytes, () => known(() => databaseBytes(directory, '-wal')));
  metrics.read(coreMetrics.databaseBytes, () => known(() => databaseBytes(directory, '')));
}

/** A value, or nothing if it cannot be read: a missing directory must not make the scrape fail. */
function known(value: () => number): ReadonlyArray<readonly [readonly [], number]> {
  try {
    return [[[], value()]];
  } catch {
    return [];
  }
}
