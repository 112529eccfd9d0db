import { existsSync } from 'node:fs';
import { startPostgres } from '../postgres.ts';

/**
 * `npm run verify` (minutes, for every change) and `npm run verify:nightly` (an hour): suites that take longer than a test may. Arguments
 * select suites by path. Ends with a summary of what ran and how much.
 */
interface Suite {
  readonly path: string;
  readonly engines: ReadonlyArray<'sqlite' | 'postgres'>;
  /** It needs something that not every machine has; the suite gives the reason. */
  readonly nightlyOnly?: true;
}

/** Suites that measure time: they run alone, after the others. */
const measures = new Set(['./test/hardening/freeze.verify.ts', './test/load/load.verify.ts']);
/** The number of other suites that run concurrently: they wait for disks and processes more than they compute. */
const workers = 4;

const lastCharacters = 6_000;

const both = ['sqlite', 'postgres'] as const;
const suites: readonly Suite[] = [
  // It waits for slow clients for more than a minute: begun first, the others run meanwhile.
  { path: './test/hardening/connections.verify.ts', engines: ['sqlite'] },
  { path: './test/crash/kill.verify.ts', engines: both },
  { path: './test/crash/recount.verify.ts', engines: both },
  { path: './test/crash/starved.verify.ts', engines: ['sqlite'] },
  { path: './test/crash/restore.verify.ts', engines: ['sqlite'] },
  { path: './test/crash/restored-files.verify.ts', engines: ['sqlite'] },
  { path: './test/crash/replicate.verify.ts', engines: ['sqlite'] },
  { path: './test/crash/replica-targets.verify.ts', engines: ['sqlite'], nightlyOnly: true },
  { path: './test/crash/standby.verify.ts', engines: ['sqlite'] },
  // It needs a PostgreSQL with pg_basebackup, and waits for a minute.
  { path: './test/crash/archived-log.verify.ts', engines: ['postgres'], nightlyOnly: true },
  { path: './test/crash/uploads.verify.ts', engines: ['sqlite'] },
  { path: './test/fuzz/http.verify.ts', engines: ['sqlite'] },
  { path: './test/fuzz/bytes.verify.ts', engines: ['sqlite'] },
  { path: './test/fuzz/command-line.verify.ts', engines: ['sqlite'] },
  { path: './test/hardening/freeze.verify.ts', engines: ['sqlite'] },
  { path: './test/histories/histories.verify.ts', engines: both },
  // It starts a process for each engine itself.
  { path: './test/engines/engines.verify.ts', engines: ['sqlite'] },
  { path: './modules/testmgmt/testing/query.verify.ts', engines: both },
  { path: './modules/testmgmt/testing/planning-query.verify.ts', engines: both },
  { path: './modules/testmgmt/testing/undo.verify.ts', engines: both },
  { path: './modules/testmgmt/result-files/testing/memory.verify.ts', engines: ['sqlite'] },
  { path: './test/transfer/transfer.verify.ts', engines: ['sqlite'] },
  { path: './test/storm/storm.verify.ts', engines: ['postgres'], nightlyOnly: true },
  { path: './test/proxy/rolling-restart.verify.ts', engines: ['sqlite'], nightlyOnly: true },
  { path: './test/load/load.verify.ts', engines: ['sqlite'] },
];

const nightly = process.argv.includes('--nightly');
const chosen = process.argv.slice(2).filter((word) => word !== '--nightly');

interface Run {
  readonly name: string;
  /** A summary of its work, one line each; null when it failed. */
  readonly lines: readonly string[] | null;
  readonly seconds: number;
  /** What it printed. */
  readonly output: string;
}

/** Runs a suite. Its output is printed as a whole, so that concurrent suites stay readable. */
async function runSuite({ path }: Suite, engine: string, postgres: string): Promise<Run> {
  const began = performance.now();
  const child = Bun.spawn([process.execPath, '--no-env-file', 'test', '--timeout=3600000', path], {
    env: {
      ...process.env,
      TRIVET_TEST_POSTGRES: postgres,
      TRIVET_TEST_ENGINE: engine,
      TRIVET_VERIFY: nightly ? 'nightly' : 'ci',
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [report, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const exitCode = await child.exited;
  const name = `${path} on ${engine}`;
  const output = `\n== ${name}\n${report}${errors}`;
  process.stdout.write(output);
  const seconds = Math.round((performance.now() - began) / 1000);
  const lines = report.split('\n').filter((line) => /^(?:ran|skipped:|figure:) /.test(line));
  return { name, lines: exitCode === 0 ? lines : null, seconds, output };
}

if (!existsSync('dist/trivet')) throw new Error('dist/trivet is missing: run npm run build first');
const startedAt = performance.now();
const postgres = await startPostgres();
const wanted = suites
  .filter(({ path, nightlyOnly = false }) => {
    if (nightlyOnly && !nightly) return false;
    return chosen.length === 0 || chosen.some((word) => path.includes(word));
  })
  .flatMap((suite) => suite.engines.map((engine) => ({ suite, engine })));
const [apart, together] = [true, false].map((alone) =>
  wanted.filter(({ suite }) => measures.has(suite.path) === alone),
) as [typeof wanted, typeof wanted];

const runs: Run[] = [];
const runNext = async (from: typeof wanted) => {
  for (let next = from.shift(); next !== undefined; next = from.shift())
    runs.push(await runSuite(next.suite, next.engine, postgres.url));
};
await Promise.all(Array.from({ length: workers }, () => runNext(together)));
await runNext(apart);

const done = runs.flatMap(({ lines }) => lines ?? []).map((line) => `  ${line}`);
// A suite without output has done nothing.
const failed = runs
  .filter(({ lines }) => !lines?.some((line) => line.startsWith('ran ')))
  .map(({ name, lines }) => (lines === null ? name : `${name}: ran nothing`));
await postgres.stop();

const seconds = Math.round((performance.now() - startedAt) / 1000);
process.stdout.write(`\n${done.join('\n')}\n\n`);
for (const run of runs) process.stdout.write(`${String(run.seconds).padStart(5)} s  ${run.name}\n`);
// Once more: who reads only the end of a long output must see what failed.
for (const { lines, output } of runs) if (lines === null) process.stdout.write(output.slice(-lastCharacters));
for (const suite of failed) process.stdout.write(`!! ${suite}\n`);
process.stdout.write(
  `\nverify (${nightly ? 'nightly' : 'ci'}): ${done.length} done, ${failed.length} failed, ${seconds} s\n`,
);
process.exitCode = failed.length === 0 && done.length > 0 ? 0 : 1;
