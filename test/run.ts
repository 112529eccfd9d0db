import { mkdirSync } from 'node:fs';
import { startPostgres } from './postgres.ts';

/**
 * `npm test`: builds the executable, then runs every test on SQLite and those that touch the database again on a real
 * PostgreSQL. Ends with one line, `N passed, N failed`. Words after it choose files: `npm test -- modules/auth`.
 */
const chosen = process.argv.slice(2);

/** What reaches the database: run on both engines. */
const onBothEngines = ['./core', './modules', './test/contract', './test/pipeline-upload.test.ts'];

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

async function bunTest(
  title: string,
  paths: readonly string[],
  env: Record<string, string>,
): Promise<Outcome> {
  process.stdout.write(`\n== ${title}\n`);
  const child = Bun.spawn([process.execPath, '--no-env-file', 'test', '--timeout=60000', ...paths], {
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

async function build(): Promise<void> {
  mkdirSync('dist', { recursive: true });
  const child = Bun.spawn(['npm', 'run', '--silent', 'build'], { stdout: 'ignore', stderr: 'pipe' });
  const complaint = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`the build failed: ${complaint}`);
}

if (chosen.length === 0) await build();
const postgres = await startPostgres();
const env = { TRIVET_TEST_POSTGRES: postgres.url };
const outcomes = [
  await bunTest('SQLite', chosen, env),
  await bunTest('PostgreSQL', chosen.length > 0 ? chosen : onBothEngines, {
    ...env,
    TRIVET_TEST_ENGINE: 'postgres',
  }),
];
await postgres.stop();

const sum = (key: keyof Outcome) => outcomes.reduce((total, outcome) => total + outcome[key], 0);
process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed\n`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
