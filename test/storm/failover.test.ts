import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { requireBuilt } from '../executable.ts';
import { makeServer, type PostgresServer } from '../postgres-server.ts';
import { createDatabase } from '../postgres.ts';
import { primarySettings, promote, replicaOf } from './replica.ts';
import { survives } from './survival.ts';
import { install, type Installation } from './watched.ts';

/*
 * Two hosts in the URL: the primary is lost and its replica is promoted. A commit waits for the replica, so nothing acknowledged is lost.
 * Mutation note: seen to fail when core/db/postgres/postgres-hosts.ts does not ask whether a host takes writes, and when it asks one host
 * after the other without a limit.
 */
requireBuilt();
setDefaultTimeout(60_000);

const settings = [...primarySettings, 'max_connections = 40'];
const servers: PostgresServer[] = [];
let installation: Installation;
let database: string;

beforeAll(async () => {
  const primary = await makeServer(settings);
  servers.push(primary);
  await primary.start();
  const url = await createDatabase(primary.url);
  database = new URL(url).pathname;
  installation = await install(url);
  servers.push(await replicaOf(primary, settings));
});
afterAll(async () => {
  for (const server of servers) await server.remove();
});

/** The last two servers: the primary and its replica. */
const pair = (): readonly [PostgresServer, PostgresServer] => {
  const [primary, replica] = servers.slice(-2);
  if (!primary || !replica) throw new Error('there is no pair of servers');
  return [primary, replica];
};

const hosts = () =>
  Promise.resolve([
    '--database',
    `postgres://postgres@${pair()
      .map(({ port }) => `127.0.0.1:${port}`)
      .join(',')}${database}`,
  ]);

test('the primary is killed: the promoted replica serves within ten seconds', async () => {
  const [primary, replica] = pair();
  const backMs = await survives(installation, {
    database: hosts,
    breaks: () => primary.stop('kill'),
    repairs: () => promote(replica),
    says: /"event":"storage_failed","code":"read_only","remedy":"Promote a standby/,
  });
  expect(backMs).toBeLessThan(10_000);
});

test('the primary hangs and keeps its connections: the promoted replica serves within ten seconds', async () => {
  const [, primary] = pair();
  servers.push(await replicaOf(primary, settings));
  const [, replica] = pair();
  const backMs = await survives(installation, {
    database: hosts,
    breaks: () => primary.pause(),
    repairs: () => promote(replica),
    says: /"event":"database_connections_dropped","cause":"silent"/,
  });
  expect(backMs).toBeLessThan(10_000);
  await primary.stop('kill');
});
