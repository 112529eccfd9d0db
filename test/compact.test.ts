import { Database } from 'bun:sqlite';
import { beforeAll, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compactDatabase } from '../core/db/sqlite/compaction.ts';
import { compiled, createToken, requireBuilt, runTrivet, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/* `trivet compact` gives space back, keeps every row, and refuses where it would be dangerous. */

const data = join(temporaryDirectory('compact'), 'data');
const path = join(data, 'trivet.db');
const compact = (...words: string[]) => runTrivet(compiled, ['compact', '--data', data, ...words]);

/** Every row of every table. */
function contentOf(file: string): string {
  const client = new Database(file, { readonly: true });
  const tables = client
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all();
  const rows = tables.map(({ name }) => [name, client.query(`SELECT * FROM "${name}" ORDER BY 1, 2`).all()]);
  const objects = client
    .query('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name')
    .all();
  client.close();
  return Bun.hash(
    JSON.stringify([rows, objects], (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  ).toString();
}

/** Makes unused space, as deleted history does. */
function grow(): void {
  const client = new Database(path);
  client.run('CREATE TABLE IF NOT EXISTS spare (id integer PRIMARY KEY, text text)');
  client.run(
    'INSERT INTO spare (text) SELECT hex(zeroblob(2000)) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) SELECT i FROM n)',
  );
  client.run('DROP TABLE spare');
  client.close();
}

beforeAll(async () => {
  requireBuilt();
  await createToken(compiled, ['--data', data]);
  const server = await serveTrivet(compiled, ['--data', data]);
  await server.stop();
});

test('the file is smaller, has every row, and a server goes on with it', async () => {
  grow();
  const [before, content] = [statSync(path).size, contentOf(path)];
  const { stdout, exitCode } = await compact('--json');
  expect(exitCode).toBe(0);
  const said = JSON.parse(stdout) as { before: number; after: number; freed: number };
  expect(said).toEqual({ before, after: statSync(path).size, freed: before - statSync(path).size });
  expect(said.after).toBeLessThan(before - 10_000_000);
  expect(contentOf(path)).toBe(content);
  expect(statSync(path).mode & 0o077).toBe(0);
  // It has a log, as before (sqlite.org/fileformat2.html §1.3.3).
  expect([...readFileSync(path).subarray(18, 20)]).toEqual([2, 2]);
  expect(readdirSync(data).filter((name) => name.includes('compact'))).toEqual([]);
  const token = await createToken(compiled, ['--data', data]);
  const server = await serveTrivet(compiled, ['--data', data]);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const made = await fetch(`${server.origin}/api/tools/create-project`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ orgId: 1, projectName: 'after' }),
  });
  expect(made.status).toBe(200);
  // While it runs, nothing is touched.
  const { stderr, exitCode: refused } = await compact();
  expect([refused, stderr]).toEqual([2, expect.stringContaining('A running Trivet uses') as string]);
  await server.stop();
  expect((await runTrivet(compiled, ['doctor', '--data', data])).exitCode).toBe(0);
  expect((await compact()).stdout).toMatch(/^The database had \d+\.\d MiB and has \d+\.\d MiB\.\n$/);
});

test('a server with a replica goes on after it, and everything can be restored', async () => {
  const replica = `file://${temporaryDirectory('compact-replica')}/r`;
  const where = ['--data', data, '--replicate', replica];
  const token = await createToken(compiled, ['--data', data], 'after@example.org');
  const first = await serveTrivet(compiled, where);
  await first.stop();
  expect((await compact()).exitCode).toBe(0);
  const server = await serveTrivet(compiled, where);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ orgId: 1, projectName: 'replicated' });
  await fetch(`${server.origin}/api/tools/create-project`, { method: 'POST', headers, body });
  await server.stop();
  const restored = join(temporaryDirectory('compact-restored'), 'data');
  mkdirSync(restored, { mode: 0o700 });
  copyFileSync(join(data, 'master.key'), join(restored, 'master.key'));
  expect((await runTrivet(compiled, ['restore', replica, '--data', restored])).exitCode).toBe(0);
  const call = ['call', 'get-projects', '-a', 'orgId=1', '--data', restored, '--json'];
  expect((await runTrivet(compiled, call)).stdout).toContain('"replicated"');
}, 60_000);

test('another program that reads the database, or a damaged one, stops it, and the database stays', () => {
  grow();
  const writer = new Database(path);
  // As a server has it.
  writer.run('PRAGMA journal_mode = WAL');
  const reader = new Database(path, { readonly: true });
  reader.run('BEGIN');
  reader.query('SELECT count(*) FROM auth_users').get();
  writer.run('CREATE TABLE later (id integer)');
  writer.run('DROP TABLE later');
  expect(() => compactDatabase(data)).toThrow('Another program');
  reader.close();
  writer.close();
  const content = contentOf(path);
  writeFileSync(`${path}.compact`, 'left by a killed one');
  compactDatabase(data);
  expect(contentOf(path)).toBe(content);
});

test('where there is nothing to compact, it says what to do', async () => {
  const none = await runTrivet(compiled, ['compact', '--data', temporaryDirectory('compact-none')]);
  expect([none.exitCode, none.stderr]).toEqual([
    2,
    expect.stringContaining('There is no database in') as string,
  ]);
  const other = await runTrivet(compiled, ['compact', '--database', 'postgres://localhost/x']);
  expect([other.exitCode, other.stderr]).toEqual([
    2,
    expect.stringContaining('VACUUM (FULL, ANALYZE)') as string,
  ]);
});

/** @see Its follower wrote the pages of the other database into the compacted copy: the standby was damaged, and said that it follows. */
test('the copy of a standby is not compacted: its pages are those of another database', async () => {
  const standby = temporaryDirectory('compact-standby');
  copyFileSync(path, join(standby, 'trivet.db'));
  copyFileSync(`${path}-marks`, join(standby, 'trivet.db-marks'));
  writeFileSync(join(standby, 'standby.json'), '{}');
  const bytes = readFileSync(join(standby, 'trivet.db'));
  const { exitCode, stderr } = await runTrivet(compiled, ['compact', '--data', standby]);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(`${standby} is the copy of a standby`) as string,
  ]);
  expect(readFileSync(join(standby, 'trivet.db')).equals(bytes)).toBe(true);
});

/** @see A copy that a killed compaction left kept what was erased later. */
test('what a killed compaction left is removed when a server starts', async () => {
  const left = ['.compact', '.compact-wal', '.compact.part'].map((suffix) => `${path}${suffix}`);
  for (const file of left) copyFileSync(path, file);
  const server = await serveTrivet(compiled, ['--data', data]);
  expect(readdirSync(data).filter((name) => name.includes('compact'))).toEqual([]);
  expect(server.stderr()).toContain('compaction_leftover_removed');
  await server.stop();
});
