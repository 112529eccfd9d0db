import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { startPostgres } from '../test/postgres.ts';
import { compare, roundSeconds, started, trivet, type Scenario, type Server } from './compare.ts';
import { connections, type Shooter } from './load.ts';
import { costsOf, printCosts } from './scale-cost.ts';
import { eligible, fill, post } from './scale-data.ts';
import type { Measurement } from './scale-estimate.ts';
import {
  appRequests,
  authenticatePath,
  authenticating,
  headersOf,
  launchPath,
  refreshing,
  signInBody,
  toolCalls,
  verifying,
  type Tokens,
} from './scale-requests.ts';

/**
 * `npm run bench:scale`: Trivet over PostgreSQL (a commit waits for the disk) against a hand-written program (bench/scale-by-hand.ts) on a
 * copy of the same database, in turn. Then Trivet alone: the cost of each request for Trivet and PostgreSQL, how many responses it waits
 * for, and how many of its transactions PostgreSQL refused. BENCH_OUT names a file for all of it as JSON, which bench/scale-model.ts reads.
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

const idTokenOf = (n: number): string =>
  run('dev', 'id-token', '--email', `${n}@example.org`, '--public-url', 'http://localhost');

/** Initial sessions: one for each connection. */
async function signIns(server: Server, idTokens: readonly string[]): Promise<readonly Tokens[]> {
  const all: Tokens[] = [];
  for (const idToken of idTokens)
    all.push((await post(server, authenticatePath, signInBody(idToken))) as Tokens);
  return all;
}

const sidOf = ({ refreshToken }: Tokens): string =>
  (JSON.parse(Buffer.from(refreshToken.split('.')[1] ?? '', 'base64url').toString()) as { sid: string }).sid;

/** The texts around the state of each CTA, for the hand-written program. */
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

/** A copy of the database under another name. No connection to it may be open. */
async function copyOf(name: string): Promise<string> {
  const original = new URL(url).pathname.slice(1);
  const client = new SQL(postgres.url, { max: 1 });
  await client.unsafe(`CREATE DATABASE ${name} TEMPLATE ${original}`);
  await client.end();
  const copy = new URL(url);
  copy.pathname = `/${name}`;
  return copy.href;
}

/** Bytes that one entry of the audit log takes, with its indexes. */
async function auditEntryBytes(): Promise<number> {
  const client = new SQL(url, { max: 1 });
  const [row] = (await client`
    SELECT pg_total_relation_size('auth_audit')::float8 / count(*) AS bytes FROM auth_audit`) as [
    { bytes: number },
  ];
  await client.end();
  return row.bytes;
}

const servers: Server[] = [];
const [oneMinute = 0] = loadavg();
try {
  const first = await serve(url);
  const authorization = `Bearer ${run('token', 'create', '--email', 'b@example.org', '--name', 'bench')}`;
  const testIds = await fill(first, authorization, { url, users });
  const idTokens = Array.from({ length: connections }, (_, n) => idTokenOf(n));
  const tokens = await signIns(first, idTokens);
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
  const app = appRequests(users);
  const tools = toolCalls(authorization, testIds);
  const scenarios: readonly Scenario[] = [
    { title: 'launch', shooters: both(app.launches), promised: 0.6 },
    { title: 'launch that merges', shooters: both(app.merges), promised: 0.6 },
    { title: 'delta', shooters: both(app.deltas), promised: 0.6 },
    { title: 'first delta of a new user', shooters: both(app.firstDeltas) },
    { title: 'refresh', shooters: [refreshes, refreshing(theirs)], promised: 0.5 },
    { title: 'run-update-test-status, one result', shooters: both(tools.reporting), promised: 0.6 },
    { title: 'get-tests, a page of 20', shooters: both(tools.paging), promised: 0.5 },
  ];
  const { held, compared } = await compare(ours, byHand, 'by hand', scenarios);
  process.exitCode = held ? 0 : 1;
  // The first access tokens expire after 15 minutes.
  const fresh = await signIns(ours, idTokens);
  for (const server of servers.splice(0)) server.stop();
  const costs = await costsOf(
    [
      ...scenarios.map(({ title, shooters }) => [title, shooters[0]] as const),
      ['verify', verifying(fresh)],
      ['authenticate', authenticating(idTokens)],
      ['create-test', tools.creating],
    ],
    url,
    serve,
  );
  printCosts(costs);
  const { BENCH_OUT: out } = process.env;
  if (out !== undefined) {
    const measurement: Measurement = {
      measuredAt: new Date().toISOString().slice(0, 10),
      machine: {
        cores: availableParallelism(),
        model: cpus()[0]?.model ?? '',
        memoryGb: Math.round(totalmem() / 1e9),
        loadBefore: oneMinute,
        loadAfter: loadavg()[0] ?? 0,
      },
      users,
      connections,
      roundSeconds,
      auditEntryBytes: await auditEntryBytes(),
      compared,
      ...costs,
    };
    const short = (_: string, value: unknown) =>
      typeof value === 'number' ? Number(value.toPrecision(4)) : value;
    writeFileSync(out, `${JSON.stringify(measurement, short, 2)}\n`);
  }
} finally {
  for (const server of servers) server.stop();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
