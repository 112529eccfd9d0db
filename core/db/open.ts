import type { Log } from '../log.ts';
import type { Db, Location } from './db.ts';
import type { Ledger } from './ledger.ts';

/**
 * Opens the database; it may be empty or old: `migrate` comes before.
 * @param ledger what this executable knows of the schema: a database that is changed by a newer one is only read from then on.
 */
export async function openDb(location: Location, log: Log, ledger?: Ledger): Promise<Db> {
  if (location.engine === 'sqlite') {
    const { openSqlite } = await import('./sqlite.ts');
    return openSqlite(location.directory, location.durability, log, ledger);
  }
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(location.url, log, ledger);
}
