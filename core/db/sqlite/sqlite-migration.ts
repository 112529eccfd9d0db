import type { Database } from 'bun:sqlite';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { fail, UsageError } from '../../base/errors.ts';
import { isBusy, isCorrupt } from '../../base/foreign-errors.ts';
import type { Log } from '../../base/log.ts';
import { databaseFile, refuseUnreadableData } from './data-directory.ts';
import { holdAlone, migrationLockFile, type DirectoryLock } from './directory-lock.ts';
import { damageErrorOf } from './database-file.ts';
import type { Location } from '../query/db.ts';
import {
  createLedger,
  hashOf,
  ledgerName,
  listApplied,
  newerThan,
  findPending,
  refuseIncompleteTransfer,
  type Applied,
} from '../ledger/ledger.ts';
import {
  allow,
  changesSchema,
  mustExist,
  noDatabase,
  type Migrated,
  type ShownMigration,
  type MigrationMode,
} from '../ledger/migration-mode.ts';
import { migrationFailure } from '../ledger/migration-failure.ts';
import type { Migration } from '../ledger/migration.ts';
import { refuseStandby } from './directory-role.ts';
import { refuseInterruptedRestore } from './restore-mark.ts';

type SqliteLocation = Extract<Location, { engine: 'sqlite' }>;

/**
 * `migrate` for SQLite: writes a backup before the first change.
 * @param keep takes over the connection of a migrated database, which is otherwise closed.
 */
export async function migrateSqlite(
  location: SqliteLocation,
  migrations: readonly Migration[],
  context: ShownMigration,
  keep?: (connection: Database) => void,
): Promise<Migrated> {
  const { directory } = location;
  if (context.mode !== 'check') refuseStandby(directory);
  if (mustExist(context.mode ?? 'apply')) requireDatabase(directory, context.mode ?? 'apply');
  const done = await migrateOnce(location, migrations, context, { keep, hasTurn: false });
  if (done !== needsTurn) return done;
  // Runs without its own connection, because it checks whether there is any other.
  const turn = await turnOf(directory, context.log);
  try {
    await refuseOtherUsers(location, migrations);
    const again = await migrateOnce(location, migrations, context, { keep, hasTurn: true });
    if (again === needsTurn) throw new Error('it has the turn');
    return again;
  } finally {
    turn.release();
  }
}

/** An older database is migrated by one process, while no other uses it. */
const needsTurn = Symbol('needs the turn');

interface Attempt {
  readonly keep: ((connection: Database) => void) | undefined;
  readonly hasTurn: boolean;
}

async function migrateOnce(
  { directory, durability }: SqliteLocation,
  migrations: readonly Migration[],
  { clock, log, begins, mode = 'apply' }: ShownMigration,
  { keep, hasTurn }: Attempt,
): Promise<Migrated | typeof needsTurn> {
  const { connect, waitOutside } = await import('./sqlite-connection.ts');
  const client = connect(directory, durability);
  waitOutside(client);
  let kept = false;
  const migrated = (tags: readonly string[], newer: Migrated['newer']): Migrated => {
    keep?.(client);
    kept = keep !== undefined;
    return { applied: tags, newer };
  };
  try {
    const applied = () => (hasLedger(client) ? appliedIn(client) : []);
    const before = applied();
    const missing = findPending(before, migrations);
    const newer = newerThan(before, migrations);
    if (changesSchema(mode) || mode === 'require')
      (await import('./sqlite-start.ts')).checkAndMark(client, directory);
    if (hasLedger(client) && missing.length === 0) return migrated([], newer);
    allow(mode, directory, before, missing);
    if (mode === 'alone' && before.length > 0 && !hasTurn) return needsTurn;

    const backup = before.length > 0 ? backupPath(directory, before, clock) : undefined;
    if (backup) {
      const { copyDatabase, removeKilledCopies } = await import('./backup.ts');
      if (hasTurn) removeKilledCopies(directory);
      copyDatabase(client, backup);
    }

    // Off before BEGIN: inside a transaction the pragma does nothing, and a table rebuild would cascade into children.
    client.run('PRAGMA foreign_keys = OFF');
    await beginExclusive(() => client.run('BEGIN EXCLUSIVE'), directory, log);
    try {
      client.run(createLedger);
      const todo = findPending(applied(), migrations);
      for (const [done, migration] of todo.entries()) {
        if (before.length > 0) begins(done, todo.length, migration.tag);
        try {
          client.exec(migration.sql);
        } catch (error) {
          throw migrationFailure(migration, error);
        }
        client.run('INSERT INTO trivet_migrations (tag, hash, applied_at) VALUES (?, ?, ?)', [
          ledgerName(migration),
          hashOf(migration),
          clock.now(),
        ]);
      }
      const broken = client.query('PRAGMA foreign_key_check').all();
      if (broken.length > 0)
        throw new UsageError(`A migration would break ${broken.length} references; nothing was changed.`);
      client.run('COMMIT');
      if (backup && todo.length === 0) rmSync(backup, { force: true });
      else if (backup) log.info('backup_written', { file: backup });
      return migrated(
        todo.map(({ tag }) => tag),
        newer,
      );
    } catch (error) {
      if (client.inTransaction) client.run('ROLLBACK');
      // The database is unchanged. A server that is restarted again and again must not fill the disk with copies.
      if (backup) rmSync(backup, { force: true });
      throw error;
    }
  } catch (error) {
    throw isCorrupt(error)
      ? damageErrorOf(join(directory, databaseFile), 'is damaged', 'sqlite_corrupt')
      : error;
  } finally {
    if (!kept) client.close();
  }
}

/**
 * Version 0.1.0 takes no lock on its directory: a newer one migrated under it, and both wrote.
 * @throws UsageError when another process has an older database open.
 */
async function refuseOtherUsers(location: SqliteLocation, migrations: readonly Migration[]): Promise<void> {
  const { isOpenElsewhere } = await import('./database-examination.ts');
  const giveUpAt = performance.now() + otherUsersMs;
  for (;;) {
    // Another process may have migrated the database while this one waited for its turn, and may now use it.
    if ((await findPendingInSqlite(location, migrations)).length === 0) return;
    if (!isOpenElsewhere(location.directory)) return;
    if (performance.now() > giveUpAt) break;
    await Bun.sleep(20);
  }
  throw new UsageError(
    `A running Trivet of an earlier version uses ${location.directory}. Stop it, then start this one: two versions that write to one ` +
      'database can each break what the other one relies on. Nothing was changed.',
  );
}

/** A process that starts at the same time has the database open for some milliseconds, to see what is missing. */
const otherUsersMs = 2_000;

async function turnOf(directory: string, log: Log): Promise<DirectoryLock> {
  let lock: DirectoryLock | undefined;
  await beginExclusive(
    () => {
      lock = holdAlone(join(directory, migrationLockFile));
      return lock !== undefined;
    },
    directory,
    log,
  );
  if (!lock) throw new Error('the turn to migrate was not taken');
  return lock;
}

/** The pending migrations of the database of a directory. @throws UsageError if it does not exist. */
export async function findPendingInSqlite(
  { directory, durability }: SqliteLocation,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  requireDatabase(directory, 'check');
  const { connect } = await import('./sqlite-connection.ts');
  const client = connect(directory, durability);
  try {
    return findPending(appliedIn(client), migrations);
  } finally {
    client.close();
  }
}

/** @throws UsageError for a database that a transfer has not completed. */
export function refuseIncomplete(client: Database): void {
  if (hasLedger(client)) refuseIncompleteTransfer(appliedIn(client));
}

const hasLedger = (client: Database) =>
  client.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'trivet_migrations'").get() !==
  null;

const appliedIn = (client: Database) => client.query<Applied, []>(listApplied).all();

/** Creates nothing. @throws UsageError when a directory has no database. */
function requireDatabase(directory: string, mode: MigrationMode): void {
  refuseInterruptedRestore(directory);
  refuseUnreadableData(directory);
  if (existsSync(join(directory, databaseFile))) return;
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new UsageError(`--data: ${directory} cannot be used as a data directory (it is a file).`);
  throw noDatabase(directory, mode);
}

const backupPath = (directory: string, applied: readonly Applied[], clock: Clock) => {
  const at = new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '');
  return join(directory, `backup-${applied.at(-1)?.tag.replaceAll(/[/ ]/g, '-')}-${at}-${process.pid}.db`);
};

/** How long another starting process may migrate, or a server of the version before may write. It usually takes milliseconds. */
const lockLimitMs = 60_000;
const firstLineMs = 1_000;
const lineEveryMs = 10_000;

/** Thrown when another process holds the resource and there is no other error. */
const held = new Error('held');

/** @param begin throws a busy error or returns false while another process holds the database. */
async function beginExclusive(begin: () => unknown, directory: string, log: Log): Promise<void> {
  const began = performance.now();
  let sayAt = began + firstLineMs;
  for (;;) {
    try {
      if (begin() !== false) return;
      throw held;
    } catch (error) {
      if (error !== held && !isBusy(error)) throw error;
      const now = performance.now();
      if (now - began > lockLimitMs) {
        throw fail.DATABASE_BUSY(
          `The migration of ${join(directory, databaseFile)} found the write lock of another process for ` +
            `${lockLimitMs / 1000} s; nothing was changed.`,
          { tip: 'Stop the other process that uses this directory, then start again.' },
        );
      }
      if (now >= sayAt) {
        sayAt = now + lineEveryMs;
        log.warn('migration_waits', {
          for: 'the write lock of another process',
          seconds: Math.round((now - began) / 1000),
        });
      }
      await Bun.sleep(20);
    }
  }
}
