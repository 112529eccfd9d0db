import { Database } from 'bun:sqlite';
import { beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backedUp, contentOf, createProject, fresh, projectsOf, trivet } from './backed-up.ts';
import { compiled, requireBuilt, runTrivet, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * `trivet restore` with other processes, other versions and other keys; backups that a server makes by itself.
 *
 * Mutation note: seen to fail when checksums are not compared, when tables are not counted, when the lock is not taken, when the old log is
 * left in place, and when the mark of an interrupted restore is not read.
 */
beforeAll(requireBuilt);

test('a running server, or any process that writes, refuses a restore; another version is refused, too', async () => {
  const { data, archive } = await backedUp();
  const server = await serveTrivet(compiled, ['--port', '0', '--data', data]);
  const refused = await trivet('restore', archive, '--data', data, '--force');
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toMatch(/A running Trivet uses .* Stop it/);
  await createProject(data, 'beside the server');
  await server.stop();
  expect((await trivet('restore', archive, '--data', data, '--force')).exitCode).toBe(0);
  expect(await projectsOf(data)).toEqual(['kept']);

  // A version that does not know the lock has the database open.
  const old = new Database(join(data, 'trivet.db'));
  old.run('PRAGMA journal_mode = WAL');
  old.query('SELECT count(*) FROM testmgmt_projects').get();
  const open = await trivet('restore', archive, '--data', data, '--force');
  old.close();
  expect(open.stderr).toMatch(/A running Trivet uses/);
}, 30_000);

test('a restore that was interrupted is completed by the same command, and nothing else opens the directory', async () => {
  const { data, archive } = await backedUp();
  await createProject(data, 'newer');
  // The state after the old database was moved away and before the new one arrived.
  mkdirSync(join(data, 'before-restore-x'));
  cpSync(join(data, 'trivet.db'), join(data, 'before-restore-x', 'trivet.db'));
  Bun.spawnSync(['rm', join(data, 'trivet.db')]);
  writeFileSync(join(data, 'restore-interrupted'), 'before-restore-x\n');
  for (const args of [['serve', '--port', '0'], ['call', 'get-projects', '-a', 'orgId=1'], ['doctor']]) {
    const { stderr, exitCode } = await trivet(...args, '--data', data);
    expect({ args, exitCode }).toEqual({ args, exitCode: 2 });
    expect(stderr).toMatch(/was interrupted\. Run the same \\?"trivet restore/);
  }
  expect((await trivet('restore', archive, '--data', data)).exitCode).toBe(0);
  expect(await projectsOf(data)).toEqual(['kept']);
  expect(await projectsOf(join(data, 'before-restore-x'))).toEqual(['kept', 'newer']);
}, 30_000);

test('the master key of another instance, or none, is refused before anything is replaced', async () => {
  const data = temporaryDirectory('data');
  const server = await serveTrivet(compiled, ['--port', '0', '--dev', '--data', data]);
  await server.stop();
  const archive = join(temporaryDirectory('backup'), 'trivet.tar.gz');
  const key = readFileSync(join(data, 'master.key'), 'utf8').trim();
  Bun.spawnSync(['mv', join(data, 'master.key'), join(data, 'elsewhere')]);
  const made = await trivet('backup', archive, '--data', data);
  expect(made.stdout).toMatch(/master\.key is not in/);

  const restore = (env: Readonly<Record<string, string>>, target: string) =>
    runTrivet(compiled, ['restore', archive, '--data', target], { env });
  const target = fresh();
  const none = await restore({}, target);
  expect({ exitCode: none.exitCode }).toEqual({ exitCode: 2 });
  expect(none.stderr).toMatch(/master key that this process does not have/);
  const wrong = await restore({ TRIVET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }, target);
  expect(wrong.stderr).toMatch(/master key is not the one/);
  expect(contentOf(target)).toEqual({});
  expect((await restore({ TRIVET_MASTER_KEY: key }, target)).exitCode).toBe(0);

  // In the directory, where a restore takes it from: a check finds it there, too.
  Bun.spawnSync(['mv', join(data, 'elsewhere'), join(data, 'master.key')]);
  const only = join(temporaryDirectory('backup'), 'only.tar.gz');
  const without = await trivet('backup', only, '--database-only', '--data', data);
  expect(without.stdout).toMatch(/master\.key is not in this backup/);
  const before = contentOf(data);
  expect((await trivet('restore', only, '--check', '--data', data)).exitCode).toBe(0);
  expect(contentOf(data)).toEqual(before);
  expect((await trivet('restore', only, '--check', '--data', fresh())).exitCode).toBe(2);
}, 30_000);

test('a backup of an older version is restored and then migrated; PostgreSQL names its own tools', async () => {
  const old = temporaryDirectory('old');
  writeFileSync(join(old, 'trivet.db'), '', { mode: 0o600 });
  const client = new Database(join(old, 'trivet.db'));
  client.run('PRAGMA foreign_keys = OFF');
  client.exec(readFileSync(join(import.meta.dir, 'upgrade', 'stored', '0005.sqlite.sql'), 'utf8'));
  client.close();
  const target = fresh();
  expect((await trivet('restore', old, '--data', target)).exitCode).toBe(0);
  const later = await trivet('migrate', '--check', '--data', target);
  expect(later.exitCode).toBe(1);

  for (const verb of ['backup', 'restore']) {
    const { stderr, exitCode } = await trivet(verb, 'x.tar.gz', '--database', 'postgres://localhost/x');
    expect({ verb, exitCode }).toEqual({ verb, exitCode: 2 });
    expect(stderr).toMatch(
      verb === 'backup' ? /pg_dump --format=custom .* pg_restore/ : /pg_restore --single-transaction/,
    );
  }
});

test('a server makes backups by itself and keeps as many as it was told', async () => {
  const data = temporaryDirectory('data');
  await createProject(data, 'kept');
  const directory = temporaryDirectory('backups');
  for (const n of [1, 2, 3]) writeFileSync(join(directory, `trivet-2026010${n}T000000Z.tar.gz`), '');
  writeFileSync(join(directory, 'mine.tar.gz'), '');
  symlinkSync('/nowhere', join(directory, 'link'));
  const server = await serveTrivet(compiled, [
    '--port',
    '0',
    '--data',
    data,
    '--backup-every=24',
    '--backup-keep=2',
    `--backup-dir=${directory}`,
  ]);
  for (let tries = 0; tries < 100 && readdirSync(directory).length !== 4; tries++) await Bun.sleep(100);
  await server.stop();
  const [first, ...others] = readdirSync(directory)
    .filter((name) => name.startsWith('trivet-'))
    .sort();
  expect(first).toBe('trivet-20260103T000000Z.tar.gz');
  expect(others).toHaveLength(1);
  expect(readdirSync(directory).sort().slice(0, 3)).toEqual(['.trivet-backups', 'link', 'mine.tar.gz']);
  const target = fresh();
  expect((await trivet('restore', join(directory, others[0] ?? ''), '--data', target)).exitCode).toBe(0);
  expect(await projectsOf(target)).toEqual(['kept']);
}, 30_000);
