import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PathCost } from './scale-cost.ts';
import {
  assumptions,
  estimate,
  peakOf,
  type Estimate,
  type Machine,
  type Measurement,
} from './scale-estimate.ts';
import { keptMeasurement, provenanceOf, tablesOf } from './scale-model.ts';
import { limitsOf, nextWalls, oneEventLoop, wallsOf, whereWallsStand } from './scale-walls.ts';

/*
 * Checks the arithmetic of docs/scaling.md, "How far it goes", with numbers that can be verified by hand, and that the page contains the
 * tables that the script prints.
 *
 * Mutation note: seen to fail with another burst, with waits left out of the connections, with a wall left out, and with one number of the
 * page changed.
 */
const path = (title: string, more: Partial<PathCost> = {}): PathCost => ({
  title,
  perSecond: 1_000,
  p99: 10,
  trivetMicros: 100,
  postgresMicros: 40,
  waits: 1,
  statements: 1,
  transactions: 1,
  writes: 0,
  walBytes: 0,
  walPages: 0,
  walFlushes: 0,
  refused: 0,
  ...more,
});

const result = 'run-update-test-status, one result';
const titles = [...Object.keys(assumptions.perUser), ...Object.keys(assumptions.perDeveloper)];
const measured = (changed: Readonly<Record<string, Partial<PathCost>>> = {}): Measurement => ({
  measuredAt: '2026-01-01',
  machine: { cores: 2, model: 'test', memoryGb: 8, loadBefore: 0, loadAfter: 0 },
  postgres: '18',
  users: 1,
  connections: 16,
  roundSeconds: 1,
  auditEntryBytes: 200,
  flushMicros: 1_000,
  compared: [],
  paths: titles.map((title) => path(title, changed[title])),
});

const machine: Machine = {
  title: 'test',
  cores: 4,
  memoryGb: 16,
  diskGb: 1_000,
  flushMs: 1,
  logMbPerSecond: 100,
  maxConnections: 103,
};

/** Each user sends 15.03 requests a day, each developer 1,210; the busiest second has a ten-thousandth of the day's requests. */
const cases: ReadonlyArray<readonly [string, number, (of: Estimate) => number, number]> = [
  ['requests of 10,000,000 users and 2,000 developers', 1e7, ({ requests }) => requests, 15_272],
  ['requests of 1,000 users and the 5 developers that are always there', 1_000, (of) => of.requests, 2.108],
  ['requests that apps send without a token', 1e7, ({ appRequests }) => appRequests, 9_010],
  ['cores: 15,272 requests of 100 µs', 1e7, ({ trivetCores }) => trivetCores, 1.5272],
  ['processes: no core above 60 %', 1e7, ({ processes }) => processes, 3],
  ['processes of few users', 1_000, ({ processes }) => processes, 1],
  ['cores of PostgreSQL: 15,272 requests of 40 µs', 1e7, ({ postgresCores }) => postgresCores, 0.61088],
  ['commits: only deltas write', 1e7, ({ commits }) => commits, 5_000],
  ['commits that share a flush of 1 ms', 1e7, ({ commitsPerFlush }) => commitsPerFlush, 5],
  ['commits of few users share none', 1_000, ({ commitsPerFlush }) => commitsPerFlush, 1],
  // 15,272 × 0.1 ms of service, 5,000 × 1.5 ms for the flush, 5,000 × 1 more round trip; half of the time in use.
  ['connections without distance', 1e7, ({ connections }) => connections(0), Math.ceil((1.5272 + 7.5) / 0.5)],
  [
    'connections 1 ms away',
    1e7,
    ({ connections }) => connections(1),
    Math.ceil((1.5272 + 7.5 + 20.272) / 0.5),
  ],
  ['connections of few users', 1, ({ connections }) => connections(0), 1],
  ['log: 5,000 deltas of 4,000 bytes and a quarter of a page', 1e7, (of) => of.logMbPerSecond, 30.24],
  ['log of a day', 1e7, ({ logGbPerDay }) => logGbPerDay, 302.4],
  ['states kept', 1e7, ({ states }) => states, 1e8],
  ['bytes of states', 1e7, ({ stateGb }) => stateGb, 78.5],
  ['bytes of their index', 1e7, ({ stateIndexGb }) => stateIndexGb, 7.2],
  ['audit log of a year', 1e7, ({ auditGbPerYear }) => auditGbPerYear, (42_220_000 * 365 * 200) / 1e9],
  ['writes of a day', 1e7, ({ writesPerDay }) => writesPerDay, 5e7],
];

test.each(cases)('%s', (_, users, of, expected) => {
  const deltasWrite = measured({ delta: { writes: 1, waits: 2, walBytes: 4_000, walPages: 0.75 } });
  expect(of(estimate(deltasWrite, users, machine))).toBeCloseTo(expected, 6);
});

test('the busiest second has three times the mean of an hour with 12 % of the day', () => {
  expect(peakOf(10_000)).toBeCloseTo(1, 9);
});

test('the row of one run is locked while its result is written and flushed', () => {
  // 200 results a second, a fifth of them in one run: 40 × (0.1 ms + 1.5 ms).
  const { runLocked } = estimate(measured({ [result]: { writes: 1 } }), 1e7, machine);
  expect(runLocked).toBeCloseTo(40 * 0.0016, 9);
});

/** Each entry makes one resource scarce; the model must then report it as the first wall. */
const scarce: ReadonlyArray<readonly [string, Partial<PathCost>, Partial<Machine>]> = [
  [oneEventLoop, { trivetMicros: 50_000 }, {}],
  ["PostgreSQL's CPU", { postgresMicros: 50_000 }, {}],
  ['connections, 1 ms away', { waits: 500 }, {}],
  ['bytes of the log', { walBytes: 1_000_000 }, {}],
  // With many connections; otherwise the connections that wait for the flushes are the wall.
  ['the row of one run', { writes: 1 }, { flushMs: 10_000, maxConnections: 1e9 }],
  ['disk: states, a year of the audit log', {}, { diskGb: 0.1 }],
  ['memory: the index of states in half of it', {}, { memoryGb: 0.001 }],
];

test.each(scarce)('first wall: %s', (name, cost, less) => {
  const changed = measured(Object.fromEntries(titles.map((title) => [title, cost])));
  expect(nextWalls(changed, estimate(changed, 1, { ...machine, ...less }))[0]?.name).toBe(name);
});

test('one event loop is no wall where several processes are needed', () => {
  const slow = measured({ launch: { trivetMicros: 10_000 } });
  const of = estimate(slow, 1e7, machine);
  expect(of.processes).toBeGreaterThan(1);
  expect(nextWalls(slow, of).map(({ name }) => name)).not.toContain(oneEventLoop);
});

test('a wall stands where its resource becomes full', () => {
  const writing = measured({ delta: { writes: 1, walBytes: 4_000 }, [result]: { writes: 1 } });
  for (const walls of [wallsOf, limitsOf]) {
    const usedAt = (users: number) => walls(estimate(writing, users, machine)).map(({ used }) => used);
    for (const [index, { name, users }] of whereWallsStand(writing, machine, walls).entries()) {
      if (users === null) throw new Error(`${name} is never full`);
      expect(usedAt(users * 0.99)[index], name).toBeLessThan(1);
      expect(usedAt(users * 1.01)[index], name).toBeGreaterThanOrEqual(1);
    }
  }
});

test('a limit of each process is not reached where the process is full before', () => {
  // Apps send 9.01 of the 15.272 requests. A process that needs 100 µs for each handles 6,000 a second, one that needs 1 ms handles 600.
  const tenant = (trivetMicros: number) => {
    const each = measured(Object.fromEntries(titles.map((title) => [title, { trivetMicros }])));
    return whereWallsStand(each, machine, limitsOf)[0]?.users;
  };
  expect((tenant(100) ?? 0) / (2_000 / 9.01e-4)).toBeCloseTo(1, 2);
  expect(tenant(1_000)).toBeNull();
});

test('a measurement without a path is refused by its name', () => {
  const { paths, ...rest } = measured();
  const without = { ...rest, paths: paths.filter(({ title }) => title !== 'refresh') };
  expect(() => estimate(without, 1, machine)).toThrow(
    'The measurement has no path "refresh": run npm run bench:scale again.',
  );
});

test('the page has the tables that the script prints from the kept measurement', async () => {
  const page = readFileSync(join(import.meta.dir, '..', 'docs', 'scaling.md'), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith('How far it goes\n'));
  const shown = section?.split('\n\n').filter((block) => block.startsWith('|'));
  const kept = (await Bun.file(keptMeasurement).json()) as Measurement;
  expect(section?.replaceAll(/\s+/g, ' ')).toContain(provenanceOf(kept));
  expect(shown?.map((table) => table.trimEnd())).toEqual([...tablesOf(kept)]);
});
