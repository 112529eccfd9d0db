import { join } from 'node:path';
import { assumptions, estimate, type Estimate, type Machine, type Measurement } from './scale-estimate.ts';
import { farthestMs, limitsOf, nextWalls, whereWallsStand, type Stands } from './scale-walls.ts';

/**
 * The resources for 1,000, 100,000 and 10,000,000 daily users, computed from the measurements of bench/scale.ts; the tables of
 * docs/scaling.md.
 *
 * bun --no-env-file bench/scale-model.ts [file that BENCH_OUT named]
 */
export const keptMeasurement = join(import.meta.dir, 'scale-measured.json');

/** The assumed PostgreSQL machine for each number of daily users. */
export const sizes: ReadonlyArray<{ readonly users: number; readonly machine: Machine }> = [
  {
    users: 1_000,
    machine: {
      title: '1 core beside Trivet',
      cores: 1,
      memoryGb: 4,
      diskGb: 100,
      flushMs: 1,
      logMbPerSecond: 100,
      maxConnections: 100,
    },
  },
  {
    users: 100_000,
    machine: {
      title: '4 cores',
      cores: 4,
      memoryGb: 16,
      diskGb: 500,
      flushMs: 1,
      logMbPerSecond: 125,
      maxConnections: 100,
    },
  },
  {
    users: 10_000_000,
    machine: {
      title: '32 cores',
      cores: 32,
      memoryGb: 256,
      diskGb: 8_000,
      flushMs: 0.5,
      logMbPerSecond: 500,
      maxConnections: 500,
    },
  },
];

/** Two digits: more would suggest a precision that the arithmetic does not have. */
function short(value: number): string {
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(2));
  if (rounded < 0.01) return '< 0.01';
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** A Markdown table with column widths as Prettier makes them. */
function table(rows: ReadonlyArray<readonly string[]>): string {
  const [header = []] = rows;
  const widths = header.map((_, column) =>
    Math.max(3, ...rows.map((row) => Array.from(row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(header), rule, ...rows.slice(1).map(line)].join('\n');
}

function costs({ paths }: Measurement): string {
  return table([
    ['Request', 'Trivet, CPU', 'PostgreSQL, CPU', 'Waits', 'Commits', 'Log', 'Page images', 'A day and user'],
    ...paths.map((path) => [
      path.title,
      `${short(path.trivetMicros)} µs`,
      `${short(path.postgresMicros)} µs`,
      String(path.waits),
      path.writes < 0.05 ? '0' : short(path.writes),
      `${short(path.walBytes)} B`,
      path.walPages < 0.005 ? '0' : short(path.walPages),
      perDayOf(path.title),
    ]),
  ]);
}

function perDayOf(title: string): string {
  const { perUser, perDeveloper } = assumptions;
  const ofUser = new Map<string, number>(Object.entries(perUser)).get(title);
  const ofDeveloper = new Map<string, number>(Object.entries(perDeveloper)).get(title);
  if (ofUser !== undefined) return String(ofUser);
  return ofDeveloper === undefined ? '–' : `${ofDeveloper.toLocaleString('en-US')} a developer`;
}

const gigabytes = (gb: number) => (gb < 1_000 ? `${short(gb)} GB` : `${short(gb / 1_000)} TB`);

const standing = (stands: Stands | undefined) =>
  typeof stands?.users === 'number' ? short(stands.users) : 'not reached';

function needs(measured: Measurement, all: readonly Estimate[]): string {
  const rows: ReadonlyArray<readonly [string, (of: Estimate) => string]> = [
    ['requests a second', ({ requests }) => short(requests)],
    ['commits a second', ({ commits }) => short(commits)],
    ['cores busy with Trivet', ({ trivetCores }) => short(trivetCores)],
    ['**processes of Trivet**, and one to spare', ({ processes }) => `${processes} + 1`],
    ['cores busy with PostgreSQL', ({ postgresCores }) => short(postgresCores)],
    [
      '**cores of PostgreSQL**, 60 % busy',
      ({ postgresCores }) => String(Math.ceil(postgresCores / assumptions.coreFull)),
    ],
    ['connections, 0.2 ms away', ({ connections }) => short(connections(0.2))],
    [`connections, ${farthestMs} ms away`, ({ connections }) => short(connections(farthestMs))],
    ['log, MB a second', ({ logMbPerSecond }) => short(logMbPerSecond)],
    ['log, a day', ({ logGbPerDay }) => gigabytes(logGbPerDay)],
    ['commits that share a flush', ({ commitsPerFlush }) => short(commitsPerFlush)],
    ['states: table and indexes', ({ stateGb }) => gigabytes(stateGb)],
    ['their index alone', ({ stateIndexGb }) => gigabytes(stateIndexGb)],
    ['audit log, a year', ({ auditGbPerYear }) => gigabytes(auditGbPerYear)],
    [
      'PostgreSQL that is assumed',
      ({ machine: { title, memoryGb, diskGb } }) => `${title}, ${memoryGb} GB, disk ${gigabytes(diskGb)}`,
    ],
    [
      'its flush; its log; `max_connections`',
      ({ machine }) => `${machine.flushMs} ms; ${machine.logMbPerSecond} MB/s; ${machine.maxConnections}`,
    ],
    ['**the first wall**', (of) => nextWalls(measured, of)[0]?.name ?? ''],
    ['… stands at daily users', (of) => standing(nextWalls(measured, of)[0])],
    ['the second', (of) => nextWalls(measured, of)[1]?.name ?? ''],
    ['… at daily users', (of) => standing(nextWalls(measured, of)[1])],
  ];
  return table([
    ['Daily users', ...all.map(({ users }) => users.toLocaleString('en-US'))],
    ...rows.map(([title, of]) => [title, ...all.map(of)]),
  ]);
}

function walls(title: string, columns: ReadonlyArray<readonly Stands[]>): string {
  const [first = []] = columns;
  return table([
    [title, ...sizes.map(({ machine }) => machine.title), 'Then'],
    ...first.map(({ name, remedy }, index) => [
      name,
      ...columns.map((column) => standing(column[index])),
      remedy,
    ]),
  ]);
}

/** The tables of docs/scaling.md, in page order. @throws when the measurement lacks a path. */
export function tablesOf(measured: Measurement): readonly string[] {
  const all = sizes.map(({ users, machine }) => estimate(measured, users, machine));
  const onEach = (of?: typeof limitsOf) => sizes.map(({ machine }) => whereWallsStand(measured, machine, of));
  return [
    costs(measured),
    needs(measured, all),
    walls('Full at daily users', onEach()),
    walls('Default, reached at daily users of one tenant', onEach(limitsOf)),
  ];
}

/** The date and place of the measurement, as one sentence of docs/scaling.md. */
export function provenanceOf(measured: Measurement): string {
  const { machine, measuredAt, postgres, flushMicros, users, roundSeconds } = measured;
  return (
    `Measured on ${measuredAt} on ${machine.cores} cores (${machine.model}), load ${machine.loadBefore} before and ${machine.loadAfter} after it, ` +
    `PostgreSQL ${postgres}, ${users.toLocaleString('en-US')} states, rounds of ${roundSeconds} s, ` +
    `${short(flushMicros)} µs for a flush of the log.`
  );
}

if (import.meta.main) {
  const [file = keptMeasurement] = process.argv.slice(2);
  const measured = (await Bun.file(file).json()) as Measurement;
  process.stdout.write(`${provenanceOf(measured)}\n\n`);
  process.stdout.write(`${tablesOf(measured).join('\n\n')}\n`);
}
