import { Glob } from 'bun';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/* Which files `npm test` runs in which suite. Files run concurrently; those that cannot have their reason here. */

const root = join(import.meta.dir, '..');

/** Tests that measure the machine itself would also measure their neighbours. */
export const alone: Readonly<Record<string, string>> = {
  'test/monitoring/alerts.test.ts': 'takes the CPU from a server and waits for the alert that says so',
  'core/base/turns.test.ts': 'measures how long one turn of the event loop takes',
};

/** Tests of the console whose pages do not depend on the database engine. */
const pagesAlone = new Set(
  ['attacks', 'design', 'every-page', 'first-start', 'provider-sign-in'].map(
    (name) => `test/console/${name}.test.ts`,
  ),
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

const importsOf = (file: string): readonly string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(
    ([, name = '']) => relative(root, join(root, dirname(file), name)),
  );

/** Whether a test reaches a database, by its own imports or by those of the test code that it imports. */
export function reachesDatabase(file: string, seen: Set<string> = new Set()): boolean {
  if (seen.has(file) || !existsSync(join(root, file))) return false;
  seen.add(file);
  return importsOf(file).some(
    (other) => opensDatabase.has(other) || (isTestCode(other) && reachesDatabase(other, seen)),
  );
}

export const testFiles = [
  ...new Glob('{core,modules,test,release,bench,docs}/**/*.test.ts').scanSync(root),
].sort();

const inBrowser = (file: string) => file.startsWith('test/console/');
const isShared = (file: string) => !inBrowser(file) && !(file in alone);

export interface Suite {
  readonly title: string;
  readonly engine: 'sqlite' | 'postgres';
  readonly files: readonly string[];
  /** Files of the suite that run at the same time. */
  readonly workers: number;
}

const onPostgres = testFiles.filter(
  (file) =>
    isShared(file) &&
    (/^(?:core|modules)\//.test(file) || onBothEngines.some((start) => file.startsWith(start))) &&
    reachesDatabase(file),
);

/** On two cores: most tests spend about a third of their time waiting for a disk, a process or a browser. */
export const suites: readonly Suite[] = [
  { title: 'SQLite', engine: 'sqlite', files: testFiles.filter(isShared), workers: 3 },
  { title: 'PostgreSQL', engine: 'postgres', files: onPostgres, workers: 3 },
  { title: 'SQLite, in a browser', engine: 'sqlite', files: testFiles.filter(inBrowser), workers: 3 },
  {
    title: 'PostgreSQL, in a browser',
    engine: 'postgres',
    files: testFiles.filter((file) => inBrowser(file) && !pagesAlone.has(file)),
    workers: 3,
  },
  {
    title: 'one at a time',
    engine: 'sqlite',
    files: testFiles.filter((file) => file in alone),
    workers: 1,
  },
];
