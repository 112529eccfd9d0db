import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServed, type Served } from '../served.ts';
import { ran } from '../verify/scale.ts';
import { checkmateRoutes } from './freeze-checkmate.ts';
import { importRequests } from './freeze-imports.ts';
import { worst } from './freeze-operations.ts';
import { routes } from './freeze-routes.ts';
import { hostileUploads } from './freeze-uploads.ts';
import { makeWorld, type World } from './freeze-world.ts';

/*
 * One request must not stop the others (docs/decisions/time.md). While each operation and route runs its worst accepted input, another
 * process requests /healthz every 5 ms, on a kept connection and on new ones: no response may take longer than 100 ms. The memory of each
 * request is checked as well. Streams that nobody reads: test/console/streams.test.ts.
 *
 * Other work on the machine delays responses too, so a slow case is run again: a real freeze occurs every time.
 *
 * Mutation note: seen to fail when nextTurn does not wait, when the body is not scanned, and when create-run is one statement.
 */
const limitMs = 100;
const attempts = 4;
/** Resident memory that a request may add in excess of ten times its body: the runtime keeps it for later requests. */
const slackMiB = 200;

interface Seen {
  readonly count: number;
  readonly failed: number;
  readonly p50: number;
  readonly max: number;
}

let served: Served;
let world: World;
let look: () => Promise<Seen>;
let stopProbe: () => void;
beforeAll(async () => {
  served = await startServed({ args: ['--guests', '--rate-guest', '0', '--checkmate-api'] });
  world = await makeWorld(served);
  const probe = Bun.spawn([process.execPath, join(import.meta.dir, 'probe.ts'), served.running.origin], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  stopProbe = () => probe.kill();
  const lines = probe.stdout.pipeThrough(new TextDecoderStream()).getReader();
  look = async () => {
    probe.stdin.write('\n');
    await probe.stdin.flush();
    let text = '';
    while (!text.endsWith('\n')) text += (await lines.read()).value ?? '\n';
    return JSON.parse(text) as Seen;
  };
  await Bun.sleep(1_000);
  const idle = await look();
  process.stdout.write(`figure: idle: p50 ${idle.p50.toFixed(1)} ms, longest ${idle.max.toFixed(1)} ms\n`);
}, 600_000);
afterAll(async () => {
  stopProbe();
  await served.running.stop();
  const slowest = [...longest].toSorted(([, a], [, b]) => b - a).slice(0, 8);
  process.stdout.write(
    `figure: longest wait: ${slowest.map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`).join('; ')}\n`,
  );
  ran(
    longest.size,
    `operations and routes with their worst input; /healthz waited at most ${(slowest[0]?.[1] ?? 0).toFixed(0)} ms`,
  );
});

const longest = new Map<string, number>();

const residentMiB = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${served.running.pid}/status`, 'utf8'))?.[1] ?? NaN) /
  1024;

/** Runs a request until it delays the others little enough, at most four times. @returns the wait in the best attempt. */
async function quick(
  name: string,
  bodyBytes: number,
  request: (attempt: number) => Promise<void>,
): Promise<void> {
  let best = Infinity;
  let memory = Infinity;
  for (let attempt = 0; attempt < attempts && (best > limitMs || memory > slackMiB); attempt++) {
    await look();
    const before = residentMiB();
    await request(attempt);
    const seen = await look();
    expect(seen.failed).toBe(0);
    best = Math.min(best, seen.max);
    memory = Math.min(memory, residentMiB() - before - (10 * bodyBytes) / 2 ** 20);
  }
  longest.set(name, best);
  expect({ name, waited: best <= limitMs ? 'at most 100 ms' : `${best.toFixed(0)} ms` }).toEqual({
    name,
    waited: 'at most 100 ms',
  });
  expect({ name, memory: memory <= slackMiB ? 'bounded' : `${memory.toFixed(0)} MiB more` }).toEqual({
    name,
    memory: 'bounded',
  });
}

describe('no operation holds up the others', () => {
  test('each has its worst input', async () => {
    const response = await fetch(`${served.running.origin}/api/tools`, {
      headers: { authorization: `Bearer ${served.token}` },
    });
    const { tools } = (await response.json()) as { tools: Array<{ name: string }> };
    expect(Object.keys(worst).toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  });

  test.each(Object.entries(worst))(
    '%s',
    async (name, { args, before, refused }) => {
      const input = await args(world, 0);
      const send = async (attempt: number, body: string) => {
        const response = await fetch(`${served.running.origin}/api/tools/${name}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' },
          body,
        });
        const bytes = await response.arrayBuffer();
        const text = response.status === 200 ? '' : Buffer.from(bytes).toString('utf8').slice(0, 500);
        if (refused) expect(response.status).toBeLessThan(500);
        else expect([name, attempt, response.status, text]).toEqual([name, attempt, 200, '']);
      };
      await quick(name, JSON.stringify(input).length, async (attempt) => {
        await before?.(served, world, attempt);
        const body = JSON.stringify(await args(world, attempt));
        await look();
        await send(attempt, body);
      });
    },
    300_000,
  );
});

test.each([
  ['route', () => [...routes(world), ...hostileUploads()]],
  ['route of the API of Checkmate', () => checkmateRoutes(world)],
  ['file of tests to import', () => importRequests(world)],
] as const)(
  'no %s does, and no body that is refused',
  async (_what, requests) => {
    for (const { name, path, method, body, headers, status } of requests() as ReturnType<typeof routes>) {
      await quick(name, body?.length ?? 0, async () => {
        const response = await fetch(`${served.running.origin}${path}`, {
          method: method ?? (body === undefined ? 'GET' : 'POST'),
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...(path.startsWith('/cta') ? {} : { authorization: `Bearer ${served.token}` }),
            ...headers,
          },
          ...(body === undefined ? {} : { body }),
        });
        const text = await response.text();
        // The answer says why, where another status was expected.
        expect([name, response.status, response.status === status ? '' : text.slice(0, 500)]).toEqual([
          name,
          status,
          '',
        ]);
      });
    }
  },
  600_000,
);
