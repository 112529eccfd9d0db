import type { Log } from '../log.ts';
import type { Db, Location } from './db.ts';
import type { Ledger } from './ledger.ts';

/**
 * Opens a migrated database.
 * @param ledger the migrations that this executable knows: when a newer one changes the schema, this one only reads from then on.
 */
export async function openDb(location: Location, log: Log, ledger?: Ledger): Promise<Db> {
  if (location.engine === 'sqlite') {
    const { openSqlite } = await import('./sqlite.ts');
    return openSqlite(location.directory, location.durability, log, ledger);
  }
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(location, log, ledger);
}
