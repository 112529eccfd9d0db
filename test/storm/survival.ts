import { expect } from 'bun:test';
import { deltaWriter, sessionWriter, testWriter, type Writer } from '../crash/writers.ts';
import type { Running } from '../executable.ts';
import { reach, type Reached } from '../served.ts';
import { randomFrom, seed } from '../verify/scale.ts';
import { badLines, serve, until, watched, type Answers, type Installation } from './watched.ts';

/** The sum of the limits below, plus the delays of a loaded machine: no response may take longer. */
export const boundMs = 4_500;
const limits = [
  ['--database-timeout', '2'],
  ['--database-lock-timeout', '1'],
  ['--database-pool-timeout', '1'],
].flat();

export interface World {
  readonly running: Running;
  readonly clients: Reached;
  readonly answers: Answers;
}

/** One kind of misbehaviour, and its repair. */
export interface Case {
  /** How the process reaches its database, as command-line arguments. */
  readonly database: () => Promise<readonly string[]>;
  readonly breaks: (world: World) => Promise<void> | void;
  readonly repairs: (world: World) => Promise<void> | void;
  /** Runs while the database is broken. */
  readonly meanwhile?: (world: World) => Promise<void>;
  /** The log line that names the fault. */
  readonly says: RegExp;
  /** `false` when the server can still answer most requests. */
  readonly unready?: boolean;
}

let used = 0;

async function writersOf(clients: Reached, { ctaId }: Installation): Promise<readonly Writer[]> {
  const name = String(++used);
  const random = randomFrom(seed);
  return [
    await testWriter(clients, random, `project-${name}`),
    deltaWriter(clients, ctaId, name, Date.now),
    await sessionWriter(clients, `session ${name}`),
  ];
}

/**
 * Runs a case from a healthy database back to a healthy one.
 * @returns the milliseconds from the repair until every writer had written again.
 */
export async function survives(installation: Installation, one: Case): Promise<number> {
  const running = await serve(installation, [...limits, ...(await one.database())]);
  // A failed case must not keep the connections that the next one needs.
  return await lived(installation, one, running).finally(() => running.stop('SIGKILL'));
}

async function lived(
  installation: Installation,
  { breaks, repairs, meanwhile, says, unready = true }: Case,
  running: Running,
): Promise<number> {
  const { clients, answers } = watched(reach(() => running.origin, installation));
  const world = { running, clients, answers };
  const writers = await writersOf(clients, installation);
  let stopped = false;
  const writing = Promise.all(
    writers.map((writer) => writer.write(() => stopped, { persistent: true, restMs: 15 })),
  );
  const progress = () => writers.map(({ acknowledged }) => acknowledged);
  await until('all writers write', 15_000, () => progress().every((count) => count > 5));

  await breaks(world);
  try {
    if (unready)
      await until(
        'it says that it is not ready',
        3 * boundMs,
        async () => (await clients.get('/readyz')).status === 503,
      );
    answers.reset();
    await (meanwhile ? meanwhile(world) : Bun.sleep(500));
  } finally {
    // A fault that remains, e.g. a locked table, would fail the next cases as well, and hide which case caused it.
    await repairs(world);
  }
  const before = progress();
  const backMs = await until('all writers write again', 15_000, () =>
    progress().every((count, index) => count > (before[index] ?? 0)),
  );
  const readyMs = await until(
    'it says that it is ready',
    10_000,
    async () => (await clients.get('/readyz')).status === 200,
  );
  stopped = true;
  await writing;
  process.stdout.write(`figure: back ${Math.round(backMs)} ms, ready ${Math.round(readyMs)} ms later\n`);

  expect(answers.faults).toEqual([]);
  expect(answers.longestMs).toBeLessThan(boundMs);
  expect((await Promise.all(writers.map((writer) => writer.verify()))).flat()).toEqual([]);
  const stderr = running.stderr();
  expect(stderr).toMatch(says);
  expect(badLines(stderr)).toEqual([]);
  // A waiting client must not fill the disk with log lines.
  expect(stderr.split('\n').length).toBeLessThan(60);
  expect(await running.stop()).toBe(0);
  return backMs;
}
