import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { startPostgresProxy } from '../test/postgres-proxy.ts';
import { startPostgres } from '../test/postgres.ts';
import { compare, started, trivet, type Scenario, type Server } from './compare.ts';
import { connections, load, type Shooter } from './load.ts';
import { eligible, fill, machine, post, testsOfProject } from './scale-data.ts';

/**
 * `npm run bench:scale`: Trivet over PostgreSQL (a commit waits for the disk) against a hand-written program (bench/scale-by-hand.ts) on a
 * copy of the same database, in turn. Then, through a proxy that reads the protocol: how many answers each request waits for, and how
 * many of its transactions PostgreSQL refused.
 */
const users = Number(process.env['BENCH_USERS'] ?? 100_000);
const directory = mkdtempSync(join(tmpdir(), 'trivet-bench-'));
const postgres = await startPostgres({ durable: true });
const url = await postgres.createDatabase();

const limits = ['authenticate', 'failures', 'refresh', 'tools', 'cta', 'cta-tenant'].flatMap((name) => [
  `--rate-${name}`,
  '0',
]);
const place = (database: string) => ['--data', directory, '--database', database];
const serve = (database: string) =>
  started([
    trivet,
    'serve',
    '--port=0',
    '--dev',
    '--public-url=http://localhost',
    `--database-connections=${connections}`,
    ...place(database),
    ...limits,
  ]);

function run(...words: readonly string[]): string {
  const made = Bun.spawnSync([trivet, ...words, ...place(url)]);
  if (!made.success) throw new Error(`trivet ${words.join(' ')}: ${made.stderr.toString()}`);
  return made.stdout.toString().trim();
}

interface Tokens {
  readonly refreshToken: string;
}

/** Sessions to begin with: one for each connection, in Trivet's database before it is copied. */
async function signIns(server: Server): Promise<readonly Tokens[]> {
  const all: Tokens[] = [];
  for (let n = 0; n < connections; n++) {
    const identifier = run(
      'dev',
      'id-token',
      '--email',
      `${n}@example.org`,
      '--public-url',
      'http://localhost',
    );
    const body = {
      responseType: 'token',
      grantType: 'id_token',
      identifier,
      idProvider: 'dev',
      resources: [],
    };
    all.push((await post(server, '/v1/auth/social/authenticate', body)) as Tokens);
  }
  return all;
}

const sidOf = ({ refreshToken }: Tokens): string =>
  (JSON.parse(Buffer.from(refreshToken.split('.')[1] ?? '', 'base64url').toString()) as { sid: string }).sid;

const launchPath = '/cta/active/state-machines/';
const deltaPath = '/cta/state-machines/snapshot/delta/';
/** Spread over all users. */
const userOf = (n: number) => (n * 2_654_435_761) % users;
const headersOf = (user: number) => ({ 'auth-userid': String(user), api_version: '1' });
const changed = (n: number) =>
  JSON.stringify({
    ctas: [{ ctaId: String((n % eligible) + 1), activeStateMachines: { default: machine(Date.now()) } }],
  });

const launches: Shooter = { shot: (n) => ({ path: launchPath, headers: headersOf(userOf(n)), body: '{}' }) };
const merges: Shooter = {
  shot: (n) => ({ path: launchPath, headers: headersOf(userOf(n)), body: changed(n) }),
};
const deltas: Shooter = {
  shot: (n) => ({ path: deltaPath, headers: headersOf(userOf(n)), body: changed(n) }),
};
let newcomers = users;
const firstDeltas: Shooter = {
  shot: (n) => ({ path: deltaPath, headers: headersOf(++newcomers), body: changed(n) }),
};
const refreshing = (tokens: readonly Tokens[]): Shooter => {
  const current = tokens.map(({ refreshToken }) => refreshToken);
  return {
    shot: (_n, connection) => ({
      path: '/v1/auth/token/refresh',
      body: JSON.stringify({ refreshToken: current[connection] }),
    }),
    answered: (connection, body) => {
      current[connection] = (JSON.parse(body) as Tokens).refreshToken;
    },
  };
};
const reporting = (authorization: string, testIds: readonly number[]): Shooter => ({
  shot: (n) => ({
    path: '/api/tools/run-update-test-status',
    headers: { authorization },
    body: JSON.stringify({
      projectId: 1,
      runId: 1,
      testResults: [
        {
          testId: testIds[n % testIds.length],
          status: Math.floor(n / testIds.length) % 2 === 0 ? 'passed' : 'failed',
        },
      ],
    }),
  }),
});
const paging = (authorization: string): Shooter => ({
  shot: (n) => ({
    path: '/api/tools/get-tests',
    headers: { authorization },
    body: JSON.stringify({ projectId: 1, limit: 20, offset: (n * 20) % testsOfProject }),
  }),
});

/** The hand-written program is given what stands around the state of each CTA. */
async function launchParts(server: Server): Promise<string> {
  const { data } = (await post(server, launchPath, {}, headersOf(users + 1_000_000))) as {
    data: { ctas: Array<{ ctaId: string }> };
  };
  if (data.ctas.length !== eligible)
    throw new Error(`${data.ctas.length} CTAs are eligible, not ${eligible}`);
  const parts = data.ctas.map((cta) => {
    const [before = '', after = ''] = JSON.stringify(cta).split(
      '"activeStateMachines":{},"resetAt":[],"actionDoneAt":[]',
    );
    return { ctaId: cta.ctaId, before: `${before}"activeStateMachines":`, after };
  });
  const file = join(directory, 'parts.json');
  writeFileSync(file, JSON.stringify(parts));
  return file;
}

/** A copy of the database under another name. Nobody may be connected to it. */
async function copyOf(name: string): Promise<string> {
  const original = new URL(url).pathname.slice(1);
  const client = new SQL(postgres.url, { max: 1 });
  await client.unsafe(`CREATE DATABASE ${name} TEMPLATE ${original}`);
  await client.end();
  const copy = new URL(url);
  copy.pathname = `/${name}`;
  return copy.href;
}

/** Waits of one request alone, with the answers held back; then what was refused under 16 connections. */
async function printWaits(paths: ReadonlyArray<readonly [string, Shooter]>, database: string): Promise<void> {
  process.stdout.write(
    'waits for an answer of PostgreSQL, and transactions that it refused under 16 connections\n',
  );
  const slow = await startPostgresProxy(database, { delayMs: 2 });
  const alone = await serve(slow.url);
  const fast = await startPostgresProxy(database);
  const busy = await serve(fast.url);
  for (const [title, shooter] of paths) {
    await load(alone.origin, alone.pid, shooter, 1, 1);
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 20; round++) {
      slow.reset();
      await load(alone.origin, alone.pid, shooter, 0, 1);
      least = Math.min(least, slow.counted().waits);
    }
    fast.reset();
    const { perSecond } = await load(busy.origin, busy.pid, shooter, 2);
    const share = (100 * fast.counted().retried) / (2 * perSecond);
    process.stdout.write(`  ${title.padEnd(48)} ${least} waits, ${share.toFixed(2)} % refused\n`);
  }
  for (const server of [alone, busy]) server.stop();
  for (const proxy of [slow, fast]) proxy.stop();
}

const servers: Server[] = [];
try {
  const first = await serve(url);
  const authorization = `Bearer ${run('token', 'create', '--email', 'b@example.org', '--name', 'bench')}`;
  const testIds = await fill(first, authorization, { url, users });
  const tokens = await signIns(first);
  const parts = await launchParts(first);
  first.stop();
  await Bun.sleep(1_000);
  const copy = await copyOf('by_hand');

  const ours = await serve(url);
  const command = [
    process.execPath,
    join(import.meta.dir, 'scale-by-hand.ts'),
    copy,
    String(connections),
    parts,
  ];
  const byHand = await started(command);
  servers.push(ours, byHand);
  for (const user of [0, 1, 77, users - 1]) {
    const asked = [launchPath, {}, headersOf(user)] as const;
    if (JSON.stringify(await post(ours, ...asked)) !== JSON.stringify(await post(byHand, ...asked)))
      throw new Error(`the answers for ${user} differ`);
  }
  const theirs: Tokens[] = [];
  for (const token of tokens) theirs.push((await post(byHand, `/begin?sid=${sidOf(token)}`, {})) as Tokens);

  const both = (shooter: Shooter) => [shooter, shooter] as const;
  const refreshes = refreshing(tokens);
  const scenarios: readonly Scenario[] = [
    { title: 'launch', shooters: both(launches), promised: 0.6 },
    { title: 'launch that merges', shooters: both(merges), promised: 0.6 },
    { title: 'delta', shooters: both(deltas), promised: 0.6 },
    { title: 'first delta of a new user', shooters: both(firstDeltas) },
    { title: 'refresh', shooters: [refreshes, refreshing(theirs)], promised: 0.5 },
    {
      title: 'run-update-test-status, one result',
      shooters: both(reporting(authorization, testIds)),
      promised: 0.6,
    },
    { title: 'get-tests, a page of 20', shooters: both(paging(authorization)), promised: 0.5 },
  ];
  const held = await compare(ours, byHand, 'by hand', scenarios);
  process.exitCode = held ? 0 : 1;
  for (const server of servers.splice(0)) server.stop();
  await printWaits(
    scenarios.map(({ title, shooters }) => [title, shooters[0]] as const),
    url,
  );
} finally {
  for (const server of servers) server.stop();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
