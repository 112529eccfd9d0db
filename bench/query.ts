import { existsSync } from 'node:fs';
import { SQL } from 'bun';
import { connect } from '../core/db/sqlite/sqlite-connection.ts';
import type { Location } from '../core/db/query/db.ts';
import { engine } from '../core/db/query/engine.ts';
import { usualLimits } from '../core/db/postgres/postgres-options.ts';
import { localExecutor } from '../core/tools/local-executor.ts';
import { markTexts } from '../modules/testmgmt/query/query-mark-store.ts';
import type { AskTool, ThirtyQuestion } from '../modules/testmgmt/testing/question-kinds.ts';
import { thirtyQuestions } from '../modules/testmgmt/testing/thirty-questions.ts';
import { startTestKernel, type TestKernel } from '../test/kernel.ts';
import { startPostgresProxy } from '../test/postgres-proxy.ts';
import { startPostgres } from '../test/postgres.ts';
import { temporaryDirectory } from '../test/temporary.ts';
import { runOnEachEngine } from './each-engine.ts';
import { fillProject, size, type RunSql } from './query-data.ts';

/*
 * `npm run bench:query`: the time of the questions of modules/testmgmt/testing/thirty-questions.ts at 100,000 tests with 1,000,000 results,
 * on both engines: the slowest call of each, a page with the total. On PostgreSQL also the number of database responses it waits for.
 * TRIVET_TEST_ENGINE=postgres selects one engine, TRIVET_QUERY_DATA=DIR keeps the data of SQLite for the next time.
 */
const promisedMs = 50;
const promisedTrips = 3;
const rounds = Number(process.env['TRIVET_QUERY_ROUNDS'] ?? 20);
const only = process.env['TRIVET_QUERY_ONLY'];

await runOnEachEngine(import.meta.path);

const directory = process.env['TRIVET_QUERY_DATA'] ?? temporaryDirectory('query');
const kept = existsSync(`${directory}/trivet.db`);
const url =
  engine() === 'postgres'
    ? (process.env['TRIVET_QUERY_URL'] ?? (await (await startPostgres({ durable: true })).createDatabase()))
    : undefined;
const location: Location =
  url === undefined ? { engine: 'sqlite', directory, durability: 'full' } : { engine: 'postgres', url };
const place = { location, directory };
const about = { projectId: 1, runId: size.runs - 1, testId: 1 };

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

/** Collects statistics, like autovacuum or, within the hour, a server on SQLite. */
async function settle(): Promise<void> {
  if (url === undefined) return trivet.kernel.host.db.refreshStatistics();
  const client = new SQL(url, { max: 1 });
  await client.unsafe('VACUUM ANALYZE');
  await client.end();
}

/** Runs SQL statements on the database directly, without the kernel. */
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

/** Asks a question, and reports each of its calls. */
async function asked(
  { ask }: ThirtyQuestion,
  kernel: TestKernel,
  each: (run: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const tool: AskTool = async (name, args) => (await each(() => call(kernel, name, args))) as never;
  await ask(tool, about);
}

/** Sorted times of the slowest call of a question, in milliseconds. */
async function timed(question: ThirtyQuestion): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = -2; round < rounds; round++) {
    let slowest = 0;
    await asked(question, trivet, async (run) => {
      const since = performance.now();
      const answer = await run();
      slowest = Math.max(slowest, performance.now() - since);
      return answer;
    });
    if (round >= 0) times.push(slowest);
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

/** The number of PostgreSQL responses that a call waits for; responses are delayed, so that requests sent together count once. */
async function tripsOf(all: readonly ThirtyQuestion[]): Promise<ReadonlyMap<ThirtyQuestion, number>> {
  const trips = new Map<ThirtyQuestion, number>();
  if (url === undefined) return trips;
  const proxy = await startPostgresProxy(url, { delayMs: 20 });
  const through = await startTestKernel({
    again: {
      ...place,
      location: { engine: 'postgres', url: proxy.url, limits: { ...usualLimits, connections: 1 } },
    },
  });
  for (const question of all) {
    await asked(question, through, (run) => run());
    let most = 0;
    await asked(question, through, async (run) => {
      proxy.reset();
      const answer = await run();
      most = Math.max(most, proxy.counted().waits);
      return answer;
    });
    trips.set(question, most);
  }
  await through.stop();
  proxy.stop();
  return trips;
}

const all = thirtyQuestions.filter(({ question }) => only === undefined || question.includes(only));
const trips = await tripsOf(all);
process.stdout.write(
  `\n${engine()}, ${size.tests} tests, milliseconds\n${'question'.padEnd(72)}${'p50'.padStart(8)}${'p95'.padStart(8)}  trips\n`,
);
for (const question of all) {
  const times = shown(await timed(question));
  const waits = trips.get(question);
  held &&= (waits ?? 0) <= promisedTrips;
  process.stdout.write(
    `${question.question.padEnd(72)}${times}${waits === undefined ? '' : String(waits).padStart(6)}\n`,
  );
}
process.stdout.write(held ? 'held\n' : `NOT HELD: more than ${promisedMs} ms or ${promisedTrips} trips\n`);
await trivet.stop();
process.exit(held ? 0 : 1);
