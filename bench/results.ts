import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { started, tokenFor, trivet } from './compare.ts';
import { median } from './load.ts';

/**
 * `npm run bench:results`: the waiting times of a pipeline. 10,000 cases uploaded into a project that knows them, as whole processes; a
 * year of nightly builds of 2,000 cases, as processes on a data directory and as uploads to a server; afterwards, the last 20 results of a
 * test.
 */
const directory = mkdtempSync(join(tmpdir(), 'trivet-bench-'));
let held = true;

function report(title: string, value: number, unit: string, promised?: number): void {
  const kept = promised === undefined || value <= promised;
  held &&= kept;
  const verdict = promised === undefined ? '' : `promised ≤ ${promised}: ${kept ? 'held' : 'NOT HELD'}`;
  process.stdout.write(`${title.padEnd(64)}${value.toFixed(2).padStart(9)} ${unit.padEnd(3)} ${verdict}\n`);
}

/** A JUnit file in which every twentieth case fails; the round determines which ones. */
function junit(cases: number, round: number): string {
  const suites: string[] = [];
  for (let from = 0; from < cases; from += 100) {
    const written = Array.from({ length: Math.min(100, cases - from) }, (_, index) => {
      const n = from + index;
      const failure =
        (n + round) % 20 === 0 ? `<failure message="expected ${n}">at foo.ts:${n}</failure>` : '';
      return `<testcase classname="suite${from}" name="does thing number ${n} as expected" time="${(n % 97) / 100}">${failure}</testcase>`;
    });
    suites.push(`<testsuite name="suite${from}.test.ts">${written.join('\n')}</testsuite>`);
  }
  return `<testsuites>${suites.join('\n')}</testsuites>`;
}

function file(name: string, cases: number, round: number): string {
  const path = join(directory, name);
  writeFileSync(path, junit(cases, round));
  return path;
}

/** The seconds and the megabytes of a whole process. */
function ran(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const since = performance.now();
  const child = Bun.spawnSync([trivet, ...args, '--data', directory], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  if (child.exitCode !== 0) throw new Error(child.stderr.toString());
  return { seconds: (performance.now() - since) / 1_000, megabytes: child.resourceUsage.maxRSS / 1e6 };
}

const create = (projectName: string) =>
  ran(['call', 'create-project', '-a', 'orgId=1', '-a', `projectName=${projectName}`]);

const results = (path: string, project: string, runKey: string) =>
  ran(['results', path, '--project', project, '--run-key', runKey, '--create', 'on', '--json']);

const nights = 365;

create('Large');
const large = [0, 1, 2].map((round) => file(`large-${round}.xml`, 10_000, round));
results(large[0] ?? '', 'Large', 'first');
const runs = Array.from({ length: 7 }, (_, n) => results(large[n % 3] ?? '', 'Large', `run ${n}`));
report(
  '10,000 cases into a project that has them, whole process',
  median(runs.map(({ seconds }) => seconds)),
  's',
  1,
);
report('  its memory', Math.max(...runs.map(({ megabytes }) => megabytes)), 'MB');

const nightly = [0, 1, 2].map((round) => file(`night-${round}.xml`, 2_000, round));
create('Year');
let since = performance.now();
for (let night = 0; night < nights; night++) results(nightly[night % 3] ?? '', 'Year', `night ${night}`);
report('365 × 2,000 results, a process for each', (performance.now() - since) / 1_000, 's', 60);

const server = await started([trivet, 'serve', '--port', '0', '--rate-tools=0', '--data', directory]);
const token = tokenFor(directory);
const headers = { authorization: `Bearer ${token}` };
create('Server');
const bodies = await Promise.all(nightly.map((path) => Bun.file(path).bytes()));
since = performance.now();
for (let night = 0; night < nights; night++) {
  const url = `${server.origin}/api/results?project=Server&create=true&runKey=night${night}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/xml' },
    body: bodies[night % 3] ?? new Uint8Array(),
  });
  if (response.status !== 200) throw new Error(await response.text());
  await response.arrayBuffer();
}
report('365 × 2,000 results, uploaded to a server', (performance.now() - since) / 1_000, 's', 60);

const asked = async (n: number) => {
  const begun = performance.now();
  const response = await fetch(`${server.origin}/api/tools/get-test-status-history`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ projectId: 2, testId: 10_001 + ((n * 37) % 2_000), limit: 20 }),
  });
  const { history } = (await response.json()) as { history: unknown[] };
  if (history.length !== 20) throw new Error(`${history.length} results`);
  return performance.now() - begun;
};
const waits: number[] = [];
for (let n = 0; n < 500; n++) waits.push(await asked(n));
report(
  'the last 20 results of a test after a year, p95',
  waits.toSorted((a, b) => a - b)[474] ?? 0,
  'ms',
  10,
);

await server.stop();
rmSync(directory, { recursive: true, force: true });
process.exitCode = held ? 0 : 1;
