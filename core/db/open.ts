import type { Log } from '../log.ts';
import type { Db, Location } from './db.ts';

/** Opens the database; it may be empty or old: `migrate` comes next. */
export async function openDb(location: Location, log: Log): Promise<Db> {
  if (location.engine === 'sqlite') {
    const { openSqlite } = await import('./sqlite.ts');
    return openSqlite(location.directory, location.durability);
  }
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(location.url, log);
}
