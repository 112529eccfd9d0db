import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { requireBuilt } from '../executable.ts';
import { makeServer, type PostgresServer } from '../postgres-server.ts';
import { createDatabase } from '../postgres.ts';
import { temporaryDirectory } from '../temporary.ts';
import { findPgBouncer, startPgBouncer, type PgBouncer } from './pgbouncer.ts';
import { primarySettings } from './replica.ts';
import { boundMs, survives, type Case } from './survival.ts';
import { install, until, type Installation } from './watched.ts';

/*
 * How the executable behaves when its database misbehaves. While writers of all three areas are at work, the database fails and comes back:
 * clients get 503 with Retry-After in time and nothing else, the log names the fault, the process survives and recovers by itself, and
 * nothing acknowledged is lost. Mutation note: see docs/guarantees.md.
 */
requireBuilt();
setDefaultTimeout(60_000);

let server: PostgresServer;
let plainUrl: string;
let installation: Installation;

beforeAll(async () => {
  server = await makeServer([...primarySettings, 'max_connections = 40']);
  const logins = join(server.data, 'pg_hba.conf');
  const others = readFileSync(logins, 'utf8');
  writeFileSync(logins, `host all secured 127.0.0.1/32 scram-sha-256\n${others}`);
  await server.start();
  await server.run('CREATE ROLE secured LOGIN IN ROLE pg_read_all_data, pg_write_all_data');
  plainUrl = await createDatabase(server.url);
  installation = await install(plainUrl);
});
afterAll(async () => {
  await bouncer?.stop();
  await server.remove();
});

const setting = (...statements: string[]) => server.run(...statements, 'SELECT pg_reload_conf()');

const endConnections = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'secured'";

/** Requires the role `secured` to use this password from now on, even for existing connections. */
const password = (text: string) => server.run(`ALTER ROLE secured PASSWORD '${text}'`, endConnections);

const urlOf = (login: string) => plainUrl.replace('postgres@', `${login}@`);
const urlFile = join(temporaryDirectory('storm'), 'url');
const keep = (url: string) => writeFileSync(urlFile, `${url}\n`, { mode: 0o600 });

/** Holds a lock until it is released. */
async function lock(statement: string): Promise<() => Promise<void>> {
  const client = postgres(plainUrl, { max: 1, onnotice: () => {} });
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = client.begin(async (tx) => {
    await tx.unsafe(statement);
    held.resolve();
    await release.promise;
  });
  await held.promise;
  return async () => {
    release.resolve();
    await holding;
    await client.end();
  };
}

const inDatabase = async (...statements: readonly string[]) => {
  const client = postgres(plainUrl, { max: 1, onnotice: () => {} });
  for (const statement of statements) await client.unsafe(statement);
  await client.end();
};

const slowInserts = [
  `CREATE FUNCTION sleepy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(5); RETURN NEW; END'`,
  'CREATE TRIGGER sleepy BEFORE INSERT ON testmgmt_tests FOR EACH ROW EXECUTE FUNCTION sleepy()',
];

let bouncer: PgBouncer | undefined;
let unlock: () => Promise<void> = async () => {};

interface Row extends Omit<Case, 'database'> {
  readonly name: string;
  /** The plain URL by default. */
  readonly database?: Case['database'];
  /** A prerequisite. @returns why it is missing, if it is. */
  readonly needs?: () => Promise<unknown>;
}

const cases: readonly Row[] = [
  {
    name: 'stopped, and started again',
    breaks: () => server.stop(),
    repairs: () => server.start(),
    says: /"event":"storage_failed","code":"connection_lost","remedy":"[^"]+"/,
  },
  {
    name: 'killed under load',
    breaks: () => server.stop('kill'),
    repairs: () => server.start(),
    says: /"event":"storage_failed","code":"connection_lost"/,
  },
  {
    name: 'hung: its connections stay open and nothing answers',
    breaks: () => server.pause(),
    repairs: () => server.resume(),
    says: /"event":"database_busy","cause":"no_answer"/,
  },
  {
    name: 'read-only for a while: what only reads goes on',
    breaks: async () => void (await setting('ALTER SYSTEM SET default_transaction_read_only = on')),
    meanwhile: async ({ clients, answers }) => {
      for (let round = 0; round < 20; round++) {
        await clients.must('get-projects', { orgId: 1 });
        await Bun.sleep(20);
      }
      expect(answers.counts['get-projects']).toEqual({ 200: 20 });
    },
    repairs: async () =>
      void (await setting(
        'SET default_transaction_read_only = off',
        'ALTER SYSTEM RESET default_transaction_read_only',
      )),
    says: /"event":"storage_failed","code":"read_only","remedy":"[^"]+standby[^"]+default_transaction_read_only/,
  },
  {
    name: 'out of connections',
    database: async () => {
      await server.run("ALTER ROLE secured PASSWORD 'pa55word'");
      keep(urlOf('secured:pa55word'));
      return ['--database-file', urlFile];
    },
    breaks: async () => void (await server.run('ALTER ROLE secured CONNECTION LIMIT 0', endConnections)),
    repairs: async () => void (await server.run('ALTER ROLE secured CONNECTION LIMIT -1')),
    says: /"event":"storage_failed","code":"too_many_connections","remedy":"Raise max_connections/,
  },
  {
    name: 'a table is locked: who needs it gets 503, everybody else is served',
    unready: false,
    breaks: async () => void (unlock = await lock('LOCK TABLE cta_user_states IN ACCESS EXCLUSIVE MODE')),
    meanwhile: async ({ clients, answers }) => {
      const launches = Array.from({ length: 30 }, (_, user) =>
        clients.post(
          '/cta/active/state-machines/',
          {},
          { 'auth-userid': String(1_000 + user), api_version: '1' },
        ),
      );
      for (let round = 0; round < 30; round++) {
        await clients.get('/.well-known/jwks.json');
        await clients.must('get-projects', { orgId: 1 });
        await Bun.sleep(30);
      }
      expect(new Set((await Promise.all(launches)).map(({ status }) => status))).toEqual(new Set([503]));
      expect(answers.counts['/.well-known/jwks.json']).toEqual({ 200: 30 });
      // While the launches occupied every connection, the writer may have been creating a test.
      const reported = () => answers.counts['run-update-test-status'] ?? {};
      await until('a result is taken', boundMs, () => (reported()[200] ?? 0) > 0);
      expect(Object.keys(reported())).toEqual(['200']);
      expect(Object.keys(answers.counts['/v1/auth/token/refresh'] ?? {})).toEqual(['200']);
    },
    repairs: () => unlock(),
    says: /"event":"database_busy","cause":"lock_timeout"/,
  },
  {
    name: 'too slow for one statement',
    unready: false,
    breaks: async () => void (await inDatabase(...slowInserts)),
    meanwhile: async ({ clients, answers }) => {
      await until('a test is not made', boundMs, () => (answers.counts['create-test']?.[503] ?? 0) > 0);
      await clients.must('get-projects', { orgId: 1 });
    },
    repairs: async () => void (await inDatabase('DROP FUNCTION sleepy CASCADE')),
    says: /"event":"database_busy","cause":"statement_timeout"/,
  },
  {
    name: 'too slow for one transaction',
    unready: false,
    breaks: async () => {
      // First: an insert that begins before its session has read the setting ends by the limit of statements.
      await setting("ALTER SYSTEM SET transaction_timeout = '500ms'");
      await Bun.sleep(100);
      await inDatabase(...slowInserts);
    },
    meanwhile: async ({ clients, answers }) => {
      await until('a test is not made', boundMs, () => (answers.counts['create-test']?.[503] ?? 0) > 0);
      await clients.must('get-projects', { orgId: 1 });
    },
    repairs: async () => {
      await setting('ALTER SYSTEM RESET transaction_timeout');
      await inDatabase('DROP FUNCTION sleepy CASCADE');
    },
    says: /"event":"database_busy","cause":"transaction_timeout"/,
  },
  {
    name: 'closed to connections, as for maintenance',
    breaks: async () => {
      const name = new URL(plainUrl).pathname.slice(1);
      await server.run(
        `ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
      );
    },
    repairs: async () =>
      void (await server.run(
        `ALTER DATABASE "${new URL(plainUrl).pathname.slice(1)}" ALLOW_CONNECTIONS true`,
      )),
    says: /"event":"storage_failed","code":"database_closed","remedy":"[^"]*ALLOW_CONNECTIONS/,
  },
  {
    name: 'given another password, which is written to --database-file',
    database: async () => {
      await password('pa55word');
      keep(urlOf('secured:pa55word'));
      return ['--database-file', urlFile];
    },
    breaks: async () => void (await password('another-pa55word')),
    repairs: () => keep(urlOf('secured:another-pa55word')),
    says: /"code":"password_refused","remedy":"[^"]*From --database-file it is read again/,
  },
  {
    name: 'restarted behind PgBouncer',
    needs: findPgBouncer,
    database: async () => {
      bouncer = await startPgBouncer(server);
      return ['--database', bouncer.url(new URL(plainUrl).pathname.slice(1)), '--database-pooler'];
    },
    breaks: () => server.stop(),
    repairs: () => server.start(),
    says: /"event":"storage_failed","code":"connection_lost"/,
  },
];

describe('the database is', () => {
  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const missing = await one.needs?.();
    if (typeof missing === 'string') return void process.stdout.write(`skipped: ${one.name}: ${missing}\n`);
    await survives(installation, { database: () => Promise.resolve(['--database', plainUrl]), ...one });
  });
});
