import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tlsPair } from '../modules/auth/testing/tls-pair.ts';
import { compiled, createToken, requireBuilt, runTrivet, serveTrivet } from './executable.ts';
import { mailServer } from './mail-server.ts';
import { temporaryDirectory } from './temporary.ts';

/* The executable sends letters over TLS with a login, and says what is wrong with the settings. */

const folder = temporaryDirectory('letters');
const data = join(folder, 'data');
const pair = tlsPair('localhost');
const authority = join(folder, 'ca.pem');
const trusting = { env: { NODE_EXTRA_CA_CERTS: authority } };
let mail: Awaited<ReturnType<typeof mailServer>>;

/** The configuration file of a server that sends letters. */
function configured(more: string): string {
  const path = join(folder, `${crypto.randomUUID()}.toml`);
  const lines = [
    `smtp-url = "smtp://localhost:${mail.port}"`,
    'smtp-from = "trivet@example.org"',
    'smtp-user = "trivet"',
    'smtp-password-file = "password"',
    'public-url = "https://trivet.example"',
    more,
  ];
  writeFileSync(path, lines.join('\n'), { mode: 0o600 });
  return path;
}

beforeAll(async () => {
  requireBuilt();
  writeFileSync(authority, pair.cert);
  writeFileSync(join(folder, 'password'), 'right', { mode: 0o600 });
  mail = await mailServer({ login: { user: 'trivet', password: 'right' }, tls: pair });
  await createToken(compiled, ['--data', data]);
}, 60_000);
afterAll(() => mail.stop());

const sendTest = (config: string, options: object = trusting) =>
  runTrivet(compiled, ['letter', 'test', '--to', 'ann@example.org', '--config', config, '--json'], options);

test('a test letter arrives over STARTTLS, and doctor finds nothing', async () => {
  const config = configured('');
  const { exitCode, stdout, stderr } = await sendTest(config);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual({ to: 'ann@example.org', server: `localhost:${mail.port}`, sent: true });
  expect(mail.letters.map(({ from, to }) => [from, to])).toEqual([
    ['trivet@example.org', ['ann@example.org']],
  ]);
  const doctor = await runTrivet(compiled, ['doctor', '--data', data, '--config', config], trusting);
  expect([doctor.exitCode, doctor.stdout]).toEqual([
    0,
    expect.stringContaining('ok        auth letters') as string,
  ]);
});

test('an unknown certificate and a wrong password are named with the remedy, without the password', async () => {
  const untrusted = await sendTest(configured(''), {});
  expect(untrusted.exitCode).toBe(1);
  expect(JSON.parse(untrusted.stdout)).toMatchObject({
    sent: false,
    remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS=') as string,
  });
  writeFileSync(join(folder, 'password'), 'wrong-one', { mode: 0o600 });
  const doctor = await runTrivet(compiled, ['doctor', '--data', data, '--config', configured('')], trusting);
  writeFileSync(join(folder, 'password'), 'right', { mode: 0o600 });
  expect(doctor.exitCode).toBe(1);
  expect(doctor.stdout).toContain('WRONG     auth letters (smtp_failing): The mail server answered 535');
  expect(doctor.stdout + doctor.stderr).not.toContain('wrong-one');
});

test('a refused test letter is said with the answer of the server and what to do about it', async () => {
  const refused = async (code: number) => {
    mail.behaviour.recipient = () => code;
    const { exitCode, stdout } = await sendTest(configured(''));
    mail.behaviour.recipient = () => undefined;
    return { exitCode, ...(JSON.parse(stdout) as { said: string; remedy: string }) };
  };
  expect(await refused(550)).toMatchObject({
    exitCode: 1,
    failure: '550',
    said: '550 refused',
    remedy: expect.stringContaining('It refuses this address or this letter') as string,
  });
  expect(await refused(451)).toMatchObject({
    failure: '451',
    said: '451 refused',
    remedy: expect.stringContaining('It refuses for now: try again later.') as string,
  });
});

test('a server sends an invitation within seconds, and starts and stops as ever', async () => {
  const token = await createToken(compiled, ['--data', data]);
  const server = await serveTrivet(compiled, ['--data', data, '--config', configured('')], trusting);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    host: 'trivet.example',
  };
  const body = JSON.stringify({ orgId: 1, email: 'bob@example.org' });
  const made = await fetch(`${server.origin}/api/tools/invite-user`, { method: 'POST', headers, body });
  const { link } = (await made.json()) as { link: string };
  const arrived = () => mail.letters.find(({ to }) => to[0] === 'bob@example.org');
  for (let tries = 0; tries < 200 && !arrived(); tries++) await Bun.sleep(50);
  expect(link).toStartWith('https://trivet.example/oauth/link#');
  expect(arrived()?.mail.text).toContain(link);
  expect(await server.stop()).toBe(0);
  expect(server.stderr()).not.toContain('bob@example.org');
});

test.each([
  ['no sender', 'smtp-url = "smtp://localhost"', '--smtp-url needs --smtp-from'],
  [
    'no public URL',
    'smtp-url = "smtp://localhost"\nsmtp-from = "a@b.example"',
    '--smtp-url needs --public-url',
  ],
  ['a password in the URL', 'smtp-url = "smtp://a:b@localhost"', 'must be smtp://HOST[:PORT] or smtps'],
  ['no server', 'smtp-user = "a"', '--smtp-user is for the server of --smtp-url'],
  [
    'an operator who is none',
    'operators = ["ops"]',
    'operators must be an e-mail address such as ana@example.org, without a name, not "ops"',
  ],
])('settings with %s are refused at the start', async (_what, text, says) => {
  const path = join(folder, 'refused.toml');
  writeFileSync(path, text, { mode: 0o600 });
  const { exitCode, stderr } = await runTrivet(compiled, ['serve', '--data', data, '--config', path]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(says) as string]);
});
