import { beforeAll, expect, test } from 'bun:test';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { Database } from 'bun:sqlite';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createProject, fresh, projectsOf, trivet } from './backed-up.ts';
import { cleanEnvironment, compiled, requireBuilt, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * Concurrent backups and killed backups: none deletes the work of another, and no plain data is left where only encrypted archives belong.
 *
 * Mutation note: seen to fail when sweep does not ask for the lock, and when the copy is made beside the archive.
 */
beforeAll(requireBuilt);

/** A data directory whose backup takes some seconds. */
async function largeData(): Promise<string> {
  const data = temporaryDirectory('large');
  await createProject(data, 'kept');
  const client = new Database(join(data, 'trivet.db'));
  client.run('CREATE TABLE filler (text TEXT)');
  const insert = client.prepare('INSERT INTO filler VALUES (hex(randomblob(500000)))');
  client.transaction(() => {
    for (let n = 0; n < 60; n++) insert.run();
  })();
  client.close();
  return data;
}

const spawn = (...args: readonly string[]) =>
  Bun.spawn([...compiled.command, ...args], {
    env: cleanEnvironment(),
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });

/** All files below a directory. */
const filesIn = (directory: string): readonly string[] =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .map((name) => join(directory, name))
        .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    : [];

/** The files that contain data of the instance unencrypted. */
const inClear = (directory: string): readonly string[] =>
  filesIn(directory).filter((path) => {
    try {
      return path.endsWith('master.key') || readFileSync(path).subarray(0, 4096).includes('CREATE TABLE');
    } catch {
      return false;
    }
  });

test('24 backups into one directory at once, and those of a server, are all made', async () => {
  const data = temporaryDirectory('data');
  await createProject(data, 'kept');
  const directory = temporaryDirectory('backups');
  const named = Array.from({ length: 12 }, (_, n) =>
    spawn('backup', join(directory, `mine-${n}.tar.gz`), '--data', data),
  );
  // Default names differ only by the second.
  const unnamed = Array.from({ length: 12 }, () =>
    spawn('backup', '--backup-dir', directory, '--data', data),
  );
  for (const child of [...named, ...unnamed]) {
    const said = await new Response(child.stderr).text();
    expect([await child.exited, said]).toEqual([0, '']);
  }
  expect(readdirSync(directory)).toHaveLength(24);
  for (const name of readdirSync(directory)) {
    const { exitCode } = await trivet('restore', join(directory, name), '--data', fresh(), '--check');
    expect([name, exitCode]).toEqual([name, 0]);
  }
}, 120_000);

test('two servers on one directory make one backup, and neither fails', async () => {
  const data = temporaryDirectory('data');
  await createProject(data, 'kept');
  const directory = temporaryDirectory('backups');
  const args = ['--data', data, '--backup-every=24', `--backup-dir=${directory}`];
  const servers = await Promise.all([serveTrivet(compiled, args), serveTrivet(compiled, args)]);
  const made = () =>
    servers
      .map((server) => server.stderr())
      .join('')
      .split('"event":"backup_made"').length - 1;
  for (let tries = 0; tries < 100 && made() === 0; tries++) await Bun.sleep(100);
  await Bun.sleep(1_500);
  for (const server of servers) {
    await server.stop();
    expect(server.stderr()).not.toContain('backup_failed');
  }
  expect([made(), readdirSync(directory).filter((name) => name.startsWith('trivet-')).length]).toEqual([
    1, 1,
  ]);
}, 60_000);

/** @see A stop waited for the backup that was being made: 40 seconds for 1.5 GB, in which nobody listened. */
test('a stop ends the backup that is being made, leaves nothing of it, and the next start makes it', async () => {
  const data = await largeData();
  const directory = temporaryDirectory('backups');
  const args = ['--data', data, '--backup-every=24', `--backup-dir=${directory}`];
  const server = await serveTrivet(compiled, args);
  const isAtWork = () => filesIn(directory).some((path) => path.endsWith('archive'));
  for (let tries = 0; tries < 1_000 && !isAtWork(); tries++) await Bun.sleep(5);
  expect(isAtWork()).toBe(true);
  await server.stop();
  expect(server.stderr()).toContain('"event":"backup_stopped"');
  expect(server.stderr()).not.toMatch(/backup_(failed|made)/);
  const left = readdirSync(data).filter((name) => name.startsWith('.trivet-'));
  expect([left, filesIn(directory)]).toEqual([[], []]);

  const again = await serveTrivet(compiled, args);
  for (let tries = 0; tries < 300 && !again.stderr().includes('"backup_made"'); tries++) await Bun.sleep(100);
  await again.stop();
  expect(filesIn(directory).filter((path) => path.endsWith('.tar.gz'))).toHaveLength(1);
}, 120_000);

/** @see Finding: each start made another backup beside those of killed servers: nine copies of 900 MB, and nine archives where two are kept. */
test('a server that is killed and started again lets the backup go on that it was making, and makes no second one', async () => {
  const data = await largeData();
  const directory = temporaryDirectory('backups');
  const args = ['--data', data, '--backup-every=24', `--backup-dir=${directory}`];
  const stages = () => readdirSync(data).filter((name) => name.startsWith('.trivet-backup-')).length;
  const isMade = () => filesIn(directory).some((path) => path.endsWith('.tar.gz'));
  let most = 0;
  for (let kill = 0; kill < 3; kill++) {
    const server = await serveTrivet(compiled, args);
    for (let tries = 0; tries < 1_000 && stages() === 0 && !isMade(); tries++) await Bun.sleep(5);
    await Bun.sleep(300);
    most = Math.max(most, stages());
    await server.stop('SIGKILL');
  }
  const last = await serveTrivet(compiled, args);
  for (let tries = 0; tries < 300 && (stages() > 0 || !isMade()); tries++) await Bun.sleep(100);
  await last.stop();
  const archives = filesIn(directory).filter((path) => path.endsWith('.tar.gz'));
  expect([most, stages(), archives.length]).toEqual([1, 0, 1]);
  const [archive = ''] = archives;
  expect((await trivet('restore', archive, '--data', fresh(), '--check')).exitCode).toBe(0);
}, 120_000);

test('an encrypted backup that is killed leaves nothing in clear where it goes; doctor names the rest, and the next start removes it', async () => {
  const data = await largeData();
  const directory = temporaryDirectory('backups');
  const recipient = await identityToRecipient(await generateIdentity());
  const child = spawn(
    'backup',
    join(directory, 'a.tar.gz.age'),
    '--data',
    data,
    '--backup-recipient',
    recipient,
  );
  const stage = () => readdirSync(data).find((name) => name.startsWith('.trivet-backup-'));
  let seen = 0;
  for (let tries = 0; tries < 2_000 && seen < 5; tries++) {
    expect(inClear(directory)).toEqual([]);
    if (filesIn(directory).some((path) => path.endsWith('archive') && statSync(path).size > 0)) seen++;
    await Bun.sleep(5);
  }
  child.kill('SIGKILL');
  await child.exited;
  expect(seen).toBeGreaterThan(0);
  expect(inClear(directory)).toEqual([]);
  const left = stage() ?? '';
  expect(left).not.toBe('');

  const doctor = await trivet('doctor', '--data', data, '--json');
  expect(doctor.stdout).toContain(`"finding":"backup_leftover","message":"${join(data, left)} is`);
  const server = await serveTrivet(compiled, ['--data', data, '--backup-dir', directory]);
  await server.stop();
  expect(server.stderr()).toContain('"event":"backup_leftover_removed"');
  expect([stage(), readdirSync(directory)]).toEqual([undefined, []]);
  expect(await projectsOf(data)).toEqual(['kept']);
}, 120_000);

test('doctor misses a backup whose file is gone', async () => {
  const data = temporaryDirectory('data');
  await createProject(data, 'kept');
  const file = join(temporaryDirectory('backups'), 'a.tar.gz');
  await trivet('backup', file, '--data', data);
  const findings = async () => (await trivet('doctor', '--data', data, '--json')).stdout;
  expect(await findings()).not.toContain('"finding":"backup');
  rmSync(file);
  expect(await findings()).toContain('"finding":"backup_gone"');
});

test('PostgreSQL has no backups of a server: it says so at its start instead of making none', async () => {
  const refused = await trivet('serve', '--database', 'postgres://127.0.0.1:1/db', '--backup-every', '24');
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toMatch(/--backup-every backs up a data directory with SQLite.*pg_dump/);
});
