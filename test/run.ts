import { mkdirSync } from 'node:fs';
import { startPostgres } from './postgres.ts';

/**
 * `npm test`: builds the executable, then runs every test on SQLite and those that touch the database again on a real
 * PostgreSQL. Ends with one line, `N passed, N failed`. Words after it choose files: `npm test -- modules/auth`.
 */
const chosen = process.argv.slice(2);

/** What reaches the database: run on both engines. */
const onBothEngines = [
  './core',
  './modules',
  './test/contract',
  './test/pipeline-upload.test.ts',
  './test/restore-sessions.test.ts',
];

/** Tests in a browser: files of two at once, because each waits for its own browser and server. */
const inBrowser = ['--parallel=2', './test/console'];
/** Those that show nothing of the database: the others run on both engines. */
const anyDatabase = ['attacks', 'design', 'every-page', 'first-start', 'provider-sign-in'].map(
  (name) => `test/console/${name}.test.ts`,
);

/** Tests that mostly wait, for windows of rates and for retries: a process of their own runs them beside the others. */
const waiting = ['core/http/rate/rate-exchange.test.ts', 'core/tools/remote-executor.test.ts'];
const waitingOnSqlite = [
  ...waiting,
  ...['faults', 'master-key', 'plugin-refusal', 'plugin-run-summary', 'plugin-webhooks'].map(
    (name) => `test/${name}.test.ts`,
  ),
];

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

async function bunTest(
  title: string,
  paths: readonly string[],
  env: Record<string, string>,
  without: readonly string[] = [],
): Promise<Outcome> {
  process.stdout.write(`\n== ${title}\n`);
  const ignored = without.map((path) => `--path-ignore-patterns=${path}`);
  const words = ['test', '--timeout=60000', ...ignored, ...paths];
  const child = Bun.spawn([process.execPath, '--no-env-file', ...words], {
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
  });
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
  // A run that ended otherwise (no test found, a crash) has failed, whatever it counted.
  return { passed: count('pass'), failed: exitCode === 0 ? failed : Math.max(1, failed) };
}

/** As paths: other words would be parts of names. */
const paths = (files: readonly string[]) => files.map((file) => `./${file}`);

async function build(): Promise<void> {
  mkdirSync('dist', { recursive: true });
  const child = Bun.spawn(['npm', 'run', '--silent', 'build'], { stdout: 'ignore', stderr: 'pipe' });
  const complaint = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`the build failed: ${complaint}`);
}

if (chosen.length === 0) await build();
const postgres = await startPostgres();
const env = { TRIVET_TEST_POSTGRES: postgres.url };
const onPostgres = { ...env, TRIVET_TEST_ENGINE: 'postgres' };
const outcomes =
  chosen.length > 0
    ? [await bunTest('SQLite', chosen, env), await bunTest('PostgreSQL', chosen, onPostgres)]
    : [
        ...(await Promise.all([
          bunTest('SQLite', [], env, [...waitingOnSqlite, 'test/console/**']),
          bunTest('SQLite, waiting', paths(waitingOnSqlite), env),
        ])),
        await bunTest('SQLite, in a browser', inBrowser, env),
        ...(await Promise.all([
          bunTest('PostgreSQL', onBothEngines, onPostgres, waiting),
          bunTest('PostgreSQL, waiting', paths(waiting), onPostgres),
        ])),
        await bunTest('PostgreSQL, in a browser', inBrowser, onPostgres, anyDatabase),
      ];
await postgres.stop();

const sum = (key: keyof Outcome) => outcomes.reduce((total, outcome) => total + outcome[key], 0);
process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed\n`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
