import { and, count, eq, isNull } from 'drizzle-orm';
import type { Db, Location } from '../core/db/query/db.ts';
import { engine } from '../core/db/query/engine.ts';
import { openDb } from '../core/db/open/open.ts';
import { createLog } from '../core/base/log.ts';
import { junitText, type WrittenCase } from '../modules/testmgmt/testing/junit-text.ts';
import { reportedResults } from '../modules/testmgmt/base/pipeline-schema.ts';
import { results, runs, runTests, tests } from '../modules/testmgmt/base/schema.ts';
import { wrongOutcomes } from '../modules/testmgmt/testing/outcome-model.ts';
import {
  compiled,
  createToken,
  requireBuilt,
  runTrivet,
  serveTrivet,
  type Finished,
  type Running,
} from './executable.ts';
import { startPostgres } from './postgres.ts';
import { unlimited } from './served.ts';
import { temporaryDirectory } from './temporary.ts';

/** The environment of a pipeline job: nothing of the machine that runs this test, which may be a pipeline job itself. */
const jobEnvironment = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/' };

export interface JobOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
}

export interface Job {
  readonly ended: Promise<Finished>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a command like a pipeline job. */
export function startJob(
  command: readonly string[],
  { env = {}, stdin = '', cwd = temporaryDirectory('job') }: JobOptions = {},
): Job {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...jobEnvironment, ...env },
    stdin: new Blob([stdin as string]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const heard = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const ended = heard.then(async ([stdout, stderr]) => ({ exitCode: await child.exited, stdout, stderr }));
  return { ended, kill: (signal) => child.kill(signal) };
}

/** The command line of `trivet results`, without its arguments. */
export const resultsCommand = [...compiled.command, 'results'];

/** The stored data of a project. */
export interface Stored {
  readonly runs: number;
  readonly tests: number;
  /** Rows of the history. */
  readonly results: number;
  /** Tests with more than one row of the history in a run. */
  readonly doubled: number;
  readonly reported: number;
  /** Over all runs, computed from their rows. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Runs whose counts differ from their rows, and tests whose outcome differs from their history. */
  readonly wrong: readonly string[];
}

/** A data directory or database with the compiled executable, its owner's token, and access to the stored data. */
export async function startPipelineWorld() {
  requireBuilt();
  const data = temporaryDirectory('pipeline');
  const url = engine() === 'postgres' ? await (await startPostgres()).createMigratedDatabase() : undefined;
  const where = ['--data', data, ...(url === undefined ? [] : ['--database', url])];
  // As in examples/ci.
  const scopes = ['--role', 'member', '--scopes', 'results,testmgmt:read'];
  const token = await createToken(compiled, [...scopes, ...where], 'ci@example.org');
  const location: Location =
    url === undefined
      ? { engine: 'sqlite', directory: data, durability: 'full' }
      : { engine: 'postgres', url };
  const db: Db = await openDb(location, createLog('error', Date.now));

  const call = async (tool: string, args: object): Promise<Record<string, unknown>> => {
    const words = ['call', tool, '--args', JSON.stringify(args), ...where];
    const { exitCode, stdout, stderr } = await runTrivet(compiled, words);
    if (exitCode !== 0) throw new Error(`${tool}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  return {
    data,
    where,
    token,
    call,
    makeProject: async (projectName: string) =>
      Number((await call('create-project', { orgId: 1, projectName }))['projectId']),
    serve: (...args: readonly string[]): Promise<Running> =>
      serveTrivet(compiled, [...unlimited, ...where, ...args]),
    /** `trivet results` on the data directory. */
    results: (words: readonly string[], options?: JobOptions) =>
      startJob([...resultsCommand, ...words, ...where], options),
    /** `trivet results` with `--url`. */
    resultsAt: (origin: string, words: readonly string[], options: JobOptions = {}) =>
      startJob([...resultsCommand, ...words, '--url', origin], {
        ...options,
        env: { TRIVET_TOKEN: token, ...options.env },
      }),
    /** The current number of tests in the runs of a project. */
    testsInRuns: async (projectId: number): Promise<number> => {
      const [row] = await db.q
        .select({ all: count() })
        .from(runTests)
        .innerJoin(runs, eq(runs.id, runTests.runId))
        .where(eq(runs.projectId, projectId));
      return row?.all ?? 0;
    },
    stored: (projectId: number) => storedOf(db, projectId),
    stop: () => db.close(),
  };
}

export type PipelineWorld = Awaited<ReturnType<typeof startPipelineWorld>>;

async function storedOf({ q }: Db, projectId: number): Promise<Stored> {
  const allRuns = await q
    .select()
    .from(runs)
    .where(and(eq(runs.projectId, projectId), isNull(runs.deletedAt)));
  const [allTests] = await q.select({ all: count() }).from(tests).where(eq(tests.projectId, projectId));
  const inRuns = (
    await q
      .select({ row: runTests })
      .from(runTests)
      .innerJoin(runs, eq(runs.id, runTests.runId))
      .where(eq(runs.projectId, projectId))
  ).map(({ row }) => row);
  const history = await q
    .select({ runId: results.runId, testId: results.testId, all: count() })
    .from(results)
    .innerJoin(runs, eq(runs.id, results.runId))
    .where(eq(runs.projectId, projectId))
    .groupBy(results.runId, results.testId);
  const [reported] = await q
    .select({ all: count() })
    .from(reportedResults)
    .innerJoin(runs, eq(runs.id, reportedResults.runId))
    .where(eq(runs.projectId, projectId));
  const statuses: Record<string, number> = {};
  for (const { status } of inRuns) statuses[status] = (statuses[status] ?? 0) + 1;
  const wrongRuns = allRuns.flatMap((run) =>
    (['passed', 'failed', 'blocked', 'retest', 'untested'] as const)
      .filter(
        (status) =>
          run[status] !== inRuns.filter((row) => row.runId === run.id && row.status === status).length,
      )
      .map((status) => `${status} of run ${run.id}`),
  );
  return {
    runs: allRuns.length,
    tests: allTests?.all ?? 0,
    results: history.reduce((sum, { all }) => sum + all, 0),
    doubled: history.filter(({ all }) => all > 1).length,
    reported: reported?.all ?? 0,
    statuses,
    wrong: [...wrongRuns, ...(await wrongOutcomes(q))],
  };
}

/** A suite of cases numbered from `from` up to but excluding `to`: every tenth failed, every twenty-fifth of the others was skipped. */
export function suiteText(from: number, to: number): string {
  const suites: Record<string, WrittenCase[]> = {};
  for (let number = from; number < to; number++) {
    const said = number % 10 === 0 ? { failed: 'no' } : number % 25 === 1 ? { skipped: true as const } : {};
    (suites[`suite ${number % 40}`] ??= []).push({ name: `case number ${number}`, ...said });
  }
  return junitText(suites);
}

/** The stored data after the cases below `cases` are uploaded once, whatever happened on the way. */
export function storedOnce(cases: number): Stored {
  const numbers = Array.from({ length: cases }, (_, number) => number);
  const failed = numbers.filter((number) => number % 10 === 0).length;
  const untested = numbers.filter((number) => number % 10 !== 0 && number % 25 === 1).length;
  const ran = cases - untested;
  return {
    runs: 1,
    tests: cases,
    results: ran,
    doubled: 0,
    reported: cases,
    statuses: { failed, passed: ran - failed, untested },
    wrong: [],
  };
}
