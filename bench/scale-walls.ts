import { assumptions, estimate, type Estimate, type Machine, type Measurement } from './scale-estimate.ts';

/** A resource that is exhausted at some number of users. */
export interface Wall {
  readonly name: string;
  /** The share in use at the peak; from 1 on it is exhausted. */
  readonly used: number;
  readonly remedy: string;
}

/** The round-trip time in milliseconds between Trivet and PostgreSQL for which connections are counted. */
export const farthestMs = 1;

/** Additional processes remove it, so it is the first wall only for a single process. */
export const oneEventLoop = 'one event loop (one process)';

/** The capacity of one PostgreSQL on the given machine, and of one process. */
export function wallsOf(of: Estimate): readonly Wall[] {
  const a = assumptions;
  const { machine } = of;
  const connections = machine.maxConnections - a.reservedConnections;
  return [
    {
      name: oneEventLoop,
      used: of.trivetCores / a.coreFull,
      remedy: 'more processes; more machines for them',
    },
    {
      name: "PostgreSQL's CPU",
      used: of.postgresCores / a.coreFull / machine.cores,
      remedy: 'more cores; then `cta_user_states` spread by user',
    },
    {
      name: 'connections, 1 ms away',
      used: of.connections(farthestMs) / connections,
      remedy: 'a pooler (`--database-pooler`), a larger `max_connections`',
    },
    {
      name: 'bytes of the log',
      used: of.logMbPerSecond / machine.logMbPerSecond,
      remedy: 'a larger `max_wal_size`: fewer checkpoints, fewer page images; a faster disk',
    },
    {
      name: 'flushes of the log',
      used: (of.commits * a.flushesOfCommit * machine.flushMs) / 1e3 / connections,
      remedy: 'a disk with a faster flush; more connections, as one flush takes all that wait',
    },
    {
      name: 'the row of one run',
      used: of.runLocked,
      remedy: 'up to 5,000 results in one call; a run for each pipeline',
    },
    {
      name: 'disk: states, a year of the audit log',
      used: (of.stateGb + of.auditGbPerYear) / machine.diskGb,
      remedy: '`--audit-keep`; a larger disk',
    },
    {
      name: 'memory: the index of states in half of it',
      used: of.stateIndexGb / (machine.memoryGb / 2),
      remedy: 'more memory; then `cta_user_states` spread by user',
    },
    {
      name: 'vacuum for transaction numbers',
      used:
        (of.states * a.vacuumHoursPerState) /
        ((24 * a.transactionsUntilVacuum) / Math.max(1, of.writesPerDay)),
      remedy: 'the settings of autovacuum above; then partitions',
    },
    {
      name: 'daily count of states',
      used: of.states / a.statesCountedPerDay,
      remedy: 'shorter `--cta-state-keep`',
    },
  ];
}

/** Default settings that limit users on purpose, with all apps in one tenant. */
export function limitsOf(of: Estimate): readonly Wall[] {
  const a = assumptions;
  return [
    {
      name: '`--rate-cta-tenant`, of each process',
      used: of.appRequests / of.processes / a.tenantRequestsPerSecond,
      remedy: 'raise it, or 0',
    },
    {
      name: '`--rate-cta`, of each process, behind a proxy without `--trusted-proxies`',
      used: of.appRequests / of.processes / a.addressRequestsPerSecond,
      remedy: 'name the proxies',
    },
    {
      name: '`--cta-state-quota`',
      used: (of.states * a.stateTextBytes) / a.stateQuotaBytes,
      remedy: 'raise it, or 0',
    },
    {
      name: '`--database-connections` of all processes and one to spare',
      used:
        ((of.processes + 1) * a.connectionsOfProcess) / (of.machine.maxConnections - a.reservedConnections),
      remedy: 'lower it, or a pooler',
    },
  ];
}

export interface Stands {
  readonly name: string;
  readonly remedy: string;
  /** Daily users at which it is exhausted; null: not below 10¹². */
  readonly users: number | null;
}

/** The daily users at which each wall is reached on this machine, found by bisection: the first users do not add developers. */
export function whereWallsStand(
  measured: Measurement,
  machine: Machine,
  walls: (of: Estimate) => readonly Wall[] = wallsOf,
): readonly Stands[] {
  const at = (users: number) => walls(estimate(measured, users, machine));
  return at(1).map(({ name, remedy }, index) => {
    const isFull = (users: number) => (at(users)[index]?.used ?? 0) >= 1;
    let [enough, tooMany] = [1, 1e12];
    if (!isFull(tooMany)) return { name, remedy, users: null };
    while (tooMany / enough > 1.001) {
      const between = Math.sqrt(enough * tooMany);
      if (isFull(between)) tooMany = between;
      else enough = between;
    }
    return { name, remedy, users: enough };
  });
}

/** The walls that this many users reach as they grow, first one first. */
export function nextWalls(measured: Measurement, { machine, processes }: Estimate): readonly Stands[] {
  return whereWallsStand(measured, machine)
    .filter(({ name }) => processes === 1 || name !== oneEventLoop)
    .toSorted((one, other) => (one.users ?? Infinity) - (other.users ?? Infinity));
}
