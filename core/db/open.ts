import type { Database } from 'bun:sqlite';
import type { Log } from '../log.ts';
import type { Db, Location } from './db.ts';
import { ledgerOf, type Ledger } from './ledger.ts';
import { migrate } from './migrate.ts';
import type { MigrationContext } from './migration-mode.ts';
import type { Migration } from './migration.ts';

/** Migrates a database and opens it, on one connection where the engine allows. @throws as {@link migrate}. */
export async function openMigrated(
  location: Location,
  migrations: readonly Migration[],
  context: MigrationContext,
): Promise<Db> {
  let kept: Database | undefined;
  await migrate(location, migrations, context, (connection) => (kept = connection));
  return openDb(location, context.log, ledgerOf(migrations), kept);
}

/**
 * Opens a migrated database.
 * @param kept a connection of SQLite that is open already.
 * @param ledger the migrations that this executable knows: when a newer one changes the schema, this one only reads from then on.
 */
export async function openDb(location: Location, log: Log, ledger?: Ledger, kept?: Database): Promise<Db> {
  if (location.engine === 'sqlite') {
    const { openSqlite } = await import('./sqlite.ts');
    return openSqlite(location, log, ledger, kept);
  }
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(location, log, ledger);
}
