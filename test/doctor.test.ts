import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { chmodSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { compiled, runTrivet } from './executable.ts';
import { startIdentityProvider } from './identity-provider.ts';
import { smallDisk } from './monitoring/broken-data.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * The findings of doctor other than those about the database itself: each row breaks one thing. A warning leaves the exit code 0. Mutation
 * note: seen to fail when a warning fails, and when an open data directory ends doctor before it says so.
 */
const day = 24 * 60 * 60 * 1000;

interface Report {
  readonly ok: boolean;
  readonly checks: ReadonlyArray<{
    readonly check: string;
    readonly findings: ReadonlyArray<{
      readonly finding: string;
      readonly remedy: string;
      readonly warning?: true;
    }>;
  }>;
}

async function report(data: string, ...more: readonly string[]) {
  const { exitCode, stdout, stderr } = await runTrivet(compiled, [
    'doctor',
    '--json',
    '--data',
    data,
    ...more,
  ]);
  if (stdout === '') throw new Error(stderr);
  const { ok, checks } = JSON.parse(stdout) as Report;
  const remedies = checks.flatMap(({ findings }) => findings.map(({ remedy }) => remedy));
  const found = checks.flatMap(({ check, findings }) =>
    findings.map(({ finding }) => `${check}: ${finding}`),
  );
  return { exitCode, ok, found, remedies, checks: checks.map(({ check }) => check) };
}

async function freshData(): Promise<string> {
  const data = join(temporaryDirectory('doctor'), 'data');
  await runTrivet(compiled, ['keys', 'rotate', '--data', data]);
  writeBackup(data, Date.now());
  return data;
}

const writeBackup = (data: string, at: number) =>
  writeFileSync(
    join(data, 'last-backup.json'),
    JSON.stringify({ at, file: join(data, 'trivet.db'), bytes: 1 }),
  );

function change(data: string, statement: string): void {
  const file = new Database(join(data, 'trivet.db'));
  file.run(statement);
  file.close();
}

test('a sound directory has no finding, and every check is named', async () => {
  expect(await report(await freshData())).toEqual({
    exitCode: 0,
    ok: true,
    found: [],
    remedies: [],
    checks: [
      'disk',
      'permissions',
      'clock',
      'wal',
      'replication',
      'backup',
      'schema',
      'database',
      'auth keys',
      'auth providers',
      'auth audit-export',
      'auth letters',
      'testmgmt counts',
      'testmgmt outcomes',
      'testmgmt sections',
    ],
  });
});

test('a disk that may only be read, e.g. after an error of its file system', async () => {
  const disk = smallDisk();
  if (!disk) return;
  const { data } = disk;
  try {
    await runTrivet(compiled, ['keys', 'rotate', '--data', data]);
    writeBackup(data, Date.now());
    expect(Bun.spawnSync(['mount', '-o', 'remount,ro', data]).exitCode).toBe(0);
    const { exitCode, found } = await report(data);
    expect([exitCode, found]).toEqual([1, expect.arrayContaining(['disk: read_only']) as string[]]);
  } finally {
    disk.unmount();
  }
});

describe('a finding', () => {
  const cases: ReadonlyArray<readonly [finding: string, (data: string) => void, exitCode: number]> = [
    ['backup: no_backup', (data) => writeFileSync(join(data, 'last-backup.json'), 'no JSON'), 0],
    ['backup: backup_old', (data) => writeBackup(data, Date.now() - 8 * day), 0],
    ['permissions: exposed', (data) => chmodSync(data, 0o777), 1],
    ['permissions: exposed_file', (data) => chmodSync(join(data, 'master.key'), 0o644), 1],
    [
      'clock: clock_set_back',
      (data) => utimesSync(join(data, 'trivet.db'), new Date(), new Date(Date.now() + day)),
      1,
    ],
    [
      'schema: schema_older',
      (data) => change(data, `DELETE FROM trivet_migrations WHERE tag LIKE '%0020%'`),
      1,
    ],
    [
      'auth keys: rotation_overdue',
      (data) =>
        change(
          data,
          `UPDATE auth_signing_keys SET created_at = ${Date.now() - 60 * day}, status_since = NULL`,
        ),
      0,
    ],
    [
      'auth keys: no_active_key',
      (data) => change(data, `UPDATE auth_signing_keys SET status = 'retired'`),
      1,
    ],
    ['database: truncated', (data) => truncateSync(join(data, 'trivet.db'), 8192), 1],
    ['database: empty', (data) => truncateSync(join(data, 'trivet.db'), 0), 1],
  ];
  test.each(cases)('%s', async (finding, breakIt, exitCode) => {
    const data = await freshData();
    breakIt(data);
    const found = await report(data);
    expect(found).toMatchObject({ exitCode, ok: exitCode === 0 });
    expect(found.found).toContain(finding);
  });

  test('a long log is a warning', async () => {
    const data = await freshData();
    const reader = new Database(join(data, 'trivet.db'));
    reader.run('CREATE TABLE filler (x blob)');
    reader.run('PRAGMA wal_autocheckpoint = 0');
    reader.run('INSERT INTO filler VALUES (zeroblob(70000000))');
    expect(await report(data)).toMatchObject({ exitCode: 0, found: ['wal: wal_large'] });
    reader.close();
  });

  test('a provider that is not there, and one whose clock is another', async () => {
    const data = await freshData();
    const good = await startIdentityProvider();
    const shifted = Bun.serve({
      port: 0,
      fetch: () =>
        new Response('{"keys":[]}', { headers: { date: new Date(Date.now() - 600_000).toUTCString() } }),
    });
    const config = join(data, 'trivet.toml');
    writeFileSync(
      config,
      `[providers.good]\nissuer = "${good.issuer}"\naudiences = ["x"]\n` +
        `[providers.late]\nissuer = "http://localhost:1"\njwksUri = "http://localhost:${shifted.port}/"\naudiences = ["x"]\n` +
        `[providers.away]\nissuer = "http://localhost:1"\naudiences = ["x"]\n`,
    );
    const { exitCode, found } = await report(data, '--config', config);
    expect([exitCode, found]).toEqual([
      1,
      ['no_usable_key', 'clock_differs', 'discovery_unavailable'].map((one) => `auth providers: ${one}`),
    ]);
    await shifted.stop(true);
    await good.stop();
  });
});

/**
 * @see It found nothing, /readyz said "ready", and every sign-in or write to that table failed; with the rights on tables that it named, a
 * test could still not be created, for want of those on sequences.
 */
describe('a right that the user of PostgreSQL lost, and the statement that gives it back', () => {
  test.each([
    ['table', 'INSERT, DELETE', 'testmgmt_projects, auth_sessions', 2],
    ['sequence', 'USAGE, SELECT', 'testmgmt_projects_id_seq', 1],
    ['sequence', 'ALL', 'testmgmt_projects_id_seq, core_letters_id_seq', 2],
  ] as const)(
    'on a %s: %s',
    async (kind, rights, names, count) => {
      const server = await startPostgres();
      const database = await server.createDatabase();
      const data = join(temporaryDirectory('doctor'), 'data');
      await runTrivet(compiled, ['keys', 'rotate', '--data', data, '--database', database]);
      const role = `app ${crypto.randomUUID()}`;
      const owner = postgres(database, { max: 1, onnotice: () => {} });
      await owner.unsafe(`CREATE ROLE "${role}" LOGIN`);
      await owner.unsafe(`GRANT ALL ON ALL TABLES IN SCHEMA public TO "${role}"`);
      await owner.unsafe(`GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO "${role}"`);
      const asRole = new URL(database);
      asRole.username = encodeURIComponent(role);
      const examined = () => report(data, '--database', asRole.href);

      expect(await examined()).toMatchObject({ exitCode: 0, found: [] });
      await owner.unsafe(`REVOKE ${rights} ON ${kind} ${names} FROM "${role}"`);
      const { exitCode, found, remedies } = await examined();
      expect([exitCode, found]).toEqual([1, Array<string>(count).fill('database: missing_right')]);
      const [statement = ''] = /GRANT .*(?=\.$)/.exec(remedies[0] ?? '') ?? [];
      await owner.unsafe(statement);
      expect(await examined()).toMatchObject({ exitCode: 0, found: [] });

      await owner.unsafe(`DROP OWNED BY "${role}"`);
      await owner.unsafe(`DROP ROLE "${role}"`);
      await owner.end();
      await server.stop();
    },
    60_000,
  );
});
