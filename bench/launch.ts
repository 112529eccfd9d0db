import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, started, tokenFor, trivet, type Server } from './compare.ts';
import { load, median, type Shooter } from './load.ts';

/**
 * `npm run bench:launch`: 500 live CTAs, of which a client is eligible for 40, and 1,000,000 users with stored state. App launch without
 * change, launch that merges, deltas, and events of an app: against a hand-written program (bench/launch-by-hand.ts) that reads and writes the same row and
 * returns the same bytes. Then the same launches among 1,000 users, which shows the cost of the million.
 */
const live = 500;
const eligible = 40;
const many = Number(process.env['BENCH_USERS'] ?? 1_000_000);
const few = 1_000;
const directory = mkdtempSync(join(tmpdir(), 'trivet-bench-'));
const settings = ['--data', directory, '--rate-tools', '0', '--rate-cta', '0', '--rate-cta-tenant', '0'];
const serve = () => started([trivet, 'serve', '--port', '0', ...settings]);

const client = { api_version: '1', package_name: 'app.one', app_version: '2.0.0' };

/** The CTAs of one tenant, live; a client of app.one 2.0.0 is eligible for the first 40. */
async function makeCtas({ origin }: Server): Promise<void> {
  const authorization = `Bearer ${tokenFor(directory)}`;
  const call = async (tool: string, args: object) => {
    const response = await fetch(`${origin}/api/tools/${tool}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { ctaId: string };
  };
  for (let i = 1; i <= live; i++) {
    const targeting =
      i <= eligible
        ? { packageNames: ['app.one', 'app.two'] }
        : i % 2 === 0
          ? { packageNames: ['app.other'] }
          : { appVersions: { min: '3.0.0' } };
    const rule = {
      ...targeting,
      priority: i,
      stateTransition: {
        cart_viewed: { 0: [{ transitionTo: '1' }] },
        closed: { 1: [{ transitionTo: '2' }] },
      },
      stateToAction: { 1: 'show' },
      resetStates: ['2'],
      actions: [
        { actionId: 'show', type: 'POPUP', template: { title: `Offer ${i}`, body: 'x'.repeat(200) } },
      ],
      frequency: { lifeSpan: { limit: 3 }, session: { limit: 1 } },
    };
    const { ctaId } = await call('create-cta', { name: `Offer ${i}`, rule });
    await call('set-cta-status', { ctaId, status: 'LIVE' });
  }
}

const begunAt = Date.now() - 86_400_000;
const machine = (at: number) => ({ currentState: '1', lastTransitionAt: at, createdAt: begunAt });

/** The state of a user who has met five of the CTAs, as Trivet stores it. */
const stateOf = (user: number) =>
  JSON.stringify({
    version: 2,
    ctas: Object.fromEntries(
      [0, 7, 14, 21, 28].map((step) => [
        String(((user + step) % eligible) + 1),
        {
          machines: { default: machine(begunAt + step) },
          resetAt: { marks: [] },
          actionDoneAt: { marks: [begunAt + step] },
        },
      ]),
    ),
    tags: {},
  });

/** Adds users, starting with `from`, to the tables of both programs. */
function addUsers(from: number, to: number): void {
  for (const [file, table] of [
    ['trivet.db', 'cta_user_states'],
    ['by-hand.db', 'states'],
  ] as const) {
    const db = new Database(join(directory, file), { create: true });
    db.run('PRAGMA busy_timeout = 60000');
    db.run('PRAGMA journal_mode = WAL');
    db.run('PRAGMA synchronous = OFF');
    db.run(
      'CREATE TABLE IF NOT EXISTS states (tenant_id text NOT NULL, user_id text NOT NULL, state text NOT NULL, updated_at integer NOT NULL, PRIMARY KEY (tenant_id, user_id))',
    );
    const insert = db.query(
      `INSERT INTO ${table} (tenant_id, user_id, state, updated_at) VALUES ('default', ?, ?, ?)`,
    );
    for (let at = from; at < to; at += 50_000) {
      db.run('BEGIN IMMEDIATE');
      for (let user = at; user < Math.min(to, at + 50_000); user++)
        insert.run(String(user), stateOf(user), begunAt);
      db.run('COMMIT');
    }
    db.run('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
  }
}

/** Spread over all users, so that a cache with the same few users does not help. */
const userOf = (n: number, users: number) => (n * 2_654_435_761) % users;
const launchPath = '/cta/active/state-machines/';
const headersOf = (user: number) => ({ 'auth-userid': String(user), ...client });
const changed = (n: number) =>
  JSON.stringify({
    ctas: [{ ctaId: String((n % eligible) + 1), activeStateMachines: { default: machine(Date.now()) } }],
  });

const launches = (users: number): Shooter => ({
  shot: (n) => ({ path: launchPath, headers: headersOf(userOf(n, users)), body: '{}' }),
});
const merges = (users: number): Shooter => ({
  shot: (n) => ({ path: launchPath, headers: headersOf(userOf(n, users)), body: changed(n) }),
});
const deltas = (users: number): Shooter => ({
  shot: (n) => ({
    path: '/cta/state-machines/snapshot/delta/',
    headers: headersOf(userOf(n, users)),
    body: changed(n),
  }),
});

/** A CTA that the user has met, in the state that is stored: only times change, and a stamp if it is new. */
const stamps = (users: number, isNew: boolean): Shooter => ({
  shot: (n) => {
    const [user, now] = [userOf(n, users), Date.now()];
    const cta = {
      ctaId: String((user % eligible) + 1),
      activeStateMachines: { default: machine(now) },
      actionDoneAt: isNew ? [begunAt, now] : [begunAt],
    };
    return {
      path: '/cta/state-machines/snapshot/delta/',
      headers: headersOf(user),
      body: JSON.stringify({ ctas: [cta] }),
    };
  },
});
/** What an app reports of one showing. */
const reports = (users: number): Shooter => ({
  shot: (n) => {
    const [user, at] = [userOf(n, users), Date.now()];
    const ctaId = String((n % eligible) + 1);
    const events = ['impression', 'click'].map((type) => ({ id: `${type}-${n}-${at}`, type, ctaId, at }));
    return { path: '/cta/events/', headers: headersOf(user), body: JSON.stringify({ events }) };
  },
});

async function launchOf(server: Server, user: number): Promise<string> {
  const response = await fetch(`${server.origin}${launchPath}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headersOf(user) },
    body: '{}',
  });
  return response.text();
}

/** The texts around the state of each CTA, for the hand-written program. */
async function launchParts(server: Server): Promise<string> {
  const { data } = JSON.parse(await launchOf(server, many + 1)) as {
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

const servers: Server[] = [];
try {
  const first = await serve();
  await makeCtas(first);
  addUsers(0, few);
  const parts = await launchParts(first);
  const byHandCommand = [process.execPath, join(import.meta.dir, 'launch-by-hand.ts'), directory, parts];

  const latency = async (server: Server, users: number) => {
    const medians: number[] = [];
    await load(server.origin, server.pid, launches(users), 1);
    for (let round = 0; round < 5; round++) {
      const { p50, p99 } = await load(server.origin, server.pid, launches(users), 1);
      medians.push(p50);
      process.stdout.write(`  ${users} users: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms\n`);
    }
    return median(medians);
  };
  process.stdout.write('app launch, nothing changed, 16 connections\n');
  const amongFew = await latency(first, few);
  first.stop();

  addUsers(few, many);
  const ours = await serve();
  const byHand = await started(byHandCommand);
  servers.push(ours, byHand);
  for (const user of [0, 1, 77, many - 1, many + 5]) {
    if ((await launchOf(ours, user)) !== (await launchOf(byHand, user)))
      throw new Error(`the answers for ${user} differ`);
  }
  const amongMany = await latency(ours, many);
  const share = amongMany / amongFew;
  const flat = share <= 1.2;
  process.stdout.write(`  ratio ${share.toFixed(2)}, promised ≤ 1.2: ${flat ? 'held' : 'NOT HELD'}\n\n`);

  const both = (shooter: Shooter) => [shooter, shooter] as const;
  const { held } = await compare(ours, byHand, 'by hand', [
    { title: 'app launch, nothing changed', shooters: both(launches(many)), promised: 0.6 },
    { title: 'app launch that merges', shooters: both(merges(many)), promised: 0.6 },
    { title: 'delta', shooters: both(deltas(many)), promised: 0.6 },
    { title: 'delta without new stamps', shooters: both(stamps(many, false)), promised: 0.6 },
    { title: 'delta with a new stamp', shooters: both(stamps(many, true)), promised: 0.6 },
    { title: 'an impression and a click', shooters: both(reports(many)), promised: 0.6 },
  ]);
  process.exitCode = held && flat ? 0 : 1;
} finally {
  for (const server of servers) server.stop();
  rmSync(directory, { recursive: true, force: true });
}
