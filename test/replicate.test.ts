import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { engine } from '../core/db/query/engine.ts';
import { compiled, runTrivet } from './executable.ts';
import { startS3 } from './s3-server.ts';
import { startServed, type Served } from './served.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * `--replicate`, `trivet replicas` and `trivet restore URL`, as an operator uses them. The crash suite kills them
 * (test/crash/replicate.verify.ts).
 */
const trivet = (...args: readonly string[]) => runTrivet(compiled, args);
const start = (...args: readonly string[]) => startServed({ args });

const namesIn = (data: string): readonly string[] => {
  const db = new Database(join(data, 'trivet.db'));
  try {
    return db
      .query<{ name: string }, []>('SELECT name FROM testmgmt_projects ORDER BY id')
      .all()
      .map(({ name }) => name);
  } finally {
    db.close();
  }
};

const make = (served: Served, projectName: string) =>
  served.must('create-project', { orgId: 1, projectName });

/** Waits until a server says that everything is stored. */
async function stored(served: Served): Promise<void> {
  const from = Date.now();
  for (let tries = 0; tries < 150; tries++) {
    // Before the request: the lag is that of the moment of the answer, which may arrive much later on a busy machine.
    const asked = Date.now();
    const { body } = await served.get('/readyz');
    const { state, lagSeconds } = (body['replication'] ?? {}) as {
      state?: string;
      lagSeconds?: number | null;
    };
    // What was written before `from` is stored if the time of the status is later. The lag is rounded to 100 ms.
    if (state === 'ok' && typeof lagSeconds === 'number' && asked - lagSeconds * 1_000 - 50 > from) return;
    await Bun.sleep(100);
  }
  throw new Error(`nothing was stored: ${served.running.stderr()}`);
}

/** Of a server at work: a mark of its replication may be gone since the directory was listed. */
function contentOf(data: string, name: string): Buffer {
  try {
    return readFileSync(join(data, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

describe.skipIf(engine() !== 'sqlite')(
  'what was erased is in no file of a directory that is replicated',
  () => {
    const word = 'city-of-the-erased-4711';
    const filesWith = (data: string) =>
      readdirSync(data).filter((name) => contentOf(data, name).includes(word));
    const fill = async (served: Served) => {
      await served.must('create-tenant', { tenantId: 'default' });
      const users = [{ userId: '5', attributes: { city: word } }];
      await served.must('set-user-attributes', { users });
      expect(filesWith(served.data)).not.toEqual([]);
    };

    /** @see The reader of the replicator kept the log: each erasure took 10 s, and its texts stayed in `trivet.db-wal`, on a quiet server for ever. */
    test('once the tool returns, soon, also while others write; and what is replicated later is whole', async () => {
      const url = `file://${join(temporaryDirectory('replica'), 'here')}`;
      const served = await start('--replicate', url);
      await fill(served);
      await stored(served);
      const quiet = new AbortController();
      const writing = (async () => {
        for (let n = 0; !quiet.signal.aborted; n++) await make(served, `beside ${n}`);
      })();
      const began = performance.now();
      await served.must('purge-cta-user', { userId: '5' });
      expect(filesWith(served.data)).toEqual([]);
      expect(performance.now() - began).toBeLessThan(8_000);
      quiet.abort();
      await writing;
      await make(served, 'last');
      await stored(served);
      await served.running.stop();
      expect(served.running.stderr()).not.toContain('erased_text_in_log');
      const [listed] = (
        JSON.parse((await trivet('replicas', url, '--verify', '--json')).stdout) as {
          generations: ReadonlyArray<{ gaps: readonly unknown[] }>;
        }
      ).generations;
      expect(listed?.gaps).toEqual([]);
      const whole = join(temporaryDirectory('whole'), 'data');
      cpSync(join(served.data, 'master.key'), join(whole, 'master.key'), { recursive: true });
      expect(await trivet('restore', url, '--data', whole)).toMatchObject({ exitCode: 0 });
      expect(namesIn(whole)).toEqual(namesIn(served.data));
    }, 60_000);

    test('or, while the target is away, once that is back', async () => {
      const place = join(temporaryDirectory('replica'), 'here');
      const served = await start('--replicate', `file://${place}`);
      await fill(served);
      await stored(served);
      renameSync(place, `${place}-away`);
      writeFileSync(place, '');
      await served.must('purge-cta-user', { userId: '5' });
      // What a process prints arrives beside its answers, and on a busy machine after them.
      const said = () => served.running.stderr().includes('once everything is at its target');
      for (let tries = 0; tries < 100 && !said(); tries++) await Bun.sleep(100);
      expect(said()).toBe(true);
      rmSync(place);
      renameSync(`${place}-away`, place);
      for (let tries = 0; tries < 200 && filesWith(served.data).length > 0; tries++) await Bun.sleep(100);
      expect(filesWith(served.data)).toEqual([]);
      await served.running.stop();
    }, 60_000);
  },
);

describe.skipIf(engine() !== 'sqlite')('a replica', () => {
  test('gives any moment back, says what it has, and refuses what it cannot give', async () => {
    const place = join(temporaryDirectory('replica'), 'here');
    const url = `file://${place}`;
    const identity = await generateIdentity();
    const key = join(temporaryDirectory('key'), 'identity');
    writeFileSync(key, identity, { mode: 0o600 });
    const served = await start(
      '--replicate',
      url,
      '--replicate-recipient',
      await identityToRecipient(identity),
    );
    await make(served, 'early');
    await stored(served);
    const moment = new Date().toISOString();
    await Bun.sleep(1_100);
    await make(served, 'late');
    await stored(served);
    await served.running.stop();

    const target = (name: string) => join(temporaryDirectory(name), 'data');
    const restore = (data: string, ...args: readonly string[]) =>
      trivet('restore', url, '--data', data, '--age-identity-file', key, ...args);
    const whole = target('whole');
    expect(await restore(whole, '--json')).toMatchObject({ exitCode: 0 });
    expect(namesIn(whole)).toEqual(['early', 'late']);
    // The replica is encrypted, so it has the master key.
    expect(readdirSync(whole)).toContain('master.key');
    const earlier = target('earlier');
    expect(await restore(earlier, '--at', moment)).toMatchObject({ exitCode: 0 });
    expect(namesIn(earlier)).toEqual(['early']);

    const listed = await trivet('replicas', url, '--verify', '--age-identity-file', key, '--json');
    expect([listed.exitCode, JSON.parse(listed.stdout)]).toMatchObject([
      0,
      { generations: [{ snapshots: 1, gaps: [] }], verified: true, damaged: [] },
    ]);
    const [, last = ''] = /"last":"([^"]+)"/.exec(listed.stdout) ?? [];
    const refusals: ReadonlyArray<readonly [string[], RegExp]> = [
      [['--at', '2001-01-01T00:00:00Z'], /does not go back to 2001.*The first moment is 20/],
      [
        ['--at', '2101-01-01T00:00:00Z'],
        new RegExp(`does not know what happened.*last good moment before it is ${last}`),
      ],
      [['--at', '2026-11-24'], /no time with a zone/],
      [['--at', '2026-02-31T10:00:00Z'], /no time with a zone/],
    ];
    for (const [args, message] of refusals) {
      const refused = await restore(target('refused'), ...args);
      expect(refused.exitCode).not.toBe(0);
      expect(refused.stderr).toMatch(message);
    }
    const unopened = await trivet('restore', url, '--data', target('closed'));
    expect([unopened.exitCode, unopened.stderr]).toEqual([
      2,
      expect.stringContaining('--age-identity-file') as string,
    ]);

    // An object is lost: the end cannot be given any more, the moment before it can.
    const [generation = ''] = readdirSync(join(place, 'generations'));
    const logs = join(place, 'generations', generation, 'log');
    const lost = readdirSync(logs).toSorted().at(-1) ?? '';
    rmSync(join(logs, lost));
    const broken = await restore(target('broken'));
    expect([broken.exitCode, broken.stderr]).toEqual([2, expect.stringContaining('is missing') as string]);
    const good = /--at (\S+) restores that/.exec(broken.stderr)?.[1] ?? '';
    expect(await restore(target('good'), '--at', good)).toMatchObject({ exitCode: 0 });
    expect((await trivet('replicas', url)).exitCode).toBe(1);
    rmSync(join(place, 'generations', generation, 'snapshots'), { recursive: true });
    const started = await trivet('replicas', url, '--verify');
    expect(started).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('no complete snapshot') as string,
    });
    const empty = await trivet('replicas', `file://${temporaryDirectory('replica')}`, '--verify');
    expect(empty).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('has no replica') as string });
  }, 60_000);

  test('of another directory is not overwritten; the stranger says why', async () => {
    const url = `file://${join(temporaryDirectory('replica'), 'here')}`;
    const first = await start('--replicate', url);
    await make(first, 'first');
    await stored(first);
    // A stranger does not write there: a new one does not start, and one with data reads only.
    const data = temporaryDirectory('stranger');
    const refused = await trivet('serve', '--data', data, '--replicate', url);
    expect([refused.exitCode, refused.stderr]).toEqual([
      4,
      expect.stringContaining('which another data directory has begun') as string,
    ]);
    const before = await start();
    await before.running.stop();
    const stranger = await startServed({ data: before.data, args: ['--replicate', url] });
    // It may be the server that was replaced, without a memory of it: nothing is written to a second one.
    expect((await stranger.get('/readyz')).body).toMatchObject({ error: { cause: 'primary' } });
    expect(await stranger.tool('create-project', { orgId: 1, projectName: 'x' })).toMatchObject({
      status: 503,
      body: { error: { code: 'FENCED' } },
    });
    const doctor = await trivet('doctor', '--data', stranger.data);
    expect(doctor.stdout).toContain('replication_fenced');
    await stranger.running.stop();
    await first.running.stop();
    expect(await trivet('replicas', url, '--json')).toMatchObject({ exitCode: 0 });
  }, 60_000);

  /** @see Each stop began a new generation, whose snapshot is as large as the database. */
  test('goes on with its generation after a stop', async () => {
    const place = join(temporaryDirectory('replica'), 'here');
    const url = `file://${place}`;
    const served = await start('--replicate', url);
    for (const name of ['one', 'two']) {
      await make(served, name);
      await stored(served);
      // Past the moment in which the log has been copied into the database: then nothing but the log says where to go on.
      await Bun.sleep(1_500);
      await served.running.stop();
      await served.start();
    }
    await make(served, 'last');
    await stored(served);
    await served.running.stop();
    expect(readdirSync(join(place, 'generations'))).toHaveLength(1);
    const alone = temporaryDirectory('alone');
    cpSync(join(served.data, 'trivet.db'), join(alone, 'trivet.db'));
    expect(namesIn(alone)).toEqual(['one', 'two', 'last']);
    const data = join(temporaryDirectory('resumed'), 'data');
    mkdirSync(data, { mode: 0o700 });
    cpSync(join(served.data, 'master.key'), join(data, 'master.key'));
    expect(await trivet('restore', url, '--data', data)).toMatchObject({ exitCode: 0 });
    expect(namesIn(data)).toEqual(['one', 'two', 'last']);
  }, 60_000);

  /** @see A generation was begun in the empty directory of the mount: two servers wrote, or nothing since could be restored. */
  test.each([
    ['without a lease', [], true],
    ['with a lease', ['--replicate-lease', '3'], false],
  ])(
    'whose disk is mounted later is waited for, %s',
    async (_, lease, writes) => {
      const place = join(temporaryDirectory('replica'), 'here');
      const url = `file://${place}`;
      const served = await start('--replicate', url, ...lease);
      await make(served, 'before');
      await stored(served);
      await served.running.stop();
      renameSync(place, `${place}-unmounted`);
      mkdirSync(place);
      await served.start();
      const state = async () =>
        ((await served.get('/readyz?standby=ok')).body['replication'] as { state?: string } | undefined)
          ?.state;
      const meanwhile = () => served.tool('create-project', { orgId: 1, projectName: 'meanwhile' });
      if (writes) {
        for (let tries = 0; tries < 100 && (await state()) !== 'away'; tries++) await Bun.sleep(100);
        expect(await state()).toBe('away');
        expect((await meanwhile()).status).toBe(200);
      } else
        expect(await meanwhile()).toMatchObject({ status: 503, body: { error: { code: 'CLAIM_LOST' } } });
      await Bun.sleep(1_000);
      expect(readdirSync(place)).not.toContain('begun');
      expect(served.running.stderr()).toContain('Make sure that it is mounted');

      rmSync(place, { recursive: true });
      renameSync(`${place}-unmounted`, place);
      await stored(served);
      await make(served, 'after');
      await stored(served);
      await served.running.stop();
      const data = join(temporaryDirectory('mounted'), 'data');
      mkdirSync(data, { mode: 0o700 });
      cpSync(join(served.data, 'master.key'), join(data, 'master.key'));
      expect(await trivet('restore', url, '--data', data)).toMatchObject({ exitCode: 0 });
      expect(namesIn(data)).toEqual(writes ? ['before', 'meanwhile', 'after'] : ['before', 'after']);
    },
    60_000,
  );

  test('catches up with a bucket that denied and lost what it got', async () => {
    let mode: 'works' | 'denies' | 'tears' = 'works';
    let busyAnswers = 0;
    const s3 = await startS3((request) => {
      if (request.method === 'GET' && busyAnswers-- > 0)
        return Promise.resolve(new Response('', { status: 503 }));
      if (mode === 'works' || request.method !== 'PUT') return undefined;
      if (mode === 'denies')
        return Promise.resolve(
          new Response('<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>', {
            status: 403,
          }),
        );
      return request.arrayBuffer().then(() => new Response('', { status: 503 }));
    });
    const keys = ['--replicate-keys-file', s3.keys];
    const served = await start('--replicate', s3.url, ...keys);
    await make(served, 'before');
    await stored(served);
    for (const next of ['denies', 'tears'] as const) {
      mode = next;
      await make(served, next);
      for (let n = 0; n < 80; n++) {
        const { replication } = (await served.get('/readyz')).body as { replication?: { state: string } };
        if (replication?.state === 'away') break;
        await Bun.sleep(100);
      }
      expect((await served.get('/readyz')).body).toMatchObject({
        status: 'ready',
        replication: { state: 'away' },
      });
      mode = 'works';
      await stored(served);
    }
    await served.running.stop();
    const data = join(temporaryDirectory('target'), 'data');
    expect(await trivet('restore', s3.url, '--data', data, '--check', ...keys)).toMatchObject({
      exitCode: 2,
    });
    // The replica is not encrypted, so the master key comes from elsewhere. A server that is busy for a moment does not end a restore.
    busyAnswers = 3;
    expect(await trivet('restore', s3.url, '--data', served.data, '--force', ...keys)).toMatchObject({
      exitCode: 0,
    });
    expect(busyAnswers).toBeLessThan(1);
    expect(namesIn(served.data)).toEqual(['before', 'denies', 'tears']);
    await s3.stop();
  }, 60_000);
});

test('a server refuses to replicate PostgreSQL, into its own directory, and to an address that names nothing', async () => {
  const data = temporaryDirectory('refused');
  const refused = async (...args: readonly string[]) =>
    (await trivet('serve', '--data', data, ...args)).stderr;
  expect(await refused('--replicate', 'file:///x', '--database', 'postgres://localhost/x')).toContain(
    'archive the log of PostgreSQL',
  );
  expect(await refused('--replicate', 's3://bucket/x')).toContain('--replicate-keys-file');
  expect(await refused('--replicate', 'ftp://bucket/x')).toContain('--replicate');
  expect(await refused('--replicate', 'file:///x', '--replicate-recipient', 'age1nothing')).toContain(
    'age-keygen',
  );
  for (const own of [data, join(data, 'replica')])
    expect(await refused('--replicate', `file://${own}`)).toContain('is inside the data directory');
  expect(await refused('--replicate-lease', '5')).toContain('Add --replicate');
});
