import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { engine } from '../core/db/query/engine.ts';
import { cleanEnvironment, compiled, runTrivet, serveTrivet, type Running } from './executable.ts';
import { reach, startServed, unlimited, type Reached } from './served.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * `--follow`, `trivet promote`, and the server that was replaced, as an operator uses them. test/crash/standby.verify.ts takes over under
 * load.
 */
const trivet = (...args: readonly string[]) => runTrivet(compiled, args);
const issuer = ['--public-url', 'http://localhost', ...unlimited];

interface Started extends Reached {
  readonly data: string;
  readonly running: Running;
}

async function startOn(data: string, token: string, ...args: readonly string[]): Promise<Started> {
  const running = await serveTrivet(compiled, [...issuer, '--dev', '--data', data, ...args]);
  return { ...reach(() => running.origin, { token, idToken: '' }), data, running };
}

const make = (server: Reached, projectName: string) =>
  server.tool('create-project', { orgId: 1, projectName });

function lastUserNumber(data: string): number {
  const client = new Database(join(data, 'trivet.db'), { create: false, readwrite: true });
  try {
    const found = client
      .query<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'auth_users'")
      .get();
    return found?.seq ?? 0;
  } finally {
    client.close();
  }
}

async function names(server: Reached): Promise<readonly unknown[]> {
  const { projects } = await server.must('get-projects', { orgId: 1 });
  return (projects as ReadonlyArray<{ projectName: string }>)
    .map(({ projectName }) => projectName)
    .toSorted();
}

async function until(what: string, holds: () => Promise<boolean>, tries = 150): Promise<void> {
  for (let n = 0; n < tries; n++) {
    if (await holds()) return;
    await Bun.sleep(100);
  }
  throw new Error(`${what} did not happen`);
}

/** Anybody may send a sign-in or a state of an app, which answer the message alone: where the replica is, is for the operator. */
function expectNoPlace({ body }: { readonly body: Readonly<Record<string, unknown>> }, place: string): void {
  const { message } = body['error'] as { message: string };
  expect(message).not.toContain(place);
}

const seen = (server: Reached, name: string) =>
  until(`${name} on the standby`, async () => (await names(server)).includes(name));

const standbyState = async (server: Reached) =>
  ((await server.get('/readyz?standby=ok')).body['standby'] as { state: string } | undefined)?.state;

describe.skipIf(engine() !== 'sqlite')('a standby', () => {
  /** @see Its stop waited for the time-out of a request, up to 30 seconds, or until a copy of any size was there. */
  test.concurrent('ends soon after a stop, also while its target hangs', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
    const keys = join(temporaryDirectory('keys'), 'keys.toml');
    writeFileSync(
      keys,
      `endpoint = "http://127.0.0.1:${silent.port}"\nregion = "x"\naccess-key-id = "x"\nsecret-access-key = "x"\n`,
      { mode: 0o600 },
    );
    const data = join(temporaryDirectory('standby'), 'data');
    const args = ['--data', data, '--follow', 's3://bucket/trivet', '--replicate-keys-file', keys];
    const child = Bun.spawn([...compiled.command, 'serve', ...args], {
      env: cleanEnvironment(),
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    });
    await until('the copy that begins', async () => existsSync(join(data, 'standby.lock')));
    await Bun.sleep(500);
    const from = performance.now();
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(performance.now() - from).toBeLessThan(12_000);
    silent.stop(true);
  }, 60_000);

  test.concurrent('reads, refuses writes, survives what may happen, and takes over from a server that was stopped', async () => {
    const place = join(temporaryDirectory('replica'), 'here');
    const url = `file://${place}`;
    const identity = await generateIdentity();
    const key = join(temporaryDirectory('key'), 'identity');
    writeFileSync(key, identity, { mode: 0o600 });
    const recipient = ['--replicate-recipient', await identityToRecipient(identity)];
    const primary = await startServed({ args: ['--replicate', url, ...recipient] });
    expect((await make(primary, 'one')).status).toBe(200);
    const data = join(temporaryDirectory('standby'), 'data');
    const follow = ['--follow', url, '--age-identity-file', key, ...recipient];
    let standby = await startOn(data, primary.token, ...follow);
    await seen(standby, 'one');

    // Refusals say what to do.
    const refusal = await make(standby, 'refused');
    expectNoPlace(refusal, place);
    expect(refusal).toMatchObject({
      status: 503,
      body: {
        error: { code: 'STANDBY', tip: expect.stringContaining(`trivet promote --data ${data}`) as string },
      },
    });
    expect((await standby.get('/readyz')).body).toMatchObject({
      error: { code: 'NOT_READY', cause: 'primary' },
    });
    expect(await standby.get('/readyz?standby=ok')).toMatchObject({
      status: 200,
      body: {
        status: 'standby',
        standby: { state: 'following', lagSeconds: expect.any(Number) as number },
      },
    });
    expect((await primary.get('/readyz?standby=ok')).body).toMatchObject({ status: 'ready' });
    expect(await trivet('healthcheck', '--url', standby.running.origin)).toMatchObject({
      exitCode: 0,
      stdout: 'standby\n',
    });
    const call = await trivet(
      'call',
      'create-project',
      '--args',
      '{"orgId":1,"projectName":"x"}',
      '--data',
      data,
    );
    expect([call.exitCode, call.stderr]).toEqual([2, expect.stringContaining('trivet promote') as string]);
    expect((await trivet('call', 'get-projects', '--args', '{"orgId":1}', '--data', data)).exitCode).toBe(0);
    expect((await trivet('serve', '--data', data)).stderr).toContain('--follow');
    const closed = await trivet('serve', '--data', data, '--follow', url, '--age-identity-file', key);
    expect(closed.stderr).toContain('--replicate-recipient');
    const other = temporaryDirectory('other');
    await trivet('token', 'create', '--email', 'owner@example.org', '--name', 'test', '--data', other);
    expect((await trivet('serve', '--data', other, '--follow', url)).stderr).toContain('data of its own');
    expect((await trivet('serve', '--data', data, '--follow', 'file:///elsewhere')).stderr).toContain(
      `follows ${url}`,
    );
    const unsure = await trivet('promote', '--data', data, '--age-identity-file', key);
    expect([unsure.exitCode, unsure.stderr]).toEqual([2, expect.stringContaining('--stopped') as string]);
    expect((await trivet('promote', '--data', primary.data)).stderr).toContain('is no standby');
    const doctor = await trivet('doctor', '--data', data);
    expect([doctor.exitCode, doctor.stdout]).toEqual([
      0,
      expect.stringMatching(/\(standby\): .* \d+ s behind/) as string,
    ]);

    // Killed, and written to meanwhile.
    await standby.running.stop('SIGKILL');
    await make(primary, 'two');
    standby = await startOn(data, primary.token, ...follow);
    await seen(standby, 'two');

    // The target is away.
    renameSync(place, `${place}-away`);
    await until('away', async () => ['away', 'waiting'].includes((await standbyState(standby)) ?? ''));
    expect(await names(standby)).toEqual(['one', 'two']);
    renameSync(`${place}-away`, place);
    await make(primary, 'three');
    await seen(standby, 'three');

    // A new generation: what a command writes while no server runs is in no log that was followed.
    const before = readdirSync(join(place, 'begun')).length;
    await primary.running.stop();
    const between = { orgId: 1, projectName: 'between' };
    expect(
      (await trivet('call', 'create-project', '--args', JSON.stringify(between), '--data', primary.data))
        .exitCode,
    ).toBe(0);
    await primary.start();
    await seen(standby, 'between');
    expect(readdirSync(join(place, 'begun')).length).toBeGreaterThan(before);

    // Another process that reads the copy never sees a part of a change.
    const reader = new Database(join(data, 'trivet.db'), { create: false, readwrite: true });
    reader.run('PRAGMA busy_timeout = 5000');
    for (let n = 0; n < 60; n++) {
      await make(primary, `load-${n}`);
      expect(reader.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    }
    reader.close();

    // The other server says that it stops, so nothing is waited for, and nothing is lost.
    await make(primary, 'last');
    await primary.running.stop();
    const numbers = lastUserNumber(primary.data);
    const began = performance.now();
    const promoted = await trivet('promote', '--data', data, '--age-identity-file', key, '--json');
    expect([promoted.exitCode, promoted.stderr]).toEqual([0, '']);
    // The command has waited for that: what a script does next is not refused.
    expect((await make(standby, 'new')).status).toBe(200);
    // A standby may lag: the numbers of users that it has not heard of are not given to others.
    expect(lastUserNumber(data)).toBeGreaterThanOrEqual(numbers + 1_000_000);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(await names(standby)).toEqual(expect.arrayContaining(['last', 'new', 'load-59']) as string[]);
    expect((await trivet('promote', '--data', data, '--age-identity-file', key)).stderr).toContain(
      'is no standby',
    );
    // The same command starts it again, as the server that is written to.
    await standby.running.stop();
    standby = await startOn(data, primary.token, ...follow);
    expect((await make(standby, 'again')).status).toBe(200);
    expect((await standby.get('/readyz')).body).toMatchObject({ status: 'ready', replication: {} });
    await standby.running.stop();
  }, 60_000);

  test.concurrent('restore, serve: the server that was replaced writes neither to the target nor to its database', async () => {
    const place = join(temporaryDirectory('replica'), 'here');
    const url = `file://${place}`;
    const old = await startServed({ args: ['--replicate', url] });
    await make(old, 'one');
    await until('a replica', async () => {
      const { replication } = (await old.get('/readyz')).body as { replication?: { state: string } };
      return replication?.state === 'ok';
    });
    await Bun.sleep(1_000);
    const data = join(temporaryDirectory('restored'), 'data');
    mkdirSync(data, { mode: 0o700 });
    cpSync(join(old.data, 'master.key'), join(data, 'master.key'));
    expect(await trivet('restore', url, '--data', data)).toMatchObject({ exitCode: 0 });

    // While the other one goes on, this one does not write.
    const fresh = await startOn(data, old.token, '--replicate', url);
    const early = await make(fresh, 'too early');
    expect(early).toMatchObject({ status: 503, body: { error: { code: 'CLAIM_LOST' } } });
    expectNoPlace(early, place);
    expect((await make(old, 'two')).status).toBe(200);
    await old.running.stop();
    await until('a write', async () => (await make(fresh, 'new')).status === 200);

    // It comes back.
    await old.start();
    const refused = await make(old, 'split');
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'FENCED' } } });
    expectNoPlace(refused, place);
    // An empty directory does not open the copy without the key.
    for (const words of ['--follow', 'master.key', url])
      expect(JSON.stringify(refused.body)).toContain(words);
    expect((await old.get('/readyz')).body).toMatchObject({
      error: { code: 'NOT_READY', cause: 'primary' },
    });
    expect(await names(old)).toEqual(['one', 'two']);
    expect(existsSync(join(old.data, 'replaced'))).toBe(true);
    const call = await trivet(
      'call',
      'create-project',
      '--args',
      '{"orgId":1,"projectName":"x"}',
      '--data',
      old.data,
    );
    expect([call.exitCode, call.stderr]).toEqual([
      4,
      expect.stringContaining('so this one reads only') as string,
    ]);
    const { stdout: examined } = await trivet('doctor', '--data', old.data);
    for (const words of ['replication_fenced', 'master.key']) expect(examined).toContain(words);
    const listed = readdirSync(join(place, 'generations')).toSorted();
    await Bun.sleep(1_500);
    // Only the new one adds to the target.
    expect(readdirSync(join(place, 'generations')).toSorted()).toEqual(listed);
    await old.running.stop();

    // Its directory is moved away, and it becomes the standby.
    const standbyData = join(temporaryDirectory('standby'), 'data');
    mkdirSync(standbyData, { mode: 0o700 });
    cpSync(join(old.data, 'master.key'), join(standbyData, 'master.key'));
    const standby = await startOn(standbyData, old.token, '--follow', url);
    await seen(standby, 'new');

    // A server without a lease is lost: somebody must say that it has stopped.
    await fresh.running.stop('SIGKILL');
    expect((await trivet('promote', '--data', standbyData)).exitCode).toBe(2);
    // What cannot be read may be the claim of a server that writes.
    const damaged = join(place, 'claims', '0123456789abcdef');
    writeFileSync(damaged, '{"format":1,"hol');
    const unread = await trivet('promote', '--data', standbyData);
    expect([unread.exitCode, unread.stderr]).toEqual([
      2,
      expect.stringContaining('claims/0123456789abcdef') as string,
    ]);
    expect((await make(standby, 'refused')).status).toBe(503);
    expect(await trivet('promote', '--data', standbyData, '--stopped')).toMatchObject({ exitCode: 0 });
    await until('a write', async () => (await make(standby, 'after').catch(() => undefined))?.status === 200);
    expect(await names(standby)).toEqual(expect.arrayContaining(['new', 'after']) as string[]);
    await standby.running.stop();
  }, 60_000);

  /** @see Both gave up, with the server that was followed fenced, and the advised repetition was refused. */
  test.concurrent('of two that take over at once, one does', async () => {
    const url = `file://${join(temporaryDirectory('replica'), 'here')}`;
    const primary = await startServed({ args: ['--replicate', url, '--replicate-lease', '3'] });
    await make(primary, 'before');
    const started = await Promise.all(
      ['one', 'two'].map((name) => {
        const data = join(temporaryDirectory(name), 'data');
        mkdirSync(data, { mode: 0o700 });
        cpSync(join(primary.data, 'master.key'), join(data, 'master.key'));
        return startOn(data, primary.token, '--follow', url, '--replicate-lease', '3');
      }),
    );
    for (const standby of started) await seen(standby, 'before');
    const promote = ({ data }: Started) => trivet('promote', '--data', data, '--replicate-lease', '3');
    const promoted = await Promise.all(started.map((standby) => promote(standby)));
    // One that ends before the other begins has taken over, too; then the other one replaces it.
    const exitCodes = promoted.map(({ exitCode }) => exitCode);
    expect(exitCodes).toContain(0);
    const written = async (server: Reached) => (await make(server, 'after')).status;
    let statuses: number[] = [];
    await until('one takes writes', async () => {
      statuses = await Promise.all([primary, ...started].map((server) => written(server)));
      return statuses.includes(200);
    });
    expect(statuses.toSorted()).toEqual([200, 503, 503]);
    for (const { running } of [primary, ...started]) await running.stop();
  }, 60_000);

  test.concurrent('promote leaves a server alone whose master key this directory does not have', async () => {
    const url = `file://${join(temporaryDirectory('replica'), 'here')}`;
    const primary = await startServed({ args: ['--replicate', url, '--replicate-lease', '3'] });
    await make(primary, 'one');
    const data = join(temporaryDirectory('standby'), 'data');
    const key = join(data, 'master.key');
    mkdirSync(data, { mode: 0o700 });
    cpSync(join(primary.data, 'master.key'), key);
    const follow = ['--follow', url, '--replicate-lease', '3'];
    const standby = await startOn(data, primary.token, ...follow);
    await seen(standby, 'one');
    await standby.running.stop();

    const promote = async () => trivet('promote', '--data', data, '--replicate-lease', '3');
    writeFileSync(key, Buffer.alloc(32, 'x').toString('base64'), { mode: 0o600 });
    const wrong = await promote();
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining(key) as string]);
    expect(wrong.stderr).toContain('The master key is not the one');
    rmSync(key);
    expect(await promote()).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('a master key that this process does not have') as string,
    });
    expect(existsSync(key)).toBe(false);
    expect((await make(primary, 'two')).status).toBe(200);

    cpSync(join(primary.data, 'master.key'), key);
    expect(await promote()).toMatchObject({ exitCode: 0, stderr: expect.any(String) as string });
    expect((await make(primary, 'fenced')).status).toBe(503);
    const taken = await startOn(data, primary.token, ...follow);
    expect((await make(taken, 'three')).status).toBe(200);
    expect(await names(taken)).toEqual(['one', 'three', 'two']);
    for (const { running } of [taken, primary]) await running.stop();
  }, 60_000);

  test.concurrent('one that waits for its first replica is not ended by a request to reload', async () => {
    const data = join(temporaryDirectory('standby'), 'data');
    const place = join(temporaryDirectory('replica'), 'here');
    const child = Bun.spawn(
      [...compiled.command, 'serve', '--port=0', `--data=${data}`, `--follow=file://${place}`],
      { env: cleanEnvironment(), stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
    );
    let said = '';
    void (async () => {
      for await (const chunk of child.stderr) said += new TextDecoder().decode(chunk);
    })();
    await until('it waits', async () => said.includes('"event":"standby_started"'));
    child.kill('SIGHUP');
    await Bun.sleep(300);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    child.kill();
    expect(await child.exited).toBe(0);
  }, 60_000);

  test.concurrent('a first start waits until the target of its lease can be reached', async () => {
    const place = join(temporaryDirectory('replica'), 'here');
    // Neither a directory nor a place where one could be made.
    writeFileSync(place, '');
    const data = join(temporaryDirectory('waits'), 'data');
    const child = Bun.spawn(
      [
        ...compiled.command,
        'serve',
        '--port=0',
        `--data=${data}`,
        `--replicate=file://${place}`,
        '--replicate-lease=1',
      ],
      { env: cleanEnvironment(), stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
    );
    let said = '';
    void (async () => {
      for await (const chunk of child.stderr) said += new TextDecoder().decode(chunk);
    })();
    await until('it waits', async () => said.includes('"event":"start_waits"'));
    expect(said).not.toContain('trivet listening on');
    // A request to reload waits, too, and does not end it.
    child.kill('SIGHUP');
    await Bun.sleep(200);
    rmSync(place);
    await until('it listens', async () => said.includes('trivet listening on'));
    await until('it reloads', async () => said.includes('"event":"configuration_reloaded"'));
    expect(said).toContain('Link that makes you its administrator');
    child.kill();
    expect(await child.exited).toBe(0);
  }, 60_000);
});
