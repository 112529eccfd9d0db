import { startPostgresProxy, type PostgresProxy } from '../test/postgres-proxy.ts';
import { roundSeconds, type Server } from './compare.ts';
import { connections, load, median, type Measured, type Shooter } from './load.ts';
import { startMeter, type Meter, type Reading } from './scale-meter.ts';

/** One kind of request and its cost; all numbers except the rates are per request. */
export interface PathCost {
  readonly title: string;
  /** Requests per second with 16 connections, with Trivet, PostgreSQL and the client on this machine. */
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Microseconds of user and system time. */
  readonly trivetMicros: number;
  readonly postgresMicros: number;
  readonly waits: number;
  readonly statements: number;
  readonly transactions: number;
  /** Transactions that changed something. */
  readonly writes: number;
  readonly walBytes: number;
  readonly walPages: number;
  readonly walFlushes: number;
  /** Transactions that PostgreSQL refused with 16 connections, per request. */
  readonly refused: number;
}

export interface Costs {
  readonly postgres: string;
  /** Microseconds of one flush of the log, on average. */
  readonly flushMicros: number;
  readonly paths: readonly PathCost[];
}

type Path = readonly [title: string, shooter: Shooter];
const rounds = 3;

/**
 * Measures each path separately: first the resources of Trivet and PostgreSQL, then, through a proxy that reads the protocol, how many
 * responses a request waits for, and how many of its transactions PostgreSQL refused.
 * @param serve starts Trivet over the database of this URL, or over a proxy in front of it.
 */
export async function costsOf(
  paths: readonly Path[],
  database: string,
  serve: (url: string) => Promise<Server>,
): Promise<Costs> {
  const meter = await startMeter(database);
  const direct = await serve(database);
  const used: Used[] = [];
  for (const [, shooter] of paths) used.push(await usedBy(direct, shooter, meter));
  direct.stop();
  await meter.stop();

  const slow = await startPostgresProxy(database, { delayMs: 2 });
  const alone = await serve(slow.url);
  const fast = await startPostgresProxy(database);
  const busy = await serve(fast.url);
  const costs: PathCost[] = [];
  for (const [index, [title, shooter]] of paths.entries()) {
    const cost = used[index];
    if (!cost) throw new Error(`${title} was not measured`);
    const { requests, spent } = cost;
    const least = await leastWaits(alone, shooter, slow);
    fast.reset();
    const under = await load(busy.origin, busy.pid, shooter, roundSeconds);
    costs.push({
      title,
      perSecond: cost.perSecond,
      p99: cost.p99,
      trivetMicros: cost.trivetMicros,
      postgresMicros: spent.cpuMicros / requests,
      ...least,
      transactions: spent.transactions / requests,
      writes: spent.writes / requests,
      walBytes: spent.walBytes / requests,
      walPages: spent.walPages / requests,
      walFlushes: spent.walFlushes / requests,
      refused: fast.counted().retried / under.requests,
    });
  }
  for (const server of [alone, busy]) server.stop();
  for (const proxy of [slow, fast]) proxy.stop();
  const sum = (key: keyof Reading) => used.reduce((total, { spent }) => total + spent[key], 0);
  return { postgres: meter.version, flushMicros: sum('walFlushMicros') / sum('walFlushes'), paths: costs };
}

interface Used {
  readonly requests: number;
  readonly perSecond: number;
  readonly p99: number;
  readonly trivetMicros: number;
  readonly spent: Reading;
}

/** Rounds with a checkpoint before and after each, so that page images and the work of the checkpoint are counted. */
async function usedBy({ origin, pid }: Server, shooter: Shooter, meter: Meter): Promise<Used> {
  await load(origin, pid, shooter, roundSeconds / 2);
  await meter.checkpoint();
  await published(origin, pid, shooter);
  const before = await meter.read();
  const measured: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    measured.push(await load(origin, pid, shooter, roundSeconds));
    await meter.checkpoint();
  }
  const last = await published(origin, pid, shooter);
  const after = await meter.read();
  const counted = measured.reduce((total, { requests }) => total + requests, 0);
  const micros = measured.reduce((total, { cpuMicros, requests }) => total + cpuMicros * requests, 0);
  return {
    requests: counted + last.requests,
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    p99: median(measured.map(({ p99 }) => p99)),
    trivetMicros: micros / counted,
    spent: difference(after, before),
  };
}

/**
 * A PostgreSQL process adds its counts to the statistics when a transaction ends, but at most once a second (pgstat.c,
 * PGSTAT_MIN_INTERVAL). So each connection gets another request a second later.
 */
async function published(origin: string, pid: number, shooter: Shooter): Promise<Measured> {
  await Bun.sleep(1_200);
  return load(origin, pid, shooter, 0, connections);
}

const difference = (after: Reading, before: Reading): Reading => ({
  cpuMicros: after.cpuMicros - before.cpuMicros,
  walBytes: after.walBytes - before.walBytes,
  walPages: after.walPages - before.walPages,
  walFlushes: after.walFlushes - before.walFlushes,
  walFlushMicros: after.walFlushMicros - before.walFlushMicros,
  transactions: after.transactions - before.transactions,
  writes: after.writes - before.writes,
});

/** The minimum of twenty single requests with delayed responses: other requests prepare statements or coincide with a background job. */
async function leastWaits({ origin, pid }: Server, shooter: Shooter, proxy: PostgresProxy) {
  await load(origin, pid, shooter, 1, 1);
  let least = { waits: Number.POSITIVE_INFINITY, statements: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 20; round++) {
    proxy.reset();
    await load(origin, pid, shooter, 0, 1);
    const { waits, statements } = proxy.counted();
    if (waits < least.waits || (waits === least.waits && statements < least.statements))
      least = { waits, statements };
  }
  return least;
}

const cells = (row: readonly string[]) =>
  process.stdout.write(
    `${row.map((cell, index) => (index === 0 ? cell.padEnd(38) : cell.padStart(12))).join('')}\n`,
  );

export function printCosts({ paths, flushMicros }: Costs): void {
  cells([
    '',
    'requests/s',
    'Trivet µs',
    'PostgreSQL µs',
    'waits',
    'statements',
    'writes',
    'WAL bytes',
    'page images',
    'flushes',
    'refused %',
  ]);
  for (const path of paths)
    cells([
      path.title,
      path.perSecond.toFixed(0),
      path.trivetMicros.toFixed(0),
      path.postgresMicros.toFixed(0),
      String(path.waits),
      String(path.statements),
      path.writes.toFixed(2),
      path.walBytes.toFixed(0),
      path.walPages.toFixed(2),
      path.walFlushes.toFixed(2),
      (100 * path.refused).toFixed(2),
    ]);
  process.stdout.write(`one flush of the log: ${flushMicros.toFixed(0)} µs\n`);
}
