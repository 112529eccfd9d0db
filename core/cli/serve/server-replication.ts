import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock, systemRandom } from '../../base/clock.ts';
import { refuseRecipients } from '../../base/age-cipher.ts';
import { UsageError } from '../../base/errors.ts';
import { isInside } from '../../base/stored-file.ts';
import { hasDatabase } from '../../db/sqlite/database-place.ts';
import { refuseStandby } from '../../db/sqlite/directory-role.ts';
import { ledgerName } from '../../db/ledger/ledger.ts';
import { migrationsOf } from '../../kernel/kernel.ts';
import type { ReplicatorChild } from '../../replicate/replicator-child.ts';
import { coreSettings, type Values } from '../../settings/settings.ts';
import type { ClaimKeeper } from '../../standby/claim-keeping.ts';
import type { Invocation } from '../invocation/invocation.ts';

const hourMs = 3_600_000;
const mebibyte = 1024 * 1024;

/** Whether this process is the follower of a standby rather than a server. */
export const isReplicaFollower = (): boolean => process.env['_TRIVET_FOLLOWER'] !== undefined;

/** Whether this process is the replicator of a server rather than a server. */
export const isReplicator = (): boolean => process.env['_TRIVET_REPLICATOR'] !== undefined;

/** @throws UsageError for a replication that cannot work, or would protect from nothing. */
export function refuseReplication(settings: Values<typeof coreSettings>): void {
  const { replicate, follow, database, data } = settings;
  if (replicate === undefined) {
    if (settings['replicate-lease'] > 0 && follow === undefined)
      throw new UsageError(
        '--replicate-lease is for a server that replicates, and this one does not: it would go on writing beside a standby that took ' +
          'over. Add --replicate, or leave it out.',
      );
    return;
  }
  if (database !== undefined)
    throw new UsageError(
      '--replicate is for a data directory with SQLite, and this server has its data in PostgreSQL. Leave it out, and archive the log of ' +
        'PostgreSQL (docs/production.md, Replication on PostgreSQL).',
    );
  if (replicate.startsWith('file:///') && isInside(resolve(data), Bun.fileURLToPath(replicate)))
    throw new UsageError(
      `--replicate ${replicate} is inside the data directory ${resolve(data)}, so it would be lost with it. Name a directory of another ` +
        'disk or machine.',
    );
}

/** What a server with `--replicate` has besides. */
interface ServerReplication {
  readonly child: ReplicatorChild;
  /** Its claim at the target, which says whether it may write. */
  readonly claim: ClaimKeeper;
}

/** Starts the replication of a server. @throws UsageError for an address or a recipient that is none. */
export async function startReplication({
  config,
  modules,
  log,
}: Invocation): Promise<ServerReplication | undefined> {
  const settings = config.read(coreSettings);
  const { replicate: url, 'replicate-recipient': recipients, 'replicate-keys': s3 } = settings;
  if (url === undefined) return undefined;
  const { openTarget } = await import('../../replicate/target-opening.ts');
  const target = await openTarget(url, s3);
  refuseRecipients('replicate-recipient', recipients);
  const { startReplicator } = await import('../../replicate/replicator-child.ts');
  const data = resolve(settings.data);
  refuseStandby(data);
  const { ClaimKeeper } = await import('../../standby/claim-keeping.ts');
  const { holderOf } = await import('../../replicate/replication-files.ts');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const holder = holderOf(data, systemRandom);
  const leaseMs = settings['replicate-lease'] * 1000;
  const claim = new ClaimKeeper({ data, target, holder, leaseMs, clock: systemClock, log });
  await claim.start();
  const order = {
    data,
    holder,
    url,
    s3,
    recipients,
    files: modules.flatMap(({ files }) => files ?? []),
    snapshotMs: settings['replicate-snapshot'] * hourMs,
    keepMs: settings['replicate-keep'] * hourMs,
    backlogBytes: settings['replicate-backlog'] * mebibyte,
    migrations: migrationsOf(modules).map(ledgerName),
  };
  if (hasDatabase(data)) (await import('../../db/sqlite/copy-file.ts')).giveLog(data);
  const child = await startReplicator(order, hasDatabase(data), log);
  claim.whenFenced(() => child.stop());
  return { child, claim };
}
