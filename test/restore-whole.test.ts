import { Database } from 'bun:sqlite';
import { beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backedUp, contentOf, createProject, fresh, projectsOf, trivet } from './backed-up.ts';
import { compiled, requireBuilt, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * The effects of a restore other than the rows: keys, the way back from an upgrade, jobs that run by themselves.
 *
 * Mutation note: seen to fail without refuseForeignObjects, without completeFrom, and when migrate does not ask who has the database open.
 */
beforeAll(requireBuilt);

/** The data of an earlier version. */
function olderData(): string {
  const data = temporaryDirectory('older');
  writeFileSync(join(data, 'trivet.db'), '', { mode: 0o600 });
  const client = new Database(join(data, 'trivet.db'));
  client.run('PRAGMA foreign_keys = OFF');
  client.exec(readFileSync(join(import.meta.dir, 'upgrade', 'stored', '0005.sqlite.sql'), 'utf8'));
  client.close();
  return data;
}

/** Data with a master key, made by a server. */
async function servedData(): Promise<string> {
  const data = temporaryDirectory('data');
  const server = await serveTrivet(compiled, ['--dev', '--data', data]);
  await server.stop();
  await createProject(data, 'kept');
  return data;
}

describe('the place', () => {
  test('a directory in which everybody may write gets no data', async () => {
    const { archive } = await backedUp();
    const target = temporaryDirectory('open');
    chmodSync(target, 0o777);
    const refused = await trivet('restore', archive, '--data', target);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(
      `can be written by every user of this machine. Run: chmod o-w ${target}`,
    );
    expect(readdirSync(target)).toEqual([]);
  });
});

describe('what runs by itself', () => {
  const foreign: ReadonlyArray<readonly [string, string]> = [
    [
      'trigger "quiet"',
      "CREATE TRIGGER quiet AFTER INSERT ON testmgmt_projects BEGIN UPDATE auth_members SET role = 'admin'; END",
    ],
    ['view "all_of_it"', 'CREATE VIEW all_of_it AS SELECT * FROM auth_users'],
  ];
  test.each(foreign)('a %s that no migration made is refused', async (name, statement) => {
    const data = await servedData();
    const client = new Database(join(data, 'trivet.db'));
    client.run(statement);
    client.close();
    const archive = join(temporaryDirectory('backup'), 'a.tar.gz');
    await trivet('backup', archive, '--data', data);
    const target = fresh();
    const refused = await trivet('restore', archive, '--data', target);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(`The backup has a ${name} that no migration of Trivet made`);
    expect(contentOf(target)).toEqual({});
    const doctor = await trivet('doctor', '--data', data, '--json');
    expect(doctor.exitCode).toBe(1);
    expect(doctor.stdout).toContain('"finding":"foreign_object"');
  });
});

describe('the master key', () => {
  test('of a backup without it is that of the directory', async () => {
    const data = await servedData();
    const archive = join(temporaryDirectory('backup'), 'a.tar.gz');
    await trivet('backup', archive, '--data', data, '--database-only');
    const target = fresh();
    mkdirSync(target, { mode: 0o700 });
    const none = await trivet('restore', archive, '--data', target);
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toMatch(/copy master\.key from its first data directory/);
    // The remedy that the error names.
    const key = readFileSync(join(data, 'master.key'), 'utf8');
    writeFileSync(join(target, 'master.key'), key, { mode: 0o600 });
    const done = await trivet('restore', archive, '--data', target);
    expect({ exitCode: done.exitCode, stderr: done.stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(readFileSync(join(target, 'master.key'), 'utf8')).toBe(key);
    expect(await projectsOf(target)).toEqual(['kept']);
    // Over the data itself, too: its key is kept.
    expect((await trivet('restore', archive, '--data', data, '--force')).exitCode).toBe(0);
    expect(readFileSync(join(data, 'master.key'), 'utf8')).toBe(key);
  });

  test('is not made for a backup that needs none', async () => {
    const { archive } = await backedUp();
    const target = fresh();
    expect((await trivet('restore', archive, '--data', target)).exitCode).toBe(0);
    expect(existsSync(join(target, 'master.key'))).toBe(false);
  });
});

describe('an upgrade', () => {
  test('is taken back by the copy that it left', async () => {
    const data = olderData();
    const before = await trivet('migrate', '--check', '--data', data, '--json');
    const upgraded = await trivet('migrate', '--data', data);
    expect(upgraded.exitCode).toBe(0);
    await createProject(data, 'after the upgrade');
    const copy = readdirSync(data).find((name) => /^backup-.*\.db$/.test(name)) ?? '';
    const back = await trivet('restore', join(data, copy), '--data', data, '--force', '--json');
    expect({ exitCode: back.exitCode, stderr: back.stderr }).toEqual({ exitCode: 0, stderr: '' });
    // It is in the state that the earlier version left.
    const now = await trivet('migrate', '--check', '--data', data, '--json');
    expect([now.exitCode, now.stdout]).toEqual([1, before.stdout]);
    const { aside } = JSON.parse(back.stdout) as { aside: string };
    expect(await projectsOf(aside)).toContain('after the upgrade');
    // @see Finding: it only named what migrates the data again, to somebody on the way back.
    const said = await trivet('restore', join(data, copy), '--data', data, '--force');
    expect(said.stdout).toContain('To go back to that version, start that one;');
  }, 30_000);

  test.each(['migrate', 'serve'])(
    'by %s is refused while an earlier version uses the data',
    async (verb) => {
      const data = olderData();
      // Version 0.1.0 takes no lock; it has the database open.
      const other = Bun.spawn(
        [
          process.execPath,
          '--no-env-file',
          '-e',
          `const { Database } = await import('bun:sqlite'); const d = globalThis.kept = new Database(${JSON.stringify(join(data, 'trivet.db'))}); d.run('PRAGMA journal_mode = WAL'); d.query('SELECT count(*) FROM sqlite_master').get(); console.log('open'); setInterval(() => {}, 1000);`,
        ],
        { stdout: 'pipe', stderr: 'ignore' },
      );
      await other.stdout.getReader().read();
      const refused = await trivet(verb, '--data', data, ...(verb === 'serve' ? ['--port', '0'] : []));
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain(`A running Trivet of an earlier version uses ${data}. Stop it`);
      other.kill('SIGKILL');
      await other.exited;
      expect((await trivet('migrate', '--data', data)).exitCode).toBe(0);
    },
    30_000,
  );

  test('by several at once is done by one of them', async () => {
    const data = olderData();
    const all = await Promise.all([1, 2, 3, 4].map(() => trivet('migrate', '--data', data, '--json')));
    expect(all.map(({ exitCode, stderr }) => [exitCode, stderr.includes('earlier version')])).toEqual(
      all.map(() => [0, false]),
    );
    const applied = all.map(({ stdout }) => (JSON.parse(stdout) as { applied: string[] }).applied.length);
    expect(applied.filter((count) => count > 0)).toHaveLength(1);
  }, 60_000);
});

describe('a table or index that somebody dropped', () => {
  test.each([
    ['DROP INDEX auth_sessions_standing', 'index', 'auth_sessions_standing'],
    ['DROP TABLE cta_previews', 'table', 'cta_previews'],
  ])('%s is seen by doctor and by /readyz', async (statement, kind, name) => {
    const data = await servedData();
    const client = new Database(join(data, 'trivet.db'));
    const known = client.query("SELECT name FROM sqlite_master WHERE type IN ('table', 'index')").all();
    expect(known).toContainEqual({ name });
    client.run('PRAGMA foreign_keys = OFF');
    client.run(statement);
    client.close();
    const doctor = await trivet('doctor', '--data', data, '--json');
    expect(doctor.exitCode).toBe(1);
    expect(doctor.stdout).toContain(
      `"finding":"missing_${kind}","message":"The ${kind} ${name} is not there`,
    );
    const server = await runTrivetServer(data);
    expect(server).toEqual([503, 'schema', true]);
    async function runTrivetServer(at: string) {
      const running = await serveTrivet(compiled, ['--data', at]);
      const response = await fetch(`${running.origin}/readyz`);
      const { error } = (await response.json()) as { error: { cause: string; message: string } };
      await running.stop();
      return [response.status, error.cause, error.message.includes(`lacks the ${kind} ${name}`)];
    }
  });
});
