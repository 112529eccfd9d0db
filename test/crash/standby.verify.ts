import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { cpSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, runTrivet, serveTrivet, type Running } from '../executable.ts';
import { startS3 } from '../s3-server.ts';
import { startServed, unlimited } from '../served.ts';
import { temporaryDirectory } from '../temporary.ts';
import { ran, randomFrom, scaled, seed } from '../verify/scale.ts';

/*
 * A standby takes over by `trivet promote` under load, while the other server was killed, stands still and goes on later, cannot reach the
 * target, or serves as if nothing happened. Clients write to both all the time. No write is acknowledged by the old one after the new one
 * has acknowledged its first, and what was acknowledged early enough is there. Then the standby is the server, and gets a standby.
 */
/** For each kind of target. */
const takeovers = scaled(3, 50);
const leaseSeconds = 2;
const random = randomFrom(seed);
const kinds = ['killed', 'paused', 'alive', 'cut off'] as const;
type Kind = (typeof kinds)[number];

/** The target, as one of the servers reaches it. */
interface Way {
  readonly args: readonly string[];
  cut(): void;
}

interface Place {
  /** A way of its own for each server. */
  way(): Way;
  stop(): Promise<void>;
}

async function bucket(): Promise<Place> {
  const s3 = await startS3();
  return {
    way: () => {
      let isCut = false;
      const keys = s3.behind(() => (isCut ? Promise.resolve(new Response('', { status: 503 })) : undefined));
      return { args: [s3.url, '--replicate-keys-file', keys], cut: () => (isCut = true) };
    },
    stop: () => s3.stop(),
  };
}

function directory(): Place {
  const real = temporaryDirectory('replica');
  let count = 0;
  const ways = temporaryDirectory('ways');
  return {
    way: () => {
      const link = join(ways, String(count++));
      symlinkSync(real, link);
      return {
        args: [`file://${link}`],
        cut: () => {
          renameSync(link, `${link}-before`);
          // Neither a directory nor a place where one could be made.
          writeFileSync(link, '');
        },
      };
    },
    stop: () => Promise.resolve(),
  };
}

interface Acknowledged {
  readonly name: string;
  readonly at: number;
}

/** Writes to a server until it is told to stop, whatever the server answers. @param acknowledged gets what was. */
async function write(
  origin: string,
  token: string,
  prefix: string,
  over: AbortSignal,
  acknowledged: Acknowledged[] = [],
): Promise<readonly Acknowledged[]> {
  for (let number = 0; !over.aborted; number++) {
    const name = `${prefix}-${number}`;
    const status = await create(origin, token, name);
    if (status === 200) acknowledged.push({ name, at: performance.now() });
    await Bun.sleep(status === 200 ? random.below(15) : 20);
  }
  return acknowledged;
}

async function create(origin: string, token: string, projectName: string): Promise<number> {
  try {
    const response = await fetch(`${origin}/api/tools/create-project`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ orgId: 1, projectName }),
      signal: AbortSignal.timeout(1_000),
    });
    await response.text();
    return response.status;
  } catch {
    return 0;
  }
}

/** Reads from a standby: it answers, and what it says never goes back. */
async function read(origin: string, token: string, over: AbortSignal): Promise<number> {
  let reads = 0;
  for (let last = 0; !over.aborted; reads++) {
    const response = await fetch(`${origin}/api/tools/get-projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ orgId: 1, limit: 1 }),
    });
    expect(response.status).toBe(200);
    const { total } = (await response.json()) as { total: number };
    expect(total).toBeGreaterThanOrEqual(last);
    last = total;
    await Bun.sleep(10);
  }
  return reads;
}

const namesIn = (data: string): ReadonlySet<string> => {
  const db = new Database(join(data, 'trivet.db'));
  try {
    expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    return new Set(
      db
        .query<{ name: string }, []>('SELECT name FROM testmgmt_projects')
        .all()
        .map(({ name }) => name),
    );
  } finally {
    db.close();
  }
};

/** Signals a server and its replicator: the machine. */
async function signal(pid: number, name: NodeJS.Signals): Promise<void> {
  const beside = (await Bun.$`pgrep -P ${pid}`.nothrow().quiet().text())
    .split('\n')
    .filter(Boolean)
    .map(Number);
  for (const one of [pid, ...beside])
    try {
      process.kill(one, name);
    } catch {
      // It has ended.
    }
}

interface Server {
  readonly data: string;
  readonly way: Way;
  readonly running: Running;
}

async function startStandby(place: Place, key: string): Promise<Server> {
  const data = join(temporaryDirectory('standby'), 'data');
  mkdirSync(data, { mode: 0o700 });
  cpSync(key, join(data, 'master.key'));
  const way = place.way();
  const running = await serveTrivet(compiled, [
    '--public-url',
    'http://localhost',
    ...unlimited,
    '--data',
    data,
    '--replicate-lease',
    String(leaseSeconds),
    '--follow',
    ...way.args,
  ]);
  return { data, way, running };
}

/** Brings the trouble. @returns the time from which on what was acknowledged may be lost; a function that ends the trouble. */
async function trouble(
  kind: Kind,
  { running, way }: Server,
): Promise<{ readonly safeUntil: number; end(): Promise<void> }> {
  const early = performance.now() - 2_000;
  switch (kind) {
    case 'killed':
      await signal(running.pid, 'SIGKILL');
      return { safeUntil: early, end: async () => {} };
    case 'paused':
      await signal(running.pid, 'SIGSTOP');
      return { safeUntil: early, end: () => signal(running.pid, 'SIGCONT') };
    case 'cut off':
      way.cut();
      return { safeUntil: early, end: async () => {} };
    case 'alive':
      return { safeUntil: Infinity, end: async () => {} };
  }
}

async function takeOver(
  kind: Kind,
  round: string,
  primary: Server,
  standby: Server,
  token: string,
): Promise<number> {
  const over = new AbortController();
  const reading = new AbortController();
  const old = write(primary.running.origin, token, `${round}-old`, over.signal);
  const reads = read(standby.running.origin, token, reading.signal);
  // What was acknowledged two seconds before a loss must be there, so for a loss there must be something.
  await Bun.sleep((kind === 'killed' ? 2_200 : 1_200) + random.below(600));
  reading.abort();
  expect(await reads).toBeGreaterThan(5);
  const { safeUntil, end } = await trouble(kind, primary);
  if (kind === 'paused' || kind === 'cut off') await Bun.sleep(random.below(300));
  const began = performance.now();
  const news: Acknowledged[] = [];
  const fresh = write(standby.running.origin, token, `${round}-new`, over.signal, news);
  const promoted = await runTrivet(compiled, [
    'promote',
    '--data',
    standby.data,
    '--replicate-lease',
    String(leaseSeconds),
    ...standby.way.args.slice(1),
  ]);
  const server = standby.running.stderr().split('\n').slice(-20);
  expect({ kind, ...promoted, server }).toMatchObject({ kind, exitCode: 0 });
  for (const limit = began + 10_000; news.length === 0 && performance.now() < limit;) await Bun.sleep(20);
  await Bun.sleep(200);
  // The old one goes on where it stood still, and is written to all the time.
  await end();
  await Bun.sleep(kind === 'paused' ? 800 : 50);
  over.abort();
  await fresh;
  const [first] = news;
  const lastOld = (await old).at(-1);
  expect(first).toBeDefined();
  // Two writers never at once.
  expect({ kind, overlap: Math.max(0, (lastOld?.at ?? 0) - (first?.at ?? 0)) }).toEqual({ kind, overlap: 0 });
  const names = namesIn(standby.data);
  const lost = (await old).filter(({ name, at }) => at < safeUntil && !names.has(name));
  expect({ kind, lost }).toEqual({ kind, lost: [] });
  expect(news.filter(({ name }) => !names.has(name))).toEqual([]);
  return (first?.at ?? Infinity) - began;
}

/** How long a takeover took. */
interface Taken {
  readonly kind: Kind;
  readonly ms: number;
}

async function follow(place: Place, first: readonly Kind[]): Promise<readonly Taken[]> {
  const way = place.way();
  const served = await startServed({
    args: ['--replicate-lease', String(leaseSeconds), '--replicate', ...way.args],
  });
  const key = join(served.data, 'master.key');
  let primary: Server = { data: served.data, way, running: served.running };
  const took: Taken[] = [];
  for (let round = 0; round < takeovers; round++) {
    const standby = await startStandby(place, key);
    const kind = first[round] ?? random.pick(kinds);
    took.push({ kind, ms: await takeOver(kind, String(round), primary, standby, served.token) });
    await primary.running.stop('SIGKILL');
    primary = standby;
  }
  await primary.running.stop();
  await place.stop();
  return took;
}

test(`${takeovers} takeovers of a standby under load, on a directory and on a bucket (SEED=${seed})`, async () => {
  const took = (
    await Promise.all([
      follow(directory(), ['killed', 'paused', 'alive']),
      follow(await bucket(), ['cut off', 'alive', 'paused']),
    ])
  ).flat();
  const secondsOf = (kind: Kind): string => {
    const all = took.flatMap((one) => (one.kind === kind ? [one.ms / 1000] : [])).toSorted((a, b) => a - b);
    return `${kind} ${all[Math.floor(all.length / 2)]?.toFixed(1)} s (${all.at(-1)?.toFixed(1)} at most)`;
  };
  ran(took.length, `takeovers of a standby: ${kinds.map(secondsOf).join(', ')}`);
  expect(Math.max(...took.map(({ ms }) => ms))).toBeLessThan(10_000);
}, 3_600_000);
