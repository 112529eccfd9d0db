import { resolve } from 'node:path';
import type { Host } from '../host/host.ts';
import { coreSettings } from '../settings/settings.ts';
import { readReplicationStatus, type ReplicationStatus } from './replication-files.ts';

/** How the replication of a server goes; undefined without `--replicate`, or before it has begun. */
export function replicationOf(host: Host): ReplicationStatus | undefined {
  const { data, replicate } = host.config.read(coreSettings);
  return replicate === undefined ? undefined : readReplicationStatus(resolve(data));
}
