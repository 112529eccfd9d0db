import { resolve } from 'node:path';
import { isStandby } from '../db/sqlite/directory-role.ts';
import type { Host } from '../host/host.ts';
import { coreSettings } from '../settings/settings.ts';
import { readStandbyStatus, type StandbyStatus } from './standby-files.ts';

/** How the following of a standby goes; undefined for any other server. */
export function standbyOf({ config }: Host): StandbyStatus | undefined {
  const { data, follow } = config.read(coreSettings);
  const directory = resolve(data);
  return follow === undefined || !isStandby(directory) ? undefined : readStandbyStatus(directory);
}

/** How far behind a standby is, in seconds; null before there is a copy. */
export const lagOf = ({ coveredAt }: StandbyStatus, now: number): number | null =>
  coveredAt === 0 ? null : Math.max(0, Math.round((now - coveredAt) / 100) / 10);
