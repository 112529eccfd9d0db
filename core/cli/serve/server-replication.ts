import { resolve } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { hasDatabase } from '../../db/sqlite/database-place.ts';
import { ledgerName } from '../../db/ledger/ledger.ts';
import { migrationsOf } from '../../kernel/kernel.ts';
import type { ReplicatorChild } from '../../replicate/replicator-child.ts';
import { coreSettings, type Values } from '../../settings/settings.ts';
import type { Invocation } from '../invocation/invocation.ts';

const hourMs = 3_600_000;
const mebibyte = 1024 * 1024;

/** Whether this process is the replicator of a server rather than a server. */
export const isReplicator = (): boolean => process.env['_TRIVET_REPLICATOR'] !== undefined;

/** @throws UsageError for `--replicate` on PostgreSQL, which has its own means. */
export function refuseReplication({ replicate, database }: Values<typeof coreSettings>): void {
  if (replicate === undefined || database === undefined) return;
  throw new UsageError(
    '--replicate is for a data directory with SQLite, and this server has its data in PostgreSQL. Leave it out, and archive the log of ' +
      'PostgreSQL (docs/production.md, Replication on PostgreSQL).',
  );
}

/** Starts the replicator of a server with `--replicate`. @throws UsageError for an address or a recipient that is none. */
export async function replicatorOf({
  config,
  modules,
  log,
}: Invocation): Promise<ReplicatorChild | undefined> {
  const settings = config.read(coreSettings);
  const { replicate: url, 'replicate-recipient': recipients, 'replicate-keys': s3 } = settings;
  if (url === undefined) return undefined;
  const { openTarget } = await import('../../replicate/target-opening.ts');
  await openTarget(url, s3);
  await requireRecipients(recipients);
  const { startReplicator } = await import('../../replicate/replicator-child.ts');
  const data = resolve(settings.data);
  const order = {
    data,
    url,
    s3,
    recipients,
    files: modules.flatMap(({ files }) => files ?? []),
    snapshotMs: settings['replicate-snapshot'] * hourMs,
    keepMs: settings['replicate-keep'] * hourMs,
    backlogBytes: settings['replicate-backlog'] * mebibyte,
    migrations: migrationsOf(modules).map(ledgerName),
  };
  return startReplicator(order, hasDatabase(data), log);
}

async function requireRecipients(recipients: readonly string[]): Promise<void> {
  try {
    await (await import('../../base/age-cipher.ts')).encrypterFor(recipients);
  } catch {
    throw new UsageError(
      '--replicate-recipient: each must be an age public key (age1…); age-keygen prints it.',
    );
  }
}
