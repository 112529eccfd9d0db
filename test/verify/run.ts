import { existsSync } from 'node:fs';
import { startPostgres } from '../postgres.ts';

/**
 * `npm run verify` (minutes, for every change) and `npm run verify:nightly` (an hour): what takes longer than a test may.
 * Words after it choose suites by their path. Ends with what ran and how many of it.
 */
interface Suite {
  readonly path: string;
  readonly engines: ReadonlyArray<'sqlite' | 'postgres'>;
  /** It needs what not every machine that checks a change can have; the reason stands in the suite. */
  readonly nightlyOnly?: true;
}

const both = ['sqlite', 'postgres'] as const;
const suites: readonly Suite[] = [
  { path: './test/crash/kill.verify.ts', engines: both },
  { path: './test/crash/starved.verify.ts', engines: ['sqlite'] },
  { path: './test/crash/restore.verify.ts', engines: ['sqlite'] },
  { path: './test/fuzz/http.verify.ts', engines: ['sqlite'] },
  { path: './test/fuzz/bytes.verify.ts', engines: ['sqlite'] },
  { path: './test/fuzz/command-line.verify.ts', engines: ['sqlite'] },
  { path: './test/hardening/connections.verify.ts', engines: ['sqlite'] },
  { path: './test/hardening/freeze.verify.ts', engines: ['sqlite'] },
  { path: './test/histories/histories.verify.ts', engines: both },
  { path: './modules/testmgmt/testing/query.verify.ts', engines: both },
  { path: './modules/testmgmt/result-files/testing/memory.verify.ts', engines: ['sqlite'] },
  { path: './test/transfer/transfer.verify.ts', engines: ['sqlite'] },
  { path: './test/storm/storm.verify.ts', engines: ['postgres'], nightlyOnly: true },
  { path: './test/proxy/rolling-restart.verify.ts', engines: ['sqlite'], nightlyOnly: true },
  { path: './test/load/load.verify.ts', engines: ['sqlite'] },
];

const nightly = process.argv.includes('--nightly');
const chosen = process.argv.slice(2).filter((word) => word !== '--nightly');

async function runSuite(
  { path }: Suite,
  engine: string,
  postgres: string,
): Promise<readonly string[] | null> {
  process.stdout.write(`\n== ${path} on ${engine}\n`);
  const child = Bun.spawn([process.execPath, '--no-env-file', 'test', '--timeout=3600000', path], {
    env: {
      ...process.env,
      TRIVET_TEST_POSTGRES: postgres,
      TRIVET_TEST_ENGINE: engine,
      TRIVET_VERIFY: nightly ? 'nightly' : 'ci',
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  let report = '';
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    const text = decoder.decode(chunk, { stream: true });
    report += text;
    process.stdout.write(text);
  }
  if ((await child.exited) !== 0) return null;
  return report.split('\n').filter((line) => /^(?:ran|skipped:|figure:) /.test(line));
}

if (!existsSync('dist/trivet')) throw new Error('dist/trivet is missing: run npm run build first');
const startedAt = performance.now();
const postgres = await startPostgres();
const done: string[] = [];
const failed: string[] = [];
for (const suite of suites) {
  if (suite.nightlyOnly && !nightly) continue;
  if (chosen.length > 0 && !chosen.some((word) => suite.path.includes(word))) continue;
  for (const engine of suite.engines) {
    const lines = await runSuite(suite, engine, postgres.url);
    if (lines === null) failed.push(`${suite.path} on ${engine}`);
    // A suite that says nothing has done nothing.
    else if (!lines.some((line) => line.startsWith('ran ')))
      failed.push(`${suite.path} on ${engine}: ran nothing`);
    else done.push(...lines.map((line) => `  ${line}`));
  }
}
await postgres.stop();

const seconds = Math.round((performance.now() - startedAt) / 1000);
process.stdout.write(`\n${done.join('\n')}\n`);
for (const suite of failed) process.stdout.write(`!! ${suite}\n`);
process.stdout.write(
  `\nverify (${nightly ? 'nightly' : 'ci'}): ${done.length} done, ${failed.length} failed, ${seconds} s\n`,
);
process.exitCode = failed.length === 0 && done.length > 0 ? 0 : 1;
