import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import postgres from 'postgres';
import { compiled, runTrivet } from './executable.ts';
import { answers } from './postgres-server.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';

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

/**
 * @see After REVOKE USAGE ON SCHEMA public FROM PUBLIC, doctor said that there is no Trivet database and that "trivet serve" creates one, and a
 * start was told to report a failed request.
 */
test.each(['doctor', 'migrate', 'serve'])(
  '%s by a user who may use no schema of the database names the right',
  async (command) => {
    const server = await startPostgres();
    const url = await server.createDatabase();
    await runTrivet(compiled, ['migrate', '--database', url]);
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    const role = `without_schema_${command}`;
    await sql.unsafe(`DROP ROLE IF EXISTS ${role}; CREATE ROLE ${role} LOGIN`);
    await sql.unsafe('REVOKE USAGE ON SCHEMA public FROM PUBLIC');
    await sql.end();
    const asOther = url.replace('postgres@', `${role}@`);
    const { exitCode, stderr } = await runTrivet(compiled, [command, '--database', asOther]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      `The user ${role} may use no schema of the database "${new URL(url).pathname.slice(1)}"`,
    );
    expect(stderr).toContain(`GRANT USAGE, CREATE ON SCHEMA public TO ${role}`);
  },
);

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

/** @see In an empty database it failed, and beside another Trivet its references led to the tables of that one. */
test.each(['alone', 'beside another Trivet'])(
  'a schema that the URL names has all of it, %s',
  async (place) => {
    const url = await (await startPostgres()).createDatabase();
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    await sql`CREATE SCHEMA app`;
    if (place !== 'alone')
      expect((await runTrivet(compiled, ['migrate', '--database', url])).exitCode).toBe(0);
    const where = ['--data', temporaryDirectory('schema'), '--database', `${url}?search_path=app`];
    const words = ['create-project', '-a', 'orgId=1', '-a', 'projectName=p'];
    const made = await runTrivet(compiled, ['call', ...words, ...where]);
    expect([made.exitCode, made.stderr]).toEqual([0, '']);
    const foreign = await sql`
    SELECT conname FROM pg_constraint
    WHERE connamespace = 'app'::regnamespace AND contype = 'f'
      AND confrelid NOT IN (SELECT oid FROM pg_class WHERE relnamespace = 'app'::regnamespace)`;
    expect([...foreign]).toEqual([]);
    const [count] = await sql`SELECT count(*)::int AS n FROM app.testmgmt_projects`;
    expect(count).toEqual({ n: 1 });
    await sql.end();
  },
);
