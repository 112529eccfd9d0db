import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { started, trivet } from './compare.ts';
import { median } from './load.ts';

/*
 * The time until Trivet is usable, compared with another executable of it: `npm run bench:start -- PATH/OF/trivet`. The two take turns, so
 * that other work of the machine affects both. Medians show what a user sees, minima the cost of the code.
 */
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 41);

type Run = (executable: string, data: string) => Promise<void>;

interface Scenario {
  readonly title: string;
  /** The maximum promised ratio to 0.1.0 (docs/decisions/start.md). */
  readonly promised: number;
  readonly run: Run;
}

const environment = { PATH: process.env['PATH'] ?? '' };

/** Runs a command until it ends. @throws unless it ends with 0. */
async function toTheEnd(command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { stdout: 'pipe', stderr: 'ignore', env: environment });
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`);
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

/** Starts MCP on stdio and waits for the response to `initialize`. */
const toInitialize: Run = async (executable, data) => {
  const child = Bun.spawn([executable, '--mcp', '--data', data], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
    env: environment,
  });
  child.stdin.write(`${JSON.stringify(initialize)}\n`);
  child.stdin.flush();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  if (!new TextDecoder().decode(value).includes('"serverInfo"')) throw new Error('initialize has no answer');
  later.push(async () => {
    child.stdin.end();
    await child.exited;
  });
};

/** Starts a server, waits for the line with its address, and checks its health. */
const toHealthy: Run = async (executable, data) => {
  const server = await started([executable, 'serve', '--port', '0', '--data', data]);
  const { status } = await fetch(`${server.origin}/healthz`);
  if (status !== 200) throw new Error(`/healthz answers ${status}`);
  later.push(async () => {
    server.stop();
    await server.ended;
  });
};

/** Ends the processes of a run after its time was taken. */
const later: Array<() => Promise<void>> = [];

const scenarios: readonly Scenario[] = [
  { title: '--version', promised: 0.2, run: (executable) => toTheEnd([executable, '--version']) },
  {
    title: 'call',
    promised: 0.6,
    run: (executable, data) => toTheEnd([executable, 'call', 'get-orgs-list', '--data', data]),
  },
  { title: '--mcp to initialize', promised: 0.65, run: toInitialize },
  { title: 'serve to /healthz', promised: 0.6, run: toHealthy },
];

const line = (...cells: readonly string[]) =>
  process.stdout.write(
    `${(cells[0] ?? '').padEnd(22)}${cells
      .slice(1)
      .map((cell) => cell.padStart(12))
      .join('')}\n`,
  );
const shown = (number: number) => number.toFixed(number < 10 ? 2 : 1);

async function main(other: string): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), 'trivet-start-'));
  const sides = await Promise.all(
    [trivet, other].map(async (executable, index) => {
      const data = join(directory, String(index));
      // Each has its own database, because their versions may differ.
      await toTheEnd([
        executable,
        'token',
        'create',
        '--email',
        'b@example.org',
        '--name',
        'bench',
        '--data',
        data,
      ]);
      return { executable, data };
    }),
  );
  line(`${rounds} rounds`, 'ms', 'least', 'other ms', 'least', 'ratio', 'of least', 'promised');
  let held = true;
  try {
    for (const { title, promised, run } of scenarios) {
      const times = sides.map((): number[] => []);
      // The first round fills the page cache.
      for (let round = -1; round < rounds; round++) {
        for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
          const side = sides[index];
          if (!side) continue;
          const began = performance.now();
          await run(side.executable, side.data);
          const took = performance.now() - began;
          for (const end of later.splice(0)) await end();
          if (round >= 0) times[index]?.push(took);
        }
      }
      const [ours = [], theirs = []] = times;
      const [ratio, ofLeast] = [median(ours) / median(theirs), Math.min(...ours) / Math.min(...theirs)];
      held &&= ratio <= promised;
      line(
        title,
        ...[
          median(ours),
          Math.min(...ours),
          median(theirs),
          Math.min(...theirs),
          ratio,
          ofLeast,
          promised,
        ].map(shown),
      );
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return held;
}

const [other] = process.argv.slice(2);
if (other === undefined) {
  process.stderr.write('Name the other executable: npm run bench:start -- PATH/OF/trivet\n');
  process.exitCode = 64;
} else if (!(await main(other))) process.exitCode = 1;
