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
  await server.stop();
}, 60_000);
