import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import postgres from 'postgres';
import { compiled, runTrivet } from './executable.ts';
import { answers } from './postgres-server.ts';
import { startPostgres } from './postgres.ts';

test('a real PostgreSQL starts, keeps two databases apart, and is gone after stop', async () => {
  const before = process.env['TRIVET_TEST_POSTGRES'];
  delete process.env['TRIVET_TEST_POSTGRES'];
  const earlier = new Set(homes());
  const server = await startPostgres();
  const home = homes().filter((name) => !earlier.has(name));
  expect(home).not.toEqual([]);
  const [first, second] = [await server.createDatabase(), await server.createDatabase()];
  expect(first).not.toBe(second);
  const one = postgres(first, { max: 1 });
  await one`CREATE TABLE t (a text)`;
  await one`INSERT INTO t VALUES (${'ä'})`;
  expect([...(await one`SELECT a FROM t`)]).toEqual([{ a: 'ä' }]);
  const two = postgres(second, { max: 1, onnotice: () => {} });
  expect([...(await two`SELECT to_regclass('t') AS t`)]).toEqual([{ t: null }]);
  await one.end();
  await two.end();
  await server.stop();
  expect(await answers(Number(new URL(server.url).port))).toBe(false);
  expect(homes()).not.toEqual(expect.arrayContaining(home));
  if (before !== undefined) process.env['TRIVET_TEST_POSTGRES'] = before;
}, 60_000);

function homes(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('trivet-postgres-'));
}

/** @see A user without the right to create tables, as PostgreSQL ≥ 15 makes them, was told to report a failed request. */
test('a user without rights on the database is told which', async () => {
  const server = await startPostgres();
  const url = await server.createDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(`DROP ROLE IF EXISTS without_rights; CREATE ROLE without_rights LOGIN`);
  await sql.end();
  const asOther = url.replace('postgres@', 'without_rights@');
  const { exitCode, stderr } = await runTrivet(compiled, ['migrate', '--database', asOther]);
  expect(exitCode).toBe(4);
  expect(stderr).toContain('The user of --database lacks a right there. Make it the owner');
});

/** @see The first name with a letter outside LATIN1 was a failed request, with all data in the database already. */
test('a database of another encoding than UTF8 is refused before anything is in it', async () => {
  const server = await startPostgres();
  const url = await server.createDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const name = `latin_${process.pid}`;
  await sql.unsafe(
    `CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
  );
  await sql.end();
  const other = url.replace(/[^/]+$/, name);
  const { exitCode, stderr } = await runTrivet(compiled, ['migrate', '--database', other]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(
    "The encoding of the database is LATIN1. Create it with UTF8: CREATE DATABASE trivet ENCODING 'UTF8'",
  );
  const again = postgres(other, { max: 1, onnotice: () => {} });
  expect(await again.unsafe(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)).toHaveLength(0);
  await again.end();
});
