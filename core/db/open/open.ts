import type { Database } from 'bun:sqlite';
import type { Log } from '../../base/log.ts';
import { isDirectory } from '../../base/stored-file.ts';
import { silent, type Recorder } from '../../metrics/recorder.ts';
import { version } from '../../base/version.ts';
import type { Db, Location } from '../query/db.ts';
import type { DirectoryLock } from '../sqlite/directory-lock.ts';
import { ledgerOf, type Ledger } from '../ledger/ledger.ts';
import { migrate } from './migrate.ts';
import type { MigrationContext } from '../ledger/migration-mode.ts';
import type { Migration } from '../ledger/migration.ts';
import { storageHealth } from '../query/storage-health.ts';

/** Migrates a database and opens it, on one connection where the engine allows. @throws as {@link migrate}. */
export async function openMigrated(
  location: Location,
  migrations: readonly Migration[],
  context: MigrationContext,
  recorder: Recorder,
): Promise<Db> {
  let kept: Database | undefined;
  const lock = await lockFor(location, context);
  try {
    await migrate(location, migrations, context, (connection) => (kept = connection));
    return await openDb(location, context.log, ledgerOf(migrations), kept, recorder, lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Processes that may write lock the directory at the start; one that only reads takes the lock with its first write. */
async function lockFor(location: Location, { mode }: MigrationContext): Promise<DirectoryLock | undefined> {
  if (location.engine === 'postgres' || mode === 'check' || !isDirectory(location.directory))
    return undefined;
  return (await import('../sqlite/directory-lock.ts')).holdDirectory(location.directory, version);
}

/**
 * Opens a migrated database.
 * @param kept an open SQLite connection.
 * @param lock the lock of this process on the SQLite directory; closing the database releases it.
 * @param ledger the migrations that this executable knows: when a newer one changes the schema, this one only reads from then on.
 */
export async function openDb(
  location: Location,
  log: Log,
  ledger?: Ledger,
  kept?: Database,
  recorder: Recorder = silent,
  lock?: DirectoryLock,
): Promise<Db> {
  const health = storageHealth(log, recorder);
  if (location.engine === 'sqlite') {
    const { openSqlite } = await import('../sqlite/sqlite.ts');
    return openSqlite(location, { health, ledger, kept, recorder, lock });
  }
  const { openPostgres } = await import('../postgres/postgres.ts');
  return openPostgres(location, log, { health, ledger, recorder });
}
