import { Glob } from 'bun';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf, root } from './imports.ts';

/* Which files `npm test` runs in which suite. Files run concurrently; those that cannot have their reason here. */

/** Tests that other tests would disturb, each with the reason. */
const alone: Readonly<Record<string, string>> = {
  'test/monitoring/alerts.test.ts': 'takes the CPU from a server and waits for the alert that says so',
  'core/base/turns.test.ts': 'measures the turns of the event loop',
  'core/http/server/serve-stop.test.ts':
    'a server stops after 100 ms of silence: without CPU, requests wait in the backlog for longer',
};

/**
 * A test that imports one of these measures how long the event loop is blocked, to a few milliseconds: by the processor time of its own
 * process, or as the best of several measurements. Both need a core of their own, so two run at a time on two cores, and not more.
 */
const measures: ReadonlySet<string> = new Set(['test/longest-block.ts', 'test/measure.ts']);

/**
 * Pages whose data come from what differs between the engines: live changes, search and queries, counts by SQL, imports. The others call
 * operations that run on both engines in their own tests, and run on both in the nightly form (`npm test -- --nightly`).
 */
const pagesOnBothEngines = new Set(
  [
    'ctas-figures',
    'fields',
    'import-tests',
    'insights',
    'planning',
    'qa-lead',
    'reviews',
    'run-page',
    'streams',
    'tests-page',
  ].map((name) => `test/console/${name}.test.ts`),
);

/** Tests of the console that show nothing of the database. */
const withoutDatabase = new Set(
  [
    'app-sdk',
    'attacks',
    'design',
    'every-page',
    'first-start',
    'provider-sign-in',
    'sdk-react',
    // What PostgreSQL does with refreshes at the same moment: attacks/refresh-processes.test.ts.
    'sdk-tabs',
  ].map((name) => `test/console/${name}.test.ts`),
);

/** Tests under `test/` of guarantees for both engines; the others start the executable on SQLite. */
const onBothEngines = ['test/contract/', 'test/pipeline-upload.test.ts', 'test/restore-sessions.test.ts'];

/** A test that imports one of these opens a database. */
const opensDatabase = new Set([
  'core/db/open/open.ts',
  'core/db/query/engine.ts',
  'test/executable.ts',
  'test/kernel.ts',
  'test/postgres.ts',
  'test/served.ts',
]);

const isTestCode = (file: string) =>
  file.startsWith('test/') || file.includes('/testing/') || file.endsWith('.test.ts');

/** Whether a test reaches a database, by its own imports or by those of the test code that it imports. */
export function reachesDatabase(file: string, seen: Set<string> = new Set()): boolean {
  if (seen.has(file) || !existsSync(join(root, file))) return false;
  seen.add(file);
  return importsOf([file]).some(
    ({ to: other }) => opensDatabase.has(other) || (isTestCode(other) && reachesDatabase(other, seen)),
  );
}

/** The nightly form: the pages of the console run on both engines. */
export const isNightly = process.argv.includes('--nightly');

export const testFiles = [
  ...new Glob('{core,modules,sdk,test,release,bench,docs}/**/*.test.{ts,tsx}').scanSync(root),
].sort();

const inBrowser = (file: string) => file.startsWith('test/console/');
const isAlone = (file: string) => file in alone;
const isMeasuring = (file: string) => !isAlone(file) && importsOf([file]).some(({ to }) => measures.has(to));
const isShared = (file: string) => !inBrowser(file) && !isAlone(file) && !isMeasuring(file);

export interface Suite {
  readonly title: string;
  readonly engine: 'sqlite' | 'postgres';
  readonly files: readonly string[];
  /** Files of the suite that run at the same time. */
  readonly workers: number;
}

/** The files of guarantees for both engines. */
export const onPostgres = testFiles.filter(
  (file) =>
    !inBrowser(file) &&
    (/^(?:core|modules)\//.test(file) || onBothEngines.some((start) => file.startsWith(start))) &&
    reachesDatabase(file),
);

/**
 * One after the other on two cores. Files wait for processes and disks for a third of their time, so four run at a time; three with browsers,
 * which were late for what they wait for with more (measured: 110 s shorter, and one of 170 failed).
 */
export const suites: readonly Suite[] = [
  { title: 'SQLite', engine: 'sqlite', files: testFiles.filter(isShared), workers: 4 },
  { title: 'PostgreSQL', engine: 'postgres', files: onPostgres.filter(isShared), workers: 4 },
  { title: 'SQLite, in a browser', engine: 'sqlite', files: testFiles.filter(inBrowser), workers: 3 },
  {
    title: 'PostgreSQL, in a browser',
    engine: 'postgres',
    files: testFiles.filter(
      (file) => pagesOnBothEngines.has(file) || (isNightly && inBrowser(file) && !withoutDatabase.has(file)),
    ),
    workers: 3,
  },
  { title: 'SQLite, two at a time', engine: 'sqlite', files: testFiles.filter(isMeasuring), workers: 2 },
  {
    title: 'PostgreSQL, two at a time',
    engine: 'postgres',
    files: onPostgres.filter(isMeasuring),
    workers: 2,
  },
  { title: 'SQLite, one at a time', engine: 'sqlite', files: testFiles.filter(isAlone), workers: 1 },
  { title: 'PostgreSQL, one at a time', engine: 'postgres', files: onPostgres.filter(isAlone), workers: 1 },
];
