import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import type { Clock } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { isAlreadyThere, isBusy, isCorrupt } from '../foreign-errors.ts';
import type { Log } from '../log.ts';
import { databaseFile } from './data-directory.ts';
import { damaged } from './database-file.ts';
import type { Location } from './db.ts';
import type { Migration } from './migration.ts';

/**
 * Migrates a database to the schema of this executable. Not by drizzle's migrator, which emptied a child table on a rebuild and
 * lost start-up races (measured). Here foreign keys are off before the transaction begins, one process works while others wait, a
 * backup is written before the first change, and a database of a newer executable is refused.
 *
 * @returns the tags of the applied migrations.
 * @throws UsageError when the database is newer than this executable, when a released migration was edited, and for what
 * `mode` does not allow.
 */
export async function migrate(
  location: Location,
  migrations: readonly Migration[],
  context: MigrationContext,
): Promise<readonly string[]> {
  const applied =
    location.engine === 'sqlite'
      ? await migrateSqlite(location, migrations, context)
      : await migratePostgres(location, migrations, context);
  // A new installation would print all of them.
  const newest = applied.at(-1);
  if (newest !== undefined && applied.length === migrations.length)
    context.log.info('migrated', { tag: newest, migrations: applied.length });
  else for (const tag of applied) context.log.info('migrated', { tag });
  return applied;
}

/**
 * What may be done to a database that is missing or older. Only `serve` and `migrate` change a schema ("apply"): a command beside a
 * running server of an older version would leave that server with a schema that it does not know. A command that writes may create
 * a database ("create"), one that reads may not ("check").
 */
export type MigrationMode = 'apply' | 'create' | 'check';

interface MigrationContext {
  readonly clock: Clock;
  readonly log: Log;
  /** "apply" unless given. */
  readonly mode?: MigrationMode;
}

/** @throws UsageError when these migrations may not be applied now. */
function allow(
  mode: MigrationMode,
  where: string,
  applied: readonly Applied[],
  todo: readonly Migration[],
): void {
  const [first] = todo;
  if (mode === 'apply' || !first) return;
  if (applied.length > 0) {
    throw new UsageError(
      `The database in ${where} is older than this Trivet (it lacks "${first.tag}"), and only "trivet serve" and "trivet ` +
        'migrate" change it. Stop a server of the earlier version, then run trivet migrate.',
    );
  }
  if (mode === 'check') throw noDatabase(where);
}

/** Creates nothing. @throws UsageError when a directory has no database. */
function requireDatabase(directory: string): void {
  if (existsSync(join(directory, databaseFile))) return;
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new UsageError(`--data: ${directory} cannot be used as a data directory (it is a file).`);
  throw noDatabase(directory);
}

const noDatabase = (where: string) =>
  new UsageError(
    `There is no Trivet database in ${where}. Name the right one with --data (or --database); "trivet serve" creates a new one.`,
  );

/** The migrations that a database lacks. @throws UsageError as {@link migrate}, and when the database does not exist. */
export async function pendingOf(
  location: Location,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  if (location.engine === 'postgres') {
    const client = await connectPostgres(location.url);
    try {
      await requireLedger(client, `the database "${client.options.database}"`);
      return pending(await client.unsafe<Applied[]>(listApplied), migrations);
    } finally {
      await client.end({ timeout: 5 });
    }
  }
  requireDatabase(location.directory);
  const { connect } = await import('./sqlite.ts');
  const client = connect(location.directory, location.durability);
  try {
    return pending(client.query(listApplied).all() as Applied[], migrations);
  } finally {
    client.close();
  }
}

interface Applied {
  readonly tag: string;
  readonly hash: string;
}

const hashOf = (sql: string) => new Bun.CryptoHasher('sha256').update(sql).digest('hex');

/** The migrations still to apply. Plugin tags contain a `/`; the plugin need not be loaded now. */
function pending(applied: readonly Applied[], migrations: readonly Migration[]): readonly Migration[] {
  const known = new Map(migrations.map((migration) => [migration.tag, migration]));
  for (const { tag, hash } of applied) {
    const migration = known.get(tag);
    if (!migration && !tag.includes('/')) {
      throw new UsageError(
        `The database was written by a newer Trivet (it has "${tag}"). Start that version, or restore a backup.`,
      );
    }
    if (migration && hashOf(migration.sql) !== hash) {
      throw new UsageError(
        `Migration "${tag}" differs from the one this database has. Released migrations never change.`,
      );
    }
  }
  const done = new Set(applied.map(({ tag }) => tag));
  return migrations.filter(({ tag }) => !done.has(tag));
}

const ledger =
  'CREATE TABLE IF NOT EXISTS trivet_migrations (tag text PRIMARY KEY, hash text NOT NULL, applied_at bigint NOT NULL)';
const listApplied = 'SELECT tag, hash FROM trivet_migrations ORDER BY applied_at, tag';

async function migrateSqlite(
  { directory, durability }: Extract<Location, { engine: 'sqlite' }>,
  migrations: readonly Migration[],
  { clock, log, mode = 'apply' }: MigrationContext,
): Promise<readonly string[]> {
  if (mode === 'check') requireDatabase(directory);
  const { connect, waitOutside } = await import('./sqlite.ts');
  const client = connect(directory, durability);
  waitOutside(client);
  try {
    const hasLedger = () =>
      client
        .query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'trivet_migrations'")
        .get() !== null;
    const applied = () => (hasLedger() ? (client.query(listApplied).all() as Applied[]) : []);
    const before = applied();
    const missing = pending(before, migrations);
    if (mode === 'apply') (await import('./sqlite-start.ts')).checkAndMark(client, directory);
    if (hasLedger() && missing.length === 0) return [];
    allow(mode, directory, before, missing);

    const backup = before.length > 0 ? backupPath(directory, before, clock) : undefined;
    if (backup) (await import('./backup.ts')).copyDatabase(client, backup);

    // Off before BEGIN: inside a transaction the pragma does nothing, and a table rebuild would cascade into children.
    client.run('PRAGMA foreign_keys = OFF');
    await beginExclusive(() => client.run('BEGIN EXCLUSIVE'));
    try {
      client.run(ledger);
      const todo = pending(applied(), migrations);
      for (const { tag, sql } of todo) {
        client.exec(sql);
        client.run('INSERT INTO trivet_migrations (tag, hash, applied_at) VALUES (?, ?, ?)', [
          tag,
          hashOf(sql),
          clock.now(),
        ]);
      }
      const broken = client.query('PRAGMA foreign_key_check').all();
      if (broken.length > 0)
        throw new UsageError(`A migration would break ${broken.length} references; nothing was changed.`);
      client.run('COMMIT');
      if (backup && todo.length === 0) rmSync(backup, { force: true });
      else if (backup) log.info('backup_written', { file: backup });
      return todo.map(({ tag }) => tag);
    } catch (error) {
      if (client.inTransaction) client.run('ROLLBACK');
      throw error;
    }
  } catch (error) {
    throw isCorrupt(error) ? damaged(join(directory, databaseFile), 'is damaged', 'sqlite_corrupt') : error;
  } finally {
    client.close();
  }
}

const backupPath = (directory: string, applied: readonly Applied[], clock: Clock) => {
  const at = new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '');
  return join(directory, `backup-${applied.at(-1)?.tag.replaceAll('/', '-')}-${at}-${process.pid}.db`);
};

/** Another starting process may be migrating. Waits for it up to a minute; it usually takes milliseconds. */
async function beginExclusive(begin: () => void): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  for (;;) {
    try {
      return begin();
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
      await Bun.sleep(20);
    }
  }
}

async function connectPostgres(url: string): Promise<Sql> {
  const { default: postgres } = await import('postgres');
  return postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
}

/** @throws UsageError when a database has no tables of Trivet. */
async function requireLedger(client: Sql, where: string): Promise<void> {
  const [found] = await client<
    Array<{ name: string | null }>
  >`SELECT to_regclass('trivet_migrations') AS name`;
  if (found?.name == null) throw noDatabase(where);
}

async function migratePostgres(
  { url }: Extract<Location, { engine: 'postgres' }>,
  migrations: readonly Migration[],
  { clock, mode = 'apply' }: MigrationContext,
): Promise<readonly string[]> {
  const client = await connectPostgres(url);
  try {
    const where = `the database "${client.options.database}" at ${client.options.host.join(', ')}`;
    if (mode === 'check') await requireLedger(client, where);
    try {
      await client.unsafe(ledger);
    } catch (error) {
      if (!isAlreadyThere(error)) throw error;
    }
    const todo = await client.begin(async (transaction) => {
      // A table lock, not an advisory one: every engine with this protocol has it.
      await transaction.unsafe('LOCK TABLE trivet_migrations IN ACCESS EXCLUSIVE MODE');
      const applied = await transaction.unsafe<Applied[]>(listApplied);
      const missing = pending(applied, migrations);
      allow(mode, where, applied, missing);
      for (const { tag, sql } of missing) {
        await transaction.unsafe(sql);
        await transaction.unsafe(
          'INSERT INTO trivet_migrations (tag, hash, applied_at) VALUES ($1, $2, $3)',
          [tag, hashOf(sql), clock.now()],
        );
      }
      return missing;
    });
    return todo.map(({ tag }) => tag);
  } finally {
    await client.end({ timeout: 5 });
  }
}
