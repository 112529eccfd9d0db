import { beforeAll, expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cleanEnvironment,
  compiled,
  createToken,
  requireBuilt,
  runTrivet,
  serveTrivet,
} from '../executable.ts';
import { startPostgres } from '../postgres.ts';
import { temporaryDirectory } from '../temporary.ts';
import { transferTag } from '../../core/db/ledger/ledger.ts';
import { differentTables, filledDirectory } from './filled-directory.ts';
import { transferOnce, transferWithKills } from './killed-transfer.ts';

/*
 * `trivet transfer` as a user runs it: with kills, with the servers before and after, and with mistakes. `transfer.verify.ts` does the same
 * with a million users.
 */
beforeAll(requireBuilt);
const postgres = await startPostgres();
const transfer = (...words: readonly string[]) => runTrivet(compiled, ['transfer', ...words]);

test('killed at any moment, it goes on; SQLite finds the same rows at the end of the way back', async () => {
  const directory = await filledDirectory(compiled, { users: 12_000, tests: 1_000, runs: 6 });
  const [database, back] = [await postgres.createDatabase(), temporaryDirectory('back')];
  let kills = 0;
  for (const [from, to] of [
    [directory, database],
    [database, back],
  ] as const) {
    const { last, killed } = await transferWithKills(compiled, from, to, 4, (kill) => 120 * (kill + 1));
    // Killed between its last statement and its end, it is complete, and the next one refuses a database with data.
    const isComplete = killed > 0 && last.stderr.includes('has data already');
    expect({ ...last, exitCode: isComplete ? 0 : last.exitCode }).toMatchObject({ exitCode: 0 });
    kills += killed;
  }
  expect(kills).toBeGreaterThan(0);
  expect(differentTables(directory, back)).toEqual([]);
}, 60_000);

test('a server on the new database knows the sessions, tokens and ids of the old one', async () => {
  const data = temporaryDirectory('data');
  const token = await createToken(compiled, ['--data', data]);
  const before = await serveTrivet(compiled, ['--data', data]);
  // The first signing key is created soon after the first start.
  const kids = async (origin: string): Promise<unknown> => {
    const set = (await (await fetch(`${origin}/.well-known/jwks.json`)).json()) as {
      keys: readonly object[];
    };
    return set.keys.length > 0 ? set : Bun.sleep(50).then(() => kids(origin));
  };
  const keys = await kids(before.origin);
  await before.stop();
  const database = await postgres.createDatabase();
  const key = join(data, 'master.key');
  const there = await transferOnce(compiled, data, database);
  expect(there.stderr).toContain(`TRIVET_MASTER_KEY_FILE=${key}`);

  const elsewhere = ['--data', temporaryDirectory('elsewhere'), '--database', database];
  const env = { TRIVET_MASTER_KEY_FILE: key };
  const after = await serveTrivet(compiled, elsewhere, { env });
  expect(await kids(after.origin)).toEqual(keys);
  const called = await fetch(`${after.origin}/api/tools/create-project`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ orgId: 1, projectName: 'p' }),
  });
  expect(await called.json()).toMatchObject({ projectId: 1 });
  await after.stop();

  const home = temporaryDirectory('home');
  expect((await transferOnce(compiled, database, home)).stderr).toContain(
    `copy their master.key into ${home}`,
  );
  // The key is copied as well from directory to directory.
  const [withKey, copy] = [data, join(home, 'copy')];
  expect((await transferOnce(compiled, withKey, copy)).stderr).toContain(`${key} was copied to`);
  expect(readFileSync(join(copy, 'master.key'), 'utf8')).toBe(readFileSync(key, 'utf8'));
}, 60_000);

test('a directory on which a server runs is not transferred: what it writes later would be lost', async () => {
  const data = temporaryDirectory('data');
  const server = await serveTrivet(compiled, ['--data', data]);
  const target = join(temporaryDirectory('to'), 'one');
  const refused = await transfer('--from', data, '--to', target);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining(`A server runs on ${data}`) as string,
  ]);
  // A copy made while it runs can be transferred.
  const copy = join(temporaryDirectory('copy'), 'copy');
  await runTrivet(compiled, ['backup', copy, '--data', data]);
  expect((await transfer('--from', copy, '--to', target)).exitCode).toBe(0);
  await server.stop();
}, 30_000);

/** @see It was done while an agent worked there, and what that wrote next was in no target. */
test('nor is a directory on which "trivet --mcp" runs; nothing else starts to write there meanwhile', async () => {
  const data = temporaryDirectory('data');
  await createToken(compiled, ['--data', data]);
  const target = () => join(temporaryDirectory('to'), 'target');
  const agent = Bun.spawn([...compiled.command, '--mcp', '--data', data], {
    env: cleanEnvironment(),
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  void agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await agent.stdout.getReader().read();
  const refused = await transfer('--from', data, '--to', target());
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining(`A running Trivet uses ${data}. Stop it (also "trivet --mcp"`) as string,
  ]);
  agent.kill();
  await agent.exited;
  expect((await transfer('--from', data, '--to', target())).exitCode).toBe(0);
}, 30_000);

/** @see From PostgreSQL it was done, without a word, and what the server wrote next was in no target. */
test('nor is a PostgreSQL on which one runs; once it has stopped, or its URL has a schema of its own, it is', async () => {
  const database = await postgres.createDatabase();
  const where = ['--data', temporaryDirectory('data'), '--database', database];
  const server = await serveTrivet(compiled, where);
  const target = (name: string) => join(temporaryDirectory('to'), name);
  const refused = await transfer('--from', database, '--to', target('one'));
  expect([refused.exitCode, refused.stdout, refused.stderr]).toEqual([
    2,
    '',
    expect.stringMatching(
      /^trivet: --from: a server or command of Trivet has .*session.* on postgres:/,
    ) as string,
  ]);
  const unseen = `${database}?search_path=public`;
  expect((await transfer('--from', unseen, '--to', target('unseen'))).exitCode).toBe(0);
  await server.stop();
  expect((await transfer('--from', database, '--to', target('one'))).exitCode).toBe(0);
}, 60_000);

test('a person is told how many rows were copied, a program all tables', async () => {
  const data = temporaryDirectory('data');
  await createToken(compiled, ['--data', data]);
  const text = await transfer('--from', data, '--to', join(temporaryDirectory('to'), 'one'));
  expect(text.stdout).toMatch(/one has the \d+ rows of \d+ tables of .*: compared, equal\.\n$/);
  const json = await transfer('--from', data, '--to', join(temporaryDirectory('to'), 'two'), '--json');
  const { tables, ...rest } = JSON.parse(json.stdout) as { tables: readonly object[] };
  expect(rest).toEqual({
    from: data,
    to: expect.stringMatching(/two$/),
    resumed: false,
    rows: expect.any(Number),
  });
  expect(tables).toContainEqual({ table: 'auth_users', rows: 2, checksum: expect.any(String), lastId: 2 });
});

test('until it is complete, no command works with the target, and none makes a backup of it', async () => {
  const data = temporaryDirectory('data');
  await createToken(compiled, ['--data', data]);
  const file = new Database(join(data, 'trivet.db'));
  file.run('INSERT INTO trivet_migrations (tag, hash, applied_at) VALUES (?, ?, 1)', [transferTag, '']);
  file.close();
  const copies = temporaryDirectory('copies');
  for (const words of [
    ['serve', '--port', '0'],
    ['call', 'get-orgs-list'],
    ['doctor'],
    ['migrate'],
    ['compact'],
    ['backup', join(copies, 'copy')],
    ['backup', join(copies, 'copy.tar.gz'), '--verify'],
    ['backup', '-'],
  ]) {
    const { exitCode, stdout, stderr } = await runTrivet(compiled, [...words, '--data', data]);
    expect({ words, exitCode, stdout, stderr }).toEqual({
      words,
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('a transfer to it was interrupted') as string,
    });
  }
  expect(existsSync(join(copies, 'copy', 'trivet.db'))).toBe(false);
  expect(existsSync(join(copies, 'copy.tar.gz'))).toBe(false);
});

test('a right that --to lacks is asked for with its name', async () => {
  const data = temporaryDirectory('data');
  await createToken(compiled, ['--data', data]);
  const database = await postgres.createDatabase();
  const readOnly = `${database}?options=${encodeURIComponent('-c default_transaction_read_only=on')}`;
  const { exitCode, stderr } = await transfer('--from', data, '--to', readOnly);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 4,
    stderr: expect.stringMatching(/Name all hosts in --to, promote it, or set that to off/) as string,
  });
});

test('mistakes are named, with the exit code of their kind', async () => {
  const data = temporaryDirectory('data');
  await createToken(compiled, ['--data', data]);
  const database = await postgres.createDatabase();
  const other = temporaryDirectory('other');
  await createToken(compiled, ['--data', other]);
  const foreignKey = temporaryDirectory('foreign');
  mkdirSync(foreignKey, { recursive: true });
  writeFileSync(join(foreignKey, 'master.key'), 'another\n', { mode: 0o600 });
  writeFileSync(join(data, 'master.key'), 'one\n', { mode: 0o600 });
  const cases: readonly (readonly [words: readonly string[], exitCode: number, message: RegExp])[] = [
    [[], 64, /Name both places/],
    [['--from', data], 64, /Name both places/],
    [['--from', data, '--to', database, 'more'], 64, /"more" is not expected here/],
    [['--from', data, '--to', 'mysql://localhost/x'], 2, /--to must be a directory or a URL/],
    [['--from', data, '--to', 'postgres://u:secret@localhost/x'], 2, /--to would show a secret/],
    [['--from', join(data, 'none'), '--to', database], 2, /there is no Trivet database in .*none/],
    [['--from', database, '--to', join(data, 'none')], 2, /there is no Trivet database in postgres/],
    [['--from', data, '--to', `${data}/`], 2, /the same place/],
    [['--from', data, '--to', other], 2, /has data already/],
    [['--from', data, '--to', foreignKey], 2, /is another file than/],
    [['--from', data, '--to', database, '--modules', 'auth'], 2, /no loaded module declares cta_/],
    [
      ['--from', data, '--to', database, '--url', 'http://localhost'],
      64,
      /works on the data of this machine/,
    ],
  ];
  for (const [words, exitCode, message] of cases) {
    const refused = await transfer(...words);
    expect({ words, exitCode: refused.exitCode, stdout: refused.stdout }).toEqual({
      words,
      exitCode,
      stdout: '',
    });
    expect(refused.stderr).toMatch(message);
    expect(refused.stderr).not.toContain('secret@');
  }
}, 60_000);

test.each(['from', 'to'])('a server that is not there is named with --%s', async (flag) => {
  const data = temporaryDirectory('data');
  await createToken(compiled, ['--data', data]);
  const places = { from: data, to: data, [flag]: 'postgres://localhost:1/trivet' };
  const { exitCode, stderr } = await transfer('--from', places.from, '--to', places.to);
  expect(exitCode).not.toBe(0);
  expect(stderr).toMatch(new RegExp(`^trivet: --${flag}: localhost:1 cannot be used`));
});
