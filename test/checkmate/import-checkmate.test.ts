import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { compiled, runTrivet } from '../executable.ts';
import { startTestKernel, type TestKernel } from '../kernel.ts';
import { temporaryDirectory } from '../temporary.ts';
import { toolsOf } from '../tools.ts';
import { checkmateNews, checkmateRecords, checkmateSchema } from './checkmate-database.ts';
import { haveMariadb, startMariadb, type MariadbServer } from './mariadb-server.ts';

/* `trivet import checkmate` from a real MariaDB and from its dump, into a database that a server works on. */

const isThere = await haveMariadb();
const files = temporaryDirectory('dumps');
let mariadb: MariadbServer;
beforeAll(async () => {
  if (!isThere) return;
  mariadb = await startMariadb();
  await mariadb.run(...checkmateSchema, ...checkmateRecords);
}, 240_000);
afterAll(() => mariadb?.stop());

interface Report {
  readonly counts: Readonly<Record<string, { imported: number; known: number; otherId: number }>>;
  readonly notes: ReadonlyArray<{ what: string; count: number }>;
  readonly projects: ReadonlyArray<Record<string, unknown>>;
}

/** Runs the command on the data of a kernel. */
async function importInto({ location, directory }: TestKernel, ...words: readonly string[]) {
  const where = location.engine === 'postgres' ? { TRIVET_DATABASE: location.url } : {};
  return runTrivet(compiled, ['import', 'checkmate', '--json', '--data', directory, ...words], {
    env: { TZ: 'America/New_York', ...where },
  });
}

async function imported(kernel: TestKernel, ...words: readonly string[]): Promise<Report> {
  const { stdout, stderr, exitCode } = await importInto(kernel, ...words);
  if (exitCode !== 0) throw new Error(`${exitCode} ${stderr}`);
  // Only progress, on a busy machine.
  expect(stderr.split('\n').filter((line) => line !== '' && !/^\d+ % /.test(line))).toEqual([]);
  return JSON.parse(stdout) as Report;
}

const importedCounts = ({ counts }: Report) =>
  Object.fromEntries(Object.entries(counts).map(([kind, { imported: count }]) => [kind, count]));

async function dumpFile(name: string, text: string): Promise<string> {
  const file = join(files, name);
  await Bun.write(file, name.endsWith('.gz') ? Bun.gzipSync(text) : text);
  return file;
}

/** Everything that the tools show of project 11, without who is asked. */
async function shown(kernel: TestKernel, projectId = 11) {
  const { call } = await toolsOf(kernel);
  const details = async (testId: number) => call('get-test-details', { projectId, testId });
  const runs = (await call('get-runs', { projectId, limit: 100 }))['runs'] as Array<{ runId: number }>;
  return {
    project: await call('get-project-detail', { projectId }),
    sections: await call('get-sections', { projectId }),
    labels: await call('get-labels', { projectId }),
    squads: await call('get-squads', { projectId }),
    tests: [await details(101), await details(102), await details(103)],
    runs,
    inRuns: await Promise.all(runs.map(({ runId }) => call('get-run-tests-list', { projectId, runId }))),
    history: await Promise.all(
      [101, 102].map((testId) => call('get-test-status-history', { projectId, testId })),
    ),
  };
}

const expectedCounts = {
  users: 4,
  projects: 2,
  values: 13,
  sections: 3,
  squads: 1,
  labels: 2,
  tests: 5,
  runs: 3,
  runTests: 6,
  results: 6,
};

const expectedNotes = (
  [
    ['assignees of tests: not stored (runs have assignees here)', 1],
    ['descriptions of sections: not stored', 1],
    ['projects with status Archived: inactive', 1],
    ['projects with status Deleted: left out', 1],
    ['results with status Skipped: untested, with the word in the comment', 1],
    ['runs with status Archived: locked', 1],
    ['runs with status Deleted: left out, with their results', 1],
    ['sections with the name of another one beside them: joined', 1],
    ['tests that were removed from runs: left out of these runs', 1],
    ['tests with status Deleted: stored as deleted, with their results; restore-tests brings them back', 1],
    ['titles above 255 characters: cut, and whole in the description', 1],
  ] as ReadonlyArray<readonly [string, number]>
).map(([what, count]) => ({ what, count }));

describe.skipIf(!isThere)('a database of Checkmate', () => {
  test('by --mysql and by a dump: the same records, with their ids, times and authors', async () => {
    const [byMysql, byDump, byPacked] = await Promise.all([
      startTestKernel(),
      startTestKernel(),
      startTestKernel(),
    ]);
    try {
      const report = await imported(byMysql, '--mysql', mariadb.url);
      expect(importedCounts(report)).toEqual(expectedCounts);
      const dump = await dumpFile('plain.sql', await mariadb.dump());
      const complete = await dumpFile(
        'complete.sql.gz',
        await mariadb.dump(
          '--complete-insert',
          '--hex-blob',
          '--skip-extended-insert',
          '--no-create-info',
          '--skip-comments',
        ),
      );
      const others = [await imported(byDump, '--dump', dump), await imported(byPacked, '--dump', complete)];
      for (const other of others) expect(other).toEqual(report);

      const state = await shown(byMysql);
      expect(await shown(byDump)).toEqual(state);
      expect(await shown(byPacked)).toEqual(state);
      expect(state.tests[0]).toMatchObject({
        testId: 101,
        testName: 'Pay by card',
        testDescription: 'Why\n\nCustom 1: own\n\nJira ticket: SHOP-1',
        preconditions: 'A card',
        steps: [{ action: 'Open' }, { action: 'Pay', expected: 'It\'s paid; "ok" -- (1),(2) ü 😀 \\' }],
        priority: 'P2',
        platform: 'Shop only',
        squadId: 31,
        sectionPath: ['Checkout', 'Payment'],
        labels: [{ labelId: 41 }, { labelId: 42 }],
        createdAt: '2024-03-01T08:00:00.000Z',
        updatedAt: '2024-03-01T09:00:00.000Z',
        lastStatus: 'passed',
        lastRunAt: '2024-03-01T14:00:00.000Z',
        version: 1,
      });
      const history = JSON.stringify(state.history);
      for (const word of ['timeout after 30 s', 'ok now', 'broken', 'no history', '"Skipped"'])
        expect(history).toContain(word);
      expect(state.runs).toMatchObject([
        {
          runId: 54,
          status: 'locked',
          lockedAt: '2024-03-01T09:00:00.000Z',
          counts: { passed: 1, total: 1 },
        },
        {
          runId: 52,
          status: 'locked',
          lockedAt: '2024-03-01T12:00:00.000Z',
          counts: { failed: 1, blocked: 1, total: 2 },
        },
        {
          runId: 51,
          status: 'active',
          createdAt: '2024-03-01T08:00:00.000Z',
          counts: { passed: 1, untested: 2, total: 3 },
        },
      ]);
      expect(report.notes).toEqual(expectedNotes);
      expect(await findings(byMysql)).toEqual([]);
    } finally {
      await Promise.all([byMysql, byDump, byPacked].map((kernel) => kernel.stop()));
    }
  }, 120_000);

  test('a dry run writes nothing, and twice imports nothing', async () => {
    const kernel = await startTestKernel();
    try {
      const { call } = await toolsOf(kernel);
      const tried = await imported(kernel, '--mysql', mariadb.url, '--dry-run');
      expect(importedCounts(tried)).toEqual(expectedCounts);
      expect((await call('get-projects', { orgId: 1 }))['projects']).toEqual([]);
      expect((await call('get-all-users', { orgId: 1 }))['total']).toBe(1);

      await imported(kernel, '--mysql', mariadb.url);
      const state = await shown(kernel);
      const again = await imported(kernel, '--mysql', mariadb.url);
      expect(Object.values(importedCounts(again)).every((count) => count === 0)).toBe(true);
      expect(again.counts['tests']?.known).toBe(5);
      expect(await shown(kernel)).toEqual(state);
      const audit = JSON.stringify(await call('list-audit', { event: 'operation', limit: 50 }));
      expect(audit.split('import-checkmate').length - 1).toBe(2);
    } finally {
      await kernel.stop();
    }
  }, 120_000);

  test('people: known by their address, members as they were, never administrators', async () => {
    const kernel = await startTestKernel();
    try {
      await kernel.signIn('bob@example.org');
      await imported(kernel, '--mysql', mariadb.url);
      const { call } = await toolsOf(kernel);
      const users = (await call('get-all-users', { orgId: 1 }))['users'] as Array<Record<string, unknown>>;
      const roles = users.map(({ email, role, roles: held }) => [email, role ?? held]);
      expect(JSON.stringify(roles)).toContain('ann@example.org');
      expect(JSON.stringify(roles)).not.toContain('gone@example.org');
      expect(JSON.stringify(users)).not.toContain('secret-token');
      expect(users.filter(({ email }) => email === 'bob@example.org').length).toBeLessThan(2);
    } finally {
      await kernel.stop();
    }
  }, 60_000);

  test('ids that are taken here get others, and everything refers to them', async () => {
    const [free, taken] = await Promise.all([startTestKernel(), startTestKernel()]);
    try {
      const { call } = await toolsOf(taken);
      for (let n = 0; n < 11; n++) await call('create-project', { orgId: 1, projectName: `Own ${n}` });
      const tests = Array.from({ length: 101 }, (_, n) => ({ testName: `Own ${n}` }));
      await call('bulk-add-tests', { projectId: 11, tests });
      for (let n = 0; n < 51; n++) await call('create-run', { projectId: 11, runName: 'Own', testIds: [1] });
      await imported(free, '--mysql', mariadb.url);
      const report = await imported(taken, '--mysql', mariadb.url);
      expect(report.counts['projects']).toEqual({ imported: 2, known: 0, otherId: 1 });
      expect(report.counts['tests']?.otherId).toBe(1);
      expect(report.counts['runs']?.otherId).toBe(1);
      const [project] = report.projects;
      // The greatest ids of Checkmate are 13, 106 and 54.
      expect(project).toMatchObject({ checkmateId: 11, projectId: 14 });
      const moved = await call('get-test-details', { projectId: 14, testId: 107 });
      expect(moved).toMatchObject({ testName: 'Pay by card', sectionId: 21, lastStatus: 'passed' });
      const run = await call('get-run-tests-list', { projectId: 14, runId: 55 });
      expect(run['tests']).toMatchObject([
        { testId: 102, status: 'untested', comment: 'Skipped' },
        { testId: 103, status: 'untested' },
        { testId: 107, status: 'passed', comment: 'ok now' },
      ]);
      expect(await call('get-test-details', { projectId: 11, testId: 101 })).toMatchObject({
        testName: 'Own 100',
      });
      expect((await call('get-project-detail', { projectId: 11 }))['testsCount']).toBe(101);
      // New records get ids above those of Checkmate, on both engines.
      const { testId } = await call('create-test', { projectId: 11, testName: 'Later' });
      expect(testId).toBe(108);
      expect(await findings(taken)).toEqual([]);
      const again = await imported(taken, '--mysql', mariadb.url);
      expect(Object.values(importedCounts(again)).every((count) => count === 0)).toBe(true);
    } finally {
      await Promise.all([free, taken].map((kernel) => kernel.stop()));
    }
  }, 120_000);

  test('a second import brings what is new, and nothing over what people changed here', async () => {
    const kernel = await startTestKernel();
    const other = await startMariadb();
    try {
      await other.run(...checkmateSchema, ...checkmateRecords);
      await imported(kernel, '--mysql', other.url);
      const { call } = await toolsOf(kernel);
      const projectId = 11;
      await call('update-test', { testId: 101, testName: 'Changed here' });
      await call('run-update-test-status', {
        projectId,
        runId: 51,
        testResults: [{ testId: 102, status: 'blocked', comment: 'here' }],
      });
      await other.run(...checkmateNews);
      const report = await imported(kernel, '--mysql', other.url);
      expect(importedCounts(report)).toEqual({
        users: 0,
        projects: 0,
        values: 0,
        sections: 0,
        squads: 0,
        labels: 0,
        tests: 1,
        runs: 1,
        runTests: 2,
        results: 2,
      });
      expect(report.notes).toContainEqual({
        what: 'results of tests with a newer result here: left out',
        count: 1,
      });
      expect(await call('get-test-details', { projectId, testId: 101 })).toMatchObject({
        testName: 'Changed here',
        lastStatus: 'retest',
      });
      expect(await call('get-test-details', { projectId, testId: 102 })).toMatchObject({ testName: 'Cash' });
      expect((await call('get-run-tests-list', { projectId, runId: 51 }))['tests']).toMatchObject([
        { testId: 101, status: 'retest' },
        { testId: 102, status: 'blocked', comment: 'here' },
        { testId: 103, status: 'untested' },
        { testId: 120, status: 'untested' },
      ]);
      const { runs } = await call('get-runs', { projectId, limit: 1 });
      expect(runs).toMatchObject([{ runId: 60, counts: { passed: 1, total: 1 } }]);
      expect(await findings(kernel)).toEqual([]);

      // Another Checkmate under the same name is noticed; with a name of its own, everything is imported beside it.
      await other.run("update projects set createdOn = '2020-01-01 00:00:00'");
      const mixed = await importInto(kernel, '--mysql', other.url);
      expect([mixed.exitCode, mixed.stdout]).toEqual([1, expect.stringContaining('--source NAME')]);
      const beside = await imported(kernel, '--mysql', other.url, '--source', 'other');
      expect(beside.counts['projects']?.imported).toBe(2);
    } finally {
      await other.stop();
      await kernel.stop();
    }
  }, 120_000);

  test('a source that cannot be read is refused with a sentence, and nothing is imported', async () => {
    const kernel = await startTestKernel();
    try {
      const dump = await mariadb.dump();
      const { call } = await toolsOf(kernel);
      const cases: ReadonlyArray<readonly [name: string, words: readonly string[], sentence: RegExp]> = [
        ['no source', [], /Name one source/],
        ['two sources', ['--mysql', mariadb.url, '--dump', 'a'], /Name one source/],
        ['no server', ['--mysql', 'mysql://root@127.0.0.1:1/checkmate'], /cannot be reached/],
        ['no database', ['--mysql', mariadb.url.replace('/checkmate', '/nowhere')], /nowhere/],
        [
          'another database',
          ['--mysql', mariadb.url.replace('/checkmate', '/mysql')],
          /no database of Checkmate/,
        ],
        ['a password', ['--mysql', 'mysql://root:hidden@127.0.0.1/checkmate'], /--mysql-file/],
        ['an unknown organization', ['--mysql', mariadb.url, '--org', '77'], /no organization 77/],
        ['no file', ['--dump', join(files, 'none.sql')], /cannot be read/],
        [
          'half a dump',
          ['--dump', await dumpFile('half.sql', dump.slice(0, dump.length / 2))],
          /cut off|middle/,
        ],
        [
          'a dump without its end',
          ['--dump', await dumpFile('end.sql', dump.slice(0, dump.lastIndexOf('-- Dump')))],
          /cut off/,
        ],
        [
          'no SQL',
          ['--dump', await dumpFile('text.sql', 'Hello, '.repeat(1000))],
          /no database of Checkmate/,
        ],
        ['a damaged archive', ['--dump', await damagedArchive(dump)], /packed with gzip, and damaged/],
        ['UTF-16', ['--dump', await dumpFile('utf16.sql', dump).then(inUtf16)], /UTF-16/],
      ];
      for (const [name, words, sentence] of cases) {
        const { exitCode, stderr, stdout } = await importInto(kernel, ...words);
        expect([name, exitCode === 0, stdout, stderr]).toEqual([
          name,
          false,
          '',
          expect.stringMatching(sentence),
        ]);
        expect(stderr).not.toContain('hidden');
      }
      expect((await call('get-projects', { orgId: 1 }))['projects']).toEqual([]);
    } finally {
      await kernel.stop();
    }
  }, 120_000);
});

/** The findings of `trivet doctor`. */
async function findings({ location, directory }: TestKernel): Promise<unknown> {
  const where = location.engine === 'postgres' ? { TRIVET_DATABASE: location.url } : {};
  const { stdout } = await runTrivet(compiled, ['doctor', '--json', '--data', directory], { env: where });
  const { checks } = JSON.parse(stdout) as {
    checks: ReadonlyArray<{ check: string; findings: readonly unknown[] }>;
  };
  expect(checks.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['testmgmt counts', 'testmgmt outcomes']),
  );
  return checks.filter(({ check }) => check.startsWith('testmgmt')).flatMap(({ findings: found }) => found);
}

async function damagedArchive(dump: string): Promise<string> {
  const file = join(files, 'damaged.sql.gz');
  await Bun.write(file, Bun.gzipSync(dump).slice(0, 500));
  return file;
}

async function inUtf16(file: string): Promise<string> {
  await Bun.write(file, Buffer.from(`\ufeff${await Bun.file(file).text()}`, 'utf16le'));
  return file;
}
