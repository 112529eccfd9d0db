import type { SQL, TransactionSQL } from 'bun';
import { fail, UsageError } from '../../base/errors.ts';
import { isAlreadyThere, isLockTimeout, isRetryable } from '../../base/foreign-errors.ts';
import type { PostgresLocation } from '../query/db.ts';
import {
  createLedger,
  hashOf,
  ledgerName,
  listApplied,
  newerThan,
  findPending,
  type Applied,
} from '../ledger/ledger.ts';
import {
  allow,
  mustExist,
  noDatabase,
  type Migrated,
  type ShownMigration,
} from '../ledger/migration-mode.ts';
import { migrationFailure } from '../ledger/migration-failure.ts';
import type { Migration } from '../ledger/migration.ts';
import { connectOnce } from './postgres-connection.ts';
import { parsePostgresUrl, hostNamesOf } from './postgres-url.ts';

/** What a migration waits for: its turn behind another migrating process, or a table that it changes. */
type Awaited = 'turn' | 'table';

/**
 * Another process may build an index for minutes. A table lock is requested in short attempts, since every request for that table queues
 * behind the waiting one. `pauseMs` between two attempts lets them through.
 */
const waits: Readonly<
  Record<Awaited, { readonly tryMs: number; readonly limitMs: number; pauseMs: number }>
> = {
  turn: { tryMs: 10_000, limitMs: 600_000, pauseMs: 0 },
  table: { tryMs: 1_000, limitMs: 60_000, pauseMs: 1_000 },
};

/** @throws UsageError: the first name with a letter that the encoding lacks would be refused, when all data is there already. */
async function requireUtf8(client: SQL): Promise<void> {
  const [found] = await client.unsafe<ReadonlyArray<{ server_encoding: string }>>('SHOW server_encoding');
  const encoding = found?.server_encoding ?? 'UTF8';
  if (encoding === 'UTF8') return;
  throw new UsageError(
    `The encoding of the database is ${encoding}. Create it with UTF8: CREATE DATABASE trivet ENCODING 'UTF8' TEMPLATE template0.`,
  );
}

/** `migrate` for PostgreSQL: all missing migrations in one transaction, so that readers see all or none. */
export async function migratePostgres(
  location: PostgresLocation,
  migrations: readonly Migration[],
  context: ShownMigration,
): Promise<Migrated> {
  const { mode = 'apply', log } = context;
  const client = await connectOnce(location, applicationName);
  try {
    const where = placeOf(location);
    if (await hasLedger(client, where)) {
      // Without a lock, because most starts find nothing to do and many processes may start at once.
      const applied = await client.unsafe<Applied[]>(listApplied);
      const missing = findPending(applied, migrations);
      const newer = newerThan(applied, migrations);
      if (missing.length === 0) return { applied: [], newer };
      allow(mode, where, applied, missing);
    } else {
      if (mustExist(mode)) throw noDatabase(where, mode);
      await requireUtf8(client);
      await client.unsafe(createLedger).catch((error: unknown) => {
        if (!isAlreadyThere(error)) throw error;
      });
    }
    const began: Partial<Record<Awaited, number>> = {};
    for (;;) {
      const progress: Progress = { awaits: 'turn', tag: '' };
      try {
        return await client.begin((tx) => apply(tx, migrations, where, context, progress));
      } catch (error) {
        if (!isLockTimeout(error) && !isRetryable(error)) throw error;
        const { awaits } = progress;
        const { limitMs, pauseMs, tryMs } = waits[awaits];
        const since = (began[awaits] ??= performance.now() - tryMs);
        const seconds = Math.round((performance.now() - since) / 1000);
        const blocker = await oldestTx(client);
        const what =
          awaits === 'turn' ? 'another process that migrates' : `a table that ${progress.tag} changes`;
        if (performance.now() - since > limitMs) {
          throw fail.DATABASE_BUSY(
            `The migration of ${where} waited ${seconds} s for ${what}; nothing was changed.`,
            {
              tip: `The oldest transaction is that of ${blocker}. End it, then start again.`,
            },
          );
        }
        log.warn('migration_waits', { for: what, seconds, oldestTransaction: blocker });
        await Bun.sleep(pauseMs);
      }
    }
  } finally {
    await client.end({ timeout: 5 });
  }
}

interface Progress {
  awaits: Awaited;
  /** The migration that is being applied. */
  tag: string;
}

async function apply(
  tx: TransactionSQL,
  migrations: readonly Migration[],
  where: string,
  { clock, begins, mode = 'apply' }: ShownMigration,
  progress: Progress,
): Promise<Migrated> {
  // A statement limit of the role is meant for requests. An index on a large table takes longer.
  await tx.unsafe(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${waits.turn.tryMs}`);
  // A table lock like that of 0.1.0, which may start at the same moment. Running servers can still read the ledger.
  await tx.unsafe('LOCK TABLE trivet_migrations IN SHARE ROW EXCLUSIVE MODE');
  const applied = await tx.unsafe<Applied[]>(listApplied);
  const missing = findPending(applied, migrations);
  allow(mode, where, applied, missing);
  progress.awaits = 'table';
  await tx.unsafe(`SET LOCAL lock_timeout = ${waits.table.tryMs}`);
  for (const [done, migration] of missing.entries()) {
    if (applied.length > 0) begins(done, missing.length, migration.tag);
    progress.tag = migration.tag;
    try {
      await tx.unsafe(inOwnSchema(migration.sql));
    } catch (error) {
      throw migrationFailure(migration, error);
    }
    await tx.unsafe('INSERT INTO trivet_migrations (tag, hash, applied_at) VALUES ($1, $2, $3)', [
      ledgerName(migration),
      hashOf(migration),
      clock.now(),
    ]);
  }
  return { applied: missing.map(({ tag }) => tag), newer: newerThan(applied, migrations) };
}

/** The pending migrations of a database. @throws UsageError when it has no Trivet tables. */
export async function findPendingInPostgres(
  location: PostgresLocation,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  const client = await connectOnce(location, applicationName);
  try {
    const where = placeOf(location);
    if (!(await hasLedger(client, where))) throw noDatabase(where);
    return findPending(await client.unsafe<Applied[]>(listApplied), migrations);
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** Whether a database has Trivet tables. */
export async function existsInPostgres(location: PostgresLocation): Promise<boolean> {
  const client = await connectOnce(location, applicationName);
  try {
    return await hasLedger(client, placeOf(location));
  } finally {
    await client.end({ timeout: 5 });
  }
}

const applicationName = 'trivet migrate';

/**
 * The generated texts name the schema "public" in references and nowhere else, and a released text never changes. Everything else is in the
 * schema that the URL names (`search_path`), where the tables that are referred to are, too.
 */
const inOwnSchema = (text: string): string => text.replaceAll('REFERENCES "public".', 'REFERENCES ');

/** The name of a database in messages, without the login. */
const placeOf = ({ url }: PostgresLocation) => {
  const place = parsePostgresUrl(url);
  return `the database "${place.database ?? place.username ?? 'postgres'}" at ${hostNamesOf(place)}`;
};

/** @throws UsageError when the user may use no schema: PostgreSQL then hides the tables instead of refusing them. */
async function hasLedger(client: SQL, where: string): Promise<boolean> {
  const [found] = await client<
    Array<{ name: string | null; schema: string | null; path: string; user: string }>
  >`
    SELECT to_regclass('trivet_migrations') AS name, current_schema() AS schema, current_setting('search_path') AS path,
      quote_ident(current_user) AS user`;
  if (found?.schema === null) {
    const { user, path } = found;
    throw new UsageError(
      `The user ${user} may use no schema of ${where}: none of its search_path (${path}) is there, or it lacks the right USAGE. ` +
        `As the owner of the schema run GRANT USAGE, CREATE ON SCHEMA public TO ${user}, or correct search_path.`,
    );
  }
  return found?.name != null;
}

/** The session with the oldest open transaction in this database: most likely it holds the lock. */
async function oldestTx(client: SQL): Promise<string> {
  const [found] = await client<Array<{ pid: number; name: string | null; seconds: number | null }>>`
    SELECT pid, application_name AS name, extract(epoch FROM clock_timestamp() - xact_start)::int AS seconds
    FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
    ORDER BY xact_start LIMIT 1`;
  if (!found) return 'nobody any more';
  return `process ${found.pid} of the database server (${found.name || 'unnamed'}, ${found.seconds ?? 0} s)`;
}
