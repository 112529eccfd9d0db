import { join } from 'node:path';
import { load, median, type Measured, type Shooter } from './load.ts';

/** Compares two servers with the same responses, in turn, in one run: the ratio matters, not the speed of this machine. */
const rounds = 5;
export const roundSeconds = Number(process.env['BENCH_SECONDS'] ?? 2);

export const trivet = join(import.meta.dir, '..', 'dist', 'trivet');

export interface Server {
  readonly origin: string;
  readonly pid: number;
  /** Settled when the process has ended. */
  readonly ended: Promise<number>;
  stop(): void;
}

/** Starts a server and waits for the line with its address. @throws with its output when it ends before. */
export async function started(command: readonly string[]): Promise<Server> {
  const child = Bun.spawn([...command], {
    stdout: 'ignore',
    stderr: 'pipe',
    env: { PATH: process.env['PATH'] ?? '' },
  });
  let said = '';
  for await (const chunk of child.stderr) {
    said += new TextDecoder().decode(chunk);
    const origin = /listening on (http:\S+)/.exec(said)?.[1];
    if (origin) return { origin, pid: child.pid, ended: child.exited, stop: () => child.kill() };
  }
  throw new Error(`${command.join(' ')} ended: ${said}`);
}

/** A personal access token of an administrator of the data in this directory. */
export function tokenFor(directory: string): string {
  const words = ['token', 'create', '--email', 'b@example.org', '--name', 'bench', '--data', directory];
  const made = Bun.spawnSync([trivet, ...words]);
  if (!made.success) throw new Error(`trivet ${words.join(' ')}: ${made.stderr.toString()}`);
  return made.stdout.toString().trim();
}

export interface Scenario {
  readonly title: string;
  /** Each server has its own, because responses of one are useless to the other. */
  readonly shooters: readonly [Shooter, Shooter];
  /** The minimum promised ratio of requests per second. */
  readonly promised?: number;
}

/** The result of a scenario: the medians of Trivet and of the ratios. */
export interface Compared {
  readonly title: string;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Requests per second of Trivet, divided by the other's. */
  readonly ratio: number;
  readonly promised: number | null;
}

export interface Comparison {
  /** Whether every promise held. */
  readonly held: boolean;
  readonly compared: readonly Compared[];
}

const line = (...cells: readonly string[]) =>
  process.stdout.write(`${cells.map((cell) => cell.padStart(14)).join('')}\n`);

/** Runs the scenarios and prints medians and ratios. */
export async function compare(
  ours: Server,
  theirs: Server,
  name: string,
  scenarios: readonly Scenario[],
): Promise<Comparison> {
  process.stdout.write(
    `medians of ${rounds} rounds of ${roundSeconds} s, 16 connections, ratio = Trivet / ${name}\n\n`,
  );
  let held = true;
  const compared: Compared[] = [];
  for (const { title, shooters, promised } of scenarios) {
    const [ourShooter, theirShooter] = shooters;
    const pairs: Array<readonly [Measured, Measured]> = [];
    await load(ours.origin, ours.pid, ourShooter, roundSeconds / 2);
    await load(theirs.origin, theirs.pid, theirShooter, roundSeconds / 2);
    for (let round = 0; round < rounds; round++) {
      const a = await load(ours.origin, ours.pid, ourShooter, roundSeconds);
      const b = await load(theirs.origin, theirs.pid, theirShooter, roundSeconds);
      pairs.push([a, b]);
    }
    process.stdout.write(`${title}\n`);
    line('', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs');
    for (const [who, side] of [
      ['Trivet', 0],
      [name, 1],
    ] as const) {
      const of = (key: keyof Measured) => median(pairs.map((pair) => pair[side][key]));
      line(
        who,
        of('perSecond').toFixed(0),
        of('p50').toFixed(2),
        of('p99').toFixed(2),
        of('cpuMicros').toFixed(0),
      );
    }
    const ratio = (key: keyof Measured) => median(pairs.map(([a, b]) => a[key] / b[key]));
    line(
      'ratio',
      ratio('perSecond').toFixed(2),
      ratio('p50').toFixed(2),
      ratio('p99').toFixed(2),
      ratio('cpuMicros').toFixed(2),
    );
    if (promised !== undefined) {
      const kept = ratio('perSecond') >= promised;
      held &&= kept;
      process.stdout.write(`${''.padStart(8)}promised ≥ ${promised}: ${kept ? 'held' : 'NOT HELD'}\n`);
    }
    process.stdout.write('\n');
    const ofTrivet = (key: keyof Measured) => median(pairs.map(([a]) => a[key]));
    compared.push({
      title,
      perSecond: ofTrivet('perSecond'),
      p99: ofTrivet('p99'),
      ratio: ratio('perSecond'),
      promised: promised ?? null,
    });
  }
  return { held, compared };
}
