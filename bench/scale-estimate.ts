import type { Compared } from './compare.ts';
import type { Costs, PathCost } from './scale-cost.ts';

/** The output of one run of bench/scale.ts in BENCH_OUT. */
export interface Measurement extends Costs {
  readonly measuredAt: string;
  readonly machine: {
    readonly cores: number;
    readonly model: string;
    readonly memoryGb: number;
    /** The one-minute load average before the start and at the end; it is two or three on a quiet machine. */
    readonly loadBefore: number;
    readonly loadAfter: number;
  };
  /** The number of users with a state. */
  readonly users: number;
  readonly connections: number;
  /** The length of each round. */
  readonly roundSeconds: number;
  /** Bytes of one entry of the audit log, with its indexes. */
  readonly auditEntryBytes: number;
  readonly compared: readonly Compared[];
}

/** Assumptions about people, and the utilization at which a resource counts as full. */
export const assumptions = {
  /** Requests a day, by the title of the measured path. */
  perUser: {
    launch: 3,
    'launch that merges': 1,
    delta: 5,
    'first delta of a new user': 0.01,
    refresh: 4,
    verify: 2,
    authenticate: 0.02,
  },
  /** Tool calls a day per developer, including agents and pipelines. */
  perDeveloper: {
    'run-update-test-status, one result': 1_000,
    'get-tests, a page of 20': 200,
    'create-test': 10,
  },
  usersPerDeveloper: 5_000,
  fewestDevelopers: 5,
  /** Requests that apps send without a token; the limit of a tenant counts them. */
  ofApps: ['launch', 'launch that merges', 'delta', 'first delta of a new user'],
  /** Requests that add an entry to the audit log. */
  audited: ['refresh', 'authenticate', 'run-update-test-status, one result', 'create-test'],
  /** The share of a day's requests in its busiest hour, and the ratio of its busiest minute to that hour's mean. */
  busiestHour: 0.12,
  burst: 3,
  /** The share of all single results that belong to one run. */
  busiestRun: 0.2,
  /** Users with a stored state (kept for 400 days) per daily user. */
  storedPerDaily: 10,
  /** The utilization at which a core or a connection counts as full: above it, requests wait for each other. */
  coreFull: 0.6,
  connectionFull: 0.5,
  /** A commit waits for the rest of the current flush, half of one on average, and for the next one, which includes it. */
  flushesOfCommit: 1.5,
  pageBytes: 8_192,
  /**
   * From docs/scaling.md, "What 10⁹ user states cost": bytes of a state with versions to be removed, in the table and its index; of its
   * text.
   */
  stateBytes: 785,
  stateIndexBytes: 72,
  stateTextBytes: 437,
  /**
   * From the same section: hours of a vacuum of 10⁹ states with the default limits; the number of transactions after which one is forced.
   */
  vacuumHoursPerState: 4.8 / 1e9,
  transactionsUntilVacuum: 200_000_000,
  /** 250 chunks of 200 states in each run of the upkeep, every 10 s (modules/cta/user-states/state-upkeep.ts). */
  statesCountedPerDay: 250 * 200 * 8_640,
  /** Defaults of settings. */
  tenantRequestsPerSecond: 120_000 / 60,
  addressRequestsPerSecond: 30_000 / 60,
  stateQuotaBytes: 4_096 * 2 ** 20,
  connectionsOfProcess: 10,
  reservedConnections: 3,
} as const;

/** A machine for PostgreSQL. */
export interface Machine {
  readonly title: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly diskGb: number;
  /** Milliseconds of one flush of its log. */
  readonly flushMs: number;
  readonly logMbPerSecond: number;
  readonly maxConnections: number;
}

export interface Estimate {
  readonly users: number;
  readonly machine: Machine;
  /** Per second at the peak. */
  readonly requests: number;
  readonly appRequests: number;
  readonly commits: number;
  /** Cores in use at the peak. */
  readonly trivetCores: number;
  readonly postgresCores: number;
  /** Event loops, each on its own core, none above `coreFull`; without a spare one. */
  readonly processes: number;
  /** Connections that all processes need, by the round-trip time in milliseconds between Trivet and PostgreSQL. */
  readonly connections: (roundTripMs: number) => number;
  readonly logMbPerSecond: number;
  readonly logGbPerDay: number;
  readonly commitsPerFlush: number;
  readonly states: number;
  readonly stateGb: number;
  readonly stateIndexGb: number;
  readonly auditGbPerYear: number;
  readonly writesPerDay: number;
  /** The share of time in which the row of the busiest run is locked. */
  readonly runLocked: number;
}

interface Flow {
  readonly path: PathCost;
  readonly perDay: number;
}

/** Requests a day of each path. @throws when the measurement lacks a path. */
function flowsOf(measured: Measurement, users: number): readonly Flow[] {
  const { perUser, perDeveloper, usersPerDeveloper, fewestDevelopers } = assumptions;
  const developers = Math.max(fewestDevelopers, users / usersPerDeveloper);
  const daily = [
    ...Object.entries(perUser).map(([title, each]) => [title, each * users] as const),
    ...Object.entries(perDeveloper).map(([title, each]) => [title, each * developers] as const),
  ];
  return daily.map(([title, perDay]) => {
    const path = measured.paths.find((each) => each.title === title);
    if (!path) throw new Error(`The measurement has no path "${title}": run npm run bench:scale again.`);
    return { path, perDay };
  });
}

/** Requests per second in the busiest minute, given the requests per day. */
export const peakOf = (perDay: number): number =>
  (perDay * assumptions.busiestHour * assumptions.burst) / 3_600;

/**
 * The resources for this many daily users, computed from the cost of each request. Rates are those of the busiest minute.
 * @throws when the measurement lacks a path.
 */
export function estimate(measured: Measurement, users: number, machine: Machine): Estimate {
  const a = assumptions;
  const flows = flowsOf(measured, users);
  const daily = (of: (path: PathCost) => number) =>
    flows.reduce((sum, { path, perDay }) => sum + perDay * of(path), 0);
  const peak = (of: (path: PathCost) => number) => peakOf(daily(of));
  const isOneOf = (titles: readonly string[]) => (path: PathCost) => (titles.includes(path.title) ? 1 : 0);

  const commits = peak(({ writes }) => writes);
  const trivetCores = peak(({ trivetMicros }) => trivetMicros) / 1e6;
  // A request waits for others on a busy core (M/M/1): its own time divided by the idle share.
  const servedSeconds = (path: PathCost) => path.postgresMicros / 1e6 / (1 - a.coreFull);
  const flushedSeconds = (path: PathCost) => (path.writes * a.flushesOfCommit * machine.flushMs) / 1e3;
  // In a table larger than the measured one, each changed state is on a different page, whose image is logged as well.
  const logBytes = (path: PathCost) =>
    path.walBytes + isOneOf(a.ofApps)(path) * Math.max(0, path.writes - path.walPages) * a.pageBytes;
  const states = users * a.storedPerDaily;
  const flushSeconds = machine.flushMs / 1e3;
  return {
    users,
    machine,
    requests: peak(() => 1),
    appRequests: peak(isOneOf(a.ofApps)),
    commits,
    trivetCores,
    postgresCores: peak(({ postgresMicros }) => postgresMicros) / 1e6,
    processes: Math.max(1, Math.ceil(trivetCores / a.coreFull)),
    // Little's law: requests per second times the seconds that each holds a connection.
    connections: (roundTripMs) => {
      const held = peak(
        (path) => (path.waits * roundTripMs) / 1e3 + servedSeconds(path) + flushedSeconds(path),
      );
      return Math.max(1, Math.ceil(held / a.connectionFull));
    },
    logMbPerSecond: peak(logBytes) / 1e6,
    logGbPerDay: daily(logBytes) / 1e9,
    commitsPerFlush: Math.max(1, commits * flushSeconds),
    states,
    stateGb: (states * a.stateBytes) / 1e9,
    stateIndexGb: (states * a.stateIndexBytes) / 1e9,
    auditGbPerYear: (365 * daily(isOneOf(a.audited)) * measured.auditEntryBytes) / 1e9,
    writesPerDay: daily(({ writes }) => writes),
    runLocked: peak((path) =>
      path.title === 'run-update-test-status, one result'
        ? a.busiestRun * (servedSeconds(path) + flushedSeconds(path))
        : 0,
    ),
  };
}
