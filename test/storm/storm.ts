import { compiled, runTrivet, type Running } from '../executable.ts';
import { deltaWriter, sessionWriter, testWriter, type Writer } from '../crash/writers.ts';
import { makeServer, type PostgresServer } from '../postgres-server.ts';
import { createDatabase } from '../postgres.ts';
import { launchPath, reach, type Reached } from '../served.ts';
import { randomFrom, seed } from '../verify/scale.ts';
import { startPgBouncer, type PgBouncer } from './pgbouncer.ts';
import { primarySettings, promote, replicaOf } from './replica.ts';
import { badLines, install, masterKey, serve, until, watched, type Answers } from './watched.ts';

export interface StormPlan {
  readonly seconds: number;
  readonly killEverySeconds: number;
  /** Puts a PgBouncer in transaction mode in front of each server. */
  readonly pooler: boolean;
}

export interface StormResult {
  readonly acknowledged: number;
  readonly kills: number;
  readonly restarts: number;
  /** The time from the end of the promotion until a write of each process was acknowledged. */
  readonly backMs: number;
  /** All differences from the acknowledged data, one sentence each. */
  readonly problems: readonly string[];
  readonly answers: Answers;
}

const processes = 4;
const writersPerArea = 4;

/**
 * Four processes behind a balancer that distributes requests in turn, over a primary with a replica. Simulated apps launch, write deltas
 * and refresh, and tools are called. Meanwhile one process after the other is killed and restarted, and the primary is restarted, lost and
 * replaced by its replica, which is restarted as well.
 */
export async function storm({ seconds, killEverySeconds, pooler }: StormPlan): Promise<StormResult> {
  const settings = [...primarySettings, 'max_connections = 120'];
  const primary = await makeServer(settings);
  await primary.start();
  const plain = await createDatabase(primary.url);
  const name = new URL(plain).pathname.slice(1);
  const installation = await install(plain);
  const replica = await replicaOf(primary, settings);
  const bouncers = pooler ? [await startPgBouncer(primary), await startPgBouncer(replica)] : [];
  const hosts = (pooler ? bouncers : [primary, replica]).map(({ port }) => `127.0.0.1:${port}`);
  const database = ['--database', `postgres://postgres@${hosts.join(',')}/${name}`];
  if (pooler) database.push('--database-pooler');

  const fleet = await startFleet(() => serve(installation, database));
  const { clients, answers } = watched(reach(fleet.next, installation));
  const state = { over: false };
  const writers: Writer[] = [];
  const write = async (writer: Writer) => {
    writers.push(writer);
    await writer.write(() => state.over, { persistent: true, restMs: 5 });
  };
  const random = randomFrom(seed);
  const work: Promise<unknown>[] = [];
  for (let number = 1; number <= writersPerArea; number++) {
    work.push(write(await testWriter(clients, random, `project-${number}`)));
    work.push(write(await sessionWriter(clients, `session ${number}`)));
    // One user sends a bounded number of deltas; then the next user follows.
    work.push(
      (async () => {
        for (let user = number; !state.over; user += writersPerArea)
          await write(deltaWriter(clients, installation.ctaId, String(user), Date.now));
      })(),
    );
    work.push(launches(clients, () => state.over));
  }

  const killing = fleet.killOneEvery(killEverySeconds * 1000);
  const at = async (part: number, act: () => Promise<void>) => {
    await Bun.sleep(Math.max(0, startedAt + part * seconds * 1000 - performance.now()));
    await act();
  };
  const startedAt = performance.now();
  const restart = async (server: PostgresServer) => {
    await server.stop();
    await server.start();
  };
  let backMs = 0;
  await at(0.2, () => restart(primary));
  await at(0.5, async () => {
    await primary.stop('kill');
    await promote(replica);
    backMs = await fleet.allServe((running) => reach(() => running.origin, installation), installation.ctaId);
  });
  await at(0.8, () => restart(replica));
  await at(1, () => killing.stop());
  state.over = true;
  await Promise.all(work);

  const problems = (await Promise.all(writers.map((writer) => writer.verify()))).flat();
  problems.push(...badLines(fleet.stderr()));
  await fleet.stop();
  const doctor = await runTrivet(compiled, ['doctor', '--database', replica.url.replace(/postgres$/, name)], {
    env: masterKey,
  });
  if (doctor.exitCode !== 0) problems.push(`doctor: ${doctor.stdout}`);
  await end(bouncers, [primary, replica]);
  return {
    acknowledged: writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    kills: killing.kills(),
    restarts: 2,
    backMs,
    problems: [...problems, ...answers.faults],
    answers,
  };
}

/** Apps that only launch, each time as another user. */
async function launches(clients: Reached, stopped: () => boolean): Promise<void> {
  for (let user = 1_000_000; !stopped(); user++) {
    const headers = { 'auth-userid': String(user), api_version: '1' };
    await clients.post(launchPath, {}, headers).catch(() => {});
    await Bun.sleep(10);
  }
}

async function end(bouncers: readonly PgBouncer[], servers: readonly PostgresServer[]): Promise<void> {
  for (const bouncer of bouncers) await bouncer.stop();
  for (const server of servers) await server.remove();
}

/** @param start starts one process; while the database is unavailable it fails, and is retried. */
async function startFleet(start: () => Promise<Running>) {
  const slots: Array<Running | undefined> = await Promise.all(Array.from({ length: processes }, start));
  const gone: Running[] = [];
  const state = { stopped: false };
  let turn = 0;
  const next = (): string => {
    for (let tries = 0; tries < processes; tries++) {
      const running = slots[turn++ % processes];
      if (running) return running.origin;
    }
    return 'http://127.0.0.1:1';
  };
  const replace = async (slot: number) => {
    const victim = slots[slot];
    if (!victim) return;
    slots[slot] = undefined;
    gone.push(victim);
    await victim.stop('SIGKILL');
    while (!state.stopped && !slots[slot])
      slots[slot] = await start().catch(() => Bun.sleep(200).then(() => undefined));
  };
  return {
    next,
    killOneEvery: (everyMs: number) => {
      let kills = 0;
      const replacing: Promise<void>[] = [];
      const timer = setInterval(() => replacing.push(replace(kills++ % processes)), everyMs);
      return {
        kills: () => kills,
        stop: async () => {
          clearInterval(timer);
          await Promise.all(replacing);
        },
      };
    },
    /** @returns the milliseconds until a write of each process was acknowledged. */
    allServe: async (reached: (running: Running) => Reached, ctaId: string): Promise<number> => {
      const serving = new Set<number>();
      return until('all processes serve', 60_000, async () => {
        await Promise.all(
          slots.map(async (running, slot) => {
            if (!running || serving.has(slot)) return;
            const writer = deltaWriter(reached(running), ctaId, String(2_000_000 + slot), Date.now);
            await writer.write(() => writer.acknowledged > 0, { restMs: 1 });
            if (writer.acknowledged > 0) serving.add(slot);
          }),
        );
        return serving.size === processes;
      });
    },
    stderr: () => [...slots, ...gone].map((running) => running?.stderr() ?? '').join('\n'),
    stop: async () => {
      state.stopped = true;
      await Promise.all(slots.map((running) => running?.stop()));
    },
  };
}
