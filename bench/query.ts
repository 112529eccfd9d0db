import { existsSync } from 'node:fs';
import { SQL } from 'bun';
import { connect } from '../core/db/sqlite.ts';
import type { Location } from '../core/db/db.ts';
import { engine } from '../core/db/engine.ts';
import { usualLimits } from '../core/db/postgres-options.ts';
import { localExecutor } from '../core/tools/local-executor.ts';
import { markTexts } from '../modules/testmgmt/query/query-mark-store.ts';
import { argumentsOf, questions, type Question } from '../modules/testmgmt/testing/questions.ts';
import { startTestKernel, type TestKernel } from '../test/kernel.ts';
import { startPostgresProxy } from '../test/postgres-proxy.ts';
import { startPostgres } from '../test/postgres.ts';
import { temporaryDirectory } from '../test/temporary.ts';
import { fillProject, size, type RunSql } from './query-data.ts';

/*
 * `npm run bench:query`: how long the questions of modules/testmgmt/testing/questions.ts take at 100,000 tests with 1,000,000 results,
 * on both engines: a page of 50 with the number of all, and the count by priority and status. On PostgreSQL also for how many answers
 * of the database each waits. TRIVET_TEST_ENGINE=postgres takes one engine, TRIVET_QUERY_DATA=DIR keeps the data of SQLite for the next time.
 */
const promisedMs = 50;
const promisedTrips = 3;
const rounds = Number(process.env['TRIVET_QUERY_ROUNDS'] ?? 20);
const only = process.env['TRIVET_QUERY_ONLY'];

if (process.env['TRIVET_TEST_ENGINE'] === undefined) {
  let failed = false;
  for (const name of ['sqlite', 'postgres']) {
    const child = Bun.spawn([process.execPath, '--no-env-file', import.meta.path], {
      env: { ...process.env, TRIVET_TEST_ENGINE: name },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    failed = (await child.exited) !== 0 || failed;
  }
  process.exit(failed ? 1 : 0);
}

const directory = process.env['TRIVET_QUERY_DATA'] ?? temporaryDirectory('query');
const kept = existsSync(`${directory}/trivet.db`);
const url =
  engine() === 'postgres'
    ? (process.env['TRIVET_QUERY_URL'] ?? (await (await startPostgres({ durable: true })).createDatabase()))
    : undefined;
const location: Location =
  url === undefined ? { engine: 'sqlite', directory, durability: 'full' } : { engine: 'postgres', url };
const place = { location, directory };
const known = { projectId: 1, last: size.runs, before: size.runs - 1 };

const trivet = await startTestKernel({ again: place });
const owner = await trivet.kernel.identity.local(trivet.kernel.host, undefined);
const call = async ({ kernel }: TestKernel, tool: string, args: object) =>
  (await localExecutor(kernel, owner, {}).call(tool, args, { signal: AbortSignal.timeout(60_000) })) as {
    readonly total: number;
    readonly projects?: readonly unknown[];
  };

const { total: projects } = await call(trivet, 'get-projects', { orgId: 1 });
if (projects === 0) {
  const since = performance.now();
  await call(trivet, 'create-project', { orgId: 1, projectName: 'Everything' });
  await fillProject(trivet.kernel.host, await runSql(), owner.userId);
  await markTexts(trivet.kernel.host);
  await settle();
  process.stdout.write(`filled in ${((performance.now() - since) / 1_000).toFixed(0)} s\n`);
} else process.stdout.write(kept || url ? 'the data of an earlier time\n' : '');

/** PostgreSQL gets its statistics, as autovacuum would make them. */
async function settle(): Promise<void> {
  if (url === undefined) return;
  const client = new SQL(url, { max: 1 });
  await client.unsafe('VACUUM ANALYZE');
  await client.end();
}

/** Statements of SQL on the database, beside the kernel. */
async function runSql(): Promise<RunSql> {
  if (url === undefined) {
    const client = connect(directory, 'full');
    return (text) => Promise.resolve(void client.run(text));
  }
  const client = new SQL(url, { max: 1 });
  return async (text) => void (await client.unsafe(text));
}

const percentile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;

/** Sorted times of a call, in milliseconds. */
async function timed(tool: string, args: object): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = -2; round < rounds; round++) {
    const since = performance.now();
    await call(trivet, tool, args);
    if (round >= 0) times.push(performance.now() - since);
  }
  return times.toSorted((a, b) => a - b);
}

let held = true;
const shown = (times: readonly number[]) => {
  const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
  const kept = p95 <= promisedMs;
  held &&= kept;
  return `${p50.toFixed(1).padStart(8)}${p95.toFixed(1).padStart(8)}${kept ? ' ' : '!'}`;
};

/** For how many answers of PostgreSQL a call waits; the answers are held back, so that what is sent together counts once. */
async function tripsOf(asked: readonly Question[]): Promise<ReadonlyMap<Question, number>> {
  const trips = new Map<Question, number>();
  if (url === undefined) return trips;
  const proxy = await startPostgresProxy(url, { delayMs: 20 });
  const through = await startTestKernel({
    again: {
      ...place,
      location: { engine: 'postgres', url: proxy.url, limits: { ...usualLimits, connections: 1 } },
    },
  });
  for (const question of asked) {
    await call(through, question.tool, argumentsOf(question, known));
    proxy.reset();
    await call(through, question.tool, argumentsOf(question, known));
    trips.set(question, proxy.counted().waits);
  }
  await through.stop();
  proxy.stop();
  return trips;
}

const asked = questions.filter(({ query }) => only === undefined || query.includes(only));
const trips = await tripsOf(asked);
process.stdout.write(
  `\n${engine()}, ${size.tests} tests, milliseconds\n${'query'.padEnd(52)}${'rows'.padStart(7)}${'page p50     p95'.padStart(17)}   count p50   p95  trips\n`,
);
for (const question of asked) {
  const args = argumentsOf(question, known);
  const { total } = await call(trivet, question.tool, { ...args, limit: 50 });
  const page = shown(await timed(question.tool, { ...args, limit: 50 }));
  const count = question.tool === 'get-tests' ? shown(await timed('get-tests-count', args)) : ' '.repeat(17);
  const waits = trips.get(question);
  held &&= (waits ?? 0) <= promisedTrips;
  const tool = question.tool === 'get-tests' ? '' : `${question.tool}: `;
  process.stdout.write(
    `${(tool + args.query).padEnd(52)}${String(total).padStart(7)}${page}${count}${waits === undefined ? '' : String(waits).padStart(5)}\n`,
  );
}
process.stdout.write(held ? 'held\n' : `NOT HELD: more than ${promisedMs} ms or ${promisedTrips} trips\n`);
await trivet.stop();
process.exit(held ? 0 : 1);
