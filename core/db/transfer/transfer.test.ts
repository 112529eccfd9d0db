import { Database } from 'bun:sqlite';
import { beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { builtIn } from '../../../modules/built-in.ts';
import { userStates } from '../../../modules/cta/base/schema.ts';
import { projects, results, runTests, squads } from '../../../modules/testmgmt/base/schema.ts';
import { startTestKernel, type TestKernel } from '../../../test/kernel.ts';
import { startPostgres } from '../../../test/postgres.ts';
import { rejectionOf, settled } from '../../../test/rejection.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { systemClock } from '../../base/clock.ts';
import { migrationsOf } from '../../kernel/kernel.ts';
import { loadModule } from '../../kernel/module-loading.ts';
import { fail } from '../../base/errors.ts';
import { createLog } from '../../base/log.ts';
import { coreTables } from '../../cli/invocation/tables.ts';
import { localExecutor } from '../../tools/local-executor.ts';
import type { Location, Query } from '../query/db.ts';
import { engine } from '../query/engine.ts';
import { migrate } from '../open/migrate.ts';
import { openDb } from '../open/open.ts';
import { describeTables } from './table-description.ts';
import { transfer, type TransferStep } from './transfer.ts';

/*
 * The source is a database of the engine under test; the targets are of both.
 *
 * Mutation note: seen to fail when the progress is not read, when `clear` leaves the rows of a changed table, when the last id is
 * that of the largest row, and when the comparison reads the snapshot of the copy.
 */
const log = createLog('error', systemClock.now);
const modules = await Promise.all(Object.values(builtIn).map(async (load) => loadModule(await load())));
const tables = describeTables(
  [coreTables, ...modules.map((module) => module.tables ?? {})].flatMap(Object.values<object>),
);

const transferred = (from: Location, to: Location, report: (step: TransferStep) => void = () => {}) =>
  transfer({
    from,
    to,
    tables,
    migrationsOf: (of) => migrationsOf(modules, of),
    clock: systemClock,
    log,
    ready: () => {},
    report,
  });

const freshSqlite = async (): Promise<Location> => ({
  engine: 'sqlite',
  directory: temporaryDirectory('target'),
  durability: 'full',
});
const freshPostgres = async (): Promise<Location> => ({
  engine: 'postgres',
  url: await (await startPostgres()).createDatabase(),
});
const targets = [
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
] as const;

/** A database with rows of all areas, among them deleted last ids and texts with signs of both engines. */
async function filled(): Promise<TestKernel> {
  const trivet = await startTestKernel();
  const { kernel } = trivet;
  const executor = localExecutor(kernel, await kernel.identity.local(kernel.host, undefined), {});
  const call = (tool: string, args: object) =>
    executor.call(tool, args, { signal: AbortSignal.timeout(10_000) });
  await trivet.signIn('ann@example.org');
  await call('create-project', {
    orgId: 1,
    projectName: 'Käse & 🧀',
    projectDescription: 'a "b"\\\n{c,NULL}\t\'; --',
  });
  for (const testName of ['\\N', 'NULL', 'plain']) await call('create-test', { projectId: 1, testName });
  await call('create-run', { projectId: 1, runName: 'r', testIds: [1, 2, 3] });
  const everyByte = Buffer.from(Array.from({ length: 70_000 }, (_, n) => n % 256));
  await call('add-attachment', { projectId: 1, testId: 1, base64: everyByte.toString('base64') });
  for (const [testId, comment] of [
    [1, undefined],
    [2, 'c'],
    [3, ''],
  ])
    await call('run-update-test-status', {
      projectId: 1,
      runId: 1,
      testResults: [{ testId, status: 'passed', ...(comment === undefined ? {} : { comment }) }],
    });
  await trivet.stop();
  await changed(trivet.location, (q) => q.delete(results).where(eq(results.id, 3)));
  const state = {
    tenantId: 'default',
    userId: '-9007199254740993',
    state: '{"ä":"\\u0000"}',
    updatedAt: 2 ** 52,
  };
  await changed(trivet.location, (q) => q.insert(userStates).values(state));
  return trivet;
}

/** Changes a database of the engine under test. */
async function changed(location: Location, work: (q: Query) => PromiseLike<unknown>): Promise<void> {
  const db = await openDb(location, log);
  await db.tx(async (q) => void (await work(q)));
  await db.close();
}

let source: TestKernel;
let from: Location;
beforeAll(async () => {
  source = await filled();
  from = source.location;
});

/** A report that interrupts the transfer at its n-th step, after rows were written. */
const interruptedAt = (step: number) => {
  let steps = 0;
  return () => {
    steps++;
    if (steps === step) throw new Error('interrupted');
  };
};

describe.each(targets)(`from ${engine()} to %s`, (_name, fresh) => {
  test('everything arrives and comes back, last ids included', async () => {
    const [to, back] = [await fresh(), engine() === 'sqlite' ? await freshSqlite() : await freshPostgres()];
    const there = await transferred(from, to);
    expect(there.resumed).toBe(false);
    expect(there.tables.filter(({ equal }) => !equal)).toEqual([]);
    const byName = new Map(there.tables.map((table) => [table.table, table]));
    expect(byName.get('testmgmt_results')).toMatchObject({ rows: 2, lastId: 3 });
    expect(byName.get('cta_user_states')).toMatchObject({ rows: 1, lastId: null });
    expect(byName.get('testmgmt_options')?.rows).toBeGreaterThan(20);
    const home = await transferred(to, back);
    expect(home.tables).toEqual(there.tables);

    const again = await startTestKernel({ again: { location: back, directory: source.directory } });
    const { kernel } = again;
    const owner = await kernel.identity.local(kernel.host, undefined);
    const call = (tool: string, args: object) =>
      localExecutor(kernel, owner, {}).call(tool, args, { signal: AbortSignal.timeout(10_000) });
    expect(await call('get-projects', { orgId: 1 })).toMatchObject({
      projects: [{ projectName: 'Käse & 🧀' }],
    });
    expect(await call('create-test', { projectId: 1, testName: 'next' })).toMatchObject({ testId: 4 });
    await call('run-update-test-status', {
      projectId: 1,
      runId: 1,
      testResults: [{ testId: 1, status: 'failed' }],
    });
    const ids = await kernel.host.db.q.select({ id: results.id }).from(results).orderBy(results.id);
    expect(ids).toEqual([{ id: 1 }, { id: 2 }, { id: 4 }]);
    await again.stop();
  });

  test('interrupted after each page, it goes on and doubles nothing', async () => {
    const to = await fresh();
    let interruptions = 0;
    for (;;) {
      try {
        const { resumed, tables: compared } = await transferred(from, to, interruptedAt(1));
        expect(resumed).toBe(true);
        expect(compared.every(({ equal }) => equal)).toBe(true);
        break;
      } catch (error) {
        expect(String(error)).toBe('Error: interrupted');
        interruptions++;
        // The comparison starts anew each time; its first report would interrupt it for ever.
        if (interruptions > 12) break;
      }
    }
    expect(interruptions).toBeGreaterThan(8);
    expect((await transferred(from, to)).resumed).toBe(true);
  });

  test('a disk that is full in the middle is not told as one on which nothing was written', async () => {
    const to = await fresh();
    const full = () => {
      throw fail.STORAGE_FAILED('The storage failed (sqlite_full); nothing was written.', {
        cause: 'sqlite_full',
      });
    };
    const told: unknown = await transferred(from, to, full).catch((error: unknown) => error);
    expect(told).toMatchObject({
      code: 'STORAGE_FAILED',
      message: 'The storage failed (sqlite_full); what was copied before stays in the target.',
      tip: expect.stringMatching(
        /^Check free space .* Then run the same command again: it goes on where it stopped\.$/,
      ),
    });
    expect((await transferred(from, to)).resumed).toBe(true);
  });

  test('while it is interrupted, nothing else works with the target', async () => {
    const [to, other] = [await fresh(), await fresh()];
    expect(await settled(transferred(from, to, interruptedAt(3)))).toThrow('interrupted');
    expect(await settled(transferred(to, other))).toThrow('a transfer to it was interrupted');
    expect(
      await settled(
        migrate(to, migrationsOf(modules, to.engine), { clock: systemClock, log, mode: 'check' }),
      ),
    ).toThrow('The database is incomplete: a transfer to it was interrupted');
    const elsewhere = await filled();
    expect(await settled(transferred(elsewhere.location, to))).toThrow(
      'from which a transfer was interrupted',
    );
    await transferred(from, to);
    expect(await settled(transferred(from, to))).toThrow('has data already (in ');
  });
});

test.each([
  ['a changed row', (q: Query) => q.update(projects).set({ name: 'changed' }), 'testmgmt_projects'],
  [
    'a new row',
    (q: Query) => q.insert(squads).values({ projectId: 1, name: 's', nameKey: 's' }),
    'testmgmt_squads',
  ],
  ['a deleted row', (q: Query) => q.delete(runTests).where(eq(runTests.testId, 2)), 'testmgmt_run_tests'],
] as const)('%s of the source is found, and the next transfer corrects it', async (_what, work, table) => {
  const [to, own] = [await freshSqlite(), await filled()];
  const last = interruptedAt(1);
  const during = (step: TransferStep) => void (step.phase === 'compare' && last());
  expect(await settled(transferred(own.location, to, during))).toThrow('interrupted');
  await changed(own.location, work);
  expect(await rejectionOf(transferred(own.location, to))).toMatchObject({
    code: 'CONFLICT',
    message: `The source was changed during the transfer: the rows of ${table} differ.`,
  });
  const { tables: compared } = await transferred(own.location, to);
  expect(compared.every(({ equal }) => equal)).toBe(true);
});

test.if(engine() === 'sqlite')('a change after the copy, before the comparison, is found', async () => {
  const [to, own] = [await freshSqlite(), await filled()];
  const during = ({ phase, table }: TransferStep) => {
    if (phase !== 'copy' || table !== 'testmgmt_run_tests') return;
    const file = new Database(join(own.directory, 'trivet.db'));
    file.run("UPDATE testmgmt_projects SET name = 'changed'");
    file.close();
  };
  expect(await settled(transferred(own.location, to, during))).toThrow('testmgmt_projects');
});

test.if(engine() === 'postgres')(
  'a server that starts meanwhile is found, also if it writes later',
  async () => {
    const [to, own] = [await freshSqlite(), await filled()];
    const started = async () => {
      const db = await openDb(own.location, log);
      await db.q.select().from(projects);
      return db;
    };
    let server: ReturnType<typeof started> | undefined;
    const starts = () => void (server ??= started());
    expect(await settled(transferred(own.location, to, starts))).toThrow(
      /^--from: a server or command of Trivet has .*session/,
    );
    await (await server)?.close();
    // One that stops meanwhile is waited for.
    let stopped: Promise<void> | undefined;
    const startedAndStopped = async () => {
      const db = await started();
      await systemClock.wait(1_000);
      await db.close();
    };
    const startsAndStops = () => void (stopped ??= startedAndStopped());
    const { resumed, tables: compared } = await transferred(own.location, to, startsAndStops);
    expect([resumed, compared.every(({ equal }) => equal)]).toEqual([true, true]);
    await stopped;
  },
);

test('the file of a SQLite source stays as it is, and so do the rows of any source', async () => {
  const own = await filled();
  const before = await transferred(own.location, await freshSqlite());
  const bytes = () =>
    own.location.engine === 'sqlite'
      ? readFileSync(join(own.location.directory, 'trivet.db')).toString('base64')
      : '';
  const held = bytes();
  const after = await transferred(own.location, await freshPostgres());
  expect(bytes() === held).toBe(true);
  expect(after.tables).toEqual(before.tables);
});

test('what cannot be transferred is refused', async () => {
  const [empty, target] = [await freshSqlite(), await freshPostgres()];
  expect(await settled(transferred(empty, target))).toThrow('there is no Trivet database in');
  expect(await settled(transferred(await freshPostgres(), target))).toThrow('there is no Trivet database in');
  expect(await settled(transferred(from, from))).toThrow('name the same place');
  const older = await freshSqlite();
  const first = migrationsOf(modules, 'sqlite').slice(0, 3);
  await migrate(older, first, { clock: systemClock, log });
  expect(await settled(transferred(older, target))).toThrow(
    /is older than this Trivet .* Run trivet migrate on it/,
  );
  const withPlugin = await freshSqlite();
  const plugin = { tag: 'notes/0000', sql: 'CREATE TABLE notes_entries (id integer primary key)' };
  await migrate(withPlugin, [...migrationsOf(modules, 'sqlite'), plugin], { clock: systemClock, log });
  expect(await settled(transferred(withPlugin, target))).toThrow('tables of the plugin "notes"');
  const newer = await freshSqlite();
  const expansion = {
    tag: '9999_more',
    sql: 'CREATE TABLE auth_more (id integer primary key)',
    effect: 'expand',
  } as const;
  await migrate(newer, [...migrationsOf(modules, 'sqlite'), expansion], { clock: systemClock, log });
  expect(await settled(transferred(newer, target))).toThrow('written by a newer Trivet (it has "9999_more")');
  const some = tables.filter(({ name }) => !name.startsWith('cta_'));
  const options = {
    migrationsOf: (of: 'sqlite' | 'postgres') => migrationsOf(modules, of),
    clock: systemClock,
    log,
  };
  expect(
    await settled(
      transfer({ ...options, from, to: target, tables: some, ready: () => {}, report: () => {} }),
    ),
  ).toThrow(/no loaded module declares cta_.* leave out --modules/);
});
