import chromium from '@sparticuz/chromium';
import { mkdirSync, rmSync } from 'node:fs';
import { demoTemplate } from './demo-template.ts';
import { failedFiles } from './failed-files.ts';
import { migratedTemplate, startPostgres } from './postgres.ts';
import { onPostgres, suites, testFiles, type Suite } from './suites.ts';

/**
 * `npm test`: builds the executable, then runs every test on SQLite, and those that reach a database again on a real PostgreSQL. Ends with
 * the seconds of each suite and one line, `N passed, N failed`. Arguments select files on both engines: `npm test -- modules/auth`.
 * `--nightly` runs all pages of the console on PostgreSQL, too.
 */
const chosen = process.argv.slice(2).filter((word) => word !== '--nightly');

interface Outcome {
  readonly suite: Suite;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  /** The names of the tests that failed, by file. */
  readonly failedIn: ReadonlyMap<string, readonly string[]>;
}

const sizeOf = (named: Outcome['failedIn']): number =>
  [...named.values()].reduce((sum, names) => sum + names.length, 0);

/** More files than this do not fail by chance. */
const mostRepeated = 3;

async function runSuite(suite: Suite, env: Readonly<Record<string, string>>): Promise<Outcome> {
  const { title, engine, files, workers } = suite;
  process.stdout.write(`\n== ${title}\n`);
  const began = performance.now();
  // With `./` they are paths: without it they would match parts of names.
  const paths = files.map((file) => `./${file}`);
  // Loading the modules anew for each file would take a third of a second of CPU each. The slowest files start first: begun last, one
  // would run alone at the end. TRIVET_WRITE_TIMINGS=1 measures them anew.
  const timings = [
    '--timings=test/timings.json',
    ...(process.env['TRIVET_WRITE_TIMINGS'] === '1' ? ['--update-timings'] : []),
  ];
  const parallel = workers > 1 ? [`--parallel=${workers}`, '--no-isolate', ...timings] : [];
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', 'test', '--timeout=60000', ...parallel, ...paths],
    {
      env: { ...process.env, ...env, TRIVET_TEST_ENGINE: engine },
      stdin: 'ignore',
      stdout: 'inherit',
      stderr: 'pipe',
    },
  );
  let report = '';
  const decoder = new TextDecoder();
  for await (const chunk of child.stderr) {
    const text = decoder.decode(chunk, { stream: true });
    report += text;
    process.stdout.write(text);
  }
  const exitCode = await child.exited;
  const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(report)?.[1] ?? 0);
  const failed = count('fail');
  const named = failedFiles(report);
  return {
    suite,
    passed: count('pass'),
    // A run that ended in any other way (no test found, a crash) has failed, whatever it counted.
    failed: exitCode === 0 ? failed : Math.max(1, failed),
    seconds: Math.round((performance.now() - began) / 1_000),
    // Errors outside of tests are not in the list, and must not pass because the tests in it did.
    failedIn: count('errors?') > 0 || sizeOf(named) !== failed ? new Map() : named,
  };
}

/**
 * Of 17,000 tests on two busy cores one or two are late by chance, another one each time. Their files run once more, with nothing beside
 * them. What passes then counts as passed, and is named at the end: an unstable test is work to do, because it may have found a fault.
 * @returns the outcomes with what passed when it was repeated, and a line for each test that did.
 */
async function repeatFailed(outcomes: readonly Outcome[], env: Readonly<Record<string, string>>) {
  const unstable: string[] = [];
  const afterwards: Outcome[] = [];
  const repeated = outcomes.reduce((sum, { failedIn }) => sum + failedIn.size, 0);
  if (repeated > mostRepeated) return { outcomes, unstable };
  for (const outcome of outcomes) {
    let { passed, failed, seconds } = outcome;
    for (const [file, names] of outcome.failedIn) {
      const { engine } = outcome.suite;
      const again = await runSuite({ title: `${file} once more`, engine, files: [file], workers: 1 }, env);
      seconds += again.seconds;
      if (again.failed > 0) continue;
      passed += names.length;
      failed -= names.length;
      unstable.push(...names.map((name) => `unstable: ${file} on ${engine}: ${name}`));
    }
    afterwards.push({ ...outcome, passed, failed, seconds });
  }
  return { outcomes: afterwards, unstable };
}

async function build(): Promise<void> {
  mkdirSync('dist', { recursive: true });
  const child = Bun.spawn(['npm', 'run', '--silent', 'build'], { stdout: 'ignore', stderr: 'pipe' });
  const complaint = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`the build failed: ${complaint}`);
}

/** On a new machine each file would unpack it for itself, and start what another one is still writing (ETXTBSY). */
async function unpackChromium(): Promise<void> {
  const path = await chromium.executablePath();
  if (doesRun(path)) return;
  // An unpacking that was interrupted leaves a part of the file, and the package takes what it finds.
  rmSync(path, { force: true });
  await chromium.executablePath();
}

function doesRun(path: string): boolean {
  try {
    return Bun.spawnSync([path, '--version'], { stdout: 'ignore', stderr: 'ignore' }).success;
  } catch {
    return false;
  }
}

/** The selected files on SQLite, then those on PostgreSQL whose guarantees are for both engines. */
function chosenSuites(): readonly Suite[] {
  const files = testFiles.filter((file) => chosen.some((word) => file.includes(word.replace(/^\.\//, ''))));
  if (files.length === 0) throw new Error(`no test file is named like ${chosen.join(' or ')}`);
  const both: readonly Suite[] = [
    { title: 'SQLite', engine: 'sqlite', files, workers: 2 },
    {
      title: 'PostgreSQL',
      engine: 'postgres',
      files: files.filter((file) => file.startsWith('test/console/') || onPostgres.includes(file)),
      workers: 2,
    },
  ];
  // Without a file `bun test` would run all of them.
  return both.filter((suite) => suite.files.length > 0);
}

if (chosen.length === 0) await build();
await unpackChromium();
const postgres = await startPostgres();
const env = {
  TRIVET_TEST_POSTGRES: postgres.url,
  ...(await migratedTemplate(postgres.url)),
  ...(chosen.length === 0 ? await demoTemplate() : {}),
};
const first: Outcome[] = [];
for (const suite of chosen.length > 0 ? chosenSuites() : suites) first.push(await runSuite(suite, env));
// Whoever chooses files works on them.
const { outcomes, unstable } =
  chosen.length > 0 ? { outcomes: first, unstable: [] } : await repeatFailed(first, env);
await postgres.stop();

process.stdout.write('\n');
for (const { suite, seconds, failed } of outcomes)
  process.stdout.write(
    `${String(seconds).padStart(5)} s  ${suite.title}${failed === 0 ? '' : `: ${failed} failed`}\n`,
  );
for (const line of unstable) process.stdout.write(`${line}\n`);
const sum = (key: 'passed' | 'failed') => outcomes.reduce((total, outcome) => total + outcome[key], 0);
process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed\n`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
