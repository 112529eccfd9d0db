import type { Database } from 'bun:sqlite';
import type { Location } from '../query/db.ts';
import type { MigrationContext, ShownMigration } from '../ledger/migration-mode.ts';
import type { Migration } from '../ledger/migration.ts';

/**
 * Migrates a database to the schema of this executable. Not by drizzle's migrator, which emptied a child table on a rebuild and lost
 * start-up races (measured). Here foreign keys are off before the transaction begins, one process works while others wait, a backup is
 * written before the first change, and a database that a newer executable has contracted is refused.
 *
 * @param keep takes over the connection to a migrated SQLite database: closing the only one would delete its log, which the next one
 * recreates.
 * @returns the tags of the applied migrations.
 * @throws UsageError when the database is newer than this executable, when a released migration was edited, and for what `mode` does not
 * allow; Fault DATABASE_BUSY when a lock was not free in time.
 */
export async function migrate(
  location: Location,
  migrations: readonly Migration[],
  context: MigrationContext,
  keep?: (connection: Database) => void,
): Promise<readonly string[]> {
  const shown: ShownMigration = {
    ...context,
    begins:
      context.begins ??
      ((done, total, tag) => context.log.info('migrating', { tag, step: `${done + 1} of ${total}` })),
  };
  const { applied, newer } =
    location.engine === 'sqlite'
      ? await (await import('../sqlite/sqlite-migration.ts')).migrateSqlite(location, migrations, shown, keep)
      : await (
          await import('../postgres/postgres-migration.ts')
        ).migratePostgres(location, migrations, shown);
  // Not for a new installation, which would print all of them.
  const newest = applied.at(-1);
  if (newest !== undefined && applied.length === migrations.length)
    context.log.info('migrated', { tag: newest, migrations: applied.length });
  else for (const tag of applied) context.log.info('migrated', { tag });
  if (newer.length > 0) context.log.info('database_is_newer', { tags: newer.join(', ') });
  return applied;
}

/** The pending migrations of a database. @throws UsageError like {@link migrate}, and when the database does not exist. */
export async function pendingOf(
  location: Location,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  return location.engine === 'postgres'
    ? (await import('../postgres/postgres-migration.ts')).findPendingInPostgres(location, migrations)
    : (await import('../sqlite/sqlite-migration.ts')).findPendingInSqlite(location, migrations);
}

/** Whether a Trivet database exists, empty or not. Creates nothing. */
export const hasDatabaseAt = async (location: Location): Promise<boolean> =>
  location.engine === 'postgres'
    ? (await import('../postgres/postgres-migration.ts')).existsInPostgres(location)
    : (await import('../sqlite/database-place.ts')).hasDatabase(location.directory);
