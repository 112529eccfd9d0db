import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, createToken, requireBuilt, runTrivet, serveTrivet, type Running } from './executable.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * A running server takes a new configuration by `trivet reload` and by SIGHUP: what may change takes effect at once, what else changed is
 * named, and an invalid file changes nothing.
 */
const folder = temporaryDirectory('reload');
const data = join(folder, 'data');
const config = join(folder, 'trivet.toml');
const write = (text: string) => writeFileSync(config, text, { mode: 0o600 });
let running: Running;
let token = '';

beforeAll(async () => {
  requireBuilt();
  write('rate-tools = 1000\n');
  token = await createToken(compiled, ['--data', data]);
  running = await serveTrivet(compiled, ['--data', data, '--config', config]);
}, 60_000);
afterAll(() => running.stop());

const reload = async (...words: string[]) =>
  runTrivet(compiled, ['reload', '--data', data, '--json', ...words]);
const outcome = async () => {
  const { stdout } = await reload();
  return (JSON.parse(stdout) as { servers: Array<{ outcome: object }> }).servers[0]?.outcome;
};
const events = (name: string) =>
  running
    .stderr()
    .split('\n')
    .filter((line) => line.includes(`"${name}"`));
const call = (origin = running.origin, bearer = token, headers: Record<string, string> = {}) =>
  fetch(`${origin}/api/tools/get-orgs-list`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
    body: '{}',
  });
const allows = async (origin: string) =>
  (await call(running.origin, token, { origin })).headers.get('access-control-allow-origin');

test('what may change takes effect at once, and what needs a restart is named', async () => {
  expect(await outcome()).toEqual({ changed: [], needsRestart: [] });
  expect(await allows('https://app.example')).toBeNull();
  write(
    'rate-tools = 1000\ncors-origin = ["https://app.example"]\nport = 1\nlog-level = "debug"\naccess-log = true\n',
  );
  // The port of the command line counts, so that of the file changes nothing.
  expect(await outcome()).toEqual({ changed: ['log-level', 'access-log', 'cors-origin'], needsRestart: [] });
  expect(await allows('https://app.example')).toBe('https://app.example');
  for (let tries = 0; tries < 100 && events('access').length === 0; tries++) await Bun.sleep(20);
  expect(events('access').length).toBeGreaterThan(0);
  expect(events('operation').length).toBeGreaterThan(0);
  write('rate-tools = 2\ndrain-timeout = 3\n');
  expect(await outcome()).toEqual({
    changed: ['log-level', 'access-log', 'cors-origin', 'rate-tools'],
    needsRestart: ['drain-timeout'],
  });
  expect(await allows('https://app.example')).toBeNull();
  expect([(await call()).status, (await call()).status, (await call()).status]).toContain(429);
  expect(JSON.parse(events('configuration_reloaded').at(-1) ?? '{}')).toMatchObject({
    level: 'warn',
    needsRestart: 'drain-timeout',
  });
  const { stdout, exitCode } = await runTrivet(compiled, ['reload', '--data', data]);
  expect([exitCode, stdout]).toEqual([0, `${running.origin}: needs a restart: drain-timeout\n`]);
});

test('SIGHUP does the same', async () => {
  write('rate-tools = 500\n');
  const before = events('configuration_reloaded').length;
  process.kill(running.pid, 'SIGHUP');
  for (let tries = 0; tries < 100 && events('configuration_reloaded').length === before; tries++)
    await Bun.sleep(20);
  expect(JSON.parse(events('configuration_reloaded').at(-1) ?? '{}')).toMatchObject({
    changed: 'rate-tools',
    needsRestart: '',
  });
  expect((await call()).status).toBe(200);
});

test.each([
  ['a value out of bounds', 'rate-tools = -1\n', 'rate-tools must be from 0'],
  ['a key that there is not', 'rate-toolz = 1\n', 'Did you mean "rate-tools"?'],
  ['no TOML', 'rate-tools = = 1\n', 'is not valid TOML'],
  [
    'a mail server without a sender',
    'rate-tools = 1\nsmtp-url = "smtp://localhost"\n',
    '--smtp-url needs --smtp-from',
  ],
  [
    'a mail server that needs a public URL, which needs a restart',
    'rate-tools = 1\npublic-url = "http://127.0.0.1:1"\nsmtp-url = "smtp://localhost"\nsmtp-from = "a@example.org"\n',
    '--smtp-url needs --public-url: letters contain links to this server. Needs a restart: public-url.',
  ],
  ['an age key that is none', 'rate-tools = 1\nbackup-recipient = ["age1xyz"]\n', '"age1xyz" is not one'],
])('a file with %s changes nothing, and the command says why', async (_what, text, reason) => {
  write(text);
  const { exitCode, stdout } = await reload();
  expect(exitCode).toBe(2);
  expect(stdout).toContain(JSON.stringify(reason).slice(1, -1));
  for (let n = 0; n < 3; n++) expect((await call()).status).toBe(200);
  const refused = JSON.parse(events('configuration_refused').at(-1) ?? '{}') as object;
  expect(refused).toMatchObject({ level: 'error', reason: expect.stringContaining(reason) as string });
});

test('without a server the command says so, and a stopped server leaves no file', async () => {
  const elsewhere = temporaryDirectory('reload-none');
  const { exitCode, stderr } = await runTrivet(compiled, ['reload', '--data', elsewhere]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('No server runs on') as string]);
  write('');
  const other = await serveTrivet(compiled, ['--data', join(elsewhere, 'data'), '--config', config]);
  expect((await runTrivet(compiled, ['reload', '--data', join(elsewhere, 'data')])).exitCode).toBe(0);
  await other.stop();
  expect(readdirSync(join(elsewhere, 'data')).filter((name) => name.startsWith('server-'))).toEqual([]);
});

test('with several processes every worker takes it', async () => {
  const database = await (await startPostgres()).createDatabase();
  const many = temporaryDirectory('reload-many');
  const file = join(many, 'trivet.toml');
  writeFileSync(file, 'rate-tools = 1000\n', { mode: 0o600 });
  const where = ['--data', join(many, 'data'), '--database', database, '--config', file];
  const bearer = await createToken(compiled, where);
  const server = await serveTrivet(compiled, [...where, '--processes', '2']);
  writeFileSync(file, 'rate-tools = 3\nprocesses = 5\n', { mode: 0o600 });
  const { stdout } = await runTrivet(compiled, ['reload', '--data', join(many, 'data'), '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    servers: [{ outcome: { changed: ['rate-tools'], needsRestart: [] } }],
  });
  const told = () =>
    server
      .stderr()
      .split('\n')
      .filter((line) => line.includes('configuration_reloaded'));
  for (let tries = 0; tries < 100 && told().length < 3; tries++) await Bun.sleep(20);
  expect(told().length).toBe(3);
  const statuses = [];
  for (let n = 0; n < 12; n++) statuses.push((await call(server.origin, bearer)).status);
  expect(statuses).toContain(429);
  // What a start on PostgreSQL refuses.
  writeFileSync(file, 'rate-tools = 1000\nbackup-every = 24\n', { mode: 0o600 });
  expect(await runTrivet(compiled, ['reload', '--data', join(many, 'data')])).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining('refused, nothing has changed: --backup-every') as string,
  });
  await server.stop();
}, 60_000);

test('a server without a data directory says that it is not found, and so does the command', async () => {
  const database = await (await startPostgres()).createDatabase();
  const data = join(temporaryDirectory('reload-postgres'), 'none');
  const env = { TRIVET_MASTER_KEY: Buffer.alloc(32, 'k').toString('base64') };
  const server = await serveTrivet(compiled, ['--database', database, '--data', data], { env });
  expect(server.stderr()).toContain('"event":"server_not_announced"');
  expect(await runTrivet(compiled, ['reload', '--data', data])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('server_not_announced') as string,
  });
  await server.stop();
}, 60_000);

test('a worker that comes back has the settings in force, not those of the file', async () => {
  const postgres = await startPostgres();
  const [database, other] = [await postgres.createDatabase(), await postgres.createDatabase()];
  const many = temporaryDirectory('reload-again');
  const file = join(many, 'trivet.toml');
  const store = (text: string) => writeFileSync(file, text, { mode: 0o600 });
  store(`database = "${database}"\nrate-tools = 1000\n`);
  const where = ['--data', join(many, 'data'), '--config', file];
  const bearer = await createToken(compiled, where);
  const server = await serveTrivet(compiled, [...where, '--processes', '2']);
  const logged = (event: string) =>
    server
      .stderr()
      .split('\n')
      .filter((line) => line.includes(`"${event}"`))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const until = async (holds: () => boolean, what: string) => {
    for (let tries = 0; tries < 500 && !holds(); tries++) await Bun.sleep(20);
    if (!holds()) throw new Error(`${what}: ${server.stderr()}`);
  };
  const again = async (round: number) => {
    const worker = Number(
      String(logged('worker_ready').at(-1)?.['worker'] ?? logged('workers_ready')[0]?.['workers']).split(
        ', ',
      )[0],
    );
    process.kill(worker, 'SIGKILL');
    await until(() => logged('worker_ready').length === round, `worker ${worker} comes back`);
  };
  const statuses = async () => {
    const found = new Set<number>();
    for (let n = 0; n < 16; n++)
      found.add((await call(server.origin, bearer, { connection: 'close' })).status);
    return [...found].sort();
  };

  store(`database = "${other}"\npublic-url = "http://127.0.0.1:1"\nrate-tools = 900\n`);
  // At once: the supervisor listens from its beginning on.
  process.kill(server.pid, 'SIGHUP');
  await until(() => logged('configuration_reloaded').length === 3, 'all have reloaded');
  for (const line of logged('configuration_reloaded')) expect(line).toMatchObject({ changed: 'rate-tools' });
  expect(logged('configuration_reloaded').map((line) => line['needsRestart'])).toContain(
    'database, public-url',
  );
  await again(1);
  // In the other database the token is unknown, and with the other address the host is refused.
  expect(await statuses()).toEqual([200]);

  // Nothing is accepted from an invalid file, and a worker does not need it.
  store('rate-tools = = 1\n');
  await runTrivet(compiled, ['reload', '--data', join(many, 'data')]);
  await until(() => logged('configuration_refused').length === 1, 'it is refused');
  await again(2);
  expect(await statuses()).toEqual([200]);

  // What was accepted after the start counts in it, too.
  store(`database = "${database}"\nrate-tools = 2\n`);
  process.kill(server.pid, 'SIGHUP');
  await until(() => logged('configuration_reloaded').length === 6, 'all have reloaded again');
  store('');
  await again(3);
  await again(4);
  expect(await statuses()).toContain(429);
  await server.stop();
}, 60_000);
